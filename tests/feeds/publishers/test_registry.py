"""The table of known publishers."""

from collections import Counter

import pytest

from feeds.publishers.hosts import publisher_at
from feeds.publishers.registry import RegistryEntry, load_registry

TIERS = range(1, 6)
BY_DOMAIN = {entry.domain: entry for entry in load_registry()}


def test_has_hundreds_of_unique_publishers() -> None:
    assert len(load_registry()) == len(BY_DOMAIN) >= 1500


@pytest.mark.parametrize("tier", TIERS)
def test_every_tier_has_publishers(tier: int) -> None:
    assert Counter(entry.tier for entry in load_registry())[tier] >= 30


def test_no_tier_is_out_of_range() -> None:
    assert {entry.tier for entry in load_registry()} == set(TIERS)


def test_every_domain_is_the_one_of_its_feeds() -> None:
    wrong = {
        entry.domain: publisher_at(f"https://feeds.{entry.domain}/x")
        for entry in load_registry()
        if publisher_at(entry.domain) != entry.domain or publisher_at(f"https://feeds.{entry.domain}/x") != entry.domain
    }
    assert wrong == {}


def test_names_and_kinds_are_filled_and_clean() -> None:
    for entry in load_registry():
        assert entry.name == entry.name.strip() != ""
        assert entry.kind.replace("-", "").isalpha()
        assert entry.kind == entry.kind.lower()


def test_is_ordered_by_tier() -> None:
    tiers = [entry.tier for entry in load_registry()]
    assert tiers == sorted(tiers)


@pytest.mark.parametrize(
    ("domain", "tier", "kind"),
    [
        pytest.param("reuters.com", 1, "wire", id="a wire"),
        pytest.param("cna.com.tw", 1, "wire", id="a wire that law makes independent"),
        pytest.param("www.gov.uk", 1, "official", id="a government below a public suffix"),
        pytest.param("www.gov.cn", 1, "official", id="a government, another country"),
        pytest.param("europa.eu", 1, "official", id="the European Central Bank's domain"),
        pytest.param("rfc-editor.org", 1, "standards", id="RFCs"),
        pytest.param("bbc.co.uk", 2, "broadcaster", id="a public broadcaster"),
        pytest.param("asahi.com", 2, "newspaper", id="a Japanese newspaper"),
        pytest.param("nature.com", 2, "journal", id="a journal that others quote"),
        pytest.param("techcrunch.com", 3, "technology", id="technology press"),
        pytest.param("xinhuanet.com", 4, "state-media", id="a directed outlet"),
        pytest.param("tass.com", 4, "state-media", id="a directed outlet, another country"),
        pytest.param("simonwillison.net", 4, "blog", id="an expert's blog"),
        pytest.param("youtube.com", 5, "user-generated", id="a platform for anybody"),
        pytest.param("reddit.com", 5, "user-generated", id="a forum"),
    ],
)
def test_ranks_by_the_written_rule(domain: str, tier: int, kind: str) -> None:
    entry = BY_DOMAIN[domain]
    assert entry == RegistryEntry(domain, tier, entry.name, kind)


def test_state_media_have_one_tier() -> None:
    assert {entry.tier for entry in load_registry() if entry.kind == "state-media"} == {4}
