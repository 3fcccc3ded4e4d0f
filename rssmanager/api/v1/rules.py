"""Rules. They can send articles to any address, so even seeing them needs the scope `rules`."""

from datetime import datetime
from typing import Annotated, Any, Literal

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import override
from ninja import Router, Schema, Status
from pydantic import Field

from feeds.tasks.enqueue import call_worker
from reader import access
from reader.models import Rule, Tag
from reader.preferences.store import language_of
from reader.rules.backfill import request_run
from reader.rules.conditions import MAX_VALUE, Comparison, Condition, Conditions, check
from reader.rules.conditions import Field as RuleField
from reader.rules.preview import preview_rule
from reader.rules.sentences import sentence
from reader.rules.store import RuleDraft, check_acts, delete_rule, save_rule, set_enabled
from reader.send_to.webhooks import check_url, last_delivery, request_test
from rssmanager.api.v1.articles import Article, present
from rssmanager.api.v1.base import RULES, Body, Id, Page, Request, Text

router = Router(tags=["Rules"])


class ConditionIO(Body):
    """Such as “title contains chess”; `docs/api.md` lists what each test does."""

    field: RuleField
    test: Comparison
    value: Annotated[Text, Field(max_length=MAX_VALUE)]


class ConditionsIn(Body):
    """All conditions have to match, or any of them, in a feed or a folder or everywhere."""

    conditions: list[ConditionIO] = Field([], max_length=100)
    is_any: bool = False
    feed_id: Id | None = None
    folder_id: Id | None = None


class RuleIn(ConditionsIn):
    """A rule. It needs at least one action."""

    name: Annotated[Text, Field(max_length=100)] = ""
    is_on: bool = True
    marks_read: bool = False
    stars: bool = False
    mutes: bool = False
    tag: Annotated[Text, Field(max_length=Tag.MAX_CHARACTERS)] = ""
    relevance: Literal[-20, -10, 0, 10, 20] = 0
    url: Annotated[Text, Field(max_length=2000, description="Where matching articles are sent.")] = ""


class LastDelivery(Schema):
    """The last attempt to send an article to the rule's URL. `status` is that of HTTP, null without an answer."""

    state: Literal["waiting", "sent", "failed"]
    status: int | None
    problem: str
    tried_at: datetime | None
    is_test: bool


class RuleOut(Schema):
    """A rule; `sentence` is what it does, in words. `secret` is what signs the requests to its URL."""

    id: int
    name: str
    sentence: str
    is_on: bool
    conditions: list[ConditionIO]
    is_any: bool
    feed_id: int | None
    folder_id: int | None
    marks_read: bool
    stars: bool
    mutes: bool
    tag: str
    relevance: int
    url: str
    secret: str
    last_delivery: LastDelivery | None
    n_hits: int
    last_hit_at: datetime | None


class Run(Body):
    sends: bool = Field(False, description="Also send existing articles to the rule's URL.")


class Preview(Schema):
    """How many of your newest articles match, and the first of them."""

    n_checked: int
    n_hits: int
    items: list[Article]


@router.get("/rules", auth=RULES, response=Page[RuleOut])
def list_rules(request: Request) -> dict[str, Any]:
    """Your rules, oldest first."""
    rules = Rule.objects.filter(user=request.user).select_related("tag", "folder", "subscription__feed__source")
    return {"items": _rules(request.user, list(rules))}


@router.get("/rules/{int:pk}", auth=RULES, response=RuleOut)
def get_rule(request: Request, pk: Id) -> dict[str, Any]:
    """One rule."""
    return _rule(request.user, pk)


@router.post("/rules", auth=RULES, response={201: RuleOut})
def create_rule(request: Request, sent: RuleIn) -> Status[Any]:
    """Create a rule. It applies to new articles; `POST /rules/{id}/run` applies it to existing ones."""
    return Status(201, _save(request.user, None, sent))


