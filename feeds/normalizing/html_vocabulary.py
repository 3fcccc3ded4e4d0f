"""The elements and attributes that are allowed in a body, with the format of each attribute's value.

The lists are closed: anything not listed is removed. Elements with their own parsing rules (raw text such as `script`
and `style`, SVG, `template`, `select`) are not allowed; without them and without comments, the output is parsed into
the same tree by every browser, which rules out mutation attacks. Formulas have their own rules, too, but hold nothing
except the elements listed for them and text (`html_math`). Classes are removed, and ids get a prefix, so that a body
can neither use the reader's styles nor shadow names in its scripts.
"""

import re

from feeds.normalizing.svg import safe_svg_url

KEPT = frozenset((
    "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "ul", "ol", "li", "dl", "dt", "dd", "table", "caption", "thead",
    "tbody", "tfoot", "tr", "th", "td", "figure", "figcaption", "pre", "code", "kbd", "samp", "blockquote", "q",
    "em", "strong", "b", "i", "u", "s", "del", "ins", "mark", "small", "sub", "sup", "abbr", "cite", "dfn", "var",
    "time", "ruby", "rt", "rp", "bdi", "bdo", "wbr", "a", "img", "audio", "video", "source", "details", "summary",
    "div", "span",
))  # fmt: skip

# Of formulas (MathML Core): those that hold text alone, and those that arrange others.
MATH_TOKENS = frozenset(("mi", "mn", "mo", "ms", "mtext"))
MATH_LAYOUT = frozenset((
    "mrow", "mfrac", "msqrt", "mroot", "mstyle", "merror", "mpadded", "mphantom", "mspace", "msub", "msup", "msubsup",
    "munder", "mover", "munderover", "mmultiscripts", "mprescripts", "mtable", "mtr", "mtd",
))  # fmt: skip
MATH = frozenset(("math",)) | MATH_TOKENS | MATH_LAYOUT

# Written under another name: the only `h1` of a page is the article's title; sections separate words.
RENAMED = {
    "h1": "h2",
    "acronym": "abbr",
    "strike": "s",
    "tt": "code",
    "xmp": "pre",
    "listing": "pre",
    "plaintext": "pre",
    "dir": "ul",
    "menu": "ul",
    "amp-video": "video",
    "amp-audio": "audio",
    **dict.fromkeys(
        ("section", "article", "main", "header", "footer", "aside", "nav", "address", "center", "form", "fieldset",
         "legend", "hgroup", "dialog", "search"),
        "div",
    ),
}  # fmt: skip

# Removed with their content: code, drawings, controls, what is shown in place of a frame.
DROPPED = frozenset((
    "script", "style", "title", "textarea", "template", "iframe", "object", "embed", "applet", "svg", "select",
    "option", "optgroup", "datalist", "button", "input", "head", "meta", "base", "link", "frame", "frameset",
    "noframes", "noembed", "area", "param", "portal", "track", "col", "colgroup", "keygen", "command", "fencedframe",
))  # fmt: skip

VOID = frozenset(("br", "hr", "img", "source", "wbr"))

# Removed when empty, such as the link around a tracking pixel.
WORTHLESS_EMPTY = frozenset((
    "a", "p", "div", "span", "figure", "figcaption", "h2", "h3", "h4", "h5", "h6", "b", "i", "u", "s", "em",
    "strong", "small", "mark", "sub", "sup", "code", "abbr", "blockquote", "li", "ul", "ol", "q", "cite", "ins",
    "del",
))  # fmt: skip

