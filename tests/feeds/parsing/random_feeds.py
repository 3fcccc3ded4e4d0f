"""Random feeds from the vocabulary of real ones, with odd values in odd places, and random changes to given feeds."""

import random
import re
from collections.abc import Sequence

_NAMESPACES = {
    "content": "http://purl.org/rss/1.0/modules/content/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "media": "http://search.yahoo.com/mrss/",
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "slash": "http://purl.org/rss/1.0/modules/slash/",
    "wfw": "http://wellformedweb.org/CommentAPI/",
    "thr": "http://purl.org/syndication/thread/1.0",
    "georss": "http://www.georss.org/georss",
    "sy": "http://purl.org/rss/1.0/modules/syndication/",
    "a10": "http://www.w3.org/2005/Atom",
    "feedburner": "http://rssnamespace.org/feedburner/ext/1.0",
    "xhtml": "http://www.w3.org/1999/xhtml",
    "x": "urn:unknown",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "cc": "http://web.resource.org/cc/",
    "creativeCommons": "http://backend.userland.com/creativeCommonsRssModule",
    "psc": "http://podlove.org/simple-chapters",
    "podcast": "https://podcastindex.org/namespace/1.0",
    "gml": "http://www.opengis.net/gml",
    "old": "http://backend.userland.com/RSS2",
}
_ROOTS = (
    '<rss version="2.0"{0}><channel>{1}</channel></rss>',
    "<rss{0}><channel>{1}</channel></rss>",
    '<rss version="2.0" xmlns="http://purl.org/rss/1.0/"{0}><channel>{1}</channel></rss>',
    '<rss version="2.0" xmlns="http://backend.userland.com/rss2"{0}><channel>{1}</channel></rss>',
    '<feed xmlns="http://www.w3.org/2005/Atom"{0}>{1}</feed>',
    '<feed xmlns="https://www.w3.org/2005/Atom"{0}>{1}</feed>',
    '<feed version="0.3" xmlns="http://purl.org/atom/ns#"{0}>{1}</feed>',
    '<rdf:RDF xmlns="http://purl.org/rss/1.0/"{0}><channel>{1}</channel></rdf:RDF>',
    '<a10:feed xml:lang="de_DE"{0}>{1}</a10:feed>',
)
_COMMON = re.findall(
    r"\S+",
    "title link guid id pubDate published updated author category description summary content content:encoded"
    " dc:creator dc:date dc:subject enclosure media:content media:thumbnail media:group media:description media:title",
)
_RARE = re.findall(
    r"\S+",
    "dc:title dc:language dc:description dc:author dc:publisher dc:rights dc:contributor dcterms:modified"
    " dcterms:created dcterms:issued dcterms:valid media:credit media:text media:keywords media:category media:rating"
    " media:player itunes:author itunes:summary itunes:subtitle itunes:image itunes:duration itunes:keywords"
    " itunes:explicit itunes:block itunes:category itunes:owner itunes:name itunes:email itunes:title itunes:link"
    " slash:comments wfw:commentRss wfw:comment comments thr:total thr:in-reply-to georss:point georss:where gml:pos"
    " feedburner:origLink a10:link a10:updated a10:author a10:content a10:summary a10:id sy:updatePeriod x:note x:title"
    " x:summary_detail x:entry source contributor image textInput language managingEditor webMaster name uri email url"
    " width height generator rights copyright tagline subtitle info icon logo ttl cloud docs modified issued created"
    " date expirationDate abstract body fullitem tags keywords links authors author_detail dc_creator items channel"
    " item entry feed svg div p b xhtml:div xhtml:body itunes_keywords media_content property hour day skipHours"
    " cc:license creativeCommons:license psc:chapters psc:chapter podcast:chapters podcast:transcript media:embed"
    " old:title newLocation lastBuildDate DESCRIPTION",
)
_TEXTS = (
    *("", " ", "\n\t ", "x", "  Two words\n", "Fish &amp; Chips", "Fish &amp;amp; Chips"),
    *("&lt;b&gt;bold&lt;/b&gt; &amp;nbsp;", "<![CDATA[<p>Text</p>]]>", "<![CDATA[]]>", "a<![CDATA[ & ]]>b"),
    *(" <!-- note --> ", "a<!-- note -->b", "<?pi x?>t", "https://site.example/a?b=1&amp;c;=2", "/relative/path"),
    *("http:///odd.example//x", "www.site.example", "#top", "Wed, 25 Nov 2026 10:00:00 GMT", "25 Nov 2026"),
    *("2026-11-25T10:00:00Z", "2026-11-25T10:00:00+05:30", "20261125", "Sat, 31 Oct 26 25:00 EST", "--05"),
    *("2026-13-45", "yes", "true", "no", "3600", "1:02:03", "1 2 3 4", "en_US"),
    *("caf\u00e9", "caf\u00c3\u00a9", "\u00a0edge\u00a0", "&#150;&#x85;", "\u0093quoted\u0094"),
    *("\u65e5\u672c\u8a9e", "\U0001f600", "\u2028 x \x85", "urn:uuid:1", "mailto:a@b.example (A B)"),
    *("a@b.example", "one, two,,three", "javascript:alert(1)", "http://[bad/", "</b> &amp;lt;", "&lt;p&gt;open"),
    *("&lt;x-unknown&gt;&lt;/x-unknown&gt;", "&amp;bogus;", "PHRpdGxlPg=="),
)
_ATTRIBUTES: dict[str, Sequence[str]] = {
    "type": ("text", "html", "xhtml", "text/html", "TEXT/PLAIN", "image/png", "application/atom+xml", "", "audio/mpeg"),
    "href": ("https://site.example/1", "/2", "", "http:///x", "?q=1&amp;r=2", "mailto:x@y.example"),
    "url": ("https://site.example/a.png", "b.png", ""),
    "rel": ("alternate", "self", "enclosure", "HUB", "via", "related", "", "alternate self"),
    "term": ("a", "b", ""),
    "scheme": ("urn:s", ""),
    "domain": ("urn:d", ""),
    "label": ("A label", ""),
    "isPermaLink": ("true", "false", " TRUE ", "maybe", ""),
    "xml:base": ("https://base.example/x/", "sub/", "", "http://base.example/a/../b?", "javascript:x", "//h.example"),
    "xml:lang": ("de", "zh_CN", ""),
    "base": ("https://other.example/",),
    "lang": ("fr", "pt_BR"),
    "mode": ("base64", "escaped", "xml"),
    "src": ("https://site.example/body",),
    "medium": ("image", "video"),
    "width": ("10", "x"),
    "length": ("123", "-1", "1,000"),
    "uri": ("https://uri.example/",),
    "role": ("author",),
    "lastmod": ("2026-01-01",),
    "xml:space": ("preserve",),
    "start": ("00:01:02", "x"),
    "rdf:about": ("https://about.example/", ""),
    "rdf:resource": ("urn:r",),
    "text": ("News",),
    "x:href": ("https://x.example/",),
    "a10:href": ("https://a.example/",),
    "HREF": ("https://upper.example/",),
    "xmlns": ("urn:other", "http://www.w3.org/1999/xhtml", "http://www.w3.org/2005/Atom", ""),
    "xmlns:y": ("http://purl.org/dc/elements/1.1/", "urn:y"),
    "xmlns:dc": ("http://search.yahoo.com/mrss/", "urn:dc"),
}
_USUAL_ATTRIBUTES = {
    "link": ("href", "rel", "type"),
    "guid": ("isPermaLink",),
    "category": ("term", "scheme", "domain", "label"),
    "title": ("type", "xml:base"),
    "summary": ("type", "xml:lang"),
    "content": ("type", "xml:base", "xml:lang", "src"),
    "enclosure": ("url", "type", "length"),
    "media:content": ("url", "type", "medium", "width"),
    "media:thumbnail": ("url", "width"),
    "itunes:image": ("href",),
    "source": ("url",),
}
_PARTS_OF_AUTHOR = ("name", "email", "uri", "url", "title")


