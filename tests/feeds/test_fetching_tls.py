"""TLS is verified, and errors give the reason."""

import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import certifi
import pytest

from feeds.errors import CertificateRejected, ConnectionFailed, FetchTimeout
from feeds.fetching import Fetcher
from tests.feeds.conftest import MakeFetcher
from tests.feeds.servers import FEED, PATIENCE, ScriptedServer, answer

Certificate = tuple[Path, ssl.SSLContext]


@pytest.fixture(scope="module")
def make_certificate(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Certificate]:
    def make(name: str) -> Certificate:
        folder = tmp_path_factory.mktemp("tls")
        command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test"
        try:
            subprocess.run(
                [*command.split(), "-addext", f"subjectAltName={name}", "-keyout", "key.pem", "-out", "cert.pem"],
                cwd=folder,
                check=True,
                capture_output=True,
                timeout=PATIENCE,
            )
        except FileNotFoundError:
            pytest.skip("the openssl command is not here to make a certificate")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        return folder / "cert.pem", context

    return make


@pytest.fixture(scope="module")
def certificate(make_certificate: Callable[[str], Certificate]) -> Certificate:
    return make_certificate("IP:127.0.0.1")


@pytest.fixture
def tls_server(certificate: Certificate) -> Iterator[ScriptedServer]:
    server = ScriptedServer(tls=certificate[1])
    yield server
    server.close()


def test_rejects_a_self_signed_certificate_without_retry(
    tls_server: ScriptedServer, fetcher: Fetcher, waits: list[float]
) -> None:
    url = tls_server.on("/feed", answer(200, FEED))

    with pytest.raises(CertificateRejected, match=r"certificate of 127\.0\.0\.1 was rejected: self-signed") as raised:
        fetcher.fetch(url)

    assert (raised.value.retryable, raised.value.url, waits, tls_server.requests) == (False, url, [], [])


def test_a_trusted_certificate_is_accepted(
    tls_server: ScriptedServer, certificate: Certificate, make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certifi, "where", lambda: str(certificate[0]))
    fetcher = make_fetcher()
    url = tls_server.on("/feed", answer(200, FEED))

    results = [fetcher.fetch(url), fetcher.fetch(url)]

    assert [(result.status, result.body, result.url) for result in results] == [(200, FEED, url)] * 2
    assert tls_server.n_connections == 1


def test_rejects_a_certificate_for_another_name(
    make_certificate: Callable[[str], Certificate], make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, context = make_certificate("DNS:other.example")
    monkeypatch.setattr(certifi, "where", lambda: str(path))
    server = ScriptedServer(tls=context)

    with pytest.raises(CertificateRejected, match=r"not valid for '127\.0\.0\.1'"):
        make_fetcher().fetch(server.on("/feed", answer(200, FEED)))

    assert server.requests == []
    server.close()


def test_the_environment_cannot_disable_verification(
    tls_server: ScriptedServer, certificate: Certificate, make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.setenv(name, str(certificate[0]))

    with pytest.raises(CertificateRejected):
        make_fetcher().fetch(tls_server.on("/feed", answer(200, FEED)))


def test_a_server_without_tls_is_a_failed_connection(make_fetcher: MakeFetcher) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as threads:
        greeting = threads.submit(greet, listener)
        url = f"https://127.0.0.1:{listener.getsockname()[1]}/feed"

        with pytest.raises(ConnectionFailed, match=r"TLS with 127\.0\.0\.1 failed") as raised:
            make_fetcher(retry_waits=()).fetch(url)

        assert (type(raised.value), raised.value.retryable) == (ConnectionFailed, True)
        greeting.result(PATIENCE)


def greet(listener: socket.socket) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        connection.recv(4096)


def test_a_hanging_handshake_is_a_connect_timeout(server: ScriptedServer, make_fetcher: MakeFetcher) -> None:
    fetcher = make_fetcher(connect_seconds=0.2, retry_waits=())

    with pytest.raises(FetchTimeout, match=r"did not accept a connection within 0\.2 s"):
        fetcher.fetch(server.url("/feed").replace("http:", "https:"))
