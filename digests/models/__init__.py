"""Models of digests: plans, contents and emails."""

from digests.models.digest import Digest, DigestArticle, DigestTopic
from digests.models.mailing import ABOUT_ACCOUNTS, MailedNotification, Mailing, MailingKind, MailingState
from digests.models.settings import AlertSettings, DigestPlan, PrivateFeed