def random_feed(rng: random.Random) -> str:
    """Return a feed of up to four entries; nearly always well-formed."""
    entry = rng.choice(("item", "entry", "a10:entry"))
    body = "".join(_element(rng, depth=0) for _ in range(rng.randrange(4)))
    for _ in range(rng.randrange(5)):
        body += _wrap(rng, entry, "".join(_element(rng, depth=1) for _ in range(rng.randrange(9))), n_odd=0.05)
        body += _element(rng, depth=0) if rng.random() < 0.1 else rng.choice(("", "\n", "text"))
    namespaces = "".join(f' xmlns:{prefix}="{uri}"' for prefix, uri in _NAMESPACES.items())
    if rng.random() < 0.1:
        namespaces += f' xml:base="{rng.choice(_ATTRIBUTES["xml:base"])}"'
    text = rng.choice(_ROOTS).format(namespaces, body)
    if rng.random() < 0.1:  # other prefixes
        text = re.sub(r"\bdc(?=[:=])", "DC", text)
        text = re.sub(r"\bmedia(?=[:=])", "dcterms2", text)
    return text


def change(rng: random.Random, text: str) -> str:
    """Return the feed with a few random changes; most keep it well-formed."""
    for _ in range(rng.randint(1, 4)):
        tags = list(re.finditer(r"<[\w:.-]+(?=[\s>])[^<>]*(?<!/)>", text))
        if not tags:
            return text
        tag = rng.choice(tags)
        at, end = rng.choice((tag.start(), tag.end())), tag.end()
        kind = rng.randrange(7)
        if kind == 0:
            text = text[:at] + _element(rng, depth=1) + text[at:]
        elif kind == 1:
            text = text[:end] + rng.choice(_TEXTS) + text[end:]
        elif kind == 2:
            text = text[: end - 1] + _attributes(rng, "x", n_odd=1) + text[end - 1 :]
        elif kind == 3:
            name = re.escape(tag.group()[1:].split()[0].rstrip(">"))
            text = re.sub(rf"(</?){name}(?=[\s>])", rf"\g<1>{rng.choice(_COMMON[:13])}", text)
        elif kind == 4:
            other = rng.choice(tags)
            text = text[:at] + text[other.start() : other.start() + rng.randrange(400)] + text[at:]
        elif kind == 5 and rng.random() < 0.3:
            text = text[: rng.randrange(len(text))]
        else:
            text = re.sub(
                rng.choice(("xml:base=", "type=", "</title>", "<author>")), _changed, text, count=rng.randrange(3)
            )
    return text


