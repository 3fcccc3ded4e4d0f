"""Requests that lie about the host, proxies and where to go on; and scanners that open every link of a mail."""

import re
import socket
from collections import defaultdict
from http.client import HTTPConnection

import pytest
from requests import Response

from tests.attacks.addresses import ENDING, addresses, some_of
from tests.attacks.filling import MALLORY, VICTIM
from tests.attacks.letters import links_of
from tests.attacks.site import BASE_URL, Site
from tests.attacks.state import changed, state_of
from tests.elsewhere import EVIL

LIES = {
    "X-Forwarded-Host": "evil.example",
    "X-Host": "evil.example",
    "X-Forwarded-Server": "evil.example",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Port": "4443",
    "X-Forwarded-For": "203.0.113.9",
    "X-Real-IP": "203.0.113.9",
    "X-Forwarded-Prefix": "/evil.example",
    "X-Script-Name": "/evil.example",
    "Script-Name": "/evil.example",
    "Forwarded": "for=203.0.113.9;host=evil.example;proto=https",
    "X-Original-URL": "/settings/account/",
    "X-Rewrite-URL": "/settings/account/",
    "X-HTTP-Method-Override": "DELETE",
    "X-Method-Override": "DELETE",
}
SIGN_IN_HEADERS = (
    "Remote-User",
    "X-Remote-User",
    "X-Forwarded-User",
    "X-Auth-Request-User",
    "X-WEBAUTH-USER",
    "REMOTE_USER",
)
PAGES = ("/", "/all/", "/settings/", "/settings/account/", "/subscribe/", "/digests/", "/digests/settings/", "/login/")
MORE_EVIL = (
    *EVIL,
    "https:evil.example",
    "https:///evil.example",
    "/%09/evil.example",
    "/%5cevil.example",
    "/%0d%0aLocation:%20https://evil.example",
    "/\r\nLocation: https://evil.example",
    "/..//evil.example",
    "/./\\evil.example",
    "\x00//evil.example",
    " //evil.example",
    "//evil.example%2f..",
    "http://127.0.0.1@evil.example/",
    "data:text/html,<script>alert(1)</script>",
    "JaVaScRiPt:alert(1)",
    "javascript://127.0.0.1/%0aalert(1)",
)
GO_ON = ("next", "back", "to", "url", "return", "return_to", "redirect", "redirect_url", "continue")


def _without_chance(page: str) -> str:
    """A page without what differs each time: tokens of forms, and how long ago."""
    page = re.sub(r'(csrfmiddlewaretoken" value=|nonce=|X-CSRFToken": ?)"[^"]+"', "", page)
    return re.sub(r"(?s)<time.*?</time>|<dateCreated>.*?</dateCreated>|[A-Za-z0-9]{64}", "", page)


def _leads_elsewhere(answer: Response) -> bool:
    """As browsers read addresses: they drop tabs and ends of lines, and take \\ for /."""
    where = answer.headers.get("Location", "") + "|" + answer.headers.get("HX-Redirect", "").strip()
    parts = [part.translate({9: None, 10: None, 13: None}).replace("\\", "/").strip() for part in where.split("|")]
    return any(re.match(r"[a-z][a-z0-9+.-]*:|//", part, re.IGNORECASE) for part in parts)


