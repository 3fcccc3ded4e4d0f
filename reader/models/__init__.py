"""What it means to a person, as rows."""

from reader.models.importing import Import, ImportKind, ImportLine, ImportStatus
from reader.models.notification import Notification
from reader.models.owner import Owner
from reader.models.state import ArticleState, Delivery, Separation
from reader.models.subscription import Folder, Subscription

__all__ = [
    "ArticleState",
    "Delivery",
    "Folder",
    "Import",
    "ImportKind",
    "ImportLine",
    "ImportStatus",
    "Notification",
    "Owner",
    "Separation",
    "Subscription",
]
