"""The image proxy: only images shown in articles, only for signed-in users, and only images."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from ipaddress import ip_network

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from feeds.content import image_proxy
from feeds.content.image_proxy import AT_ONCE, MAX_IMAGE_BYTES, OF_ONE_DOMAIN, image_fetcher, origin_of, raster_type
from feeds.normalizing.html import sanitize_body
from reader.articles.image_proxy import (
    MAX_ADDRESS,
    image_address,
    original_address,
    original_addresses,
    proxy_images,
)
from reader.models import Preferences
from tests import make
from tests.feeds.servers import ScriptedServer, answer, dripping, moved, silent

PNG = b"\x89PNG\r\n\x1a\n" + b"pixels"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
DRAWING = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><rect width="9"/></svg>'
PHOTO = "https://paper.example/a.jpg"


@pytest.fixture(autouse=True)
def proxying(settings: Settings) -> Iterator[None]:
    """Servers on 127.0.0.2 represent the web; 127.0.0.1 is a private network."""
    allowed = (ip_network("127.0.0.2/32"),)
    settings.ENV = replace(settings.ENV, IMAGE_PROXY=True, FETCH_ALLOWED_NETWORKS=allowed, FETCH_TIMEOUT=0.5)
    image_fetcher.cache_clear()
    yield
    image_fetcher().close()
    image_fetcher.cache_clear()


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    server = ScriptedServer("127.0.0.2")
    yield server
    server.close()


@pytest.fixture
def ada(client: Client, db: None) -> Client:
    client.force_login(make.user())
    return client


def gone(sanitized: HttpResponse) -> bool:
    return sanitized.status_code == 404 and sanitized.content == b""


class TestUrls:
    def test_round_trips_the_original_url(self) -> None:
        _, _, signature, address = image_address("https://paper.example/ü.jpg?a=1&b=2").split("/")
        assert original_address(signature, address) == "https://paper.example/ü.jpg?a=1&b=2"

    def test_carries_the_origin_of_a_page_elsewhere(self) -> None:
        _, _, signature, address = image_address(PHOTO, "https://www.site.example:8000/a?b=c#d").split("/")
        assert original_addresses(signature, address) == (PHOTO, "https://www.site.example:8000/")
        assert original_address(signature, address) == PHOTO
        assert image_address(PHOTO, "https://paper.example/other") == image_address(PHOTO)

    @pytest.mark.parametrize(
        ("page", "origin"),
        [
            ("HTTPS://Site.Example/a", "https://site.example/"),
            ("https://user:pass@site.example/", "https://site.example/"),
            ("https://bücher.example/", "https://xn--bcher-kva.example/"),
            ("http://[2001:db8::1]:80/a", "http://[2001:db8::1]:80/"),
            ("https://[bad/", ""),
            ("https://site.example:port/", ""),
            ("javascript:alert(1)", ""),
            ("", ""),
        ],
    )
    def test_origin_of_a_page(self, page: str, origin: str) -> None:
        assert origin_of(page) == origin

    @pytest.mark.parametrize(
        "forge",
        [
            pytest.param(lambda s, a, other: (s, other), id="another picture's signature"),
            pytest.param(lambda s, a, other: ("", a), id="none"),
            pytest.param(lambda s, a, other: (s[:-2], a), id="shortened"),
            pytest.param(lambda s, a, other: ("ü", a), id="not ASCII"),
            pytest.param(lambda s, a, other: (s, a + "%"), id="no base64"),
            pytest.param(lambda s, a, other: (s, "_w"), id="no text"),
        ],
    )
    def test_refuses_forged_urls(self, forge: object) -> None:
        _, _, signature, address = image_address(PHOTO).split("/")
        other = image_address("http://10.0.0.1/").split("/")[3]
        assert original_address(*forge(signature, address, other)) == ""  # type: ignore[operator]

    @pytest.mark.parametrize("url", ["", "data:image/png;base64,AAAA", "/static/own.png"])
    def test_keeps_non_web_urls(self, url: str) -> None:
        assert image_address(url) == url

    def test_omits_urls_too_long_for_a_request(self) -> None:
        assert image_address(PHOTO + "?" + "a" * MAX_ADDRESS) == "data:,"

    def test_keeps_all_urls_when_disabled(self, settings: Settings) -> None:
        settings.ENV = replace(settings.ENV, IMAGE_PROXY=False)
        html = f'<img src="{PHOTO}" alt="">'
        assert (image_address(PHOTO), proxy_images(html)) == (PHOTO, html)


class TestBodies:
    def sanitized(self, markup: str) -> str:
        return proxy_images(sanitize_body(markup, base_url="https://paper.example/").html)

    def test_rewrites_images_srcsets_and_posters(self) -> None:
        markup = '<img src="/a.jpg" srcset="/b,c.jpg 1x, /d.jpg 2x" title="T"><video src="/f.mp4" poster="/p.jpg">'
        before = sanitize_body(markup, base_url="https://paper.example/").html
        expected = before
        for name in ("a.jpg", "b,c.jpg", "d.jpg", "p.jpg"):
            url = f"https://paper.example/{name}"
            assert url in expected
            expected = expected.replace(url, image_address(url))
        assert proxy_images(before) == expected
        assert 'src="https://paper.example/f.mp4"' in expected

    @pytest.mark.parametrize(
        "markup",
        [
            pytest.param('<p>&lt;img src="http://x.example/a.png"&gt;</p>', id="code in a text"),
            pytest.param(
                '<a href="http://x.example/a.png" title=\'<img src="http://x.example/">\'>a</a>', id="a title"
            ),
            pytest.param('<audio src="http://x.example/a.mp3"></audio>', id="sound"),
        ],
    )
    def test_keeps_everything_else(self, markup: str) -> None:
        assert self.sanitized(markup) == sanitize_body(markup, base_url="https://paper.example/").html

    @pytest.mark.parametrize(
        "alt", [' src="http://x.example/', " src='http://x.example/ ", "a > b", "it's &quot;x&quot;"]
    )
    def test_keeps_text_that_looks_like_an_attribute(self, alt: str) -> None:
        alt = alt.replace('"', "&quot;")
        before = sanitize_body(f'<img alt="{alt}" src="{PHOTO}">', base_url="https://paper.example/").html
        assert self.sanitized(f'<img alt="{alt}" src="{PHOTO}">') == before.replace(
            f'"{PHOTO}"', f'"{image_address(PHOTO)}"'
        )

    def test_round_trips_urls_with_ampersands(self) -> None:
        url = "https://paper.example/a.jpg?a=1&b=2"
        assert image_address(url) in self.sanitized(f'<img src="{url.replace("&", "&amp;")}">')


@pytest.mark.parametrize(
    ("path", "is_direct"),
    [
        pytest.param("/samples/tidepool/images/chart-oyster-count.png", True, id="picture of a sample feed"),
        pytest.param("/samples/tidepool/images/../../../articles/1/", False, id="page by a path around"),
        pytest.param("/articles/1/", False, id="page"),
        pytest.param(".evil.example/samples/a/images/b.png", False, id="another host"),
    ],
)
def test_only_pictures_of_sample_feeds_are_loaded_directly(settings: Settings, path: str, is_direct: bool) -> None:
    settings.ENV = replace(settings.ENV, IMAGE_PROXY=True)
    settings.BASE_URL = "https://reader.example"
    url = settings.BASE_URL + path
    assert (image_address(url) == url) == is_direct


class TestPages:
    def test_pages_load_no_external_images(self, ada: Client) -> None:
        user = User.objects.get()
        subscription = make.subscription(user)
        media = [{"url": "http://cdn.example/lead.png", "mime_type": "image/png"}]
        markup = '<p>Words</p><img src="http://cdn.example/body.png">'
        texts = [{"markup": markup}, {"media": media}]
        for values in texts:
            article = make.article(feed=subscription.feed, source=subscription.feed.source, summary="Words", **values)
            make.delivery(subscription, article)
            page = ada.get(reverse("article", args=[article.pk])).content.decode()
            name = "body" if "markup" in values else "lead"
            assert f'<img src="{image_address(f"http://cdn.example/{name}.png", article.link)}"' in page
            assert 'src="http' not in page
        Preferences.objects.create(user=user, density="cards", has_pictures=True)
        page = ada.get(reverse("home")).content.decode()
        assert f'<img class="thumb" src="{image_address("http://cdn.example/lead.png", article.link)}"' in page
        assert 'src="http' not in page

    def test_settings_explain_what_publishers_see(self, ada: Client, settings: Settings) -> None:
        by_publishers, by_us = "which will see that you viewed", "Loaded through this server"
        page = ada.get(reverse("settings")).content.decode()
        assert (by_us in page, by_publishers in page) == (True, False)
        settings.ENV = replace(settings.ENV, IMAGE_PROXY=False)
        page = ada.get(reverse("settings")).content.decode()
        assert (by_us in page, by_publishers in page) == (False, True)


class TestFetching:
    def test_image_has_safe_headers(self, ada: Client, server: ScriptedServer) -> None:
        url = server.on("/a.png", answer(200, PNG, content_type="text/html", etag='"v1"', set_cookie="who=ada"))
        response = ada.get(image_address(url), headers={"Referer": "https://reader.example/article/1/"})
        assert (response.status_code, response.content) == (200, PNG)
        assert {name: response[name] for name in ("Content-Type", "Cache-Control", "Content-Disposition")} == {
            "Content-Type": "image/png",
            "Cache-Control": "private, max-age=604800, immutable",
            "Content-Disposition": "inline",
        }
        assert response["Content-Security-Policy"] == "sandbox; default-src 'none'"
        assert response["X-Content-Type-Options"] == "nosniff"
        assert not response.cookies
        assert {"cookie", "referer", "x-forwarded-for"} & set(server.requests[0].headers) == set()

    def test_cached_image_is_not_sent_again(self, ada: Client, server: ScriptedServer) -> None:
        url = image_address(
            server.on("/a.png", answer(200, PNG, etag='"who"'), answer(200, PNG), answer(200, b"GIF89a"))
        )
        tag = ada.get(url)["ETag"]
        assert "who" not in tag  # the publisher could use it to recognize the browser
        second_response = ada.get(url, headers={"If-None-Match": tag})
        assert (second_response.status_code, second_response["ETag"], second_response.content) == (304, tag, b"")
        assert ada.get(url, headers={"If-None-Match": tag}).content == b"GIF89a"
        assert all("if-none-match" not in request.headers for request in server.requests)

    @pytest.mark.parametrize(
        "body",
        [
            pytest.param(SVG, id="SVG that is only a script"),
            pytest.param(b"<html><script>alert(1)</script></html>", id="a page"),
            pytest.param(b"", id="nothing"),
        ],
    )
    def test_refuses_anything_but_images(self, ada: Client, server: ScriptedServer, body: bytes) -> None:
        assert gone(ada.get(image_address(server.on("/a.png", answer(200, body, content_type="image/png")))))

    def test_drawing_comes_without_what_could_run(self, ada: Client, server: ScriptedServer) -> None:
        response = ada.get(image_address(server.on("/a.svg", answer(200, DRAWING, content_type="text/plain"))))
        assert response.content == b'<svg xmlns="http://www.w3.org/2000/svg"><rect width="9"/></svg>'
        assert (response["Content-Type"], response["Content-Disposition"]) == ("image/svg+xml", "attachment")
        assert response["Content-Security-Policy"] == (
            "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"
        )

    def test_sends_referrer_only_where_it_is_needed(self, ada: Client, server: ScriptedServer) -> None:
        def referrers(url: str, page: str, *answers: bytes) -> tuple[int, list[str | None]]:
            before = len(server.requests)
            server.on("/a.png", *answers)
            status = ada.get(image_address(url, page)).status_code
            return status, [request.headers.get("referer") for request in server.requests[before:]]

        url, page, origin = server.url("/a.png"), "https://paper.example/a?key=secret", "https://paper.example/"
        refusal, picture, html = answer(403), answer(200, PNG), answer(200, b"<html>")
        assert referrers(url, page, picture) == (200, [None])
        assert referrers(url, page, refusal, picture) == (200, [None, origin])
        assert referrers(url, page, html, refusal, picture) == (200, [None, origin, server.url("/")])
        assert referrers(url, page, refusal) == (404, [None, origin, server.url("/")])
        assert referrers(url, "", refusal, picture) == (200, [None, server.url("/")])
        assert referrers(url, server.url("/post?key=secret"), refusal, picture) == (200, [None, server.url("/")])
        for final in (404, 410, 429, 500):
            assert referrers(url, page, answer(final)) == (404, [None])

    def test_nobody_chooses_the_referrer(self, ada: Client, server: ScriptedServer) -> None:
        url = server.on("/a.png", answer(403))
        _, _, signature, address = image_address(url, "https://paper.example/a").split("/")
        origin, _, signed = signature.partition(".")
        for forged in (
            signed,
            f"{origin[::-1]}.{signed}",
            f"{origin}.{image_address(url).split('/')[2]}",
            f".{signed}",
        ):
            assert ada.get(reverse("image", args=[forged, address])).status_code == 404
        assert server.requests == []

    def test_refuses_error_pages(self, ada: Client, server: ScriptedServer) -> None:
        assert gone(ada.get(image_address(server.on("/a.png", answer(500, PNG)))))
        assert len(server.requests) == 1

    def test_refuses_too_large_images(self, ada: Client, server: ScriptedServer, settings: Settings) -> None:
        settings.ENV = replace(settings.ENV, FETCH_TIMEOUT=10.0)
        url = server.on("/a.png", answer(200, PNG + bytes(MAX_IMAGE_BYTES)))
        assert gone(ada.get(image_address(url)))

    def test_gives_up_on_silent_server(self, ada: Client, server: ScriptedServer) -> None:
        assert gone(ada.get(image_address(server.on("/a.png", silent(server)))))

    def test_gives_up_on_endless_image(self, ada: Client, server: ScriptedServer) -> None:
        opening = b"HTTP/1.1 200 OK\r\n\r\n" + PNG
        assert gone(ada.get(image_address(server.on("/a.png", dripping(server, opening, b"x")))))

    def test_does_not_fetch_from_private_network(self, ada: Client) -> None:
        private = ScriptedServer("127.0.0.1")
        try:
            assert gone(ada.get(image_address(private.on("/a.png", answer(200, PNG)))))
            assert private.n_connections == 0
        finally:
            private.close()

    def test_does_not_follow_redirect_to_private_network(self, ada: Client, server: ScriptedServer) -> None:
        private = ScriptedServer("127.0.0.1")
        try:
            url = server.on("/a.png", moved(302, private.on("/a.png", answer(200, PNG))))
            assert gone(ada.get(image_address(url)))
            assert (len(server.requests), private.n_connections) == (1, 0)
        finally:
            private.close()

    def test_requires_sign_in(self, client: Client, db: None, server: ScriptedServer) -> None:
        url = image_address(server.on("/a.png", answer(200, PNG)))
        assert client.get(url)["Location"] == f"/login/?next={url}"
        assert server.requests == []

    def test_does_not_fetch_with_forged_signature(self, ada: Client, server: ScriptedServer) -> None:
        signed = image_address(server.on("/a.png", answer(200, PNG)))
        _, _, signature, address = signed.split("/")
        assert ada.get(reverse("image", args=[signature[::-1], address])).status_code == 404
        assert server.requests == []

    def test_is_not_found_when_disabled(self, ada: Client, server: ScriptedServer, settings: Settings) -> None:
        url = image_address(server.on("/a.png", answer(200, PNG)))
        settings.ENV = replace(settings.ENV, IMAGE_PROXY=False)
        assert ada.get(url).status_code == 404
        assert server.requests == []

    def test_refuses_at_once_while_too_many_are_loading(self, ada: Client, server: ScriptedServer) -> None:
        url = image_address(server.on("/a.png", answer(200, PNG)))
        with ExitStack() as others:
            for n in range(AT_ONCE):
                others.enter_context(image_proxy.slot(f"{n}.example"))
            response = ada.get(url)
        assert (response.status_code, response["Retry-After"], response["Cache-Control"]) == (503, "2", "no-store")
        assert server.requests == []
        assert ada.get(url).status_code == 200

    def test_slow_publisher_leaves_slots_for_others(self, ada: Client, server: ScriptedServer) -> None:
        url = image_address(server.on("/a.png", answer(200, PNG)))
        with ExitStack() as slow:
            for _ in range(OF_ONE_DOMAIN):
                slow.enter_context(image_proxy.slot("slow.example"))
            with pytest.raises(image_proxy.Busy):
                slow.enter_context(image_proxy.slot("slow.example"))
            assert ada.get(url).status_code == 200

    def test_failure_releases_its_slot(self, ada: Client, server: ScriptedServer) -> None:
        bad, good = server.on("/bad.png", answer(404)), server.on("/a.png", answer(200, PNG))
        for _ in range(AT_ONCE + 1):
            assert gone(ada.get(image_address(bad)))
        assert ada.get(image_address(good)).status_code == 200


@pytest.mark.parametrize(
    ("content", "mime_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0..JFIF", "image/jpeg"),
        (b"GIF89a..", "image/gif"),
        (b"RIFF....WEBPVP8 ", "image/webp"),
        (b"RIFF....WAVEfmt ", ""),
        (b"....ftypavif........", "image/avif"),
        (b"....ftypmif1....mif1avif", "image/avif"),
        (b"....ftypisom....mp42", ""),
        (b"BM....", "image/bmp"),
        (b"\x00\x00\x01\x00..", "image/x-icon"),
        (b"<?xml version='1.0'?><svg/>", ""),
        (b"%PDF-1.7", ""),
        (b"\xff\x0a..", "image/jxl"),
        (b"\x00\x00\x00\x0cJXL \r\n\x87\n..", "image/jxl"),
        (b"", ""),
    ],
)
def test_detects_image_type_by_first_bytes(content: bytes, mime_type: str) -> None:
    assert raster_type(content) == mime_type
