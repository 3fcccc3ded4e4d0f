"""Digests as rows: when they are due, what they say, and what became of their mail."""

from digests.models.alerts import AlertSettings, MailedNotification
from digests.models.digest import Digest, DigestArticle, DigestTopic
from digests.models.diversity import DiversityReport
from digests.models.mailing import Mailing, MailingKind, MailingState
from digests.models.plan import DigestPlan
from digests.models.private_feed import PrivateFeed

__all__ = [
    "AlertSettings",
    "Digest",
    "DigestArticle",
    "DigestPlan",
    "DigestTopic",
    "DiversityReport",
    "MailedNotification",
    "Mailing",
    "MailingKind",
    "MailingState",
    "PrivateFeed",
]
