"""Checks sanitized HTML with two parsers that the sanitizer doesn't use.

lexbor and html5lib both follow the HTML Standard and are independent implementations. The lists here are separate from
the sanitizer's own, so that a mistake there fails here.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

import html5lib
from selectolax.lexbor import LexborHTMLParser

_ELEMENTS = """
h2 h3 h4 h5 h6 p br hr ul ol li dl dt dd table caption thead tbody tfoot tr th td figure figcaption pre code
kbd samp blockquote q em strong b i u s del ins mark small sub sup abbr cite dfn var time ruby rt rp bdi bdo
wbr a img audio video source details summary div span
"""
_FORMULAS = """
math mi mn mo ms mtext mrow mfrac msqrt mroot mstyle merror mpadded mphantom mspace msub msup msubsup munder mover
munderover mmultiscripts mprescripts mtable mtr mtd
"""
FORMULAS = frozenset(_FORMULAS.split())
ELEMENTS = frozenset(_ELEMENTS.split()) | FORMULAS
ATTRIBUTES = {
    "a": {"href", "title", "rel"},
    "img": {"src", "srcset", "sizes", "alt", "title", "width", "height", "loading", "decoding"},
    "audio": {"src", "controls", "preload"},
    "video": {"src", "controls", "preload", "poster", "width", "height"},
    "source": {"src", "type"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "ol": {"start"},
    "li": {"value"},
    "abbr": {"title"},
    "time": {"datetime"},
    "details": {"open"},
    "math": {"display", "alttext"},
    "mi": {"mathvariant"},
    "mo": {"stretchy", "fence", "separator", "largeop", "movablelimits", "symmetric"},
    "mfrac": {"linethickness"},
    "mspace": {"width"},
    "mstyle": {"displaystyle", "scriptlevel"},
    "mover": {"accent"},
    "munder": {"accentunder"},
    "munderover": {"accent", "accentunder"},
    "mtd": {"columnspan", "rowspan"},
}
_IN_PAGE = r"#text[0-9]*-[!-~]+\Z"
_SCHEMES = {
    "href": rf"(?:https?://|mailto:)[^\s]|{_IN_PAGE}",
    "id": r"text[0-9]*-[!-~]+\Z",
    "src": r"https?://[^\s/]",
    "poster": r"https?://[^\s/]",
}
_RASTER = r"data:image/(?:png|gif|jpe?g|webp);base64,[A-Za-z0-9+/=]+\Z"
_MATHML = "{http://www.w3.org/1998/Math/MathML}"
_DOCUMENT = "<!DOCTYPE html><html><head></head><body>%s</body></html>"

Element = tuple[str, Mapping[str, str]]


def violations(output: str) -> list[str]:
    """Everything in an output that is not on the lists, as either parser reads it."""
    return unlisted((*by_lexbor(output), *by_html5lib(output)))


def unlisted(elements: Iterable[Element]) -> list[str]:
    """The elements and attributes that are not on the lists."""
    problems: list[str] = []
    for tag, attributes in elements:
        if tag not in ELEMENTS:
            problems.append(f"<{tag}>")
        for name, value in attributes.items():
            if name not in ATTRIBUTES.get(tag, set()) | {"dir", "lang", "id"}:
                problems.append(f"<{tag} {name}>")
            elif not _is_safe(tag, name, value):
                problems.append(f"<{tag} {name}={value}>")
        is_in_page = re.match(_IN_PAGE, attributes.get("href", "")) is not None
        if tag == "a" and not is_in_page and attributes.get("rel") != "noopener noreferrer":
            problems.append("<a> without rel")
    return problems


def by_lexbor(output: str) -> Iterator[Element]:
    """The elements that lexbor reads, comments among them."""
    root = LexborHTMLParser(_DOCUMENT % output).body
    assert root is not None
    for node in root.traverse(include_text=False):
        if node.tag != "body":
            yield str(node.tag), {name: value or "" for name, value in node.attributes.items()}


def by_html5lib(output: str) -> Iterator[Element]:
    """The elements that html5lib reads, with scripting on, as browsers have it; comments among them."""
    parser = html5lib.HTMLParser(html5lib.getTreeBuilder("etree"), namespaceHTMLElements=False)
    document = parser.parse(_DOCUMENT % output, scripting=True)
    for element in document.iter():
        if element.tag not in ("html", "head", "body", "DOCUMENT_ROOT"):
            tag = str(element.tag)
            is_formula = tag.startswith(_MATHML)
            name = tag.removeprefix(_MATHML)
            yield name if is_formula == (name in FORMULAS) else f"{name} in another namespace", element.attrib


def written_by_lexbor(markup: str) -> str:
    """Markup as a browser's `innerHTML` gives it back."""
    return LexborHTMLParser(_DOCUMENT % markup).body.inner_html  # type: ignore[union-attr, return-value]


def written_by_html5lib(markup: str) -> str:
    """The same by html5lib, which leaves nothing out and adds nothing."""
    document = html5lib.parse(_DOCUMENT % markup, treebuilder="etree", namespaceHTMLElements=False)
    text = html5lib.serialize(
        document, tree="etree", omit_optional_tags=False, quote_attr_values="always", alphabetical_attributes=False
    )
    return str(text.partition("<body>")[2].rpartition("</body>")[0])


def _is_safe(tag: str, name: str, value: str) -> bool:
    if name == "srcset":
        return all(re.match(r"https?://[^\s/]", candidate) for candidate in value.split(", "))
    if tag == "img" and name == "src" and re.match(_RASTER, value):
        return True
    return name not in _SCHEMES or re.match(_SCHEMES[name], value) is not None
