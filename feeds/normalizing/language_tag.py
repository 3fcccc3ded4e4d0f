"""Language tags as feeds and files write them; apart from `language`, whose model only workers load."""

import re

_TAG = re.compile(r"\s*([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]{1,8})*\s*\Z")
_OLD_CODES = {"iw": "he", "in": "id", "ji": "yi", "jp": "ja", "cn": "zh", "tw": "zh", "kr": "ko", "eng": "en"}


def primary_language(tag: str) -> str:
    """The primary subtag of a language tag in lower case (`zh-TW` gives `zh`), "" for what is none."""
    match = _TAG.match(tag)
    if match is None:
        return ""
    code = match[1].lower()
    return _OLD_CODES.get(code, code)
