"""A digest or alerts as email: subject, text, and HTML with inline styles.

Mail apps drop style sheets, so `css-inline` writes each rule into the elements; what can't be inlined (dark theme,
small screens) stays in the head. Nothing is loaded from elsewhere, except pictures of the top stories if the user wants
them loaded (`digests.delivery.pictures`). Headlines lead to signed pages, where one press records the reading and opens
the article. Gmail clips emails above 102 KB of HTML, so a longer digest first loses the action links of lesser topics,
then summaries from its end, then topics, and says so; the text part has everything.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from css_inline import CSSInliner
from django.utils.dateformat import format as dated
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from digests.edition.document import Edition, SectionName
from digests.rendering import phrases
from digests.rendering.clean_text import one_line, web_address
from digests.rendering.html import render, with_style
from digests.rendering.layout import ActionLinks, Sheet, first_of, sheet_of, with_actions, with_pictures
from digests.rendering.text import WIDTH, sheet_as_text, underlined
from digests.rendering.wrapping import shortened, wrapped
from feeds.wording import colon, format_number

MAX_BYTES = 100_000  # of HTML; Gmail shows the first 102 KB
MAX_ALERTS = 50  # per email; others are counted
_PREHEADER = 140  # columns that inboxes show
_SUMMARIES = (30, 20, 10, 5, 0)  # topics that keep their summaries if all are too long
_TOPICS = (40, 30, 20, 10, 5, 0)  # topics that are left if that is still too long

_inliner = CSSInliner(keep_at_rules=True, remove_inlined_selectors=True, minify_css=True, load_remote_stylesheets=False)


class Links(Protocol):
    """The URLs of one email; see `digests.delivery.links.EmailLinks`."""

    @property
    def page(self) -> str: ...
    @property
    def settings(self) -> str: ...
    @property
    def unsubscribe(self) -> str: ...
    def act(self, article_id: int, act: str) -> str: ...


@dataclass(frozen=True, slots=True)
class AttachedPicture:
    """A picture that the HTML shows as `cid:` and its content id."""

    content_id: str
    content: bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class EmailContent:
    """The subject on one line, the text with a final newline, the HTML ("" for none), and the pictures in it."""

    subject: str
    text: str
    html: str = ""
    pictures: tuple[AttachedPicture, ...] = ()


@dataclass(frozen=True, slots=True)
class AlertLine:
    """One alert: what happened in a sentence, a URL or "", a heading ("Breaking news"), and when, in local time."""

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


def digest_email(edition: Edition, *, links: Links, pictures: Mapping[int, str] | None = None) -> EmailContent:
    """The email of a digest; `pictures` are what pictures of leads are loaded from, by the article's id."""

    def actions_of(article_id: int) -> ActionLinks:
        return ActionLinks(*(links.act(article_id, act) for act in ("read", "skip", "like")))

    sheet = with_pictures(sheet_of(edition), pictures or {})
    text = sheet_as_text(with_actions(sheet, actions_of, ()), link=links.page) + _foot(
        (_("Change your digest settings"), links.settings),
        (_("Unsubscribe from %(name)s") % {"name": edition.kind.in_sentence}, links.unsubscribe),
    )
    return EmailContent(phrases.subject(edition), text, _digest_html(sheet, actions_of, links))


def alerts_email(lines: Sequence[AlertLine], *, links: Links) -> EmailContent:
    """The email of one or more alerts in the given order. Raises ValueError if there are none."""
    if not lines:
        raise ValueError("There are no alerts")
    lines = [replace(line, text=one_line(line.text), url=web_address(line.url)) for line in lines]
    shown, elsewhere = lines[:MAX_ALERTS], _more_alerts(len(lines) - MAX_ALERTS)
    title = _alerts_subject(lines)
    heading = lines[0].heading if len({line.heading for line in lines}) == 1 else _("Alerts")
    context = {"subject": title, "heading": heading, "lines": shown, "elsewhere": elsewhere, "links": links}
    preheader = shortened(" ".join(line.text for line in lines), _PREHEADER)
    html = _inline_styles(render("emails/alerts.html", {**context, "preheader": preheader}))
    return EmailContent(title, _alerts_text(heading, shown, elsewhere, links), html)


