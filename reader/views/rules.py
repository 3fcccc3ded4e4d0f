"""Rules: the list, the form with its preview, and muted articles."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from feeds.tasks.enqueue import call_worker
from reader.access import article_of, rule_of
from reader.articles.actions import votes_of
from reader.articles.tags import names_of
from reader.errors import RuleRefused, TagRefused
from reader.lists.queries import Cursor, muted_page
from reader.models import Muted, Rule
from reader.rules.backfill import request_run
from reader.rules.conditions import Comparison, Condition, Field
from reader.rules.from_article import feed_of, mute_like, rows_from, undo_mute
from reader.rules.mute import unmute
from reader.rules.preview import Preview, preview_rule
from reader.rules.sentences import FIELDS, TESTS
from reader.rules.store import delete_rule, rules_of, save_rule, scope_choices, set_enabled
from reader.send_to.webhooks import host, last_delivery, request_test
from reader.views.base import (
    SignedInRequest,
    back_to_row,
    more_rows,
    page,
    safe_next,
    vary_on_htmx,
    whole_number,
)
from reader.views.rule_forms import RuleForm, rows_in


@require_safe
def rules(request: SignedInRequest) -> HttpResponse:
    """The user's rules; or only the progress of their runs, for polling."""
    listed = rules_of(request.user)
    context = {"rules": listed, "is_running": any(rule.is_running for rule in listed)}
    if request.headers.get("X-Fragment") == "progress":
        return render(request, "reader/_rule_runs.html", context)
    return page(request, "reader/rule_list.html", context, here="rules")


@require_http_methods(["GET", "HEAD", "POST"])
def rule_new(request: SignedInRequest) -> HttpResponse:
    """The form of a new rule, with initial conditions and `place` from the query, or those of an `article`."""
    place, rows = request.GET.get("place", ""), rows_in(request.GET)
    if (pk := whole_number(request.GET.get("article", ""))) is not None:
        article = article_of(request.user, pk)
        feed = feed_of(request.user, article)
        place, rows = f"feed-{feed.pk}" if feed else "", rows_from(article)
    return _edit(request, None, {"place": place}, rows)


@require_http_methods(["GET", "HEAD", "POST"])
def rule_edit(request: SignedInRequest, pk: int) -> HttpResponse:
    """The form of an existing rule."""
    rule = rule_of(request.user, pk)
    return _edit(request, rule, RuleForm.initial_of(rule), rule.conditions.rows)


def _edit(
    request: SignedInRequest, rule: Rule | None, initial: dict[str, object], rows: tuple[Condition, ...]
) -> HttpResponse:
    posted = request.method == "POST"
    act = request.POST.get("act", "")
    form = RuleForm(request.POST if posted else None, initial=initial, places=scope_choices(request.user, rule))
    preview: Preview | None = None
    is_refused = False
    if posted and act not in ("", "save", "try"):  # a row added or removed, without scripts
        rows = _without(form.rows, act)
    elif posted:
        rows = form.rows
        is_refused = not form.is_valid()
        if not is_refused and act == "save":
            try:
                return _save(request, rule, form)
            except (RuleRefused, TagRefused) as refusal:
                form.add_error(None, str(refusal))
                is_refused = True
        elif not is_refused:
            preview = preview_rule(request.user, form.conditions(), now=timezone.now())
    context = {
        "rule": rule,
        "last_delivery": last_delivery([rule]).get(rule.pk) if rule and rule.url else None,
        "form": form,
        "is_refused": is_refused,
        "rows": rows if rows and act != "add" else (*rows, Condition(Field.TITLE, Comparison.CONTAINS, "")),
        "fields": [(field, capfirst(label)) for field, label in FIELDS.items()],
        "tests": TESTS.items(),
        "acts": [form[name] for name in RuleForm.ACTS],
        "tag_names": names_of(request.user),
        "preview": preview,
        "votes": votes_of(request.user, [row.article.pk for row in preview.rows]) if preview else {},
    }
    return page(request, "reader/rule_edit.html", context, here="rules", status=422 if is_refused else 200)


def _without(rows: tuple[Condition, ...], act: str) -> tuple[Condition, ...]:
    """The rows without the one that `act` ("remove-2") names."""
    place = whole_number(act.removeprefix("remove-"))
    return tuple(row for number, row in enumerate(rows) if number != place)


