"""Rules in words: the labels of fields and tests, and each rule as a sentence."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from reader.models import Rule
from reader.rules.conditions import Comparison, Condition, Field
from reader.send_to.webhooks import host

FIELDS = {
    Field.ANYWHERE: pgettext_lazy("field of a rule", "title or text"),
    Field.TITLE: pgettext_lazy("field of a rule", "title"),
    Field.TEXT: pgettext_lazy("field of a rule", "text"),
    Field.AUTHOR: pgettext_lazy("field of a rule", "author"),
    Field.FEED: pgettext_lazy("field of a rule", "feed"),
    Field.URL: pgettext_lazy("field of a rule", "URL"),
    Field.CATEGORY: pgettext_lazy("field of a rule", "category"),
    Field.LANGUAGE: pgettext_lazy("field of a rule", "language"),
}
TESTS = {
    Comparison.CONTAINS: pgettext_lazy("test of a rule", "contains"),
    Comparison.CONTAINS_NOT: pgettext_lazy("test of a rule", "does not contain"),
    Comparison.IS: pgettext_lazy("test of a rule", "is"),
    Comparison.IS_NOT: pgettext_lazy("test of a rule", "is not"),
    Comparison.MATCHES: pgettext_lazy("test of a rule", "matches"),
    Comparison.MATCHES_NOT: pgettext_lazy("test of a rule", "does not match"),
}
_ALL, _ANY = gettext_lazy("%(first)s and %(second)s"), gettext_lazy("%(first)s or %(second)s")


def sentence(rule: Rule) -> str:
    """The rule as a sentence, without the full stop: "If title contains “chess”, star"."""
    values = {"does": ", ".join(_does(rule)), "if": _conditions(rule), "place": _place(rule)}
    if values["if"] and values["place"]:
        return _("In %(place)s, if %(if)s: %(does)s") % values
    if values["if"]:
        return _("If %(if)s: %(does)s") % values
    return _("Everything in %(place)s: %(does)s") % values


def _conditions(rule: Rule) -> str:
    joined = ""
    for row in rule.conditions.rows:
        joined = (_ANY if rule.is_any else _ALL) % {"first": joined, "second": _row(row)} if joined else _row(row)
    return joined


def _row(row: Condition) -> str:
    return _("%(field)s %(test)s “%(value)s”") % {
        "field": FIELDS[row.field],
        "test": TESTS[row.test],
        "value": row.value,
    }


def _place(rule: Rule) -> str:
    if rule.folder:
        return _("the folder %(folder)s") % {"folder": rule.folder}
    return str(rule.subscription) if rule.subscription else ""


def _does(rule: Rule) -> Iterator[str]:
    if rule.mutes:
        yield pgettext("what a rule does", "mute")
    if rule.marks_read:
        yield pgettext("what a rule does", "mark read")
    if rule.stars:
        yield pgettext("what a rule does", "star")
    if rule.tag:
        yield _("tag %(tag)s") % {"tag": rule.tag}
    if rule.lift > 0:
        yield _("raise relevance by %(n)d") % {"n": rule.lift}
    if rule.lift < 0:
        yield _("lower relevance by %(n)d") % {"n": -rule.lift}
    if rule.url:
        yield _("send to %(host)s") % {"host": host(rule.url)}
    if not (rule.mutes or rule.marks_read or rule.stars or rule.tag or rule.lift or rule.url):
        yield _("nothing, because its tag was deleted")
