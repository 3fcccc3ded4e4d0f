"""Full texts: fetched politely from the article's page, limited in size, sanitized when shown."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from feeds.content.extract import MAX_TAGS, page_text
from feeds.content.fetch_pages import PAUSE, fetch_one, fetch_waiting
from feeds.content.full_text_queue import request_again, request_full_texts, waiting
from feeds.content.sanitized import safe_full_text
from feeds.errors import PageError
from feeds.fetching import Fetcher, FetchLimits, FetchResult
from feeds.models import FullText, FullTextStatus, Source
from tests import make
from tests.feeds.conftest import MakeFetcher
from tests.feeds.servers import ScriptedServer, answer, moved, silent

pytestmark = pytest.mark.vendor

SENTENCE = "The bridge over the river was opened by the mayor on Monday, after eleven years of work and many delays. "
PAGE = f"""<!doctype html><html lang="en"><head><title>T</title><script>steal()</script></head><body>
<nav><a href="/">Home</a> <a href="/sports">Sports</a></nav>
<article><h1>The bridge opens</h1><p>{SENTENCE * 2}</p><p onclick="steal()">More of it <a href="/more">here</a>.
{SENTENCE}</p><img src="/p.jpg" alt="The bridge"><pre><code>x = 1</code></pre>
<iframe src="https://tracker.example/f"></iframe><p>{SENTENCE * 3}</p></article>
<footer>Copyright</footer></body></html>"""
HTML = "text/html; charset=utf-8"


def result(body: str | bytes = PAGE, kind: str = HTML) -> FetchResult:
    content = body if isinstance(body, bytes) else body.encode()
    return FetchResult("https://paper.example/dir/a", 200, {"content-type": kind}, content)


class TestPageText:
    def test_finds_the_article_and_nothing_around_it(self) -> None:
        found = page_text(result())
        assert "eleven years" in found.text
        assert "Sports" not in found.text
        assert "Copyright" not in found.text
        assert found.reading_seconds == pytest.approx(119 / 238 * 60, abs=5)

    def test_removes_the_repeated_title(self) -> None:
        assert "The bridge opens" not in page_text(result()).markup

    def test_addresses_are_of_the_page(self) -> None:
        assert 'src="https://paper.example/p.jpg"' in page_text(result()).markup

    def test_code_is_marked_once(self) -> None:
        markup = page_text(result()).markup
        assert (markup.count("<pre>"), markup.count("</pre>")) == (1, 1)

    def test_reads_other_charsets(self) -> None:
        words = "市长星期一为河上的大桥举行了通车仪式，工程历时十一年，其间多次延误，费用是当初所说的四倍。" * 4
        page = f'<html><head><meta charset="gb2312"></head><body><article><p>{words}</p></article></body></html>'
        assert "通车仪式" in page_text(result(page.encode("gb2312"), "text/html")).text

    @pytest.mark.parametrize(
        ("page", "message"),
        [
            pytest.param(result(b"%PDF", "application/pdf"), "a file (application/pdf)", id="no page"),
            pytest.param(result("<p>Please enable cookies.</p>"), "No article found", id="a notice"),
            pytest.param(result(b""), "No article found", id="nothing"),
            pytest.param(result("<b>" * (MAX_TAGS + 1)), "too large", id="too many tags"),
            pytest.param(result("<div>" * 50_000 + SENTENCE * 9), "No article found", id="too deep"),
        ],
    )
    def test_reports_why_there_is_no_article(self, page: FetchResult, message: str) -> None:
        with pytest.raises(PageError, match=message.replace("(", r"\(").replace(")", r"\)")):
            page_text(page)

    def test_gives_up_on_a_page_that_is_slow_to_extract(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("feeds.content.confined.WALL_SECONDS", 0.01)
        with pytest.raises(PageError, match="too complex to read"):
            page_text(result())


@pytest.fixture
def fetcher() -> Iterator[Fetcher]:
    fetcher = Fetcher(FetchLimits(allow_private_networks=True), user_agent="t", wait=lambda seconds: None)
    yield fetcher
    fetcher.close()


def later(minutes: float = 1) -> datetime:
    return make.NOW + timedelta(minutes=minutes)


def fetch(fetcher: Fetcher, waits: list[float] | None = None) -> int:
    waited = waits if waits is not None else []
    return fetch_waiting(
        fetcher, clock=lambda: make.NOW, until=later(), seconds=lambda: sum(waited), pause=waited.append
    )


def request_full_text(url: str) -> FullText:
    article = make.article(url=url)
    assert request_full_texts([article.pk], now=make.NOW) == 1
    return FullText.objects.get(article=article)


@pytest.mark.django_db
class TestFetching:
    def test_saves_the_page_text(self, server: ScriptedServer, fetcher: Fetcher) -> None:
        server.on("/a", moved(302, "/b"))
        server.on("/b", answer(200, PAGE.encode(), content_type=HTML))
        full_text = request_full_text(server.url("/a"))
        assert fetch(fetcher) == 1
        full_text.refresh_from_db()
        assert (full_text.status, full_text.error, full_text.fetched_at) == (FullTextStatus.DONE, "", make.NOW)
        assert full_text.base_url == server.url("/b")
        assert "eleven years" in full_text.text
        assert fetch(fetcher) == 0

    def test_is_shown_sanitized(self, server: ScriptedServer, fetcher: Fetcher) -> None:
        full_text = request_full_text(server.on("/a", answer(200, PAGE.encode(), content_type=HTML)))
        fetch(fetcher)
        full_text.refresh_from_db()
        full_text.markup += "<script>steal()</script><p onclick=steal()>x</p>"
        full_text.save()
        html = safe_full_text(full_text)
        assert "steal" not in html
        assert "tracker.example" not in html
        assert "<pre>x = 1" in html
        full_text.refresh_from_db()
        assert full_text.safe_html == html

    def test_requests_only_the_page_with_user_agent(self, server: ScriptedServer, fetcher: Fetcher) -> None:
        request_full_text(server.on("/a", answer(200, PAGE.encode(), content_type=HTML)))
        fetch(fetcher)
        [request] = server.requests
        assert (request.target, request.headers["user-agent"]) == ("/a", "t")

    def test_a_name_and_password_stay_with_the_feed(self, server: ScriptedServer, fetcher: Fetcher) -> None:
        server.on("/a", answer(200, PAGE.encode(), content_type=HTML))
        request_full_text(server.url("/a", credentials="ada:secret"))
        fetch(fetcher)
        assert "authorization" not in server.requests[0].headers

    def test_an_address_that_is_not_public_is_refused(self, server: ScriptedServer) -> None:
        full_text = request_full_text(server.on("/a", answer(200, PAGE.encode(), content_type=HTML)))
        guarded = Fetcher(FetchLimits(), user_agent="t", wait=lambda seconds: None)
        fetch(guarded)
        guarded.close()
        full_text.refresh_from_db()
        assert (full_text.status, server.requests) == (FullTextStatus.FAILED, [])
        assert "127.0.0.1" in full_text.error

    @pytest.mark.parametrize(
        ("script", "message"),
        [
            (answer(404), "no longer exists"),
            (answer(403), "doesn't allow access"),
            (answer(500), "didn't return the page. (Status 500.)"),
            (answer(200, b"%PDF", content_type="application/pdf"), "a file (application/pdf)"),
        ],
    )
    def test_failure_is_explained_and_keeps_the_text(
        self, server: ScriptedServer, fetcher: Fetcher, script: bytes, message: str
    ) -> None:
        full_text = request_full_text(server.on("/a", script))
        FullText.objects.update(text="Before", markup="<p>Before</p>")
        fetch(fetcher)
        full_text.refresh_from_db()
        assert (full_text.status, full_text.text) == (FullTextStatus.FAILED, "Before")
        assert message in full_text.error

    def test_domain_with_retry_after_is_skipped(self, server: ScriptedServer, fetcher: Fetcher) -> None:
        source = make.source("127.0.0.1")
        server.on("/a", answer(429, retry_after="600"))
        first, second = request_full_text(server.url("/a")), request_full_text(server.url("/a#2"))
        fetch(fetcher)
        source.refresh_from_db()
        assert source.rate_limited_until == make.NOW + timedelta(seconds=600)
        for full_text in (first, second):
            full_text.refresh_from_db()
            assert "asked us to wait" in full_text.error
        assert len(server.requests) == 1

    def test_retry_after_is_of_the_domain_that_answered(self, server: ScriptedServer, fetcher: Fetcher) -> None:
        elsewhere = server.on("/b", answer(429, retry_after="600")).replace("127.0.0.1", "localhost")
        request_full_text(server.on("/a", moved(302, elsewhere)))
        fetch(fetcher)
        request_full_text(elsewhere)
        fetch(fetcher)
        limited = Source.objects.exclude(rate_limited_until=None)
        limits = dict(limited.values_list("domain", "rate_limited_until"))
        assert limits == {"localhost": make.NOW + timedelta(seconds=600)}
        assert [request.target for request in server.requests] == ["/a", "/b"]

    def test_pauses_between_pages_of_one_domain(self, server: ScriptedServer, fetcher: Fetcher) -> None:
        for path in ("/a", "/b", "/c"):
            request_full_text(server.on(path, answer(200, PAGE.encode(), content_type=HTML)))
        waits: list[float] = []
        assert (fetch(fetcher, waits), waits) == (3, [PAUSE, PAUSE])

    def test_slow_publisher_delays_no_others(
        self, server: ScriptedServer, other_server: ScriptedServer, make_fetcher: MakeFetcher
    ) -> None:
        prompt = request_full_text(other_server.on("/a", answer(200, PAGE.encode(), content_type=HTML)))
        server.on("/slow", silent(server))
        waiting_text, slow = request_full_text(server.url("/slow#2")), request_full_text(server.url("/slow"))
        assert fetch(make_fetcher(total_seconds=0.2, retry_waits=())) == 2
        for full_text in (prompt, slow, waiting_text):
            full_text.refresh_from_db()
        assert [full_text.status for full_text in (prompt, slow, waiting_text)] == ["done", "failed", "waiting"]
        assert len(server.requests) == 1

    def test_a_page_that_a_user_waits_for_is_fetched_alone(self, server: ScriptedServer, fetcher: Fetcher) -> None:
        other = request_full_text(server.url("/other"))
        urgent = request_full_text(server.on("/a", answer(200, PAGE.encode(), content_type=HTML)))
        assert fetch_one(fetcher, urgent.article_id, now=make.NOW)
        for full_text in (urgent, other):
            full_text.refresh_from_db()
        assert [full_text.status for full_text in (urgent, other)] == ["done", "waiting"]

    def test_slow_page_is_left_to_the_background(self, server: ScriptedServer, make_fetcher: MakeFetcher) -> None:
        full_text = request_full_text(server.on("/a", silent(server)))
        assert not fetch_one(make_fetcher(total_seconds=0.1), full_text.article_id, now=make.NOW)
        full_text.refresh_from_db()
        assert (full_text.status, full_text.claimed_at) == ("waiting", None)

    def test_a_page_of_a_slow_domain_is_left_to_the_background(self, server: ScriptedServer, fetcher: Fetcher) -> None:
        full_text = request_full_text(server.on("/a", answer(200, PAGE.encode(), content_type=HTML)))
        make.feed(server.url("/feed"), is_slow=True)
        assert not fetch_one(fetcher, full_text.article_id, now=make.NOW)
        assert server.requests == []

    def test_expired_claim_is_taken_over(self) -> None:
        full_text = request_full_text("https://paper.example/1")
        FullText.objects.update(status=FullTextStatus.FETCHING, claimed_at=make.NOW)
        assert not waiting(later(4)).exists()
        assert list(waiting(later(5))) == [full_text]


@pytest.mark.django_db
class TestRequesting:
    def test_article_is_requested_once(self) -> None:
        article = make.article()
        assert [request_full_texts([article.pk], now=make.NOW) for _ in range(2)] == [1, 0]

    @pytest.mark.parametrize(
        ("status", "minutes", "is_allowed"),
        [
            (FullTextStatus.FAILED, 2, True),
            (FullTextStatus.DONE, 2, True),
            (FullTextStatus.FAILED, 0.5, False),
            (FullTextStatus.WAITING, 2, False),
            (FullTextStatus.FETCHING, 2, False),
        ],
    )
    def test_can_be_repeated_a_minute_after_it_ended(self, status: str, minutes: float, is_allowed: bool) -> None:
        full_text = request_full_text("https://paper.example/1")
        FullText.objects.update(status=status, fetched_at=make.NOW)
        assert request_again(full_text, now=later(minutes)) is is_allowed
        full_text.refresh_from_db()
        assert full_text.status == (FullTextStatus.WAITING if is_allowed else status)
