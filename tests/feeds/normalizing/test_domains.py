import pytest
from hypothesis import given
from hypothesis import strategies as st

from feeds.normalizing.domains import registrable_domain
from tests.tables import table


@table(
    ("given_host", "expected"),
    [
        pytest.param("https://www.bbc.co.uk/news", "bbc.co.uk", id="two_label_suffix"),
        pytest.param("news.bbc.co.uk", "bbc.co.uk", id="bare_host"),
        pytest.param("HTTPS://News.Example.COM:8443/x?y#z", "example.com", id="upper_case_and_port"),
        pytest.param("https://user:p@ss@feeds.example.org/", "example.org", id="credentials"),
        pytest.param("alice.github.io", "alice.github.io", id="private_suffix_keeps_the_tenant"),
        pytest.param("github.io", "github.io", id="suffix_alone_stands_for_itself"),
        pytest.param("com", "com", id="single_label"),
        pytest.param("localhost:8000", "localhost", id="localhost_with_port"),
        pytest.param("http://127.0.0.1:9100/feed/1.xml", "127.0.0.1", id="ipv4_url"),
        pytest.param("127.0.0.2", "127.0.0.2", id="ipv4"),
        pytest.param("http://[2001:DB8::1]:80/", "2001:db8::1", id="ipv6_url"),
        pytest.param("2001:db8::1", "2001:db8::1", id="ipv6_bare"),
        pytest.param("//cdn.example.net/x", "example.net", id="no_scheme"),
        pytest.param("https://例え.テスト.jp/記事", "xn--zckzah.jp", id="idn"),
        pytest.param("www.新聞.香港", "xn--efvv70d.xn--j6w193g", id="idn_suffix"),
        pytest.param("blog.i❤.ws", "xn--i-7iq.ws", id="emoji_as_browsers_do"),
        pytest.param("www。例。jp", "xn--fsq.jp", id="ideographic_dot"),
        pytest.param("a.example.com.", "example.com", id="root_dot"),
        pytest.param("feed.unknown-suffix", "feed.unknown-suffix", id="unknown_suffix"),
        pytest.param("my_blog.example.com", "example.com", id="underscore"),
        pytest.param("http:///path", "", id="no_host"),
        pytest.param("", "", id="empty"),
    ],
)
def test_names_the_registrable_domain(given_host: str, expected: str) -> None:
    assert registrable_domain(given_host) == expected


LABELS = st.text(alphabet="abcxyz019-日本ü", min_size=1, max_size=8)


@given(st.lists(LABELS, min_size=1, max_size=5).map(".".join))
def test_a_registrable_domain_is_its_own_registrable_domain(host: str) -> None:
    domain = registrable_domain(host)
    assert registrable_domain(domain) == domain
    assert registrable_domain(f"https://{host}/path") == domain


@given(st.text())
def test_takes_any_text(text: str) -> None:
    assert isinstance(registrable_domain(text), str)
