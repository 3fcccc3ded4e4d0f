"""How much of a block's beginning says where, when and by whom it was reported, not what; and what of a sentence's end.

A dateline ends in a mark that nothing else has there: a dash after a place in capitals or after an agency in brackets,
`電` after a date, a bracket with an agency or `＝` in it. Where there is none of these, nothing is cut: "London is …".
A place with a colon ("RANCHI: Openers …") or in small letters with a dash ("Cape Town - The …") counts in the first
blocks only, since in others it is who speaks, or what is listed.
"""

import re

from digests.summaries.tables import any_of

_AGENCY = (
    r"(?:AP|AFP|APA|ANI|ANSA|AAP|CNN|BBC|CBS|NBC|ABC|PTI|IANS|UPI|UNI|dpa(?:[/-]\w+)*|SID|KNA|epd|Reuters|REUTERS|"
    r"Thomson Reuters|Bloomberg|Xinhua|EFE|EFEverde|EUROPA PRESS|Europa Press|Agencias|Notimex|Kyodo|KYODO|JIJI|Jiji|"
    r"TASS|ТАСС|Sputnik|Interfax|Anadolu|AA|Yonhap|MENAFN[^)]{0,30}|PRNewswire|PR Newswire|Business Wire|"
    r"GLOBE NEWSWIRE|The Conversation|Agenzia Fides|NewsUSA|StatePoint|WAM|BERNAMA|Bernama|ANTARA|CNW|ATS|Belga|"
    r"Canadian Press|The Canadian Press)"
)
_PLACE = r"[A-ZÀ-ÞА-ЯЁ][A-ZÀ-ÞА-ЯЁ.'’ -]{1,30}[A-ZÀ-ÞА-ЯЁ.](?:,? ?/ ?[A-ZÀ-Þ. ]{2,20})?"
_MIXED = r"[A-ZÀ-ÞА-ЯЁ][\w.'’-]+(?:[ /-][\w.'’]+){0,3}"
_DETAIL = r"(?:, ?[^\W_][\w. ]{1,24}){0,2}"  # state, date
_DASH = r"(?:\.\s?)?\s?(?:—|–|--+|-|:)\s?"
_SPACED_DASH = r"(?:\s(?:—|–|--+|-)|(?:—|--))\s?"
_RUSSIAN = r"(?:РИА Новости|ТАСС|ИНТЕРФАКС|Интерфакс|[A-Z. -]{3,20})(?:/?\.|,)?(?:\s[-—–])?\s"
_DATELINES = (
    rf"{_PLACE}{_DETAIL}\s*\([A-Z][\w .&/-]{{1,30}}\)\s?(?:—|–|--+|-)\s?",
    rf"{_PLACE}{_DETAIL}\s*\({_AGENCY}\)\s?{_DASH}",
    rf"{_MIXED}{_DETAIL}\s*[(\[]{_AGENCY}[)\]]\s?{_DASH}",
    rf"[(\[]{_AGENCY}[)\]]\s?(?:{_MIXED}{_DETAIL}\s)?(?:{_DASH})?",
    rf"{_AGENCY}\s(?:—|–|-)\s",
    rf"{_PLACE}, \d{{1,2}} \w+\s?(?:—|–|-|\.|/){{1,2}}\s?{_RUSSIAN}",
    rf"{_PLACE}, \d{{1,2}} \w+\.? ?/(?:ТАСС|TASS)/\.?\s",
    rf"{_MIXED}\. \d{{1,2}} \w+\. (?:ИНТЕРФАКС|INTERFAX\.RU|ТАСС|REGNUM)\s?(?:[-—–]|\.)\s?",
    rf"{_PLACE}{_DETAIL}{_SPACED_DASH}(?!\s?[a-zа-яё])",
    rf"By {_MIXED},? (?:(?:The )?Associated Press|Reuters|AP|AFP|CNN|BBC News|Staff (?:Writer|Reporter))\s(?=[A-Z])",
)
_DATELINE = re.compile(any_of(_DATELINES))
_TAG = re.compile(rf"\[[A-Z][\w .&'’-]{{1,40}}\]\s(?:{_MIXED}\s--\s)?(?=[A-Z\"“])")  # [Ghanaian Times] The embassy …
_LABEL = re.compile(
    rf"(?:{_PLACE}(?:, [A-Z][\w ]{{1,20}})?:|[A-ZÀ-Þ][a-zà-ÿ]+(?: [A-ZÀ-Þ][a-zà-ÿ]+){{0,2}} [–—-]) (?=[A-ZÀ-Þ\"“‘])"
)
_TOLD = "电|電|讯|訊|报道|報導|报导|報道"
_HAN_AGENCY = "新华社|新華社|中新社|中新网|中新網|中央社|法新社|路透社|美联社|美聯社|共同社|央视网|人民网"
_HAN_SOURCE = f"{_TOLD}|＝|=|共同|時事|ロイター|AFP|CNN|ＡＦＰ|社"
_HAN_DATELINES = (
    rf"（[^（）]{{0,30}}(?:{_TOLD})）",
    rf"(?:{_HAN_AGENCY})[^，。！？]{{0,24}}?(?:电|電|讯|訊)(?:\s?[（(][^（）()]{{0,40}}[）)])?",
    r"(?:本报讯|本報訊|本网讯|综合报道|綜合報導)",
    rf"[【［\[][^】］\]]{{0,40}}(?:{_HAN_SOURCE})[^】］\]]{{0,20}}[】］\]]",
    r"[（(](?:ブルームバーグ|ロイター|共同|時事|[^（）()]{0,16}(?:综合报道|綜合報導|訊|讯))[）)]",
)
_HAN = re.compile(rf"(?:{any_of(_HAN_DATELINES)})(?:\s?[（(](?:记者|記者)[^（）()]{{0,40}}[）)])?\s?[：:－—–　-]*\s?")
_CREDITS = (
    rf"[(（\[]\s?(?:{_AGENCY}|via {_MIXED}|完|了|終わり|ends|END|c)\s?[)）\]]",
    rf"/{_AGENCY}/?",
    rf"—{_AGENCY}",
    r"\[\d{1,3}\]",
    r"↩︎?|■|◆",
)
_CREDIT = re.compile(rf"\s*(?:{any_of(_CREDITS)})+\Z")
_LEAST_LEFT = 20  # characters that have to follow, or it was no dateline
_READ = 160  # characters, within which a dateline ends


def dateline_length(raw: str, *, is_first: bool = False) -> int:
    """How much of a block is its dateline, in characters; 0 for none. `is_first`: it is among the text's first."""
    is_found = False
    begin = len(raw) - len(raw.lstrip())
    for pattern in (_DATELINE, _DATELINE, _HAN, _TAG, *([_LABEL] if is_first else [])):  # some stand there twice
        match = pattern.match(raw[begin : begin + _READ])
        if match and len(raw) - begin - match.end() >= _LEAST_LEFT:
            begin += match.end()
            is_found = True
    return begin if is_found else 0


def without_credit(text: str) -> str:
    """A sentence without the agency, footnote mark or sign of the end behind it."""
    return _CREDIT.sub("", text) or text
