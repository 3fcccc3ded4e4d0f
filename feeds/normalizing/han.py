"""Chinese in one script, so that reports in traditional and simplified characters can be compared. Pure."""

from functools import cache

from opencc import OpenCC


def simplified(text: str, language: str) -> str:
    """A Chinese text in simplified characters; texts in other languages as they are."""
    return _converter().convert(text) if language == "zh" and text else text


@cache
def _converter() -> OpenCC:
    """The conversion from traditional characters, loaded once per process."""
    return OpenCC("t2s")
