"""What a user is interested in: weighted terms that they can see and change, and models learned from their reading."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class InterestProfile(models.Model):
    """One row per user, created when first needed.

    `evidence` is the sum of the absolute gains learned, decayed with time; while it is low, relevance stays near
    neutral. `middle` and `spread` put scores on the scale of the user's own articles (`inference.Scale`). `vector`
    holds the learned embedding profile (`reader.interests.learning.embedding_profile`). After `changed_at` moves, the
    user's articles are rated again.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="interest_profile"
    )
    is_learning = models.BooleanField(default=True, help_text=_("Learn from opened and skipped articles"))
    recency_rate = models.FloatField(default=0.03, help_text=_("Recency lost per hour: 0.01 weekly, 0.05 real-time"))
    evidence = models.FloatField(default=0.0)
    evidence_at = models.DateTimeField(null=True, help_text=_("When evidence and vector were last updated"))
    vector = models.BinaryField(default=b"")
    middle = models.FloatField(default=0.0, db_default=0.0)
    spread = models.FloatField(default=0.0, db_default=0.0)
    changed_at = models.DateTimeField(null=True)
    rated_at = models.DateTimeField(
        null=True, help_text=_("All unread articles are rated with the profile as of this time")
    )
    trained_at = models.DateTimeField(null=True, help_text=_("Last training of a relevance model"))
    forgotten_at = models.DateTimeField(null=True, help_text=_("Last reset; earlier actions are ignored"))

    def __str__(self) -> str:
        return str(self.user_id)


class TermOrigin(models.TextChoices):
    TOPIC = "topic", _("Added by you")
    CATEGORY = "category", _("Category of your feeds")
    READING = "reading", _("Learned from your reading")
    IMPORT = "import", _("Imported")


class InterestTerm(models.Model):
    """A term and its weight at `engaged_at`; it decays by 10 % a week. Above 0: interested, below 0: not interested.

    A pinned term keeps its weight: it neither decays nor learns. A muted one has no effect and doesn't learn.
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


class IdfTable(models.Model):
    """How rare each hashed term is: one row, rebuilt weekly from all articles.

    `weights` holds the inverse document frequency of each of 2^20 terms, a byte each
    (`reader.interests.learning.idf_table`).
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    built_at = models.DateTimeField()
    n_articles = models.PositiveIntegerField()
    weights = models.BinaryField()

    class Meta:
        constraints = (models.CheckConstraint(condition=models.Q(id=1), name="one_idf_table"),)

    def __str__(self) -> str:
        return f"{self.n_articles} articles"


class RelevanceModel(models.Model):
    """One training for a user: the metrics are kept, the weights only for the newest training.

    A logit is `intercept` plus, for each feature, its value times its weight. `indices` (uint32, ascending) and
    `weights` (float32) go together; `embedding` holds 512 float32 weights for the embedding, empty without one. All are
    little-endian. `is_used`: it was at least as good as the profile on the same held-out articles.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="relevance_models", db_index=False
    )
    trained_at = models.DateTimeField()
    n_positive = models.PositiveIntegerField()
    n_negative = models.PositiveIntegerField()
    n_held_out = models.PositiveIntegerField()
    precision = models.FloatField()
    recall = models.FloatField()
    f1 = models.FloatField()
    auc = models.FloatField()
    average_precision = models.FloatField()
    profile_auc = models.FloatField()
    profile_average_precision = models.FloatField()
    is_used = models.BooleanField()
    seconds = models.FloatField()
    intercept = models.FloatField(default=0.0)
    indices = models.BinaryField(default=b"")
    weights = models.BinaryField(default=b"")
    embedding = models.BinaryField(default=b"")

    class Meta:
        indexes = (models.Index(fields=("user", "-trained_at", "-id"), name="model_newest"),)

    def __str__(self) -> str:
        return f"{self.user_id} {self.trained_at:%Y-%m-%d}: AP {self.average_precision:.2f}"