def _save(request: SignedInRequest, rule: Rule | None, form: RuleForm) -> HttpResponse:
    also_here, sends_here = form.cleaned_data["also_here"], form.cleaned_data["sends_here"]
    had_url = rule is not None and bool(rule.url)
    saved, runs = save_rule(
        request.user, rule, form.draft(), also_here=also_here, sends_here=sends_here, now=timezone.now()
    )
    if runs:
        call_worker("reader.tasks.recurring.apply_rule", saved.pk)
    if also_here:
        messages.success(request, _("Saved. Applying it to existing articles."))
    elif runs:
        messages.success(request, _("Saved. Existing articles update within minutes."))
    else:
        messages.success(request, _("Saved. It applies to new articles."))
    if saved.url and not had_url:  # whose secret is new
        return redirect("rule_edit", saved.pk)
    return redirect("rules")


def _run(rule: Rule) -> None:
    request_run(rule, now=timezone.now())
    call_worker("reader.tasks.recurring.apply_rule", rule.pk)


@require_POST
def rule_run(request: SignedInRequest, pk: int) -> HttpResponse:
    """Apply a rule to existing articles."""
    _run(rule_of(request.user, pk))
    return redirect("rules")


@require_POST
def rule_switch(request: SignedInRequest, pk: int) -> HttpResponse:
    """Turn a rule on or off."""
    rule = rule_of(request.user, pk)
    if set_enabled(rule, is_on=request.POST.get("is_on") == "1", now=timezone.now()):
        call_worker("reader.tasks.recurring.apply_rule", rule.pk)
    return redirect("rules")


@require_POST
def rule_test(request: SignedInRequest, pk: int) -> HttpResponse:
    """Send the newest article to a rule's URL, as a test."""
    rule = rule_of(request.user, pk)
    try:
        request_test(rule, now=timezone.now())
    except RuleRefused as refusal:
        messages.warning(request, str(refusal))
    else:
        call_worker("reader.tasks.sending.send_articles")
        messages.success(request, _("Sending your newest article to %(host)s.") % {"host": host(rule.url)})
    return redirect(reverse("rule_edit", args=[pk]) + "#webhook")


@require_POST
def rule_delete(request: SignedInRequest, pk: int) -> HttpResponse:
    """Delete a rule; its boosts end, its other actions stay."""
    rule = rule_of(request.user, pk)
    if rule.lift:
        messages.success(
            request, _("Deleted %(rule)s. Relevance is restored; its other actions stay.") % {"rule": rule}
        )
    else:
        messages.success(request, _("Deleted %(rule)s. What it did so far stays.") % {"rule": rule})
    delete_rule(rule)
    return redirect("rules")


@require_POST
def rule_undo(request: SignedInRequest, pk: int) -> HttpResponse:
    """Undo a rule that was made from an article's menu: delete it and restore what it muted."""
    undo_mute(rule_of(request.user, pk))
    if request.headers.get("X-Quiet"):
        return HttpResponse(status=204)
    messages.info(request, _("Undone."))
    return redirect(safe_next(request, reverse("rules")))


@require_POST
def article_mute(request: SignedInRequest, pk: int) -> HttpResponse:
    """Mute the article's author or feed, or a word, with a rule that can be undone."""
    article = article_of(request.user, pk)
    what, word = request.POST.get("what", ""), request.POST.get("word", "")
    try:
        muting = mute_like(request.user, article, what, word, now=timezone.now())
    except RuleRefused as refusal:
        messages.warning(request, str(refusal))
        return back_to_row(request, pk)
    if muting.is_new:
        call_worker("reader.tasks.recurring.apply_rule", muting.rule.pk)
    undo = reverse("rule_undo", args=[muting.rule.pk]) if muting.is_new else ""
    messages.success(request, muting.words, extra_tags=undo)
    return back_to_row(request, pk)


@require_safe
def muted(request: SignedInRequest) -> HttpResponse:
    """Muted articles, newest first."""
    cursor = Cursor.decode(request.GET.get("after", ""))
    shown = muted_page(request.user, cursor, now=timezone.now())
    context = {
        "title": _("Muted"),
        "page": shown,
        "votes": votes_of(request.user, [row.article.pk for row in shown.rows]),
        "is_first": cursor is None,
        "put_back": True,
        "heading": _("Newest first"),
    }
    if request.htmx:
        return more_rows(request, context)
    return vary_on_htmx(page(request, "reader/article_list.html", context, here="muted"))


@require_POST
def article_unmute(request: SignedInRequest, pk: int) -> HttpResponse:
    """Restore a muted article to the lists."""
    article = article_of(request.user, pk)
    if unmute(request.user, Muted.objects.filter(user=request.user, article=article)):
        messages.success(request, _("Unmuted “%(title)s”.") % {"title": article.title[:80]})
    return back_to_row(request, pk)