@router.put("/rules/{int:pk}", auth=RULES, response=RuleOut)
def replace_rule(request: Request, pk: Id, sent: RuleIn) -> dict[str, Any]:
    """Replace a rule: what isn't sent becomes its default."""
    return _save(request.user, access.rule_of(request.user, pk), sent)


@router.delete("/rules/{int:pk}", auth=RULES, response={204: None})
def remove_rule(request: Request, pk: Id) -> Status[None]:
    """Delete a rule. What it did so far stays."""
    delete_rule(access.rule_of(request.user, pk))
    return Status(204, None)


@router.post("/rules/preview", auth=RULES, response=Preview)
def try_rule(request: Request, sent: ConditionsIn) -> dict[str, Any]:
    """See which of your newest articles match. Nothing is changed or sent."""
    found = preview_rule(request.user, _conditions(request.user, sent), now=timezone.now())
    return {"n_checked": found.n_checked, "n_hits": found.n_hits, "items": present(request.user, found.rows)}


@router.post("/rules/{int:pk}/run", auth=RULES, response={202: None})
def run_rule(request: Request, pk: Id, sent: Run) -> Status[None]:
    """Apply a rule to existing articles. A worker does it."""
    rule = access.rule_of(request.user, pk)
    request_run(rule, now=timezone.now(), sends=sent.sends)
    call_worker("reader.tasks.recurring.apply_rule", rule.pk)
    return Status(202, None)


@router.post("/rules/{int:pk}/test", auth=RULES, response={202: None})
def test_rule(request: Request, pk: Id) -> Status[None]:
    """Send your newest article to the rule's URL, once, as a test. `last_delivery` of the rule has the result."""
    request_test(access.rule_of(request.user, pk), now=timezone.now())
    call_worker("reader.tasks.sending.send_articles")
    return Status(202, None)


def _conditions(user: User, sent: ConditionsIn) -> Conditions:
    """The conditions. Raises Http404 and RuleRefused."""
    conditions = Conditions(
        rows=tuple(Condition(row.field, row.test, row.value.strip()) for row in sent.conditions),
        is_any=sent.is_any,
        subscription_id=access.subscription_of(user, sent.feed_id).pk if sent.feed_id is not None else None,
        folder_id=access.folder_of(user, sent.folder_id).pk if sent.folder_id is not None else None,
    )
    check(conditions)
    return conditions


def _save(user: User, rule: Rule | None, sent: RuleIn) -> dict[str, Any]:
    now = timezone.now()
    draft = RuleDraft(
        name=sent.name,
        conditions=_conditions(user, sent),
        mutes=sent.mutes,
        marks_read=sent.marks_read,
        stars=sent.stars,
        tag=sent.tag,
        lift=sent.relevance,
        url=check_url(sent.url),
    )
    check_acts(draft)
    saved, runs = save_rule(user, rule, draft, now=now)
    if (saved.is_on != sent.is_on and set_enabled(saved, is_on=sent.is_on, now=now)) or runs:
        call_worker("reader.tasks.recurring.apply_rule", saved.pk)
    return _rule(user, saved.pk)


def _rule(user: User, pk: int) -> dict[str, Any]:
    return _rules(user, [access.rule_of(user, pk)])[0]


def _rules(user: User, rules: list[Rule]) -> list[dict[str, Any]]:
    last = last_delivery(rules)
    with override(language_of(user.pk)):
        return [
            {
                **{name: getattr(rule, name) for name in ("name", "is_on", "is_any", "folder_id", "marks_read")},
                **{name: getattr(rule, name) for name in ("stars", "mutes", "url", "secret", "n_hits", "last_hit_at")},
                "id": rule.pk,
                "sentence": sentence(rule),
                "conditions": rule.rows,
                "feed_id": rule.subscription_id,
                "tag": rule.tag.name if rule.tag else "",
                "relevance": rule.lift,
                "last_delivery": last.get(rule.pk),
            }
            for rule in rules
        ]