class TestHeaders:
    def test_forwarding_headers_change_no_page(self, site: Site) -> None:
        for path in (*PAGES, "/manifest.webmanifest", "/export.opml"):
            honest = site.victim.get(path)
            lied = site.victim.get(path, headers=LIES)
            assert lied.status_code == honest.status_code, path
            assert "evil.example" not in lied.text + str(lied.headers), path
            assert _without_chance(lied.text) == _without_chance(honest.text), path

    def test_another_host_is_refused(self, site: Site) -> None:
        for host in (
            "evil.example",
            "evil.example:80",
            "reader.example.evil.example",
            "127.0.0.1.evil.example",
            "a b",
            "",
        ):
            for path in ("/login/", "/forgotten/", "/", f"/digests/feed/{site.rows['tokens']['feed']}/"):
                answer = site.browser().get(path, headers={"Host": host})
                assert answer.status_code == 400, (host, path)
                assert "evil.example" not in answer.text.replace(f"<code>{host}</code>", ""), (host, path)

    def test_a_port_in_the_host_is_in_no_link(self, site: Site) -> None:
        for path in (*PAGES, f"/digests/feed/{site.rows['tokens']['feed']}/"):
            answer = site.victim.get(path, headers={"Host": "127.0.0.1:6666"})
            assert ":6666" not in answer.text + str(answer.headers), path

    @pytest.mark.parametrize(
        "target", ["http://evil.example/login/", "http://evil.example/forgotten/", "//evil.example/login/"]
    )
    def test_an_absolute_target_makes_no_link(self, site: Site, target: str) -> None:
        for host in ("127.0.0.1", "evil.example"):
            connection = HTTPConnection("127.0.0.1", site.server.port, timeout=30)
            connection.putrequest("GET", target, skip_host=True)
            connection.putheader("Host", host)
            connection.endheaders()
            answer = connection.getresponse()
            body, headers = answer.read().decode(), str(answer.headers)
            connection.close()
            assert answer.status in (200, 301, 302, 400, 404), target
            assert "evil.example" not in body + headers, (target, host)

    def test_two_hosts_or_two_lengths_are_no_way_in(self, site: Site) -> None:
        tries = (
            b"GET /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
            b"GET /login/ HTTP/1.1\r\nHost : evil.example\r\nHost: 127.0.0.1\r\n\r\n",
            b"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"0\r\n\r\nGET /x",
            b"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
            b"GET /login/\x00 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        )
        for sent in tries:
            with socket.create_connection(("127.0.0.1", site.server.port), timeout=20) as connection:
                connection.sendall(sent)
                connection.shutdown(socket.SHUT_WR)
                heard = b"".join(iter(lambda c=connection: c.recv(65536), b""))
            assert re.match(rb"HTTP/1\.[01] 4", heard), sent
            assert b"evil.example" not in heard, sent
            assert len(re.findall(rb"HTTP/1\.[01] ", heard)) == 1, sent  # no second answer to what was smuggled

    @pytest.mark.parametrize("name", SIGN_IN_HEADERS)
    def test_no_header_signs_in_where_none_is_set(self, site: Site, name: str) -> None:
        for user in (VICTIM, "owner"):
            answer = site.browser().get("/settings/account/", headers={name: user})
            assert answer.status_code == 302, name
            assert answer.headers["Location"].startswith("/login/"), name

    def test_no_header_changes_the_method(self, site: Site) -> None:
        before = state_of(site.reader)
        token = site.victim.token("/settings/account/")
        for method in ("DELETE", "PUT", "POST"):
            headers = {"X-HTTP-Method-Override": method, "X-Method-Override": method, "X-CSRFToken": token}
            path = f"/tags/{site.rows['numbers']['tags']}/edit/?_method={method}"
            assert site.victim.get(path, headers=headers).status_code == 405
        assert changed(before, state_of(site.reader)) == []

    def test_a_forged_address_evades_no_limit(self, site: Site) -> None:
        """Each guess says that it comes from elsewhere; they still count together."""
        browser = site.browser("127.0.0.31")
        token = browser.token("/login/")
        codes = []
        for number in range(8):
            given = {"csrfmiddlewaretoken": token, "username": VICTIM, "password": f"wrong {number}"}
            lies = {"X-Forwarded-For": f"198.51.100.{number}", "X-Real-IP": f"198.51.100.{number}"}
            codes.append(browser.ask("POST", "/login/", data=given, headers=lies).status_code)
        assert codes == [200] * 5 + [429] * 3

    def test_metrics_are_not_opened_by_a_forged_address(self, site: Site) -> None:
        """Miniflux's CVE-2023-27591."""
        for headers in ({"X-Forwarded-For": "127.0.0.1"}, {"X-Real-IP": "127.0.0.1"}, {"Authorization": "Bearer x"}):
            answer = site.browser().get("/metrics", headers=headers)
            assert answer.status_code in (302, 404)
            assert "process_" not in answer.text


class TestMails:
    def test_no_mail_is_made_of_what_a_request_says(self, site: Site) -> None:
        """CommaFeed's GHSA-hp8h-jqfm-v7x5: a Host header in the link of a forgotten password."""
        browser = site.browser("127.0.0.32")
        token = browser.token("/forgotten/")
        n_before = len(site.mail.received)
        given = {"csrfmiddlewaretoken": token, "email": "victim@example.org"}
        assert browser.ask("POST", "/forgotten/", data=given, headers={"Host": "evil.example"}).status_code == 400
        assert len(site.mail.received) == n_before
        answer = browser.ask("POST", "/forgotten/", data=given, headers={**LIES, "Host": "127.0.0.1:6666"})
        assert answer.status_code == 302
        site.work_off()
        (mail,) = site.mail.received[n_before:]
        assert "evil" not in mail.content.decode()
        links = links_of(mail)
        assert links
        assert all(link.startswith(f"{BASE_URL}/") for link in links)

    def test_opening_every_link_changes_nothing(self, site: Site) -> None:
        """As the scanners of mail services do, before and after the person reads it."""
        assert site.python("from tests.attacks.filling import send_mails; print(send_mails())") == "2"
        browser = site.browser("127.0.0.33")
        assert browser.post("/forgotten/", email="victim@example.org").status_code == 302
        site.work_off()
        paths = [
            site.path_of(link) for mail in site.mail.received for link in links_of(mail) if link.startswith(BASE_URL)
        ]
        routes = {path.split("/")[1] for path in paths}
        assert routes >= {"mail", "forgotten", "digests", "notifications"}, routes
        before, wrong = state_of(site.reader), []
        for path in dict.fromkeys(paths):
            for method in ("HEAD", "GET", "OPTIONS"):
                scanner = site.browser()
                answer = scanner.ask(method, path)
                if answer.status_code == 302 and method == "GET":
                    answer = scanner.get(answer.headers["Location"])
                if answer.status_code >= 500 or changed(before, state_of(site.reader)):
                    wrong.append((method, path, answer.status_code))
        assert wrong == []

    def test_after_the_scanner_the_links_still_work(self, site: Site) -> None:
        n_before = len(site.mail.received)
        assert site.browser("127.0.0.34").post("/forgotten/", email="mallory@example.org").status_code == 302
        site.work_off()
        (mail,) = site.mail.received[n_before:]
        (reset,) = [site.path_of(link) for link in links_of(mail)]
        unsubscribe = f"/mail/unsubscribe/{site.rows['tokens']['unsubscribe']}/"
        for path in (unsubscribe, reset):
            scanner = site.browser()
            scanner.get(scanner.get(path).headers.get("Location", path))
        before = state_of(site.reader)
        answer = site.browser().ask("POST", unsubscribe, data={"List-Unsubscribe": "One-Click"})
        assert answer.status_code == 200
        assert "digests_digestplan" in changed(before, state_of(site.reader))
        person = site.browser()
        form = person.get(reset).headers["Location"]
        assert 'name="new_password1"' in person.get(form).text

    def test_a_token_opens_nothing_else(self, site: Site) -> None:
        tokens = site.rows["tokens"]
        before = state_of(site.reader)
        tries = [
            f"/mail/act/{tokens['unsubscribe']}/",
            f"/mail/unsubscribe/{tokens['act']}/",
            f"/mail/act/{tokens['act'].replace('read.', 'like.', 1)}/",
            f"/mail/act/{tokens['act'].replace(str(site.rows['victim']), str(site.rows['mallory']), 1)}x/",
            f"/digests/feed/{tokens['feed'][:-1]}/",
            f"/digests/feed/{tokens['feed'].lower()}/",
            f"/forgotten/{tokens['uid']}/{tokens['reset'][:-1]}0/",
        ]
        for path in tries:
            for method in ("GET", "POST"):
                answer = site.browser().ask(
                    method, path, data={"new_password1": "x" * 12} if method == "POST" else None
                )
                assert answer.status_code in (200, 403, 404, 405, 410), path
                assert answer.status_code != 200 or path.startswith("/forgotten/"), path  # says that it is of no use
        assert changed(before, state_of(site.reader)) == []


class TestRedirects:
    def test_no_page_leads_to_another_site(self, site: Site) -> None:
        """Miniflux's GO-2025-4226: `//evil` as the address to go on to."""
        paths = [address.path for address in addresses(site.rows) if not address.is_admin and address.name != "logout"]
        wrong: defaultdict[str, list[str]] = defaultdict(list)
        for number, path in enumerate(paths):
            for evil in some_of(MORE_EVIL, number):
                query = dict.fromkeys(GO_ON, evil)
                for browser in (site.victim, site.browser()):
                    answer = browser.get(path, params=query, headers={"Referer": "https://evil.example/"})
                    if _leads_elsewhere(answer):
                        wrong[path].append(evil)
        assert wrong == {}

    def test_no_form_leads_to_another_site(self, site: Site) -> None:
        """As the one who is signed in, with a token; what the forms change is of no matter here."""
        numbers = _own_numbers(site, "nomad")
        browser = site.signed_in("nomad")
        paths = [
            address.path for address in addresses(site.rows | {"numbers": numbers})
            if not address.is_admin and address.name not in {"logout", "session_end", "setup", "login", *ENDING}
        ]  # fmt: skip
        token = browser.token("/settings/account/")
        wrong: defaultdict[str, list[str]] = defaultdict(list)
        n_redirects = 0
        for number, path in enumerate(paths):
            for evil in some_of(MORE_EVIL, number):
                given = {**dict.fromkeys(GO_ON, evil), "csrfmiddlewaretoken": token}
                headers = {"Referer": f"{site.base}/all/", "HX-Current-URL": "https://evil.example/"}
                answer = browser.ask("POST", path, params=dict.fromkeys(GO_ON, evil), data=given, headers=headers)
                n_redirects += answer.status_code == 302
                if _leads_elsewhere(answer):
                    wrong[path].append(evil)
        assert wrong == {}
        assert n_redirects > 40
        assert browser.get("/settings/account/").status_code == 200  # signed in to the end

    def test_signing_in_and_out_stay_here(self, site: Site) -> None:
        for evil in MORE_EVIL:
            browser = site.browser()
            token = browser.token("/login/")
            given = {"csrfmiddlewaretoken": token, "username": MALLORY, "password": "correct horse", "next": evil}
            answer = browser.ask("POST", "/login/", params={"next": evil}, data=given)
            assert answer.status_code == 302, evil
            assert not _leads_elsewhere(answer), evil
            assert not _leads_elsewhere(browser.get("/login/", params={"next": evil})), evil
            assert not _leads_elsewhere(browser.get("/admin/login/", params={"next": evil})), evil
            out = browser.ask(
                "POST",
                "/logout/",
                params={"next": evil},
                data=given | {"csrfmiddlewaretoken": browser.token("/settings/")},
            )
            assert out.status_code == 302, evil
            assert not _leads_elsewhere(out), evil

    def test_doubled_slashes_in_a_path_lead_nowhere(self, site: Site) -> None:
        """Django adds a slash to an address without one; `//evil` plus a slash must not become a host."""
        for path in (
            "//evil.example",
            "//evil.example/..",
            "/\\evil.example",
            "/%2f/evil.example",
            "//evil.example/%2e%2e",
        ):
            connection = HTTPConnection("127.0.0.1", site.server.port, timeout=30)
            connection.request("GET", path, headers={"Host": "127.0.0.1"})
            answer = connection.getresponse()
            where = answer.headers.get("Location", "")
            connection.close()
            assert not re.match(r"//|/?\\|https?:", where), (path, where)


def _own_numbers(site: Site, name: str) -> dict[str, int]:
    """Numbers of what a new user has, where there are any."""
    code = (
        f"from reader.models import *; from tests import make; u=make.user({name!r}); s=make.subscription(u);"
        "a=make.article(feed=s.feed, source=s.feed.source); make.delivery(s, a);"
        "print(make.folder(u).pk, s.pk, a.pk, make.tag(u, 'mine', a).pk, make.rule(u).pk, make.bulk_read(u, [a.pk]).pk,"
        " make.engagement(u, a, 'liked').pk)"
    )
    folder, feed, article, tag, rule, sweep, engagement = map(int, site.python(code).split())
    own = {"folders": folder, "feeds": feed, "articles": article, "tags": tag, "rules": rule, "sweeps": sweep}
    return dict(site.rows["numbers"]) | own | {"engagements": engagement}
