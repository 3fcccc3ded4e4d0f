"""A digest, or alerts, as a mail: subject, text and HTML with its styles in its elements.

Mail programs drop style sheets, so `css-inline` writes each rule into the elements it is for; what cannot stand there
(the dark theme, small screens) stays in the head for the programs that read it. Nothing comes from elsewhere: no image,
no font, no script. Gmail cuts a mail off above 102 KB of HTML, so a digest that would be longer first loses the links
that skip or like lesser topics, then summaries from its end, then topics, and says so; the text part has everything.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from css_inline import CSSInliner
from django.utils.dateformat import format as dated
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from digests.edition import Edition, SectionName
from digests.rendering import words
from digests.rendering.markup import with_style, written
from digests.rendering.sheet import Acts, Sheet, first_of, sheet_of, with_acts
from digests.rendering.subjects import WIDTH as SUBJECT_WIDTH
from digests.rendering.subjects import subject
from digests.rendering.text import WIDTH, as_text, underlined
from digests.rendering.tidy import one_line, web_address
from digests.rendering.wrapping import shortened, wrapped

MOST_BYTES = 100_000  # of HTML; Gmail shows the first 102 KB
MOST_ALERTS = 50  # told in one mail; of others the number is told
_PREHEADER = 140  # columns that lists of mails show at most
_SUMMARIES = (30, 20, 10, 5, 0)  # topics that keep their summaries, when all would be too much
_TOPICS = (40, 30, 20, 10, 5, 0)  # and topics that are told at all, when that is too much still

_inliner = CSSInliner(keep_at_rules=True, remove_inlined_selectors=True, minify_css=True, load_remote_stylesheets=False)


class Links(Protocol):
    """The addresses of one mail; see `digests.links.LetterLinks`."""

    @property
    def page(self) -> str: ...
    @property
    def settings(self) -> str: ...
    @property
    def unsubscribe(self) -> str: ...
    def act(self, article_id: int, act: str) -> str: ...


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail to be sent: the subject is one line, the text ends in a newline."""

    subject: str
    text: str
    html: str


@dataclass(frozen=True, slots=True)
class AlertLine:
    """One alert: what happened in a sentence, where it is told, of what sort it is ("Breaking news"), and when, by the
    clock of the person. Without a web address it is told without a link.
    """

    text: str
    url: str = ""
    heading: str = field(default_factory=lambda: _("Alert"))
    happened_at: datetime | None = None

    @property
    def at(self) -> str:
        moment = self.happened_at
        if moment is None:
            return ""
        day = dated(moment, pgettext("date format", "D j M"))
        return _("%(day)s, %(time)s") % {"day": day, "time": f"{moment:%H:%M}"}


def digest_letter(edition: Edition, *, links: Links) -> Letter:
    """The mail of a digest."""

    def acts_of(article_id: int) -> Acts:
        return Acts(*(links.act(article_id, act) for act in ("read", "skip", "like")))

    text = as_text(edition, link=links.page) + _foot(
        (_("Change when and what you get"), links.settings),
        (_("Unsubscribe from %(name)s") % {"name": edition.kind.in_sentence}, links.unsubscribe),
    )
    return Letter(subject(edition), text, _digest_html(sheet_of(edition), acts_of, links))


def alerts_letter(lines: Sequence[AlertLine], *, links: Links) -> Letter:
    """The mail of one or more alerts, in the order given. Raises ValueError when there are none."""
    if not lines:
        raise ValueError("A mail of alerts tells at least one")
    lines = [replace(each, text=one_line(each.text), url=web_address(each.url)) for each in lines]
    shown, elsewhere = lines[:MOST_ALERTS], _more_alerts(len(lines) - MOST_ALERTS)
    title = _alerts_subject(lines)
    heading = lines[0].heading if len({each.heading for each in lines}) == 1 else _("Alerts")
    context = {"subject": title, "heading": heading, "lines": shown, "elsewhere": elsewhere, "links": links}
    preheader = shortened(" ".join(each.text for each in lines), _PREHEADER)
    html = _inlined(written("emails/alerts.html", {**context, "preheader": preheader}))
    return Letter(title, _alerts_text(heading, shown, elsewhere, links), html)


