"""Which addresses are of the same picture or recording, in other sizes or by other ways.

Observed: publishers declare a picture in several sizes, and again in the body; image servers write the size into the
query (`?w=300`), the path (`/600x400/`, `/thumb/`) or the name (`a-300x200.jpg`), and proxies append the original's
address. Recordings are declared as enclosure and again by Media RSS, with other queries or behind counting redirects
(`counter.example/cdn.example/a.mp3`).

Two addresses are of the same file if they share a mark. Only addresses of one entry are compared: two of its pictures
that differ in nothing but their size would be taken for one.
"""

import re
from urllib.parse import parse_qsl, unquote, urlsplit

_IMAGE_NAME = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg|bmp|jxl|heic|tiff?)\Z", re.IGNORECASE)
_RECORDING_NAME = re.compile(r"\.(?:mp3|m4a|m4b|aac|oga|ogg|opus|flac|wav|mp4|m4v|mov|webm|ogv)\Z", re.IGNORECASE)
_INNER = re.compile(r"https?:/+(?=[\w-])", re.IGNORECASE)
_PHOTON = re.compile(r"i\d\.wp\.com/")  # of WordPress.com; the original's host follows
_HOST = re.compile(r"(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}\Z", re.IGNORECASE)

# Of a path: whole segments, and what follows the name of a file.
_SIZE = re.compile(
    r"(?:\d{2,5}x\d{0,5}|x\d{2,5}|[wh][_=-]\d{2,5}.{0,100}|w\d{2,5}-h\d{2,5}.{0,40}|\d{2,5}w)\Z", re.IGNORECASE
)
_GOOGLE_SIZE = re.compile(r"[swh]\d{1,5}(?:-[a-z0-9-]{1,40})?\Z", re.IGNORECASE)
_SIZE_NAMES = "thumb|thumbs|thumbnail|thumbnails|small|medium|large|original|preview|full|big"
_SIZE_SEGMENT = re.compile(rf"(?:{_SIZE_NAMES})\Z", re.IGNORECASE)
_NAME_SUFFIX = re.compile(
    rf"(?:[-_](?:\d{{2,5}}x\d{{2,5}}|scaled|{_SIZE_NAMES})|@[23]x)(?=\.\w{{1,5}}\Z)", re.IGNORECASE
)
_OF_SIZE = "w h width height size sz q quality fit crop resize auto format fm dpr strip ssl sharp name itok ixlib"
_SIZE_PARAMETERS = frozenset(_OF_SIZE.split())
# Where a file's name is in the path, only these can tell two files apart.
_NAMING_PARAMETERS = frozenset(("id", "img", "image", "file", "src", "pic", "photo", "p", "n", "i"))

_MIN_NAME = 8  # letters and digits of a name that no other picture of the entry has
_COMMON = re.compile(
    rf"{_SIZE_NAMES}|image|img|photo|picture|cover|default|hq|max|res|featured|header|index", re.IGNORECASE
)
_NOT_ALPHANUMERIC = re.compile(r"[\W_]")
_NUMBER = re.compile(r"\d{2,5}")


def picture_marks(url: str, *, width: int | None = None, height: int | None = None) -> frozenset[str]:
    """Return the marks of a picture; `width` and `height` are the declared ones."""
    place, path, parameters = _parts(_innermost(url))
    name = path.rpartition("/")[2]
    marks = {f"{place}{_without_sizes(place, path)}?{_identifying(parameters, in_path=bool(_IMAGE_NAME.search(name)))}"}
    if _IMAGE_NAME.search(name) and (distinct := _distinct(name)):
        marks.add(distinct)
    sizes = {size for size in (width, height) if size}
    sized = _NUMBER.sub(lambda number: "#" if int(number[0]) in sizes else number[0], path) if sizes else path
    if sized != path:
        marks.add(f"{place}{sized}")
    return frozenset(marks)


def recording_marks(url: str, length: int | None = None) -> frozenset[str]:
    """Return the marks of a sound or video; `length` in bytes."""
    place, path, parameters = _parts(_innermost(url))
    name = path.rpartition("/")[2]
    if not _RECORDING_NAME.search(name):
        return frozenset((f"{place}{path}?{sorted(parameters)}",))
    segments = f"{place}{path}".split("/")
    hosts = [
        at for at, segment in enumerate(segments[:-1]) if _HOST.match(segment) and not _RECORDING_NAME.search(segment)
    ]
    marks = {"/".join(segments[hosts[-1] if hosts else 0 :])}
    return frozenset(marks | {f"{name} {length}"} if length else marks)


def _innermost(url: str) -> str:
    """Return the address that an image proxy or a redirect carries, else the address itself."""
    for _, value in _parameters(url):
        if _INNER.match(value):
            return value
    inner = list(_INNER.finditer(unquote(url), 8))
    return unquote(url)[inner[-1].start() :] if inner else url


def _parts(url: str) -> tuple[str, str, list[tuple[str, str]]]:
    """Return the host, the path and the parameters; an invalid address as its own host."""
    try:
        parts = urlsplit(url)
        place = (parts.hostname or "").removeprefix("www.") + (f":{parts.port}" if parts.port else "")
    except ValueError:
        return url, "", []
    path = unquote(parts.path)
    if _PHOTON.match(f"{place}/"):
        place, _, rest = path.lstrip("/").partition("/")
        path = f"/{rest}"
    return place, path, _parameters(url)


def _parameters(url: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(urlsplit(url).query, max_num_fields=100)
    except ValueError:
        return []


def _without_sizes(place: str, path: str) -> str:
    is_google = place.endswith(("googleusercontent.com", "blogspot.com", "ggpht.com"))
    *folders, name = path.split("/")
    kept = [
        folder
        for folder in folders
        if not (_SIZE.match(folder) or _SIZE_SEGMENT.match(folder) or (is_google and _GOOGLE_SIZE.match(folder)))
    ]
    if is_google:
        name = name.partition("=")[0]
    return "/".join((*kept, _NAME_SUFFIX.sub("", name)))


def _identifying(parameters: list[tuple[str, str]], *, in_path: bool) -> str:
    kept = [
        (name, value)
        for name, value in parameters
        if (name.lower() in _NAMING_PARAMETERS if in_path else name.lower() not in _SIZE_PARAMETERS)
    ]
    return "&".join(f"{name}={value}" for name, value in sorted(kept))


def _distinct(name: str) -> str:
    """Return the name of a file without extension and size if it says more than "image" or "large"; else ""."""
    stem = _NAME_SUFFIX.sub("", name).rpartition(".")[0]
    return stem if len(_NOT_ALPHANUMERIC.sub("", _COMMON.sub("", stem))) >= _MIN_NAME else ""
