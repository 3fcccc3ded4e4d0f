"""Log lines: text or JSON, with context, and without secrets."""

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import StringIO
from ipaddress import ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client, RequestFactory
from pytest_django import Settings

from feeds.polling.engine import poll_due
from rssmanager.operations.logs import ContextFilter, JsonLineFormatter, TextFormatter, log_context
from tests import make
from tests.feeds.servers import ScriptedServer, answer
from tests.rssmanager.installation import installation
from tests.rssmanager.operations.servers import serving

FORMATS = pytest.mark.parametrize("formatter", [TextFormatter, JsonLineFormatter], ids=["text", "json"])
FEED = b"<rss version='2.0'><channel><title>Paper</title><item><title>News</title></item></channel></rss>"


@pytest.fixture
def logged() -> Iterator[Callable[[type[logging.Formatter]], StringIO]]:
    """Starts recording all log output with a given formatter."""
    root, before, handlers = logging.getLogger(), logging.getLogger().level, []

    def begin(formatter: Any) -> StringIO:
        handler = logging.StreamHandler(StringIO())
        handler.setFormatter(formatter())
        handler.addFilter(ContextFilter())
        root.addHandler(handler)
        root.setLevel(logging.DEBUG)
        handlers.append(handler)
        return handler.stream

    yield begin
    root.setLevel(before)
    for handler in handlers:
        root.removeHandler(handler)


class TestLine:
    def test_text_line_has_utc_time_level_logger_and_context(self, logged: Any) -> None:
        stream = logged(TextFormatter)
        with log_context(request_id="abc12345"):
            logging.getLogger("feeds.polling.poller").warning("Feed %s", 7)
        line = stream.getvalue().rstrip()
        assert line[10] == "T"
        assert line.partition(" ")[0].endswith("Z")
        assert line.partition(" ")[2] == "WARNING feeds.polling.poller: Feed 7 [request_id=abc12345]"

    def test_json_line_is_an_object(self, logged: Any) -> None:
        stream = logged(JsonLineFormatter)
        with log_context(task="feeds.tasks.polling.poll", task_id="a1"):
            logging.getLogger("feeds.polling.poller").warning("Feed %s", 7, extra={"seconds": 1.5})
        report = json.loads(stream.getvalue())
        assert report.pop("time").endswith("Z")
        assert report == {
            "level": "WARNING",
            "logger": "feeds.polling.poller",
            "message": "Feed 7",
            "task": "feeds.tasks.polling.poll",
            "task_id": "a1",
            "seconds": 1.5,
        }

    @FORMATS
    def test_has_no_credentials_of_urls_even_in_a_traceback(self, logged: Any, formatter: Any) -> None:
        stream = logged(formatter)
        try:
            raise ValueError("https://me:p@ss-word@paper.example/feed refused")
        except ValueError:
            logging.getLogger("x").exception("At %s", "http://you:pass-word@paper.example/")
        assert "pass-word" not in stream.getvalue()
        assert "ss-word" not in stream.getvalue()
        assert stream.getvalue().count("…@paper.example") == 3  # also in the source line


@pytest.mark.django_db
class TestRequest:
    def test_request_log_has_route_status_time_and_user(self, client: Client, logged: Any) -> None:
        user = make.user("ada-lovelace")
        client.force_login(user)
        stream = logged(JsonLineFormatter)
        answered = client.get("/all/")
        line = next(record for record in map(json.loads, stream.getvalue().splitlines()) if "route" in record)
        assert (line["route"], line["method"], line["status"], line["user"]) == ("home", "GET", 200, user.pk)
        assert line["milliseconds"] > 0
        assert line["request_id"] == answered["X-Request-ID"]
        assert "ada-lovelace" not in stream.getvalue()

    @pytest.mark.parametrize(
        ("given", "is_taken"),
        [
            pytest.param("0f8fad5b-d9cb-469f-a165-70867728950e", True, id="uuid"),
            pytest.param("trace:abc.12345", True, id="other"),
            pytest.param("short", False, id="short"),
            pytest.param("x" * 65, False, id="long"),
            pytest.param("abcdefgh level=ERROR", False, id="words"),
            pytest.param("abcdefgh\tx", False, id="control"),
            pytest.param("<script>alert</script>", False, id="markup"),
        ],
    )
    def test_uses_a_valid_request_id(self, client: Client, given: str, is_taken: bool) -> None:
        request_id = client.get("/login/", headers={"X-Request-ID": given})["X-Request-ID"]
        assert (request_id == given) is is_taken
        assert len(request_id) >= 8

    def test_slow_request_is_a_warning(
        self, client: Client, settings: Settings, caplog: pytest.LogCaptureFixture
    ) -> None:
        settings.ENV = replace(settings.ENV, LOG_SLOW_REQUEST_SECONDS=1e-9)
        client.get("/login/")
        assert [record.levelname for record in caplog.records if "slow" in record.getMessage()] == ["WARNING"]
        settings.ENV = replace(settings.ENV, LOG_SLOW_REQUEST_SECONDS=0)
        caplog.clear()
        client.get("/login/")
        assert not any("slow" in record.getMessage() for record in caplog.records)


