"""The length of a dateline at the start of a paragraph, and credits at the end of a sentence.

A dateline ends in a mark that nothing else has there: a dash after a place in capitals or after an agency in brackets,
`電` after a date, a bracket with an agency or `＝`. Without one nothing is removed: "London is …". A place with a colon
("RANCHI: Openers …") or in mixed case with a dash ("Cape Town - The …") only counts in the first paragraphs, because
later it is a speaker or a list.
"""

import re

from digests.summaries.patterns import any_of

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
_DATELINE = any_of(*_DATELINES)
_TAG = re.compile(rf"\[[A-Z][\w .&'’-]{{1,40}}\]\s(?:{_MIXED}\s--\s)?(?=[A-Z\"“])")  # [Ghanaian Times] The embassy …
_LABEL = re.compile(
    rf"(?:{_PLACE}(?:, [A-Z][\w ]{{1,20}})?:|[A-ZÀ-Þ][a-zà-ÿ]+(?: [A-ZÀ-Þ][a-zà-ÿ]+){{0,2}} [–—-]) (?=[A-ZÀ-Þ\"“‘])"
)
_REPORTED = "电|電|讯|訊|报道|報導|报导|報道"
_HAN_AGENCY = "新华社|新華社|中新社|中新网|中新網|中央社|法新社|路透社|美联社|美聯社|共同社|央视网|人民网"
_HAN_SOURCE = f"{_REPORTED}|＝|=|共同|時事|ロイター|AFP|CNN|ＡＦＰ|社"
_HAN_DATELINES = (
    rf"（[^（）]{{0,30}}(?:{_REPORTED})）",
    rf"(?:{_HAN_AGENCY})[^，。！？]{{0,24}}?(?:电|電|讯|訊)(?:\s?[（(][^（）()]{{0,40}}[）)])?",
    r"(?:本报讯|本報訊|本网讯|综合报道|綜合報導)",
    rf"[【［\[][^】］\]]{{0,40}}(?:{_HAN_SOURCE})[^】］\]]{{0,20}}[】］\]]",
    r"[（(](?:ブルームバーグ|ロイター|共同|時事|[^（）()]{0,16}(?:综合报道|綜合報導|訊|讯))[）)]",
)
_HAN = re.compile(rf"(?:{'|'.join(_HAN_DATELINES)})(?:\s?[（(](?:记者|記者)[^（）()]{{0,40}}[）)])?\s?[：:－—–　-]*\s?")
_CREDITS = (
    rf"[(（\[]\s?(?:{_AGENCY}|via {_MIXED}|完|了|終わり|ends|END|c)\s?[)）\]]",
    rf"/{_AGENCY}/?",
    rf"—{_AGENCY}",
    r"\[\d{1,3}\]",
    r"↩︎?|■|◆",
)
_CREDIT = re.compile(rf"(?<!\s)\s*+(?:{'|'.join(_CREDITS)}){{1,5}}\Z")
_PICTURE_CREDIT = re.compile(
    r"(?:(?:Photo(?:graph)?|Image|Picture|Credit)s?(?: by|:)? )?[A-ZÀ-Þ][\w.'’-]+(?: [A-ZÀ-Þ][\w.'’-]+){0,3} ?"
    r"(?:/ ?[\w.]+(?: [\w.]+){0,3} ?){0,2}"
    r"/ ?(?:AFP|AP|EPA|Reuters|REUTERS|Getty(?: Images)?|POOL|Pool|Shutterstock|Bloomberg|TNS|UPI|dpa)"
    r"(?: via [A-Z]\w+(?: [A-Z]\w+)?)?\)? (?=[A-ZÀ-Þ“\"])"
)
_STANDFIRST = re.compile(  # "… problems and low morale The carrier has arrived in …"
    r"(?=[^.!?]{60,})(?:[\w’'$%-]+,? ){8,30}(?<! (?:of|in|by|to|at|on|as|is|or) )"
    r"(?<! (?:the|for|and|via|per|let) )(?<! (?:from|with|told|said|says|like|than|into|over) )"
    r"(?=(?:The|A|An) [\w’'-]+ (?:[\w’'-]+,? ){8,})"
)
_MIN_REST = 20  # characters after a dateline
_MAX_DATELINE = 160  # characters


def dateline_length(text: str, *, is_first: bool = False) -> int:
    """The number of characters of a dateline, 0 for none. `is_first`: among the first paragraphs of a text."""
    has_dateline = False
    begin = len(text) - len(text.lstrip())
    for pattern in (_DATELINE, _DATELINE, _HAN, _TAG, *([_LABEL] if is_first else [])):  # some occur twice
        match = pattern.match(text[begin : begin + _MAX_DATELINE])
        if match and len(text) - begin - match.end() >= _MIN_REST:
            begin += match.end()
            has_dateline = True
    return begin if has_dateline else 0


def without_credit(text: str) -> str:
    """A sentence without an agency, footnote mark or end sign after it, and what is glued to its beginning: the credit
    of a picture, or a standfirst without an end mark."""
    text = _CREDIT.sub("", text) or text
    text = text[match.end() :] if (match := _PICTURE_CREDIT.match(text)) else text
    return text[match.end() :] if (match := _STANDFIRST.match(text)) else text