def _digest_html(sheet: Sheet, actions_of: Callable[[int], ActionLinks], links: Links) -> str:
    """As much of the digest as Gmail shows without clipping."""
    html = ""
    for part, n_summaries, elsewhere in _parts(sheet, actions_of):
        context = {"sheet": part, "links": links, "n_summaries": n_summaries, "elsewhere": elsewhere}
        html = _inline_styles(render("emails/digest.html", {**context, "preheader": _preheader(sheet)}))
        if len(html.encode()) <= MAX_BYTES:
            break
    return html


def _parts(sheet: Sheet, actions_of: Callable[[int], ActionLinks]) -> Iterator[tuple[Sheet, int, str]]:
    """Sheets with their number of summaries and a note on what is missing, each shorter than the one before."""
    n = len(sheet.edition.topics)
    for names in (tuple(SectionName), (SectionName.TOP, SectionName.NOTEWORTHY), (SectionName.TOP,)):
        sheet = with_actions(sheet, actions_of, names)
        yield sheet, n, ""
    for n_summaries in _SUMMARIES:
        if n_summaries < n:
            yield sheet, n_summaries, _("More summaries are on the web.")
    for n_topics in _TOPICS:
        if n_topics < n:
            yield first_of(sheet, n_topics), 0, _more_topics(n - n_topics)


def _more_topics(n: int) -> str:
    """A note on topics that don't fit."""
    note = ngettext("%(n)s more topic is on the web.", "%(n)s more topics are on the web.", n)
    return note % {"n": format_number(n)}


def _more_alerts(n: int) -> str:
    """A note on alerts that don't fit; "" for none."""
    note = ngettext("%(n)s more alert is on the web.", "%(n)s more alerts are on the web.", n)
    return note % {"n": format_number(n)} if n > 0 else ""


def _preheader(sheet: Sheet) -> str:
    """What inboxes show after the subject: the headings after the first, which is in the subject."""
    headings = [item.topic.lead.title for section in sheet.sections for item in section.items[:10]]
    return shortened(sheet.nothing or phrases.BETWEEN.join(headings[1:] or headings), _PREHEADER)


def _inline_styles(page: str) -> str:
    return _inliner.inline(with_style(page, "emails/mail.css"))


def _alerts_subject(lines: Sequence[AlertLine]) -> str:
    first = f"{lines[0].heading}{colon()}{lines[0].text}".rstrip(".")
    n_more = len(lines) - 1
    subject = "%(first)s"
    if n_more:
        subject = ngettext("%(first)s and %(n)s more", "%(first)s and %(n)s more", n_more)
    values = {"n": format_number(n_more)}
    room = phrases.SUBJECT_WIDTH - len(subject % {**values, "first": ""})
    return subject % {**values, "first": shortened(one_line(first), room)}


def _alerts_text(heading: str, lines: Sequence[AlertLine], elsewhere: str, links: Links) -> str:
    paragraphs = underlined(heading, "=", WIDTH)
    for line in lines:
        details = phrases.BETWEEN.join(filter(None, (line.heading, line.at)))
        paragraphs += ["", *wrapped(details, WIDTH), *wrapped(line.text, WIDTH), *filter(None, (line.url,))]
    if elsewhere:
        paragraphs += ["", elsewhere]
    addresses = (
        (_("All notifications"), links.page),
        (_("Change your alert settings"), links.settings),
        (_("Unsubscribe from alerts"), links.unsubscribe),
    )
    return "\n".join(paragraphs) + "\n" + _foot(*addresses)


def _foot(*addresses: tuple[str, str]) -> str:
    """Links at the end of an email, under a line."""
    return f"\n{'-' * WIDTH}\n" + "".join(f"\n{what}:\n{url}\n" for what, url in addresses)
