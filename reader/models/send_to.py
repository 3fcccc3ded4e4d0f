"""Services that users send articles to, URLs that rules send them to, and what was sent."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from feeds.models import Article
from reader.models.rule import Rule


class SendTarget(models.Model):
    """A service (`reader.send_to.services`) with the user's settings for it.

    The secrets among `values` have to be sent as they are, so they aren't hashed; like feeds' passwords, they are never
    shown or exported.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    service = models.CharField(max_length=20)
    values = models.JSONField(default=dict)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "service"), name="send_target_once"),)

    def __str__(self) -> str:
        return self.service


class SendingState(models.TextChoices):
    """`WAITING` until it is sent or given up."""

    WAITING = "waiting", _("Waiting")
    SENT = "sent", _("Sent")
    FAILED = "failed", _("Failed")


class Queued(models.Model):
    """Something to be sent (`reader.send_to.retrying`). `try_at` is when it is due; a worker that sends it moves it, so
    that no other does, and so that it is tried again if the worker dies."""

    state = models.CharField(max_length=7, choices=SendingState.choices, default=SendingState.WAITING)
    n_tries = models.PositiveSmallIntegerField(default=0)
    try_at = models.DateTimeField()

    class Meta:
        abstract = True


class Sending(Queued):
    """An article that a user sent to a service, once."""

    target = models.ForeignKey(SendTarget, on_delete=models.CASCADE, related_name="sendings", db_index=False)
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("target", "article"), name="sending_once"),)
        indexes = (models.Index(fields=("try_at",), name="sending_due", condition=models.Q(state="waiting")),)

    def __str__(self) -> str:
        return f"{self.target_id} {self.article_id}"


class Webhook(Queued):
    """An article that a rule sends to its URL, once, or as a test.

    `message_id` is the same for all tries. `status` is that of the last try, None if there was no answer.
    """

    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="webhooks", db_index=False)
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+")
    message_id = models.CharField(max_length=30, unique=True)
    is_test = models.BooleanField(default=False)
    status = models.PositiveSmallIntegerField(null=True)
    problem = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField()
    tried_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("rule", "article"), condition=models.Q(is_test=False), name="webhook_once"),
        )
        indexes = (
            models.Index(fields=("try_at",), name="webhook_due", condition=models.Q(state="waiting")),
            models.Index(fields=("rule", "-id"), name="webhook_newest"),
        )

    def __str__(self) -> str:
        return self.message_id
