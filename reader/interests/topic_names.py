"""Names of folders and categories that aren't topics."""

_NO_TOPIC = """
    all articles blog blogs daily default favorites favourites feed feeds general home import imported inbox main misc
    miscellaneous my new news other others read reading reads rss sites stuff subscriptions test todo unread various web
    weekly uncategorised uncategorized unsorted
"""
NO_TOPICS = frozenset(_NO_TOPIC.split())
