"""What goes wrong with feeds in the wild, done on purpose to well-formed documents."""

BARE_AMPERSAND = b"&amp;"
UNDECLARED_ENTITY = ("é".encode(), b"&eacute;")
CONTROL_CHARACTER = b"\x0b"
CUT_SHARE = 0.5
"""Where in its last entry a truncated document ends, as a share of that entry."""


def malformed(document: bytes) -> bytes:
    """The document with bare ampersands, an HTML entity that XML does not know, and a vertical tab in its first title.

    All three are repaired without loss by any tolerant reader.
    """
    damaged = document.replace(BARE_AMPERSAND, b"&").replace(*UNDECLARED_ENTITY)
    head, title, tail = damaged.partition(b"<item>\n      <title>")
    return head + title + CONTROL_CHARACTER + tail


def truncated(document: bytes) -> bytes:
    """The document cut off in the middle of its last item; those before it are whole."""
    start = document.rindex(b"<item>")
    return document[: start + int((len(document) - start) * CUT_SHARE)]
