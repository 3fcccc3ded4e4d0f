"""What it means to a person, as rows."""

from reader.models.assessment import (
    Assessment,
    Confidence,
    Features,
    Judge,
    JudgeTraining,
    LanguageModelUse,
    Question,
    SensitivityLabel,
    TimeSensitivity,
)
from reader.models.engagement import Engagement, EngagementKind, EngagementSource
from reader.models.importing import Import, ImportKind, ImportLine, ImportStatus
from reader.models.interest import InterestProfile, InterestTerm, TermBackground, TermOrigin
from reader.models.kept import KeptState
from reader.models.learned import RelevanceModel
from reader.models.lift import Lift
from reader.models.listening import Position
from reader.models.notification import Notification, NotificationKind
from reader.models.owner import Owner
from reader.models.parting import UNDER_WAY, Bundle, Course, Parting, Twins
from reader.models.preferences import Density, Face, Preferences, TextSize, Theme
from reader.models.rule import Arrival, Muted, Rule, RuleHit, RuleRun
from reader.models.saved_search import SavedSearch
from reader.models.state import ArticleState, Delivery, Quiet, Separation
from reader.models.subscription import IN_NO_EMPTIED_LIST, Folder, Subscription
from reader.models.sweep import Sweep
from reader.models.tag import Tag, TaggedArticle

__all__ = [
    "IN_NO_EMPTIED_LIST",
    "UNDER_WAY",
    "Arrival",
    "ArticleState",
    "Assessment",
    "Bundle",
    "Confidence",
    "Course",
    "Delivery",
    "Density",
    "Engagement",
    "EngagementKind",
    "EngagementSource",
    "Face",
    "Features",
    "Folder",
    "Import",
    "ImportKind",
    "ImportLine",
    "ImportStatus",
    "InterestProfile",
    "InterestTerm",
    "Judge",
    "JudgeTraining",
    "KeptState",
    "LanguageModelUse",
    "Lift",
    "Muted",
    "Notification",
    "NotificationKind",
    "Owner",
    "Parting",
    "Position",
    "Preferences",
    "Question",
    "Quiet",
    "RelevanceModel",
    "Rule",
    "RuleHit",
    "RuleRun",
    "SavedSearch",
    "SensitivityLabel",
    "Separation",
    "Subscription",
    "Sweep",
    "Tag",
    "TaggedArticle",
    "TermBackground",
    "TermOrigin",
    "TextSize",
    "Theme",
    "TimeSensitivity",
    "Twins",
]
