"""A new installation knows publishers and category spellings from the start."""

import pytest

from feeds.models import CategorySynonym, Source
from feeds.publishers.known import add_known
from feeds.publishers.registry import load_registry

pytestmark = pytest.mark.django_db


def test_every_publisher_of_the_registry_is_there_with_its_tier() -> None:
    tiers = dict(Source.objects.values_list("domain", "tier"))
    assert tiers == {publisher.domain: publisher.tier for publisher in load_registry()}
    assert tiers["reuters.com"] == 1
    assert len(tiers) >= 400


def test_an_unknown_source_has_no_tier() -> None:
    assert Source.objects.create(domain="nobody.example").tier is None


def test_accounts_of_a_platform_do_not_have_its_name() -> None:
    assert dict(Source.objects.filter(domain__in=("youtube.com", "npr.org")).values_list("domain", "name")) == {
        "youtube.com": "",
        "npr.org": "NPR",
    }


def test_common_spellings_are_filed_together() -> None:
    assert CategorySynonym.objects.get(term="科技").category == "Technology"
    assert all(term == term.lower() for term in CategorySynonym.objects.values_list("term", flat=True))


def test_an_update_adds_what_is_new_and_keeps_what_was_changed() -> None:
    Source.objects.filter(domain="reuters.com").update(tier=3, name="Mine")
    Source.objects.filter(domain="npr.org").update(tier=None, name="")  # polled before the registry had it
    Source.objects.filter(domain="bbc.co.uk").delete()
    CategorySynonym.objects.filter(term="科技").delete()
    add_known()
    known = dict(
        Source.objects.filter(domain__in=("reuters.com", "npr.org", "bbc.co.uk")).values_list("domain", "name")
    )
    assert known == {"reuters.com": "Mine", "npr.org": "NPR", "bbc.co.uk": "BBC News"}
    assert Source.objects.get(domain="reuters.com").tier == 3
    assert not CategorySynonym.objects.filter(term="科技").exists()
