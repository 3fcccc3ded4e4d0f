"""Words that say nothing of what a text is about, by language. Pure.

English is our own list of function words, for those of public packages hold "AI", "computer" and "system"; the other
languages are those of the package `stop-words`. Scripts without spaces have pairs of characters in place of words,
which need none: pairs that every text has weigh next to nothing by their background.
"""

from functools import cache

from stop_words import LANGUAGE_MAPPING, get_stop_words

_ENGLISH_WORDS = """
    a about above across after again against all almost along already also although always am among an and another any
    are aren't around as at away back be became because become becomes been before behind being below between both but
    by came can can't cannot come could couldn't did didn't do does doesn't doing don't done down during each either
    else enough ever every few for from further get gets getting give given go goes going gone got had hadn't has hasn't
    have haven't having he he'd he'll he's her here here's hers herself him himself his how how's however i i'd i'll i'm
    i've if in including instead into is isn't it it'd it'll it's its itself just keep kept know let let's like made
    make makes making many may maybe me might more most much must mustn't my myself near need needs neither never next
    no nor not now of off often on once one only onto or other others our ours ourselves out over own per perhaps put
    rather really same say says see seen several shall she she'd she'll she's should shouldn't since so some something
    still such take takes than that that's the their theirs them themselves then there there's these they they'd they'll
    they're they've thing things this those though through thus to together too toward towards two under until up upon
    us use used uses using very via want was wasn't way we we'd we'll we're we've well went were weren't what what's
    when when's where where's whether which while who who's whom whose why why's will with within without won't would
    wouldn't yes yet you you'd you'll you're you've your yours yourself yourselves
    he’s it’s that’s there’s let’s i’m i’ve don’t doesn’t didn’t isn’t aren’t wasn’t weren’t can’t won’t we’re you’re
    they’re we’ve you’ve
    amp com http https nbsp quot www
    new said year years
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())


@cache
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language (ISO 639-1), in lower case; of English where it is unknown, none for others."""
    if language in ("", "en"):
        return _ENGLISH
    if language not in LANGUAGE_MAPPING:
        return frozenset()
    return frozenset(word.lower() for word in get_stop_words(language))
