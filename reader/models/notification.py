"""In-app notifications."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from feeds.models import Article, Feed


class NotificationKind(models.TextChoices):
    """In addition to the conditions of a feed (`feeds.models.Condition`)."""

    BREAKING = "breaking", _("Breaking news")
    MAIL = "mail", _("Failed email")
    SENDING = "sending", _("Article not sent")
    IMPORT = "import", _("Finished import")
    HOST = "host", _("Host down")


class Notification(models.Model):
    """A feed's condition changed, a host is down, an article is breaking news, something couldn't be sent, or an import
    is over.

    `text` is one or two whole sentences; `path` is the page it links to if there is no feed or article.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notifications")
    feed = models.ForeignKey(Feed, null=True, on_delete=models.CASCADE, related_name="+")
    article = models.ForeignKey(Article, null=True, on_delete=models.CASCADE, related_name="+")
    path = models.CharField(max_length=200, blank=True)
    kind = models.CharField(max_length=10)
    text = models.CharField(max_length=700)
    happened_at = models.DateTimeField()
    seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-happened_at", "-id")
        constraints = (
            models.UniqueConstraint(fields=("user", "feed", "kind", "happened_at"), name="notification_once"),
            models.UniqueConstraint(
                fields=("user", "article", "kind"),
                condition=models.Q(article__isnull=False),
                name="notification_once_an_article",
            ),
        )

    def __str__(self) -> str:
        return self.text
