"""What is done with articles as they come, by a person's own rules."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from feeds.models import Article
from reader.models.state import Delivery
from reader.models.subscription import Folder, OfFollowed, Subscription
from reader.models.tag import Tag
from reader.rules.conditions import LONGEST_PATTERN, Conditions


class Rule(models.Model):
    """Conditions, all of which must hold, and what is done then. A rule about a feed or folder goes with it.

    `n_hits` counts articles, each once, also those it met in what was here already.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="rules")
    name = models.CharField(max_length=100, blank=True)
    is_on = models.BooleanField(default=True)
    words = models.TextField(max_length=2000, blank=True)
    author = models.CharField(max_length=500, blank=True)
    category = models.CharField(max_length=500, blank=True)
    language = models.CharField(max_length=8, blank=True)
    pattern = models.CharField(max_length=LONGEST_PATTERN, blank=True)
    subscription = models.ForeignKey(
        Subscription, null=True, blank=True, on_delete=models.CASCADE, related_name="rules"
    )
    folder = models.ForeignKey(Folder, null=True, blank=True, on_delete=models.CASCADE, related_name="rules")
    mutes = models.BooleanField(default=False)
    marks_read = models.BooleanField(default=False)
    stars = models.BooleanField(default=False)
    lift = models.SmallIntegerField(
        default=0, help_text=_("Points that relevance is moved by, see reader.scoring.lift")
    )
    version = models.PositiveIntegerField(default=1, help_text=_("Grows as what it looks for or lifts by changes"))
    tag = models.ForeignKey(Tag, null=True, blank=True, on_delete=models.SET_NULL, related_name="rules")
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
            words=self.words,
            author=self.author,
            category=self.category,
            language=self.language,
            pattern=self.pattern,
            subscription_id=self.subscription_id,
            folder_id=self.folder_id,
        )


class RuleHit(models.Model):
    """A rule met an article of its person's, and what was done because of it: `read`, `star`, `tag:<id>` or
    `mute:<subscription>`.

    What rules did once they never do again with that article, so that a person may undo it; the row stays without its
    rule for that.
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
    """A delivery that its person's rules have not looked at yet. Nobody without rules has any."""

    delivery = models.OneToOneField(Delivery, primary_key=True, on_delete=models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return str(self.pk)


class Muted(models.Model):
    """A delivery that a rule took out of its person's lists. It stands in none of them until it is put back."""

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
    """A rule is applied to what is here already: feed after feed, and in each by the articles' ids.

    `subscription_at` and `article_at` are where it is; interrupted, it goes on from there. Of a rule that changed
    meanwhile (`version`) it begins anew. Unless it `is_whole`, only what the rule moves relevance by is done.
    """

    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="runs")
    n_total = models.PositiveIntegerField(default=0)
    n_done = models.PositiveIntegerField(default=0)
    n_hits = models.PositiveIntegerField(default=0)
    subscription_at = models.BigIntegerField(default=0)
    article_at = models.BigIntegerField(default=0)
    version = models.PositiveIntegerField(default=1)
    is_whole = models.BooleanField(default=True)
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
