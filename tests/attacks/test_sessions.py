"""Signing in and out, what answers carry, what is guessed, and what a server may give away."""

import asyncio
import re
import time
from hashlib import sha256
from http.client import HTTPConnection
from statistics import median
from typing import Any

import pytest

from rssmanager.env import PROJECT
from tests.attacks.addresses import ENDING, Address, addresses, some_of
from tests.attacks.filling import MALLORY, VICTIM
from tests.attacks.site import ADMIN, METRICS_TOKEN, Browser, Site
from tests.rssmanager.installation import PASSWORD

SHARED = {"manifest", "openapi", "sample_medium", "service_worker"}  # the same for everybody
HUGE = ("0", "-1", "9223372036854775807", "9223372036854775808", "1" + "0" * 30)
LEAKS = re.compile(r"Traceback|site-packages|django\.|SECRET_KEY|File \"/|sqlite3\.|psycopg|DEBUG = ", re.IGNORECASE)


@pytest.fixture(scope="module")
def every(site: Site) -> list[Address]:
    site.rows["session"] = sha256(site.victim.session_key.encode()).hexdigest()
    return addresses(site.rows)


def _raw(site: Site, target: str) -> tuple[int, str]:
    """A request whose target is sent as it is."""
    connection = HTTPConnection("127.0.0.1", site.server.port, timeout=30)
    connection.putrequest("GET", target, skip_host=True)
    connection.putheader("Host", "127.0.0.1")
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, answer.read().decode(errors="replace")
    connection.close()
    return found


# Beyond the time for which signing in counts as giving the password.
SIGNED_IN_EARLIER = """
from datetime import timedelta
from django.utils import timezone
from rssmanager.authentication.models import BrowserSession
from rssmanager.authentication.sessions import SessionStore
for row in BrowserSession.objects.all():
    kept = {name: value for name, value in row.get_decoded().items() if name != "confirmed_at"}
    row.session_data, row.began_at = SessionStore().encode(kept), timezone.now() - timedelta(hours=1)
    row.save()
"""


