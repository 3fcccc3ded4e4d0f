"""Why the classifier gave a score: stored as facts, worded when shown, in the language of whoever reads it. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass

from feeds.wording import gettext as _
from feeds.wording import join_list
from reader.scoring.decay import class_name

IN_TITLE, IN_TEXT, MEANING = "title", "text", "meaning"
UNQUOTED = frozenset({"text:none", "title:question", "title:exclamation", "title:quote"})  # features without words
MAX_CHARACTERS = 40  # of a cue's words


@dataclass(frozen=True, slots=True)
class Reason:
    """A cue in the title or text with its words, one without words, or the meaning of the whole text."""

    kind: str
    words: str = ""


def as_stored(reasons: Iterable[Reason]) -> str:
    """A line for each."""
    return "\n".join(f"{reason.kind}\t{' '.join(reason.words.split())[:MAX_CHARACTERS]}" for reason in reasons)


def in_words(score: int, stored: str) -> str:
    """`Medium: “will” in the text and “reported” in the text.`"""
    lines = (line.partition("\t") for line in stored.splitlines())
    said = [_said(kind, words, score) for kind, _tab, words in lines]
    name = class_name(score)
    values = {"age": name[:1].upper() + name[1:], "reasons": join_list(said) or _("its wording, without a clear cue")}
    return _("%(age)s: %(reasons)s.") % values


def _said(kind: str, words: str, score: int) -> str:
    unquoted = {
        "text:none": _("a title without a text"),
        "title:question": _("a question in the title"),
        "title:exclamation": _("an exclamation in the title"),
        "title:quote": _("a quotation in the title"),
        MEANING: _("similar in meaning to %(age)s texts") % {"age": class_name(score)},
    }
    if kind in unquoted:
        return unquoted[kind]
    shown = words if len(words) < MAX_CHARACTERS else f"{words[: MAX_CHARACTERS - 1]}…"
    sentence = _("“%(words)s” in the title") if kind == IN_TITLE else _("“%(words)s” in the text")
    return sentence % {"words": shown}
