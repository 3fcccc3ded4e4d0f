"""Showing a mail server's response safely."""

from base64 import b64encode

import pytest
from pytest_django import Settings

from digests.delivery.smtp import LONGEST, quoted_answer, shown


@pytest.mark.parametrize(
    ("code", "answer", "words"),
    [
        (550, b"5.1.1 no such user", "“550 5.1.1 no such user”"),
        (451, b"one\ntwo\r\n  three", "“451 one two three”"),
        (554, "größer als erlaubt".encode(), "“554 größer als erlaubt”"),
        (554, b"\xff\xfe odd", "“554 \ufffd\ufffd odd”"),
        (421, b"\x1b[31mred\x00", "“421 [31mred”"),
        (535, "already text", "“535 already text”"),
        (-1, b"what is this", "“what is this”"),
        (250, b"", "“250”"),
    ],
    ids=["plain", "lines", "UTF-8", "not UTF-8", "controls", "text", "no code", "nothing"],
)
def test_an_answer_is_quoted_on_one_line(code: int, answer: bytes | str, words: str) -> None:
    assert quoted_answer(code, answer) == words


def test_a_long_answer_is_cut() -> None:
    assert len(shown("word " * 500)) <= LONGEST
    assert shown("word " * 500).endswith("…")


@pytest.mark.parametrize(
    "secret",
    ["hunter2 and more", b64encode(b"hunter2 and more").decode(), b64encode(b"\0reader\0hunter2 and more").decode()],
    ids=["as it is", "by LOGIN", "by PLAIN"],
)
def test_the_password_is_never_repeated(settings: Settings, secret: str) -> None:
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "reader", "hunter2 and more"
    assert quoted_answer(535, f"bad login {secret} of reader") == "“535 bad login … of reader”"


@pytest.mark.parametrize("password", ["", "a", "no"])
def test_a_password_too_short_to_be_one_leaves_the_words_whole(settings: Settings, password: str) -> None:
    settings.EMAIL_HOST_PASSWORD = password
    assert shown("no such account") == "no such account"


def test_server_without_sign_in_has_no_secret(settings: Settings) -> None:
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = None  # as an EMAIL_URL without them is read
    assert shown("Connection refused") == "Connection refused"