ANCHOR_PREFIX = "text"  # of ids, before the number of the article; no id of a page begins with it and a digit or hyphen
_ANCHOR = rf"{ANCHOR_PREFIX}[0-9]*-[A-Za-z0-9:._~%-]+"
ANCHOR = re.compile(rf"{_ANCHOR}\Z")
_URL = re.compile(rf"(?:https?://[^\s\"'<>`\\]+|mailto:[^\s\"'<>`\\]+|#{_ANCHOR})\Z")
_WEB_URL = re.compile(r"https?://[^\s\"'<>`\\]+\Z")
_RASTER = re.compile(r"data:image/(?:png|gif|jpe?g|webp);base64,[A-Za-z0-9+/]+={0,2}\Z", re.IGNORECASE)
_CANDIDATE = r"https?://[^\s\"'<>`\\]+(?: [0-9]{1,6}(?:\.[0-9]{1,4})?[wx])?"
_SRCSET = re.compile(rf"{_CANDIDATE}(?:, {_CANDIDATE})*\Z")
_SIZES = re.compile(r"[\w\s(),.:<>=%/+*&;-]{1,500}\Z")
_NUMBER = re.compile(r"[0-9]{1,5}\Z")
_SIGNED = re.compile(r"-?[0-9]{1,9}\Z")
_SPAN = re.compile(r"[1-9][0-9]{0,2}\Z")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,4}\Z")
_DIRECTION = re.compile(r"(?:ltr|rtl|auto)\Z")
_DATETIME = re.compile(r"[0-9PTWZ:+.\- DHMSYdhmsy]{1,64}\Z")
_MIME = re.compile(r"(?:audio|video|application)/[\w.+-]{1,60}(?:; ?codecs=[\w.,&; \"'-]{1,80})?\Z")
_ANY = re.compile(r"[\s\S]*\Z")
_EMPTY = re.compile(r"(?:)\Z")
_BOOLEAN = re.compile(r"(?:true|false)\Z")
_LENGTH = re.compile(r"[0-9]{0,2}(?:\.[0-9]{1,4})?(?:em|ex|px|pt)?\Z")

MAX_RASTER = 64 * 1024  # characters of a data: URL; pages with longer ones are slow

_EVERYWHERE = {"dir": _DIRECTION, "lang": _LANGUAGE, "id": ANCHOR}
_SIZED = {"width": _NUMBER, "height": _NUMBER}
_CELL = {"colspan": _SPAN, "rowspan": _SPAN}
_PLAYER = {"src": _WEB_URL, "controls": _EMPTY, "preload": re.compile(r"none\Z")}

ATTRIBUTES: dict[str, dict[str, re.Pattern[str]]] = {
    "a": {"href": _URL, "title": _ANY, "rel": re.compile(r"noopener noreferrer\Z")},
    "img": {
        "src": _WEB_URL,
        "srcset": _SRCSET,
        "sizes": _SIZES,
        "alt": _ANY,
        "title": _ANY,
        **_SIZED,
        "loading": re.compile(r"lazy\Z"),
        "decoding": re.compile(r"async\Z"),
    },
    "audio": _PLAYER,
    "video": {**_PLAYER, "poster": _WEB_URL, **_SIZED},
    "source": {"src": _WEB_URL, "type": _MIME},
    "td": _CELL,
    "th": _CELL,
    "ol": {"start": _SIGNED},
    "li": {"value": _SIGNED},
    "abbr": {"title": _ANY},
    "time": {"datetime": _DATETIME},
    "details": {"open": _EMPTY},
    "math": {"display": re.compile(r"(?:block|inline)\Z"), "alttext": _ANY, **_EVERYWHERE},
    "mi": {"mathvariant": re.compile(r"normal\Z")},
    "mo": dict.fromkeys(("stretchy", "fence", "separator", "largeop", "movablelimits", "symmetric"), _BOOLEAN),
    "mfrac": {"linethickness": _LENGTH},
    "mspace": {"width": _LENGTH},
    "mstyle": {"displaystyle": _BOOLEAN, "scriptlevel": re.compile(r"[+-]?[0-9]\Z")},
    "mover": {"accent": _BOOLEAN},
    "munder": {"accentunder": _BOOLEAN},
    "munderover": {"accent": _BOOLEAN, "accentunder": _BOOLEAN},
    "mtd": {"columnspan": _SPAN, "rowspan": _SPAN},
}


def is_allowed(tag: str, attribute: str, value: str) -> bool:
    """Whether an attribute is allowed on an element. `value` is without character references or escaped."""
    if tag == "img" and attribute == "src" and value[:5].lower() == "data:":
        return is_raster(value) or (len(value) <= MAX_RASTER and safe_svg_url(value, most=MAX_RASTER // 2) == value)
    form = ATTRIBUTES.get(tag, _EVERYWHERE).get(attribute) or _EVERYWHERE.get(attribute)
    return form is not None and form.match(value) is not None


def is_raster(url: str) -> bool:
    """Whether a data: URL is a small image that can't contain scripts: PNG, GIF, JPEG or WebP, up to `MAX_RASTER`."""
    return len(url) <= MAX_RASTER and _RASTER.match(url) is not None
