"""What publishers learn about where requests come from."""

import pytest

from feeds.fetching.user_agent import user_agent

SITE = "rssmanager/1.2 (+{})"
PLAIN = "rssmanager/1.2"


@pytest.mark.parametrize(
    ("base_url", "expected"),
    [
        ("https://reader.example.org", SITE),
        ("https://example.org/reader", SITE),
        ("https://leser.müller.de", SITE),
        ("http://93.184.216.34:8000", SITE),
        ("https://[2606:2800:220:1::1]", SITE),
        ("http://127.0.0.1:8000", PLAIN),
        ("http://127.1.2.3", PLAIN),
        ("http://[::1]:8000", PLAIN),
        ("http://[::ffff:192.168.1.5]", PLAIN),
        ("http://192.168.1.5", PLAIN),
        ("http://10.0.0.7:8000/reader", PLAIN),
        ("http://100.64.0.1", PLAIN),
        ("http://[fd00::1]", PLAIN),
        ("http://[fe80::1]", PLAIN),
        ("http://localhost:8000", PLAIN),
        ("http://reader.localhost", PLAIN),
        ("http://nas", PLAIN),
        ("http://nas.local", PLAIN),
        ("http://reader.nas.local:8000", PLAIN),
        ("https://reader.lan", PLAIN),
        ("https://reader.internal", PLAIN),
        ("https://reader.home.arpa", PLAIN),
    ],
)
def test_names_only_a_public_site(base_url: str, expected: str) -> None:
    assert user_agent("1.2", base_url) == expected.format(base_url)
