"""The one door for files of subscriptions: OPML, feeds.yaml, or one URL a line, told apart by what they hold."""

import re
from pathlib import PurePath

from feeds.feeds_yaml import read_feeds_yaml_text
from feeds.opml import read_opml_text
from feeds.subscription_list import SubscriptionList
from feeds.subscription_text import subscription_text
from feeds.url_list import read_url_list_text

# A line at a time, and never back: a file may be nothing but line ends.
_TABS = re.compile(r"""^[^\S\n]*+\{?[^\S\n]*+["']?tabs["']?\s*+:""", re.MULTILINE)
_YAML_SUFFIXES = (".yaml", ".yml")
_OUTLINE = re.compile(r"(?i)<(?:[\w.-]{1,64}:)?(?:opml|outline)\b")


def read_subscriptions(data: bytes, filename: str = "") -> SubscriptionList:
    """Return the feeds of a file. The name decides only when the content does not: a `.yaml` is read as feeds.yaml.

    Raises ImportFileError, whose message says what the file seems to be, when it is none of the three.
    """
    text, notes = subscription_text(data)
    if text.lstrip().startswith("<") or _OUTLINE.search(text):
        return read_opml_text(text, notes)
    if _TABS.search(text) or PurePath(filename).suffix.lower() in _YAML_SUFFIXES:
        return read_feeds_yaml_text(text, notes)
    return read_url_list_text(text, notes)