def _digest_html(sheet: Sheet, acts_of: Callable[[int], Acts], links: Links) -> str:
    """The most of the digest that Gmail shows whole."""
    html = ""
    for part, n_summaries, elsewhere in _parts(sheet, acts_of):
        context = {"sheet": part, "links": links, "n_summaries": n_summaries, "elsewhere": elsewhere}
        html = _inlined(written("emails/digest.html", {**context, "preheader": _preheader(sheet)}))
        if len(html.encode()) <= MOST_BYTES:
            break
    return html


def _parts(sheet: Sheet, acts_of: Callable[[int], Acts]) -> Iterator[tuple[Sheet, int, str]]:
    """The sheet, how many topics have their summaries, and what is said of what is missing: always less."""
    n = len(sheet.edition.topics)
    yield with_acts(sheet, acts_of, (SectionName.TOP, SectionName.NOTEWORTHY)), n, ""
    sheet = with_acts(sheet, acts_of, (SectionName.TOP,))
    yield sheet, n, ""
    for n_summaries in _SUMMARIES:
        if n_summaries < n:
            yield sheet, n_summaries, _("More summaries are on the web.")
    for n_topics in _TOPICS:
        if n_topics < n:
            yield first_of(sheet, n_topics), 0, _more_topics(n - n_topics)


def _more_topics(n: int) -> str:
    """What is said of those that the mail has no room for."""
    told = ngettext("%(n)s more topic is on the web.", "%(n)s more topics are on the web.", n)
    return told % {"n": words.grouped(n)}


def _more_alerts(n: int) -> str:
    """What is said of those that the mail has no room for; "" for none."""
    told = ngettext("%(n)s more alert is on the web.", "%(n)s more alerts are on the web.", n)
    return told % {"n": words.grouped(n)} if n > 0 else ""


def _preheader(sheet: Sheet) -> str:
    """What lists of mails show after the subject: the topics after the first, which the subject names."""
    headings = [item.topic.heading for section in sheet.sections for item in section.items[:10]]
    return shortened(sheet.nothing or words.BETWEEN.join(headings[1:] or headings), _PREHEADER)


def _inlined(page: str) -> str:
    return _inliner.inline(with_style(page, "emails/mail.css"))


def _alerts_subject(lines: Sequence[AlertLine]) -> str:
    first = f"{lines[0].heading}: {lines[0].text}".rstrip(".")
    n_more = len(lines) - 1
    subject = "%(first)s"
    if n_more:
        subject = ngettext("%(first)s and %(n)s more", "%(first)s and %(n)s more", n_more)
    told = {"n": words.grouped(n_more)}
    room = SUBJECT_WIDTH - len(subject % {**told, "first": ""})
    return subject % {**told, "first": shortened(one_line(first), room)}


def _alerts_text(heading: str, lines: Sequence[AlertLine], elsewhere: str, links: Links) -> str:
    found = underlined(heading, "=", WIDTH)
    for line in lines:
        told = words.BETWEEN.join(filter(None, (line.heading, line.at)))
        found += ["", *wrapped(told, WIDTH), *wrapped(line.text, WIDTH), *filter(None, (line.url,))]
    if elsewhere:
        found += ["", elsewhere]
    addresses = (
        (_("All notifications"), links.page),
        (_("Change what you are told"), links.settings),
        (_("Unsubscribe from alerts"), links.unsubscribe),
    )
    return "\n".join(found) + "\n" + _foot(*addresses)


def _foot(*addresses: tuple[str, str]) -> str:
    """Where to go from a mail, under a line."""
    return f"\n{'-' * WIDTH}\n" + "".join(f"\n{what}:\n{url}\n" for what, url in addresses)
