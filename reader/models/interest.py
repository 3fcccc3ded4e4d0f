"""What a person cares about, as weighted terms that they can see and change."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class InterestProfile(models.Model):
    """One a user, made when it is first needed.

    `evidence` is the sum of the absolute gains learned so far, decayed with time; while it is thin, relevance stays
    near neutral. `vector` holds what was learned in the space of meaning, as `reader.learning.meaning` writes it.
    `changed_at` says when relevance was last bound to change; what was rated before is rated again.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="interest_profile"
    )
    is_learning = models.BooleanField(default=True, help_text=_("Learn from what is opened and skipped"))
    recency_rate = models.FloatField(default=0.03, help_text=_("Recency lost per hour: 0.01 weekly, 0.05 real-time"))
    evidence = models.FloatField(default=0.0)
    evidence_at = models.DateTimeField(null=True, help_text=_("When evidence and vector were last brought up to date"))
    vector = models.BinaryField(default=b"")
    changed_at = models.DateTimeField(null=True)
    rated_at = models.DateTimeField(null=True, help_text=_("Everything unread was rated by the profile of that moment"))
    trained_at = models.DateTimeField(null=True, help_text=_("When a relevance model was last tried"))
    forgotten_at = models.DateTimeField(null=True, help_text=_("Reset: nothing done before is learned again"))

    def __str__(self) -> str:
        return str(self.user_id)


class TermOrigin(models.TextChoices):
    TOPIC = "topic", _("You named it")
    CATEGORY = "category", _("A category of your feeds")
    READING = "reading", _("Learned from your reading")
    IMPORT = "import", _("Imported")


class InterestTerm(models.Model):
    """A term and what it weighs, before its decay since `engaged_at`: 10 % a week. Above 0 it is sought, below avoided.

    A pinned term keeps its weight: it neither decays nor is learned. A muted one counts for nothing and is not learned.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="interest_terms", db_index=False
    )
    term = models.CharField(max_length=100)
    weight = models.FloatField()
    engaged_at = models.DateTimeField()
    origin = models.CharField(max_length=8, choices=TermOrigin.choices, default=TermOrigin.READING)
    is_pinned = models.BooleanField(default=False)
    is_muted = models.BooleanField(default=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "term"), name="interest_term_once"),)

    def __str__(self) -> str:
        return f"{self.term} {self.weight:+.2f}"


class TermBackground(models.Model):
    """In how many documents each hashed term occurs: one row, rebuilt weekly from all articles.

    `weights` holds the inverse document frequency of each of 2^20 terms in a byte (see `reader.learning.background`).
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    built_at = models.DateTimeField()
    n_articles = models.PositiveIntegerField()
    weights = models.BinaryField()

    class Meta:
        constraints = (models.CheckConstraint(condition=models.Q(id=1), name="one_background"),)

    def __str__(self) -> str:
        return f"{self.n_articles} articles"
