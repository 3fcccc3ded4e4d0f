"""Rules: the list, the form with its trial, and what they muted."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from feeds.calling import call_worker
from reader.access import article_of, rule_of
from reader.acting import votes_of
from reader.backfilling import ask
from reader.errors import RuleRefused, TagRefused
from reader.models import Rule
from reader.muting import put_back
from reader.queries import Cursor, muted_page
from reader.rule_forms import RuleForm
from reader.rulebook import delete_rule, places_of, rules_of, save_rule, switch
from reader.tagging import names_of
from reader.trying import Trial, try_rule
from reader.views.growing import grown, whole
from reader.views.signed_in import SignedInRequest, back_to_row, page


@require_safe
def rules(request: SignedInRequest) -> HttpResponse:
    """What each rule looks for, does and did; the bare progress for the script that asks again."""
    listed = rules_of(request.user)
    context = {"rules": listed, "is_running": any(each.is_running for each in listed)}
    if request.headers.get("X-Fragment") == "progress":
        return render(request, "reader/_rule_runs.html", context)
    return page(request, "reader/rule_list.html", context, here="rules")


@require_http_methods(["GET", "HEAD", "POST"])
def rule_new(request: SignedInRequest) -> HttpResponse:
    """The form of a new rule; the query may fill it."""
    return _edit(request, None, {name: request.GET.get(name, "") for name in RuleForm.CONDITIONS})


@require_http_methods(["GET", "HEAD", "POST"])
def rule_edit(request: SignedInRequest, pk: int) -> HttpResponse:
    """The form of a rule that there is."""
    rule = rule_of(request.user, pk)
    return _edit(request, rule, RuleForm.initial_of(rule))


def _edit(request: SignedInRequest, rule: Rule | None, initial: dict[str, object]) -> HttpResponse:
    posted = request.method == "POST"
    places = places_of(request.user, rule)
    form = RuleForm(request.POST if posted else None, initial=initial, places=places)
    trial: Trial | None = None
    if posted and form.is_valid():
        if request.POST.get("act") == "save":
            try:
                return _save(request, rule, form)
            except (RuleRefused, TagRefused) as refusal:
                form.add_error(None, str(refusal))
        else:
            trial = try_rule(request.user, form.conditions(), now=timezone.now())
    context = {
        "rule": rule,
        "form": form,
        "conditions": [form[name] for name in RuleForm.CONDITIONS],
        "acts": [form[name] for name in RuleForm.ACTS],
        "tag_names": names_of(request.user),
        "trial": trial,
        "votes": votes_of(request.user, [row.article.pk for row in trial.rows]) if trial else {},
    }
    return page(request, "reader/rule_edit.html", context, here="rules", status=422 if form.errors else 200)


def _save(request: SignedInRequest, rule: Rule | None, form: RuleForm) -> HttpResponse:
    also_here = form.cleaned_data["also_here"]
    saved, runs = save_rule(request.user, rule, form.wish(), also_here=also_here, now=timezone.now())
    if runs:
        call_worker("reader.tasks.apply_rule", saved.pk)
    if also_here:
        messages.success(request, _("Saved. It is being applied to what is here already."))
    elif runs:
        messages.success(request, _("Saved. The relevance of what is here follows within minutes."))
    else:
        messages.success(request, _("Saved. It applies to what comes from now on."))
    return redirect("rules")


def _run(rule: Rule) -> None:
    ask(rule, now=timezone.now())
    call_worker("reader.tasks.apply_rule", rule.pk)


@require_POST
def rule_run(request: SignedInRequest, pk: int) -> HttpResponse:
    """Apply a rule to what is here already."""
    _run(rule_of(request.user, pk))
    return redirect("rules")


@require_POST
def rule_switch(request: SignedInRequest, pk: int) -> HttpResponse:
    """Switch a rule on or off."""
    rule = rule_of(request.user, pk)
    if switch(rule, is_on=request.POST.get("is_on") == "1", now=timezone.now()):
        call_worker("reader.tasks.apply_rule", rule.pk)
    return redirect("rules")


@require_POST
def rule_delete(request: SignedInRequest, pk: int) -> HttpResponse:
    """Delete a rule; what it did stays done, but for relevance."""
    rule = rule_of(request.user, pk)
    if rule.lift:
        messages.success(request, _("%(rule)s is deleted. What it did stays; relevance goes back.") % {"rule": rule})
    else:
        messages.success(request, _("%(rule)s is deleted. What it did stays.") % {"rule": rule})
    delete_rule(rule)
    return redirect("rules")


@require_safe
def muted(request: SignedInRequest) -> HttpResponse:
    """What rules took out of the lists, newest first."""
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
        return grown(request, context)
    return whole(page(request, "reader/article_list.html", context, here="muted"))


@require_POST
def article_unmute(request: SignedInRequest, pk: int) -> HttpResponse:
    """Let a muted article stand in the lists again."""
    found = article_of(request.user, pk)
    if put_back(request.user, found):
        messages.success(request, _("%(title)s is back in your lists.") % {"title": found.title[:80]})
    return back_to_row(request, pk)
