"""What users do, set and see; `feeds.models` holds what is the same for everyone."""

from reader.models.assessment import (
    ArticleFeatures,
    Assessment,
    Confidence,
    LanguageModelRequest,
    LanguageModelUsage,
    SensitivityLabel,
    SensitivitySource,
    SensitivityTraining,
    TimeSensitivity,
)
from reader.models.change import Change
from reader.models.engagement import Engagement, EngagementKind, EngagementSource
from reader.models.highlight import Highlight
from reader.models.importing import Import, ImportKind, ImportLine, ImportStatus
from reader.models.interest import IdfTable, InterestProfile, InterestTerm, RelevanceModel, TermOrigin
from reader.models.notification import Notification, NotificationKind
from reader.models.preferences import (
    DEFAULT_SIDEBAR,
    MAX_SIDEBAR,
    MIN_SIDEBAR,
    Density,
    Face,
    LineHeight,
    LineWidth,
    ListOrder,
    MailPictures,
    Owner,
    Preferences,
    SavedSearch,
    SidebarOrder,
    TextSize,
    Theme,
)
from reader.models.rule import Arrival, Muted, Rule, RuleBoost, RuleHit, RuleRun
from reader.models.send_to import Queued, Sending, SendingState, SendTarget, Webhook
from reader.models.state import (
    ArticleState,
    BulkRead,
    Delivery,
    PendingState,
    PlaybackPosition,
    Quiet,
    Separation,
    lock_deliveries,
)
from reader.models.subscription import IS_FOLLOWED, Duplicate, Folder, Subscription
from reader.models.tag import Tag, TaggedArticle
