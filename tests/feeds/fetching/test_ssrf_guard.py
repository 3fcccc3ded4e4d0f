"""No request reaches a private address, in any spelling, by DNS or by redirect."""

import socket
from collections.abc import Callable
from ipaddress import ip_address, ip_network

import pytest

from feeds.errors import ConnectionFailed, FetchError, ForbiddenAddress
from feeds.fetching.ssrf_guard import AddressGuard, AddressRefused, is_public
from tests.feeds.conftest import MakeFetcher
from tests.feeds.servers import FEED, ScriptedServer, answer, moved
from tests.tables import table

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.255.255",
    "172.32.0.1",
    "192.167.255.255",
    "192.169.0.1",
    "223.255.255.254",
    "2606:4700:4700::1111",
    "2a00:1450:4001:830::200e",
    "::ffff:8.8.8.8",
    "2002:808:808::1",
    "64:ff9b::8.8.8.8",
]
NOT_PUBLIC = {
    "0.0.0.0": "unspecified",
    "0.1.2.3": "this network",
    "10.0.0.1": "private",
    "10.255.255.255": "private",
    "100.64.0.1": "carrier",
    "100.127.255.255": "carrier",
    "127.0.0.1": "loopback",
    "127.8.8.8": "loopback",
    "169.254.0.1": "link-local",
    "169.254.169.254": "metadata",
    "169.254.170.2": "metadata of containers",
    "100.100.100.200": "metadata, in the carriers' space",
    "192.0.0.192": "metadata, protocol assignments",
    "198.19.1.1": "benchmarking",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.0.0.8": "protocol assignments",
    "192.0.2.1": "documentation",
    "192.88.99.1": "6to4 relay",
    "192.168.0.1": "private",
    "192.168.255.255": "private",
    "198.18.0.1": "benchmarking",
    "198.19.255.255": "benchmarking",
    "198.51.100.7": "documentation",
    "203.0.113.9": "documentation",
    "224.0.0.1": "multicast",
    "239.255.255.250": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "broadcast",
    "::": "unspecified",
    "::1": "loopback",
    "::127.0.0.1": "IPv4-compatible loopback",
    "::8.8.8.8": "IPv4-compatible",
    "::ffff:127.0.0.1": "mapped loopback",
    "::ffff:10.0.0.1": "mapped private",
    "::ffff:169.254.169.254": "mapped metadata",
    "::ffff:0:0": "mapped unspecified",
    "64:ff9b::7f00:1": "NAT64 loopback",
    "64:ff9b::a9fe:a9fe": "NAT64 metadata",
    "64:ff9b:1::1": "NAT64, local",
    "100::1": "discard",
    "2001::1": "Teredo",
    "2001:0:7f00:1::": "Teredo, server loopback",
    "2001:db8::1": "documentation",
    "2002:7f00:1::": "6to4 loopback",
    "2002:a00:1::1": "6to4 private",
    "2002:c0a8:101::": "6to4 private",
    "3fff::1": "documentation",
    "5f00::1": "segment routing",
    "fc00::1": "unique local",
    "fd12:3456:789a::1": "unique local",
    "fd00:ec2::254": "metadata",
    "fe80::1": "link-local",
    "fe80::1%eth0": "link-local with a zone",
    "fe80::a9fe:a9fe%1": "link-local with a number for its zone",
    "::1%lo": "loopback with a zone",
    "::ffff:100.64.0.1": "mapped carrier",
    "::ffff:0:127.0.0.1": "translated loopback (SIIT)",
    "64:ff9b::c0a8:101": "NAT64 private",
    "64:ff9b::6440:1": "NAT64 carrier",
    "2002:a9fe:a9fe::": "6to4 metadata",
    "2002:6440:1::": "6to4 carrier",
    "2001:0:a00:1::": "Teredo, server private",
    "2001:0:808:808::80ff:fffe": "Teredo, client loopback",
    "2001:2::1": "benchmarking",
    "2001:10::1": "ORCHID",
    "fd20:ce::254": "metadata",
    "fec0::1": "site-local",
    "ff02::1": "multicast",
    "ff0e::1": "multicast, global scope",
}


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_pass(address: str) -> None:
    assert is_public(ip_address(address))
    assert AddressGuard(allow_private=False).permits(address)


@table("address", [pytest.param(address, id=f"{why} {address}") for address, why in NOT_PUBLIC.items()])
def test_other_addresses_do_not(address: str) -> None:
    guard = AddressGuard(allow_private=False)

    assert not guard.permits(address)
    with pytest.raises(AddressRefused, match="is not a public address"):
        guard.check(address)


@pytest.mark.parametrize("address", ["", "localhost", "127.1", "0x7f000001", "1.2.3.4.5", "\x00"])
def test_invalid_addresses_do_not_pass(address: str) -> None:
    assert not AddressGuard(allow_private=False).permits(address)


@table("address", list(NOT_PUBLIC))
def test_the_setting_disables_the_check(address: str) -> None:
    assert AddressGuard(allow_private=True).permits(address)


