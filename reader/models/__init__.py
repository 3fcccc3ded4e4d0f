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
from reader.models.learned import RelevanceModel
from reader.models.notification import Notification, NotificationKind
from reader.models.owner import Owner
from reader.models.preferences import Preferences
from reader.models.state import ArticleState, Delivery, Separation
from reader.models.subscription import Folder, Subscription

__all__ = [
    "ArticleState",
    "Assessment",
    "Confidence",
    "Delivery",
    "Engagement",
    "EngagementKind",
    "EngagementSource",
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
    "LanguageModelUse",
    "Notification",
    "NotificationKind",
    "Owner",
    "Preferences",
    "Question",
    "RelevanceModel",
    "SensitivityLabel",
    "Separation",
    "Subscription",
    "TermBackground",
    "TermOrigin",
    "TimeSensitivity",
]
