"""An article as one line of JSON: data that a question to a language model can hold without being changed by it.

See `reader.language_model.prompt` for why, and for what this cannot promise.
"""

import json
import re

from feeds.normalizing.text import shorten

TITLE_CHARACTERS = 300

# Marks of turns in the templates of Llama, Mistral, Qwen, Gemma, Phi, DeepSeek.
_TURN_MARK = re.compile(r"<[|｜][^<>]{0,60}[|｜]>|\[/?(?:INST|SYSTEM_PROMPT)\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>")


def article_line(title: str, text: str, *, most: int) -> str:
    """Title and text as an object of JSON on one line, at most `most` characters of the text."""
    article = {
        "title": shorten(as_data(title, most=TITLE_CHARACTERS), TITLE_CHARACTERS),
        "text": shorten(as_data(text, most=most), most),
    }
    return json.dumps(article, ensure_ascii=False)


def as_data(text: str, *, most: int) -> str:
    """One line without marks of turns; what taking one out would put together is taken out as well.

    Of a long text only the beginning is read, enough for `most` characters.
    """
    text = text[: 4 * most]
    while (without := _TURN_MARK.sub(" ", text)) != text:
        text = without
    return " ".join(text.split())