class TestSessions:
    def test_signing_in_makes_another_session(self, site: Site) -> None:
        """FreshRSS 1.27.1 (#7829): a session from before signing in went on to work."""
        browser = site.browser()
        browser.session.cookies.set("sessionid", "fixedfixedfixedfixedfixedfixed12", domain="127.0.0.1")
        browser.sign_in(VICTIM)
        assert browser.session_key != "fixedfixedfixedfixedfixedfixed12"
        other = site.browser()
        other.session.cookies.set("sessionid", "fixedfixedfixedfixedfixedfixed12", domain="127.0.0.1")
        assert other.get("/settings/account/").status_code == 302

    def test_signing_out_ends_it_for_a_stolen_cookie_too(self, site: Site) -> None:
        browser, thief = site.signed_in(VICTIM), site.browser()
        thief.session.cookies.set("sessionid", browser.session_key, domain="127.0.0.1")
        assert thief.get("/settings/account/").status_code == 200
        assert browser.post("/logout/", token_of="/settings/account/").status_code == 302
        assert thief.get("/settings/account/").status_code == 302

    def test_another_site_signs_nobody_in_or_out(self, site: Site) -> None:
        browser = site.signed_in(VICTIM)
        for headers in ({}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
            assert browser.ask("POST", "/logout/", headers=headers).status_code == 403
            given = {"username": MALLORY, "password": PASSWORD}
            assert site.browser().ask("POST", "/login/", data=given, headers=headers).status_code == 403
        assert browser.get("/logout/").status_code == 405
        assert browser.get("/settings/account/").status_code == 200

    def test_cookies_are_kept_from_scripts_and_other_sites(self, site: Site) -> None:
        browser = site.browser()
        answer = browser.sign_in(VICTIM)
        given = [value.lower() for name, value in answer.raw.headers.items() if name.lower() == "set-cookie"]
        (session,) = [value for value in given if value.startswith("sessionid=")]
        assert {"httponly", "samesite=lax"} <= {part.strip() for part in session.split(";")}
        assert all("samesite=lax" in value for value in given)

    def test_a_session_key_is_no_number_to_count_on(self, site: Site) -> None:
        keys = [site.signed_in(MALLORY).session_key for _ in range(5)]
        assert len(set(keys)) == 5
        assert all(len(key) == 32 and len(set(key)) > 10 for key in keys)

    def test_what_the_table_holds_opens_nothing(self, site: Site, every: list[Address]) -> None:
        thief = site.browser()
        thief.session.cookies.set("sessionid", site.rows["session"], domain="127.0.0.1")
        assert thief.get("/settings/account/").status_code == 302


class TestAnswers:
    def test_private_pages_are_kept_by_no_cache(self, site: Site, every: list[Address]) -> None:
        wrong = []
        for address in every:
            if address.is_admin or address.name in {"logout", *SHARED}:
                continue
            answer = site.victim.get(address.path)
            control = answer.headers.get("Cache-Control", "")
            if not ({"private", "no-store"} & set(re.split(r"[ ,]+", control))):
                wrong.append((address.path, answer.status_code, control))
        assert wrong == []
        shared = [address.path for address in every if address.name in SHARED]
        assert len(shared) == len(SHARED)
        assert [path for path in shared if site.victim.get(path).content != site.browser().get(path).content] == []

    def test_all_carry_what_keeps_others_out(self, site: Site, every: list[Address]) -> None:
        wrong = []
        for browser in (site.victim, site.admin, site.browser()):
            for address in every:
                if address.name == "logout":
                    continue
                headers = browser.get(address.path).headers
                policy = headers.get("Content-Security-Policy", "")
                is_framed = "frame-ancestors 'self'" in policy and address.name == "article_player"  # by the article
                if (
                    headers.get("X-Content-Type-Options") != "nosniff"
                    or headers.get("X-Frame-Options") != ("SAMEORIGIN" if is_framed else "DENY")
                    or "unsafe-" in policy
                    or not (is_framed or "frame-ancestors 'none'" in policy or "sandbox" in policy)
                ):
                    wrong.append((address.path, dict(headers)))
        assert wrong == []

    def test_the_service_worker_keeps_no_page_of_anybody(self, site: Site) -> None:
        script = site.victim.get("/service-worker.js").text
        assert "cache.put" not in script
        assert script.count("cache.addAll") == 1
        kept = "".join(site.browser().get(path).text for path in ("/offline/", "/manifest.webmanifest"))
        assert site.victim.get("/offline/").text + site.victim.get("/manifest.webmanifest").text == kept

    def test_odd_numbers_and_bytes_are_no_fault_of_ours(self, site: Site, every: list[Address]) -> None:
        wrong = []
        queries = (
            "?q=%00",
            "?q=%ff%fe",
            "?after=" + "9" * 40,
            "?topic=-1",
            "?next=%00",
            "?page=1e9",
            "?show=%00&text=%00",
        )
        for place, address in enumerate(every):
            browser = site.admin if address.is_admin else site.victim
            if address.name == "logout":
                continue
            paths = [address.path + query for query in some_of(queries, place)]
            if address.is_of_victim and address.name != "session_end":
                paths += [re.sub(r"(?<=/)\d+(?=/)", number, address.path, count=1) for number in some_of(HUGE, place)]
            for path in paths:
                answer = browser.get(path)
                if answer.status_code >= 500 or LEAKS.search(answer.text):
                    wrong.append((path, answer.status_code))
        assert wrong == []

    def test_odd_forms_are_no_fault_of_ours(self, site: Site, every: list[Address]) -> None:
        browser, wrong = site.signed_in(MALLORY), []
        token = browser.token("/settings/account/")
        odd = ("\x00", "\ud800".encode("utf-16", "surrogatepass"), "9" * 40, "-1", "\u202e" * 5000, "[]", "' OR 1=1 --")
        fields = (
            "name",
            "address",
            "q",
            "query",
            "add",
            "words",
            "term",
            "email",
            "time_zone",
            "form",
            "act",
            "kind",
            "up_to",
        )
        for place, address in enumerate(every):
            if address.is_admin or address.name in {"logout", "session_end", "login", "forgotten", *ENDING}:
                continue
            for value in some_of(odd, place):
                given = {**dict.fromkeys(fields, value), "csrfmiddlewaretoken": token}
                answer = browser.ask("POST", address.path, data=given)
                if answer.status_code >= 500 or LEAKS.search(answer.text):
                    wrong.append((address.path, value, answer.status_code))
        assert wrong == []
        assert browser.get("/settings/account/").status_code == 200  # signed in to the end

    def test_what_goes_wrong_gives_nothing_away(self, site: Site) -> None:
        browser = site.browser()
        answers = [
            browser.get("/no-such-page/"),
            browser.get("/login/", headers={"Host": "evil.example"}),
            browser.ask("POST", "/login/"),
            browser.ask("DELETE", "/service-worker.js"),
            browser.ask(
                "POST",
                "/login/",
                data=b"a" * (21 * 2**20),
                headers={"Content-Type": "application/x-www-form-urlencoded"},
            ),
            browser.ask("POST", "/login/", data=b"--x\r\n", headers={"Content-Type": "multipart/form-data; boundary="}),
        ]
        assert all(400 <= answer.status_code < 500 or answer.status_code == 302 for answer in answers)
        assert [answer.url for answer in answers if LEAKS.search(answer.text)] == []
        servers = {answer.headers.get("Server", "") for answer in answers}
        assert not any(re.search(r"\d", server) for server in servers), servers  # names no version

    def test_no_file_outside_the_static_ones_is_served(self, site: Site) -> None:
        key = (PROJECT / "manage.py").read_text()[:40]
        climbs = ("..", "%2e%2e", "..%2f", "%252e%252e", "..\\", "....//", "..;", "%c0%ae%c0%ae", "%00..")
        names = ("manage.py", "rssmanager/settings.py", "var/secret_key", "secret_key", "reader.sqlite3", "etc/passwd")
        for climb in climbs:
            for name in names:
                for root in ("/static/", "/static/admin/", "/samples/x/", "/img/x/", "/"):
                    for deep in (1, 3, 8):
                        status, body = _raw(site, root + f"{climb}/" * deep + name)
                        assert 300 <= status < 500, (root, climb, name, status)
                        assert key not in body
                        assert "root:" not in body
                        assert "SQLite format" not in body


class TestDoors:
    def test_metrics_need_the_token(self, site: Site) -> None:
        for given in ({}, {"Authorization": "Bearer "}, {"Authorization": f"Basic {METRICS_TOKEN}"}):
            for browser in (site.browser(), site.victim, site.admin):
                answer = browser.get("/metrics", headers=given)
                assert answer.status_code in (302, 404)
        answer = site.browser().get(f"/metrics?token={METRICS_TOKEN}")
        assert answer.status_code in (302, 404)
        answer = site.browser().get("/metrics", headers={"Authorization": f"Bearer {METRICS_TOKEN}"})
        assert answer.status_code == 200
        assert VICTIM not in answer.text

    def test_probes_say_no_more_than_names(self, site: Site) -> None:
        assert site.browser().get("/healthz").text == "ok"
        assert set(site.browser().get("/readyz").json()) == {"ready", "not_ready"}
        assert set(site.browser().get("/readyz").json()["not_ready"]) <= {"worker", "disk"}

    def test_staff_without_rights_see_nothing_in_the_admin(self, site: Site, every: list[Address]) -> None:
        site.python("from tests import make; make.user('clerk', is_staff=True)")
        browser = site.signed_in("clerk")
        wrong = []
        for address in every:
            if address.is_admin and address.name not in {
                "admin:index",
                "admin:password_change_done",
                "admin:password_change",
            }:
                status = browser.get(address.path).status_code
                if status not in (302, 403, 404, 405):
                    wrong.append((address.path, status))
        assert wrong == []

    def test_the_first_account_is_made_once(self, site: Site) -> None:
        """FreshRSS 1.27.1 (#7971): the installer could be called again."""
        browser = site.browser()
        given = {"username": "evil", "password1": "a long enough phrase", "password2": "a long enough phrase"}
        answer = browser.ask("POST", "/setup/", data=given | {"csrfmiddlewaretoken": browser.token("/login/")})
        assert answer.status_code in (302, 404)
        assert (
            site.python(
                "from django.contrib.auth.models import User; print(User.objects.filter(username='evil').count())"
            )
            == "0"
        )


class TestGuessing:
    def test_a_wrong_name_and_a_wrong_password_look_alike(self, site: Site) -> None:
        pages, seconds = {}, {VICTIM: [], ADMIN: [], "no-such-person": []}
        for number in range(8):
            for name, taken in seconds.items():
                browser = site.browser(f"127.0.1.{number + 1}")
                token = browser.token("/login/")
                begun = time.perf_counter()
                answer = browser.ask(
                    "POST", "/login/", data={"csrfmiddlewaretoken": token, "username": name, "password": "x"}
                )
                taken.append(time.perf_counter() - begun)
                page = re.sub(r'value="\w{64}"', "", answer.text).replace(name, "NAME")
                pages[name] = (answer.status_code, page)
        assert len(set(pages.values())) == 1
        typical = sorted(median(taken) for taken in seconds.values())
        assert typical[-1] < 1.6 * typical[0], seconds

    def test_asking_for_a_new_password_tells_nothing(self, site: Site) -> None:
        pages, _ = _asked_for_passwords(site, "127.0.2")
        assert pages["known"] == pages["unknown"]

    def test_a_slow_mail_server_tells_nothing(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        take = site.mail.handle_DATA

        async def take_slowly(*given: Any) -> str:
            await asyncio.sleep(0.5)
            return await take(*given)

        monkeypatch.setattr(site.mail, "handle_DATA", take_slowly)
        _, seconds = _asked_for_passwords(site, "127.0.3")
        assert median(seconds["known"]) < median(seconds["unknown"]) + 0.1, seconds

    def test_guessing_is_slowed_everywhere(self, site: Site) -> None:
        browser = site.browser("127.0.0.41")
        token = browser.token("/login/")
        codes = _statuses(browser, "/login/", token, [{"username": VICTIM, "password": f"x{n}"} for n in range(7)])
        assert codes == [200] * 5 + [429] * 2
        victim = site.signed_in(VICTIM)
        site.python(SIGNED_IN_EARLIER)
        path = "/settings/account/confirm/"
        token = victim.token(path)
        codes = _statuses(victim, path, token, [{"password": f"x{n}"} for n in range(7)] + [{"password": PASSWORD}])
        assert codes == [422] * 5 + [429] * 3  # the right one comes too late


def _statuses(browser: Browser, path: str, token: str, forms: list[dict[str, str]]) -> list[int]:
    return [browser.ask("POST", path, data={"csrfmiddlewaretoken": token, **form}).status_code for form in forms]


def _asked_for_passwords(site: Site, network: str) -> tuple[dict[str, tuple[int, str]], dict[str, list[float]]]:
    """What is answered for addresses of mail that the reader knows and for others, and how long that takes."""
    people = {
        "known": ("victim@example.org", "mallory@example.org", "owner@example.org"),
        "unknown": ("a@x.example",) * 3,
    }
    pages: dict[str, tuple[int, str]] = {}
    seconds: dict[str, list[float]] = {"known": [], "unknown": []}
    for number in range(3):
        for kind, emails in people.items():
            browser = site.browser(f"{network}.{number + 1}")
            token = browser.token("/forgotten/")
            begun = time.perf_counter()
            answer = browser.ask("POST", "/forgotten/", data={"csrfmiddlewaretoken": token, "email": emails[number]})
            seconds[kind].append(time.perf_counter() - begun)
            pages[kind] = answer.status_code, answer.headers["Location"]
    return pages, seconds
