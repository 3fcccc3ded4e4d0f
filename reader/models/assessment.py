"""What is the same for every user of an article: its source, its depth, how fast it ages, its features for learning."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from feeds.models import Article


class TimeSensitivity(models.IntegerChoices):
    """How fast an article loses relevance. Source: feedoscope-article.md; the rates are in `reader.scoring.decay`."""

    EVERGREEN = 1, pgettext_lazy("time sensitivity", "Evergreen")
    LOW = 2, pgettext_lazy("time sensitivity", "Low")
    MEDIUM = 3, pgettext_lazy("time sensitivity", "Medium")
    HIGH = 4, pgettext_lazy("time sensitivity", "High")
    CRITICAL = 5, pgettext_lazy("time sensitivity", "Critical")


class Confidence(models.TextChoices):
    LOW = "low", pgettext_lazy("confidence", "Low")
    MEDIUM = "medium", pgettext_lazy("confidence", "Medium")
    HIGH = "high", pgettext_lazy("confidence", "High")


class SensitivitySource(models.TextChoices):
    """What rated how fast an article ages."""

    LOCAL = "local", _("the built-in classifier")
    LLM = "llm", _("the language model")
    USER = "user", _("a user")


class Assessment(models.Model):
    """Scores of an article that don't depend on the user, one row per article.

    `shared_importance` is the part of importance that is the same for everyone and doesn't change with time: 0.25
    authority + 0.15 depth, 0 to 40. The other fields are its inputs. Who else reports the story depends on what a user
    follows, so that is in `Delivery`.
    """

    article = models.OneToOneField(Article, primary_key=True, on_delete=models.CASCADE, related_name="assessment")
    content_hash = models.BigIntegerField(help_text=_("Hash of the assessed content"))
    assessed_at = models.DateTimeField()

    tier = models.PositiveSmallIntegerField(help_text=_("Of the article's publisher"))
    health = models.FloatField(help_text=_("Successful polls / polls of that feed in 30 days"))
    depth_features = models.JSONField(default=dict)
    authority = models.FloatField()
    depth = models.FloatField()
    shared_importance = models.FloatField()

    sensitivity = models.PositiveSmallIntegerField(choices=TimeSensitivity.choices)
    confidence = models.CharField(max_length=6, choices=Confidence.choices)
    explanation = models.CharField(max_length=300)  # why; the classifier's as in `sensitivity_reasons`
    source = models.CharField(max_length=6, choices=SensitivitySource.choices)

    def __str__(self) -> str:
        return f"{self.article_id}: {self.shared_importance:.1f}, {self.get_sensitivity_display()}"


class ArticleFeatures(models.Model):
    """Features for learning: hashed terms with counts, attributes such as source and author (see
    `reader.interests.learning.features`), and the embedding: 512 signed bytes (see `feeds.dedup.vectors`), empty if the
    embedding model isn't installed. Deduplication deletes its own copy of the vector after some days.
    """

    article = models.OneToOneField(Article, primary_key=True, on_delete=models.CASCADE, related_name="+")
    terms = models.BinaryField()
    attributes = models.BinaryField()
    vector = models.BinaryField(default=b"")

    class Meta:
        verbose_name_plural = _("features")

    def __str__(self) -> str:
        return str(self.article_id)


class SensitivityLabel(models.Model):
    """How fast an article ages, according to a user or the language model. The built-in classifier learns from these.

    A user's label applies to that user at once; other users only notice what the classifier learns from it.
    """

    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    source = models.CharField(max_length=6, choices=SensitivitySource.choices)
    score = models.PositiveSmallIntegerField(choices=TimeSensitivity.choices)
    confidence = models.CharField(max_length=6, choices=Confidence.choices)
    explanation = models.CharField(max_length=300, blank=True)
    made_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("user", "article"), name="sensitivity_label_once_a_user"),
            models.UniqueConstraint(
                fields=("article",), condition=models.Q(user__isnull=True), name="sensitivity_label_once_by_model"
            ),
        )

    def __str__(self) -> str:
        return f"{self.article_id}: {self.get_score_display()} ({self.source})"


class LanguageModelRequest(models.Model):
    """A request to the language model that is running or failed; deleted once it succeeds.

    A worker holds the article from `asked_at` on. `is_open` is False when the article won't be tried again.
    """

    article = models.OneToOneField(Article, primary_key=True, on_delete=models.CASCADE, related_name="+")
    asked_at = models.DateTimeField()
    n_tries = models.PositiveSmallIntegerField(default=1)
    is_open = models.BooleanField(default=True, help_text=_("Will be tried again"))
    reason = models.CharField(max_length=300, blank=True, help_text=_("Why there was no usable answer"))

    def __str__(self) -> str:
        return f"{self.article_id}: {self.reason or gettext('in progress')}"


class LanguageModelUsage(models.Model):
    """The rate limit and circuit breaker that all workers share for the language model: one row.

    `sent_at` holds the timestamps of the last minute's requests, in seconds since 1970. After repeated failures there
    are no requests until `paused_until`.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    sent_at = models.JSONField(default=list)
    n_failures = models.PositiveIntegerField(default=0, help_text=_("In a row"))
    paused_until = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True, help_text=_("Last usable answer"))
    failed_at = models.DateTimeField(null=True, help_text=_("Last failure"))
    failure = models.CharField(max_length=300, blank=True, help_text=_("Last error message"))

    class Meta:
        constraints = (models.CheckConstraint(condition=models.Q(id=1), name="one_language_model_usage"),)

    def __str__(self) -> str:
        return ngettext("%(n)s failures in a row", "%(n)s failures in a row", self.n_failures) % {"n": self.n_failures}


class SensitivityTraining(models.Model):
    """A training of the built-in classifier on the bundled examples and this installation's labels, with its quality.

    `weights` holds them as `reader.scoring.sensitivity` reads them; empty if they weren't better than the
    bundled ones, and in all but the newest training.
    """

    trained_at = models.DateTimeField()
    n_labels = models.PositiveIntegerField()
    macro_f1 = models.FloatField()
    mean_absolute_error = models.FloatField()
    shipped_macro_f1 = models.FloatField(help_text=_("Of the bundled classifier, on the same labels"))
    shipped_mean_absolute_error = models.FloatField()
    weights = models.BinaryField(default=b"")

    class Meta:
        ordering = ("-trained_at", "-id")

    def __str__(self) -> str:
        return f"{self.trained_at:%Y-%m-%d}: macro F1 {self.macro_f1:.2f}"