@pytest.mark.parametrize(
    ("address", "permitted"),
    [
        ("192.168.7.1", True),
        ("::ffff:192.168.7.1", True),
        ("fd00:1::5", True),
        ("192.168.8.1", False),
        ("10.0.0.1", False),
        ("2002:c0a8:701::", False),
        ("fd00:2::5", False),
        ("127.0.0.1", False),
        ("8.8.8.8", True),
    ],
)
def test_private_networks_can_be_allowed(address: str, permitted: bool) -> None:
    home = (ip_network("192.168.7.0/24"), ip_network("fd00:1::/32"))

    assert AddressGuard(allow_private=False, allowed_networks=home).permits(address) is permitted


# Over sockets


@table(
    "host",
    [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "017700000001",
        "0177.0.0.1",
        "0",
        "localhost",
        "LOCALHOST",
        "%31%32%37.0.0.1",
        "①②⑦.⓪.⓪.①",
        "１２７.０.０.１",
        "127。0。0。1",
        "127．0．0．1",
        "127.0.0.01",
        "127.000.000.001",
        "127.0.1",
        "0x7f.1",
        "0x7F.0x0.0x0.0x1",
        "00000177.0.0.1",
        "0.0.0.0",
        "ＬＯＣＡＬＨＯＳＴ",
        "[::127.0.0.1]",
        "[0000::1]",
        "[::FFFF:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:ffff:7f00:0001]",
        "user:password@127.0.0.1",
        "example.com@127.0.0.1",
        "example.com:80@127.0.0.1",
        "example.com%2f@127.0.0.1",
        "example.com\t@127.0.0.1",
        "@127.0.0.1",
    ],
)
def test_no_spelling_reaches_localhost(
    server: ScriptedServer, make_fetcher: MakeFetcher, waits: list[float], host: str
) -> None:
    server.on("/feed", answer(200, FEED))

    with pytest.raises(ForbiddenAddress, match="not a public address"):
        make_fetcher(allow_private_networks=False).fetch(f"http://{host}:{server.port}/feed")

    assert (server.n_connections, waits) == (0, [])


def test_parsers_agree_on_the_host(server: ScriptedServer, make_fetcher: MakeFetcher) -> None:
    server.on("/@evil.example/feed", answer(200, FEED))

    result = make_fetcher().fetch(f"http://127.0.0.1:{server.port}\\@evil.example/feed")

    assert result.status == 200


def test_allowed_networks_are_reached(server: ScriptedServer, make_fetcher: MakeFetcher) -> None:
    fetcher = make_fetcher(allow_private_networks=False, allowed_networks=(ip_network("127.0.0.1/32"),))

    assert fetcher.fetch(server.on("/feed", answer(200, FEED))).status == 200
    with pytest.raises(ForbiddenAddress):
        fetcher.fetch(server.url("/feed", host="127.0.0.2"))


def test_every_hop_is_checked(server: ScriptedServer, other_server: ScriptedServer, make_fetcher: MakeFetcher) -> None:
    fetcher = make_fetcher(allow_private_networks=False, allowed_networks=(ip_network("127.0.0.1/32"),))
    forbidden = other_server.on("/metadata", answer(200, b"secret"))

    with pytest.raises(ForbiddenAddress, match=r"127\.0\.0\.2"):
        fetcher.fetch(server.on("/feed", moved(302, forbidden)))

    assert (len(server.requests), other_server.n_connections) == (1, 0)


@pytest.mark.parametrize("n_hops", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "target",
    ["http://127.0.0.2:{port}/x", "//127.0.0.2:{port}/x", "HTTP://127.0.0.2:{port}", "http://a@127.0.0.2:{port}/"],
)
def test_the_last_hop_is_checked_in_any_spelling(
    server: ScriptedServer, other_server: ScriptedServer, make_fetcher: MakeFetcher, n_hops: int, target: str
) -> None:
    fetcher = make_fetcher(allow_private_networks=False, allowed_networks=(ip_network("127.0.0.1/32"),))
    for hop in range(1, n_hops):
        server.on(f"/{hop}", moved(302, f"/{hop + 1}"))
    server.on(f"/{n_hops}", moved(307, target.format(port=other_server.port)))

    with pytest.raises(ForbiddenAddress, match=r"127\.0\.0\.2"):
        fetcher.fetch(server.url("/1"))

    assert (len(server.requests), other_server.n_connections) == (n_hops, 0)


@pytest.mark.parametrize(
    "host", ["127.0.0.1.", "localhost.", "[::1%25lo]", "127.0.0.1%00.example", "127.0.0.1..", "a..b"]
)
def test_resolver_specific_spellings_reach_nothing(
    server: ScriptedServer, make_fetcher: MakeFetcher, host: str
) -> None:
    with pytest.raises(FetchError):
        make_fetcher(allow_private_networks=False).fetch(f"http://{host}:{server.port}/feed")

    assert server.n_connections == 0


