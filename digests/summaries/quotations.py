"""Which sentences are the middle of a quotation that spans several: half a quotation is not to be shown. Pure."""

from collections.abc import Sequence

from digests.summaries.sentences import Sentence

MOST_SENTENCES = 6  # of a quotation; one that goes on for longer was none

_PAIRS = {"“": "”", "«": "»", "「": "」", "『": "』", "„": "“”"}


def within_quotation(sentences: Sequence[Sentence]) -> list[bool]:
    """For each sentence whether it begins within a quotation that was opened before it in its paragraph."""
    found: list[bool] = []
    closing, paragraph, n_inside = "", -1, 0
    for sentence in sentences:
        if sentence.paragraph != paragraph or n_inside >= MOST_SENTENCES:
            closing, n_inside = "", 0
        paragraph = sentence.paragraph
        found.append(closing != "")
        closing = _still_open(sentence.text, closing)
        n_inside = n_inside + 1 if closing else 0
    return found


def _still_open(text: str, closing: str) -> str:
    """What closes the quotation that is open behind a text, "" if none is; `closing` is for one open before it."""
    for each in text:
        if closing:
            closing = "" if each in closing else closing
        elif each == '"':
            closing = '"'
        else:
            closing = _PAIRS.get(each, "")
    return closing
