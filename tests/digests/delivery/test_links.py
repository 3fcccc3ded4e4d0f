"""Tokens of links in mails: whole, limited in time, and for nothing but what they say."""

from datetime import timedelta

import pytest
from django.core.signing import Signer
from pytest_django import Settings

from digests.delivery.links import (
    ACTIONS_VALID_FOR,
    ALERTS,
    ArticleAction,
    BadLink,
    EmailAction,
    EmailLinks,
    Subscribed,
    action_token,
    read_action_token,
    read_unsubscribe_token,
    unsubscribe_token,
)
from tests.make import NOW

ASKED = ArticleAction(user_id=12, article_id=345678, act=EmailAction.READ)
TOKEN_CHARACTERS = 80  # most of an act of a usual user and article: three addresses stand under each topic of a mail


@pytest.mark.parametrize("act", list(EmailAction))
def test_action_token_round_trips(act: EmailAction) -> None:
    asked = ArticleAction(1, 2, act)
    assert read_action_token(action_token(asked, until=NOW), now=NOW) == asked


@pytest.mark.parametrize("what", ["morning", "midday", "evening", "weekly", ALERTS])
def test_unsubscribe_token_round_trips(what: str) -> None:
    assert read_unsubscribe_token(unsubscribe_token(Subscribed(7, what))) == Subscribed(7, what)


@pytest.mark.parametrize(
    ("later", "is_valid"),
    [(timedelta(0), True), (timedelta(seconds=1), False), (timedelta(days=400), False)],
    ids=["the last second", "a second later", "a year later"],
)
def test_an_act_is_valid_up_to_its_last_second(later: timedelta, is_valid: bool) -> None:
    token = action_token(ASKED, until=NOW)
    if is_valid:
        assert read_action_token(token, now=NOW + later) == ASKED
        return
    with pytest.raises(BadLink) as caught:
        read_action_token(token, now=NOW + later)
    assert caught.value.expired is not None


def _changed_at(token: str, place: int) -> str:
    return token[:place] + ("x" if token[place] != "x" else "y") + token[place + 1 :]


def test_no_character_of_a_token_can_be_changed() -> None:
    token = action_token(ASKED, until=NOW)
    for place in range(len(token)):
        with pytest.raises(BadLink) as caught:
            read_action_token(_changed_at(token, place), now=NOW)
        assert caught.value.expired is None


@pytest.mark.parametrize(
    "token", ["", ".", "read.1.2.3", "🙂", "a" * 5000], ids=["empty", "dot", "bare", "odd", "long"]
)
def test_foreign_token_is_refused(token: str) -> None:
    with pytest.raises(BadLink):
        read_action_token(token, now=NOW)
    with pytest.raises(BadLink):
        read_unsubscribe_token(token)


def test_one_kind_of_link_does_not_serve_as_the_other() -> None:
    with pytest.raises(BadLink):
        read_unsubscribe_token(action_token(ASKED, until=NOW))
    with pytest.raises(BadLink):
        read_action_token(unsubscribe_token(Subscribed(12, ALERTS)), now=NOW)


def test_token_signed_for_another_purpose_is_refused() -> None:
    with pytest.raises(BadLink):
        read_unsubscribe_token(Signer(sep=".").sign("alerts.12"))


def test_a_token_of_another_installation_is_refused(settings: Settings) -> None:
    token = unsubscribe_token(Subscribed(12, ALERTS))
    settings.SECRET_KEY = "of another installation"
    with pytest.raises(BadLink):
        read_unsubscribe_token(token)


def test_token_works_with_a_fallback_key(settings: Settings) -> None:
    token, old = unsubscribe_token(Subscribed(12, ALERTS)), settings.SECRET_KEY
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "a new one", [old]
    assert read_unsubscribe_token(token) == Subscribed(12, ALERTS)


@pytest.mark.parametrize("what", ["", "today", "everything"])
def test_there_is_no_unsubscribing_from_what_is_never_mailed(what: str) -> None:
    with pytest.raises(ValueError, match="no kind of email"):
        Subscribed(1, what)


def test_tokens_are_short_and_need_no_quoting() -> None:
    token = action_token(ASKED, until=NOW)
    assert len(token) <= TOKEN_CHARACTERS
    assert set(token) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")


@pytest.mark.parametrize(
    ("what", "name"), [("morning", "the morning brief"), ("weekly", "the weekly roundup"), (ALERTS, "alerts")]
)
def test_mail_has_a_name_within_a_sentence(what: str, name: str) -> None:
    assert Subscribed(1, what).name == name


def test_two_tries_of_a_mail_hold_the_same_links() -> None:
    first, second = (EmailLinks(1, NOW, "morning", 7) for _ in range(2))
    assert first == second
    token = action_token(ArticleAction(1, 2, EmailAction.SKIP), until=NOW + ACTIONS_VALID_FOR)
    assert token == action_token(ArticleAction(1, 2, EmailAction.SKIP), until=NOW + ACTIONS_VALID_FOR)