def test_backslashes_in_a_redirect_are_slashes(
    server: ScriptedServer, other_server: ScriptedServer, make_fetcher: MakeFetcher
) -> None:
    fetcher = make_fetcher(allow_private_networks=False, allowed_networks=(ip_network("127.0.0.1/32"),))
    hop = f"http:\\\\127.0.0.2:{other_server.port}\\x"

    fetcher.fetch(server.on("/feed", moved(302, hop)))

    assert other_server.n_connections == 0


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "gopher://127.0.0.1:6379/_INFO", "ftp://127.0.0.1/", "javascript:1"]
)
def test_a_redirect_to_another_scheme_is_not_followed(
    server: ScriptedServer, make_fetcher: MakeFetcher, target: str
) -> None:
    fetcher = make_fetcher(allow_private_networks=False, allowed_networks=(ip_network("127.0.0.1/32"),))

    with pytest.raises(FetchError):
        fetcher.fetch(server.on("/feed", moved(302, target)))

    assert len(server.requests) == 1


def test_cloud_metadata_redirects_are_not_followed(server: ScriptedServer, make_fetcher: MakeFetcher) -> None:
    fetcher = make_fetcher(allow_private_networks=False, allowed_networks=(ip_network("127.0.0.1/32"),))

    with pytest.raises(ForbiddenAddress, match=r"169\.254\.169\.254, which is not a public address"):
        fetcher.fetch(server.on("/feed", moved(302, "http://169.254.169.254/latest/meta-data/")))


def fake_getaddrinfo(*answers: list[str]) -> tuple[Callable[..., list[object]], list[str]]:
    """Return a `getaddrinfo` that returns these addresses in turn, and the list of names looked up."""
    lookups: list[str] = []

    def look_up(host: str, port: int, **_: object) -> list[object]:
        lookups.append(host)
        addresses = answers[min(len(lookups), len(answers)) - 1]
        return [
            (socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in addresses
        ]

    return look_up, lookups


def test_a_name_is_resolved_only_once(
    server: ScriptedServer, make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_up, lookups = fake_getaddrinfo(["127.0.0.1"], ["127.0.0.2"])
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    fetcher = make_fetcher(allow_private_networks=False, allowed_networks=(ip_network("127.0.0.1/32"),))
    server.on("/feed", answer(200, FEED), answer(404), answer(200, b"never requested"))
    url = server.url("/feed", host="rebinding.example")

    assert fetcher.fetch(url).status == 200
    assert lookups == ["rebinding.example"]
    assert fetcher.fetch(url).status == 404  # over the same connection, whose peer was checked; it is closed after that
    assert lookups == ["rebinding.example"]
    with pytest.raises(ForbiddenAddress, match=r"rebinding\.example resolves to 127\.0\.0\.2"):
        fetcher.fetch(url)
    assert len(server.requests) == 2


@pytest.mark.parametrize("name", ["localhost.", "127.0.0.1.nip.example", "intranet"])
def test_a_name_is_judged_by_its_addresses(
    server: ScriptedServer, make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    look_up, lookups = fake_getaddrinfo(["127.0.0.1"])
    monkeypatch.setattr(socket, "getaddrinfo", look_up)

    with pytest.raises(ForbiddenAddress, match=r"resolves to 127\.0\.0\.1"):
        make_fetcher(allow_private_networks=False).fetch(server.url("/feed", host=name))

    assert (lookups, server.n_connections) == ([name], 0)


def test_only_public_addresses_are_tried(
    server: ScriptedServer, other_server: ScriptedServer, make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_up, _ = fake_getaddrinfo(["127.0.0.2", "::1", "127.0.0.1"])
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    fetcher = make_fetcher(allow_private_networks=False, allowed_networks=(ip_network("127.0.0.1/32"),))
    server.on("/feed", answer(200, FEED))

    assert fetcher.fetch(server.url("/feed", host="both.example")).status == 200
    assert other_server.n_connections == 0


def test_a_name_without_addresses_is_a_failed_connection(
    make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", fake_getaddrinfo([])[0])

    with pytest.raises(ConnectionFailed, match=r"no IP address found for empty\.example"):
        make_fetcher(allow_private_networks=False).fetch("http://empty.example/")


@pytest.mark.parametrize("peer", ["10.0.0.1", "::1", "::ffff:10.0.0.1"])
def test_checks_the_peer_before_sending_a_byte(
    server: ScriptedServer, make_fetcher: MakeFetcher, monkeypatch: pytest.MonkeyPatch, peer: str
) -> None:
    monkeypatch.setattr(socket.socket, "getpeername", lambda _: (peer, 80))
    fetcher = make_fetcher(allow_private_networks=False, allowed_networks=(ip_network("127.0.0.1/32"),))

    with pytest.raises(ForbiddenAddress, match=f"{peer} is not a public address"):
        fetcher.fetch(server.on("/feed", answer(200, FEED)))

    assert server.requests == []