SECRETS = ("pa55-word", "feed-pa55", "private-t0ken-of-a-feed", "sk-llm-k3y", "mail-t0ken")


@pytest.mark.slow
@FORMATS
@pytest.mark.django_db
def test_pages_and_polls_log_no_secret(formatter: Any, logged: Any, client: Client, settings: Settings) -> None:
    settings.ENV = replace(
        settings.ENV,
        LLM_API_KEY="sk-llm-k3y",
        LLM_BASE_URL="http://me:sk-llm-k3y@127.0.0.1:1/v1",
        LOG_SLOW_QUERY_SECONDS=1e-9,
        FETCH_ALLOWED_NETWORKS=(ip_network("127.0.0.0/8"),),
    )
    stream = logged(formatter)
    make.user("ada")
    client.raise_request_exception = False
    client.post("/login/", {"username": "ada", "password": "pa55-word"})
    client.get("/digests/feed/private-t0ken-of-a-feed/")
    client.get("/mail/act/mail-t0ken-0123456789/")
    client.get("/nowhere/mail-t0ken-0123456789/")
    Client(enforce_csrf_checks=True).post("/mail/unsubscribe/mail-t0ken-0123456789/", {"a": "pa55-word"})
    server = ScriptedServer()
    try:
        for path, reply in (("/good", answer(200, FEED)), ("/bad", answer(500, b"")), ("/hung", lambda _: None)):
            url = server.on(path, reply).replace("://", "://me:feed-pa55@")
            make.subscription(make.user(), make.feed(url))
        poll_due()
    finally:
        server.close()
    text = stream.getvalue()
    assert "unmatched" in text
    assert [secret for secret in SECRETS if secret in text] == []


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["text", "json"])
def test_real_server_logs_no_token(tmp_path: Path, kind: str) -> None:
    with installation(tmp_path) as reader:
        reader.prepare()
        with serving(reader, LOG_FORMAT=kind, LOG_LEVEL="DEBUG", LOG_SLOW_QUERY_SECONDS="0.000001") as server:
            server.ask("/mail/act/mail-t0ken-0123456789/")
            server.ask("/digests/feed/private-t0ken-of-a-feed/")
            server.ask("/nowhere/mail-t0ken-0123456789/?key=private-t0ken-of-a-feed")
            form = urlencode({"username": "owner", "password": "pa55-word"})
            server.ask("/login/", method="POST", body=form, Cookie="sessionid=private-t0ken-of-a-feed")
            server.ask("/login/", Authorization="Bearer private-t0ken-of-a-feed")
        lines = server.log.read_text().splitlines()
    assert [line for line in lines if any(secret in line for secret in SECRETS)] == []
    assert sum("mail_act" in line for line in lines) >= 1
    if kind == "json":
        assert all(json.loads(line)["level"] for line in lines)


def test_django_warnings_contain_no_token(rf: RequestFactory) -> None:
    path = "/mail/act/mail-t0ken-0123456789/"
    record = logging.LogRecord("django.request", logging.WARNING, "", 0, "Not Found: %s", (path,), None)
    record.request = rf.get(path)
    ContextFilter().filter(record)
    assert record.getMessage() == "Not Found: /mail/act/…/"
