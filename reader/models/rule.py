"""Rules that filter, tag or boost new articles."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from feeds.models import Article
from reader.models.state import Delivery
from reader.models.subscription import Folder, OfFollowed, Subscription
from reader.models.tag import Tag
from reader.rules.conditions import Comparison, Condition, Conditions, Field


class Rule(models.Model):
    """Conditions, all or any of which must match, and actions. A rule on a feed or folder is deleted with it.

    `n_hits` counts matching articles, each once, including those that existed before the rule.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="rules")
    name = models.CharField(max_length=100, blank=True)
    is_on = models.BooleanField(default=True)
    rows = models.JSONField(default=list, blank=True, help_text=_("Conditions: field, test and value of each"))
    is_any = models.BooleanField(default=False, help_text=_("One of the conditions is enough"))
    subscription = models.ForeignKey(
        Subscription, null=True, blank=True, on_delete=models.CASCADE, related_name="rules"
    )
    folder = models.ForeignKey(Folder, null=True, blank=True, on_delete=models.CASCADE, related_name="rules")
    mutes = models.BooleanField(default=False)
    marks_read = models.BooleanField(default=False)
    stars = models.BooleanField(default=False)
    lift = models.SmallIntegerField(default=0, help_text=_("Points added to relevance"))
    version = models.PositiveIntegerField(default=1, help_text=_("Increases when conditions or boost change"))
    tag = models.ForeignKey(Tag, null=True, blank=True, on_delete=models.SET_NULL, related_name="rules")
    url = models.CharField(max_length=2000, blank=True, help_text=_("Where matching articles are sent"))
    secret = models.CharField(max_length=60, blank=True, editable=False)
    n_hits = models.PositiveIntegerField(default=0)
    last_hit_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = OfFollowed["Rule"]()
    everything = models.Manager["Rule"]()

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.name or gettext("Rule %(number)s") % {"number": self.pk}

    @property
    def conditions(self) -> Conditions:
        return Conditions(
            rows=tuple(Condition(Field(row["field"]), Comparison(row["test"]), row["value"]) for row in self.rows),
            is_any=self.is_any,
            subscription_id=self.subscription_id,
            folder_id=self.folder_id,
        )


class RuleHit(models.Model):
    """A rule matched an article, and what it did: `read`, `star`, `tag:<id>`, `mute:<subscription>` or
    `send:<rule>`.

    A rule never repeats an action on the same article, so that the user can undo it; that is why the row outlives its
    rule.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    rule = models.ForeignKey(Rule, null=True, on_delete=models.SET_NULL, related_name="hits", db_index=False)
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+", db_index=False)
    acts = models.JSONField(default=list)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("rule", "article"), name="rule_hit_once"),)
        indexes = (models.Index(fields=("article", "user"), name="rule_hit_of_article"),)

    def __str__(self) -> str:
        return f"{self.rule_id} {self.article_id}"


class Arrival(models.Model):
    """A delivery to a user with rules that haven't been applied to it yet."""

    delivery = models.OneToOneField(Delivery, primary_key=True, on_delete=models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return str(self.pk)


class Muted(models.Model):
    """A delivery that a rule removed from the user's lists until they restore it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    subscription = models.ForeignKey(Subscription, on_delete=models.CASCADE, related_name="+", db_index=False)
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+", db_index=False)
    rule = models.ForeignKey(Rule, null=True, on_delete=models.SET_NULL, related_name="+")
    published_at = models.DateTimeField()
    muted_at = models.DateTimeField()

    objects = OfFollowed["Muted"]()
    everything = models.Manager["Muted"]()

    class Meta:
        verbose_name_plural = _("muted")
        constraints = (models.UniqueConstraint(fields=("subscription", "article"), name="muted_once"),)
        indexes = (
            models.Index(fields=("user", "-published_at", "-article"), name="muted_newest"),
            models.Index(fields=("article", "user"), name="muted_of_article"),
        )

    def __str__(self) -> str:
        return f"{self.subscription_id} {self.article_id}"


class RuleRun(models.Model):
    """Progress of applying a rule to existing articles: feed by feed, and within a feed by article id.

    `subscription_at` and `article_at` are the current position, where an interrupted run continues. It starts over if
    the rule changed in the meantime (`version`). Unless `is_whole`, only the relevance boost is applied.
    """

    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="runs")
    n_total = models.PositiveIntegerField(default=0)
    n_done = models.PositiveIntegerField(default=0)
    n_hits = models.PositiveIntegerField(default=0)
    subscription_at = models.BigIntegerField(default=0)
    article_at = models.BigIntegerField(default=0)
    version = models.PositiveIntegerField(default=1)
    is_whole = models.BooleanField(default=True)
    sends = models.BooleanField(default=False, help_text=_("Also send existing articles to the rule's URL"))
    asked_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(
                fields=("rule",), condition=models.Q(finished_at=None), name="one_run_at_a_time_a_rule"
            ),
        )

    def __str__(self) -> str:
        return f"{self.rule_id}: {self.n_done} of {self.n_total}"


class RuleBoost(models.Model):
    """A rule that boosts or lowers relevance matched this article. The rule holds the amount.

    Only counts while the rule is on and unchanged (`version`), so that a change takes effect at once; outdated rows are
    deleted afterwards.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="lifts", db_index=False)
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="+", db_index=False)
    version = models.PositiveIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("rule", "article"), name="rule_boost_once"),)
        indexes = (models.Index(fields=("article", "user"), name="rule_boost_of_article"),)

    def __str__(self) -> str:
        return f"{self.rule_id} {self.article_id}"