def _changed(match: re.Match[str]) -> str:
    return {"xml:base=": "xml:lang=", "type=": "rel=", "</title>": " </title>"}.get(match.group(), match.group())


def _element(rng: random.Random, *, depth: int) -> str:
    name = rng.choice(_COMMON if rng.random() < 0.75 else _RARE)
    if name in ("author", "a10:author", "contributor") and rng.random() < 0.6:
        parts = [
            _wrap(rng, rng.choice(_PARTS_OF_AUTHOR), rng.choice(_TEXTS), n_odd=0.1) for _ in range(rng.randrange(4))
        ]
        return _wrap(rng, name, rng.choice(("", "\n", "text")).join(parts), n_odd=0.1)
    n_inner = rng.randrange(1, 4) if depth < 4 and rng.random() < (0.7 if name == "media:group" else 0.12) else 0
    inner = "".join(_element(rng, depth=depth + 1) for _ in range(n_inner))
    text = rng.choice(_TEXTS) if rng.random() < 0.8 or not inner else ""
    return _wrap(rng, name, text + inner + (rng.choice(_TEXTS) if inner and rng.random() < 0.3 else ""), n_odd=0.1)


def _wrap(rng: random.Random, name: str, content: str, *, n_odd: float) -> str:
    space = rng.choice(("", "", "\n  "))
    attributes = _attributes(rng, name, n_odd=n_odd)
    return f"<{name}{attributes}>{content}</{name}>{space}"


def _attributes(rng: random.Random, name: str, *, n_odd: float) -> str:
    chosen = [key for key in _USUAL_ATTRIBUTES.get(name.removeprefix("a10:"), ()) if rng.random() < 0.5]
    if rng.random() < n_odd:
        chosen.append(rng.choice(list(_ATTRIBUTES)))
    return "".join(f' {key}="{rng.choice(_ATTRIBUTES[key])}"' for key in dict.fromkeys(chosen))
