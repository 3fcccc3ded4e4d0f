"""The sentences of a plain text, each with its place. Pure."""

from dataclasses import dataclass

from digests.summaries.blocks import Block, blocks, shown
from digests.summaries.ends import ends
from digests.summaries.languages import language_of


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence on one line, without controls and direction marks. It begins at `start` of the text it is from, in the
    paragraph (heading, item, …) with this number; one without an end mark is a heading, an item, or cut off."""

    text: str
    start: int
    paragraph: int


def sentences(text: str, language: str) -> list[Sentence]:
    """The sentences of the first 20,000 characters, in order; `language` is ISO 639-1, "" unknown."""
    language = language_of(text, language)
    return [each for n, block in enumerate(blocks(text)) for each in sentences_of(block, n, language)]


def sentences_of(block: Block, paragraph: int, language: str, *, skip: int = 0) -> list[Sentence]:
    """The sentences of one block, from its character number `skip` on."""
    raw = block.raw[skip:]
    found, begin = [], 0
    for end in [*ends(raw, language), len(raw)]:
        piece = raw[begin:end]
        if line := shown(piece):
            lead = len(piece) - len(piece.lstrip())
            found.append(Sentence(line, block.start + skip + begin + lead, paragraph))
        begin = end
    return found
