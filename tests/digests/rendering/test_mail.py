"""Mails of digests and of alerts, as a mail program shows them."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise, product
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import pytest
from lxml import html

from digests.delivery.links import EmailLinks
from digests.edition.document import Edition, FeedReport, SectionName, UnhealthyFeed
from digests.edition.kinds import Kind
from digests.rendering.mail import MAX_BYTES, AlertLine, Links, alerts_email, digest_email
from rssmanager.env import PROJECT
from tests.digests.editions import edition, entry, full_edition, topic
from tests.digests.rendered import LINKS, SITE, hrefs, letter, text_of
from tests.digests.rendering.test_text import SMALL, SMALL_TEXT

STYLES = (PROJECT / "templates/emails/mail.css").read_text()
GMAIL_SHOWS = 102 * 1024  # bytes of HTML

SMALL_LETTER = """\
Saturday 21 November 2026
Morning brief
5 articles from 14 feeds · 9 duplicates removed · 1 feed needs attention
Fri 20 Nov, 07:00 to Sat 21 Nov, 07:00 (CET)
Read on the web
Top stories
▲ Emerging · Geneva
Iran and US end second round
BBC News · major outlet · Sat 21 Nov, 06:50 · importance 84
Delegations of both countries left Geneva on Friday evening after two days of talks. The mediator said that they had \
agreed on guiding principles for a text, and that experts would meet again within two weeks to write it. No date was \
given for a third round, and neither side answered questions on the way to the airport.
2 more from Reuters and DW
Changed since the evening recap: now also covered by DW.
Read Skip Like
Noteworthy
Science
Article 4
A probe sent images.
Paper · Sat 21 Nov · ▼ Fading
Read Skip Like
Also mentioned
الجزيرة הארץ
Read Skip Like
6 more topics didn't fit; 3 are unchanged since the last digest.
Feed health
14 feeds were polled 96 times; 97.9% of the polls succeeded, 2 failed.
1 feed needs attention:
Morgenpost: It has not answered since Tuesday.
Trending topics:
▲ Emerging: Geneva (3 articles, none before)
Self-check “Labels”: Repaired: one.
You're receiving this because you subscribed to the morning brief.
Change your digest settings · Unsubscribe from the morning brief"""

FOOT = f"""
----------------------------------------------------------------------------

Change your digest settings:
{LINKS.settings}

