"""What holds for an article whoever reads it: how well founded it is, how fast it ages, what learning reads of it."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from feeds.models import Article


class TimeSensitivity(models.IntegerChoices):
    """How fast an article loses relevance. Source: feedoscope-article.md; the rates are in `reader.scoring.decay`."""

    EVERGREEN = 1, pgettext_lazy("how fast it ages", "Evergreen")
    LOW = 2, pgettext_lazy("how fast it ages", "Low")
    MEDIUM = 3, pgettext_lazy("how fast it ages", "Medium")
    HIGH = 4, pgettext_lazy("how fast it ages", "High")
    CRITICAL = 5, pgettext_lazy("how fast it ages", "Critical")


class Confidence(models.TextChoices):
    LOW = "low", pgettext_lazy("confidence", "Low")
    MEDIUM = "medium", pgettext_lazy("confidence", "Medium")
    HIGH = "high", pgettext_lazy("confidence", "High")


class Judge(models.TextChoices):
    """Who said how fast an article ages."""

    LOCAL = "local", _("the built-in judge")
    LLM = "llm", _("the language model")
    PERSON = "person", _("a person")


class Assessment(models.Model):
    """One a stored article. `worth` is the part of importance that is the same for everybody and does not age:
    0.25 authority + 0.20 corroboration + 0.15 depth, 0 to 60; the facts beside it are what it was worked out from.
    """

    article = models.OneToOneField(Article, primary_key=True, on_delete=models.CASCADE, related_name="assessment")
    content_hash = models.BigIntegerField(help_text=_("Of what was assessed"))
    assessed_at = models.DateTimeField()

    tier = models.PositiveSmallIntegerField(help_text=_("Of the feed whose version is kept, or of its source"))
    health = models.FloatField(help_text=_("Of that feed: successful polls / polls in 30 days"))
    n_feeds = models.PositiveIntegerField(help_text=_("Feeds that carry its story"))
    n_tiers = models.PositiveSmallIntegerField(help_text=_("Different tiers among them"))
    depth_facts = models.JSONField(default=dict)
    authority = models.FloatField()
    corroboration = models.FloatField()
    depth = models.FloatField()
    worth = models.FloatField()

    sensitivity = models.PositiveSmallIntegerField(choices=TimeSensitivity.choices)
    confidence = models.CharField(max_length=6, choices=Confidence.choices)
    explanation = models.CharField(max_length=300, help_text=_("Why it ages as fast as that"))
    judge = models.CharField(max_length=6, choices=Judge.choices)

    def __str__(self) -> str:
        return f"{self.article_id}: {self.worth:.1f}, {self.get_sensitivity_display()}"


class Features(models.Model):
    """What learning reads of an article: hashed terms with their counts, marks such as its source and author (see
    `reader.learning.features`), and the vector of its meaning: 512 signed bytes (see `feeds.dedup.vectors`), empty
    where the model of meaning is not installed. Deduplication forgets its own copy of the vector after some days.
    """

    article = models.OneToOneField(Article, primary_key=True, on_delete=models.CASCADE, related_name="+")
    terms = models.BinaryField()
    marks = models.BinaryField()
    vector = models.BinaryField(default=b"")

    class Meta:
        verbose_name_plural = _("features")

    def __str__(self) -> str:
        return str(self.article_id)


class SensitivityLabel(models.Model):
    """How fast an article ages, as a person or a language model says. The local judge learns from these.

    A person's counts for that person at once, and for others only by what is learned from it.
    """

    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    judge = models.CharField(max_length=6, choices=Judge.choices)
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
        return f"{self.article_id}: {self.get_score_display()} ({self.judge})"


class Question(models.Model):
    """A language model was asked how fast an article ages and has not answered, or not so that it could be used.

    One who works on it holds it for a while from `asked_at` on. It goes when it is answered, which is once an article;
    when it stays unanswered it stays here, with the reason, so that it is not asked for ever (`is_open`).
    """

    article = models.OneToOneField(Article, primary_key=True, on_delete=models.CASCADE, related_name="+")
    asked_at = models.DateTimeField()
    n_tries = models.PositiveSmallIntegerField(default=1)
    is_open = models.BooleanField(default=True, help_text=_("Will be asked again"))
    reason = models.CharField(max_length=300, blank=True, help_text=_("Why there was no answer of use"))

    def __str__(self) -> str:
        return f"{self.article_id}: {self.reason or gettext('being asked')}"


class LanguageModelUse(models.Model):
    """What all workers together ask of the language model: one row, so that they keep one limit and one patience.

    `sent_at` are the moments of the requests of the last minute, in seconds since 1970. After some failures running
    nobody asks before `rests_until`.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    sent_at = models.JSONField(default=list)
    n_failures = models.PositiveIntegerField(default=0, help_text=_("Running, up to now"))
    rests_until = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True, help_text=_("Last answer of use"))
    failed_at = models.DateTimeField(null=True, help_text=_("Last failure"))
    failure = models.CharField(max_length=300, blank=True, help_text=_("The last one, in a sentence"))

    class Meta:
        constraints = (models.CheckConstraint(condition=models.Q(id=1), name="one_language_model_use"),)

    def __str__(self) -> str:
        return ngettext("%(n)s failures running", "%(n)s failures running", self.n_failures) % {"n": self.n_failures}


class JudgeTraining(models.Model):
    """The local judge trained on the shipped examples and the labels of this installation, with how well it did.

    `numbers` is the judge as `reader.scoring.sensitivity` reads it; empty when it was no better than the shipped one,
    and in all but the newest training.
    """

    trained_at = models.DateTimeField()
    n_labels = models.PositiveIntegerField()
    macro_f1 = models.FloatField()
    mean_absolute_error = models.FloatField()
    shipped_macro_f1 = models.FloatField(help_text=_("Of the shipped judge on the same labels"))
    shipped_mean_absolute_error = models.FloatField()
    numbers = models.BinaryField(default=b"")

    class Meta:
        ordering = ("-trained_at", "-id")

    def __str__(self) -> str:
        return f"{self.trained_at:%Y-%m-%d}: macro F1 {self.macro_f1:.2f}"
