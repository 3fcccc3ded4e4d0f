"""What was learned of a person's choices, and how well it did on those it was not shown."""

from django.conf import settings
from django.db import models


class RelevanceModel(models.Model):
    """One training for a user: its figures stay, its numbers only while it is the newest.

    A logit is `intercept` plus, for each feature, its value times its weight. `indices` (uint32, ascending) and
    `weights` (float32) go together; `meaning` holds 512 float32 for the vector of meaning, empty without one. All are
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
    meaning = models.BinaryField(default=b"")

    class Meta:
        indexes = (models.Index(fields=("user", "-trained_at", "-id"), name="model_newest"),)

    def __str__(self) -> str:
        return f"{self.user_id} {self.trained_at:%Y-%m-%d}: AP {self.average_precision:.2f}"
