"""Names of folders and categories that aren't topics: kinds of articles, vague nouns and languages."""

from django.conf.locale import LANG_INFO

_NO_TOPIC = """
    all articles blog blogs daily default favorites favourites feed feeds general home import imported inbox main misc
    miscellaneous my new news other others read reading reads rss sites stuff subscriptions test todo unread various web
    weekly uncategorised uncategorized unsorted

    analysis column columns comment commentary essay essays feature features interview interviews letters live notes
    note opinion photos podcast podcasts review reviews update updates video videos

    day days life people place places thing things time times way week year years
"""
_LANGUAGES = {
    str(info[name]).lower() for info in LANG_INFO.values() for name in ("name", "name_local") if name in info
} | {"中文", "chinese"}
NO_TOPICS = frozenset(_NO_TOPIC.split()) | _LANGUAGES