Unsubscribe from the morning brief:
{LINKS.unsubscribe}
"""


def shown_lines(page: str) -> str:
    """What a mail program shows, in lines as blocks end."""
    lines = re.sub(r"<br>|</(?:p|li|h\d|td)>", r"\g<0>\n", " ".join(page.split()))
    body = html.document_fromstring(lines).find("body")
    assert body is not None
    for hidden in body.find_class("pre"):
        hidden.drop_tree()
    shown = [" ".join(line.split()) for line in str(body.text_content()).splitlines()]
    return "\n".join(line for line in shown if line)


def test_a_small_digest() -> None:
    sent = letter(SMALL)
    assert sent.subject == "Morning brief, Sat 21 Nov: Iran and US end second round and 2 more"
    text = SMALL_TEXT.replace("https://reader.example/digests/1/", LINKS.page)
    for number in (1, 4):
        text = text.replace(f"https://paper.example/{number}\n", f"{LINKS.act(number, 'read')}\n")
    assert sent.text == text + FOOT
    assert shown_lines(sent.html) == SMALL_LETTER


def test_an_empty_digest_is_a_short_mail() -> None:
    sent = letter(edition(n_articles=0, kind=Kind.EVENING))
    assert sent.subject == "Evening recap, Sat 21 Nov: nothing new"
    note = "Nothing new between Fri 20 Nov, 07:00 and Sat 21 Nov, 07:00."
    assert note in shown_lines(sent.html)
    assert note in sent.text
    assert "Unsubscribe from the evening recap" in sent.text
    assert len(sent.html) < 8000


def test_shown_topics_have_their_own_action_links() -> None:
    page = letter(edition(topic(7), topic(8), topic(9, SectionName.NOTEWORTHY), topic(10, SectionName.ALSO))).html
    acts = [href for href in hrefs(page) if "/mail/act/" in href]
    assert acts == [
        LINKS.act(number, act) for number in (7, 8, 9, 10) for act in ("read", "read", "skip", "like")
    ]  # the headline, then the actions


def test_headlines_lead_to_the_page_that_records_the_reading() -> None:
    sent = letter(edition(topic(7), topic(8, lead=entry(8, article_id=None)), topic(9, is_unchanged=True)))
    assert [LINKS.act(number, "read") in hrefs(sent.html) for number in (7, 9)] == [True, True]
    assert [f"https://paper.example/{number}" in hrefs(sent.html) for number in (7, 8, 9)] == [False, True, False]
    assert "Still: Article 9 Paper" in text_of(sent.html)


def test_long_digest_drops_actions_before_summaries() -> None:
    full = full_edition(Kind.WEEKLY)
    page = letter(full).html
    acted = {
        each.lead.article_id
        for each in full.topics
        for act in ("skip", "like")
        if LINKS.act(each.lead.article_id, act) in hrefs(page)
    }
    assert acted == {each.lead.article_id for each in full.topics if each.section is SectionName.TOP}
    assert "on the web." not in text_of(page)


def test_story_of_a_purged_article_has_no_actions() -> None:
    page = letter(edition(topic(7, lead=entry(7, article_id=None)))).html
    assert "Article 7" in text_of(page)
    assert "/mail/act/" not in page
    assert ">Read</a>" not in page


def test_links_are_those_of_real_mails() -> None:
    real: Links = EmailLinks(user_id=7, written_at=datetime(2026, 11, 21, 6, tzinfo=UTC), kind="morning", digest_id=1)
    sent = digest_email(edition(topic(7)), links=real)
    for url in (real.page, real.settings, real.unsubscribe, real.act(7, "skip")):
        assert url in hrefs(sent.html)
        assert urlsplit(url).scheme in ("http", "https")


def test_every_address_of_a_mail_is_whole() -> None:
    for href in hrefs(letter(full_edition()).html):
        assert href.startswith(("https://", "#"))


def test_contents_lead_to_their_targets() -> None:
    page = html.document_fromstring(letter(full_edition()).html)
    wanted = [str(href)[1:] for href in page.xpath("//@href") if str(href).startswith("#")]
    assert len(wanted) == 17
    assert set(wanted) <= set(page.xpath("//@id"))


def test_styles_are_inline_or_else_in_the_head() -> None:
    page = letter(SMALL).html
    tree = html.document_fromstring(page)
    (style,) = tree.xpath("//style/text()")
    assert "prefers-color-scheme:dark" in str(style).replace(" ", "")
    assert not re.search(r"^\s*\.sheet", str(style).partition("@media")[0])
    for found in tree.xpath("//h1 | //h2 | //h3 | //td | //a | //body"):
        assert found.get("style"), html.tostring(found)[:80]
    assert tree.xpath("//meta[@name='color-scheme']/@content") == ["light dark"]


def test_tables_are_for_layout_only_and_headings_for_structure() -> None:
    tree = html.document_fromstring(letter(full_edition()).html)
    assert {table.get("role") for table in tree.iter("table")} == {"presentation"}
    levels = [int(each.tag[1]) for each in tree.iter("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(second - first <= 1 for first, second in pairwise(levels))


def test_headings_leave_no_level_out_without_categories() -> None:
    tree = html.document_fromstring(letter(edition(topic(1, SectionName.NOTEWORTHY))).html)
    assert [each.tag for each in tree.iter("h1", "h2", "h3", "h4")] == ["h1", "h2", "h3", "h2"]


def test_titles_have_language_and_direction() -> None:
    tree = html.document_fromstring(letter(edition(topic(1, lead=entry(1, title="הארץ", language="he")))).html)
    (title,) = tree.xpath("//h3")
    assert (title.get("lang"), title.get("dir")) == ("he", "auto")


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.TODAY])
def test_a_full_digest_is_not_cut_off_by_gmail(kind: Kind) -> None:
    page = letter(full_edition(kind)).html
    assert len(page.encode()) <= MAX_BYTES < GMAIL_SHOWS
    assert "on the web." not in text_of(page)


def _swollen(text: str, kind: Kind = Kind.WEEKLY) -> Edition:
    full = full_edition(kind)
    return replace(full, topics=tuple(replace(each, summary=text) if each.summary else each for each in full.topics))


def test_oversized_email_first_drops_summaries() -> None:
    made = _swollen("これは一つの文である。" * 40)
    sent = letter(made)
    assert len(sent.html.encode()) <= MAX_BYTES
    shown = text_of(sent.html)
    assert "More summaries are on the web." in shown
    assert 1 <= shown.count("これは一つの文である。") // 40 < 45
    assert all(LINKS.act(each.lead.article_id, "read") in hrefs(sent.html) for each in made.topics)
    assert sum(line.strip().startswith("これは一つの文である。") for line in sent.text.split("\n")) >= 45


def test_oversized_email_then_drops_last_topics() -> None:
    full = full_edition(Kind.WEEKLY)
    long = tuple(replace(each, lead=replace(each.lead, title=f"{'wide 語 ' * 400}")) for each in full.topics)
    sent = letter(replace(full, topics=long))
    assert len(sent.html.encode()) <= MAX_BYTES
    shown = [each for each in full.topics if LINKS.act(each.lead.article_id, "read") in hrefs(sent.html)]
    assert shown == list(full.topics[:10])
    assert "50 more topics are on the web." in text_of(sent.html)
    targets = html.document_fromstring(sent.html).xpath("//@id")
    assert {href[1:] for href in hrefs(sent.html) if href.startswith("#")} <= set(targets)
    assert all(LINKS.act(each.lead.article_id, "read") in sent.text for each in full.topics)


def test_no_digest_is_too_long() -> None:
    endless = tuple(topic(number, lead=entry(number, title="語" * 40_000)) for number in range(1, 16))
    page = letter(edition(*endless)).html
    assert len(page.encode()) <= MAX_BYTES
    assert "15 more topics are on the web." in text_of(page)


def test_of_many_unwell_feeds_the_first_are_named() -> None:
    unhealthy = tuple(UnhealthyFeed(f"Feed {number}", "It is dead.") for number in range(300))
    shown = text_of(letter(edition(report=FeedReport(1, 1, 1, unhealthy=unhealthy))).html)
    assert "Feed 9: It is dead. and 290 more" in shown


def test_preheader_continues_the_subject() -> None:
    tree = html.document_fromstring(letter(edition(topic(1), topic(2), topic(3))).html)
    (preheader,) = tree.find_class("pre")
    assert preheader.text == "Article 2 · Article 3"
    assert "display:none" in preheader.get("style").replace(" ", "")


def test_alerts() -> None:
    at = datetime(2026, 11, 21, 6, 5, tzinfo=UTC).astimezone(ZoneInfo("Europe/Berlin"))
    sent = alerts_email(
        [
            AlertLine("Iran and US end second round (BBC News).", f"{SITE}/articles/1/", "Breaking news", at),
            AlertLine("Morgenpost is no more.", "", "Feeds"),
        ],
        links=LINKS,
    )
    assert sent.subject == "Breaking news: Iran and US end second round (BBC News) and 1 more"
    assert sent.text == (
        "Alerts\n======\n\nBreaking news · Sat 21 Nov, 07:05\nIran and US end second round (BBC News).\n"
        f"{SITE}/articles/1/\n\nFeeds\nMorgenpost is no more.\n\n{'-' * 76}\n"
        f"\nAll notifications:\n{LINKS.page}\n\nChange your alert settings:\n{LINKS.settings}\n"
        f"\nUnsubscribe from alerts:\n{LINKS.unsubscribe}\n"
    )
    assert shown_lines(sent.html) == (
        "Alerts\nBreaking news · Sat 21 Nov, 07:05\nIran and US end second round (BBC News).\nFeeds\n"
        "Morgenpost is no more.\nView all notifications\n"
        "You're receiving this because you turned on alert emails.\n"
        "Change your alert settings · Unsubscribe from alerts"
    )
    assert f"{SITE}/articles/1/" in hrefs(sent.html)


def test_alerts_of_one_sort_are_headed_by_it() -> None:
    sent = alerts_email([AlertLine("It happened.", heading="Breaking news")], links=LINKS)
    assert sent.subject == "Breaking news: It happened"
    assert sent.text.startswith("Breaking news\n=============\n")


def test_hostile_alerts_are_text() -> None:
    sent = alerts_email([AlertLine("<script>x</script>\r\nBcc: a@b.example\u202e", "javascript:alert(1)")], links=LINKS)
    assert sent.subject == "Alert: <script>x</script> Bcc: a@b.example"
    assert "<script" not in sent.html
    assert "javascript" not in sent.html + sent.text
    assert "<script>x</script> Bcc: a@b.example" in text_of(sent.html)


def test_limits_listed_alerts_to_the_first() -> None:
    sent = alerts_email([AlertLine(f"Feed {number} is slow.") for number in range(120)], links=LINKS)
    assert sent.subject == "Alert: Feed 0 is slow and 119 more"
    for shown in (sent.text, text_of(sent.html)):
        assert "Feed 49 is slow." in shown
        assert "Feed 50 is slow." not in shown
        assert "70 more alerts are on the web." in shown
    assert len(sent.html.encode()) <= MAX_BYTES


def test_a_mail_of_no_alerts_is_refused() -> None:
    with pytest.raises(ValueError, match="no alerts"):
        alerts_email([], links=LINKS)


def test_all_tries_of_a_mail_are_the_same() -> None:
    made = full_edition()
    later = replace(made, made_at=made.made_at + timedelta(0))
    assert letter(made) == letter(later)


def _luminance(colour: str) -> float:
    """Relative luminance; source: WCAG 2.2."""
    channels = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(first: str, second: str) -> float:
    darker, lighter = sorted((_luminance(first), _luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_ink_is_legible_on_every_paper(theme: str) -> None:
    light, _, rest = STYLES.partition("@media (prefers-color-scheme: dark)")
    rules = light if theme == "light" else rest.partition("@media print")[0]
    inks = set(re.findall(r"(?<![-\w])color: (#[0-9a-f]{6})", rules))
    papers = set(re.findall(r"background: (#[0-9a-f]{6})", rules))
    assert len(inks) >= 4
    assert len(papers) == 2
    for ink, paper in product(inks, papers):
        assert _contrast(ink, paper) >= 4.5, (ink, paper)
