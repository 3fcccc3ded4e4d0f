"""Generated images and audio of the sample publishers: PNG landscapes, charts and icons, silent MP3."""

import colorsys
import math
import struct
import zlib
from collections.abc import Callable
from functools import lru_cache
from random import Random

PICTURE_WIDTH = 480
PICTURE_HEIGHT = 270
ICON_PIXELS = 48
CHART_PREFIX = "chart-"
SILENCE_SECONDS = 20

_MP3_FRAMES_PER_SECOND = 44_100 / 1_152
_MP3_FRAME = b"\xff\xfb\x10\xc4" + bytes(100)
"""MPEG-1 layer III, 32 kbit/s, 44.1 kHz, mono: a header, and zeros that decode to silence."""

_Colour = tuple[int, int, int]


@lru_cache(maxsize=64)
def picture(name: str) -> bytes:
    """A PNG determined by its name: a bar chart if the name begins with `chart-`, else a landscape."""
    chance = Random(name)  # noqa: S311 - for colours, not for secrets
    rows = _bars(chance) if name.startswith(CHART_PREFIX) else _landscape(chance)
    return _png(rows, PICTURE_WIDTH, has_alpha=False)


@lru_cache(maxsize=64)
def icon(name: str, shape: str) -> bytes:
    """A PNG of a white shape, one of `SHAPES`, on a rounded square in a colour determined by the name."""
    hue = Random(name).random()  # noqa: S311 - for a colour
    red, green, blue = (round(255 * part) for part in colorsys.hls_to_rgb(hue, 0.38, 0.55))
    rows = []
    for y in range(ICON_PIXELS):
        row = bytearray()
        for x in range(ICON_PIXELS):
            white = _cover(SHAPES[shape], x, y)
            row += bytes(round(part + (255 - part) * white) for part in (red, green, blue))
            row.append(round(255 * _cover(_rounded, x, y)))
        rows.append(bytes(row))
    return _png(rows, ICON_PIXELS, has_alpha=True)


@lru_cache(maxsize=1)
def silence() -> bytes:
    """`SILENCE_SECONDS` of silent MP3."""
    return _MP3_FRAME * round(SILENCE_SECONDS * _MP3_FRAMES_PER_SECOND)


def _cover(inside: Callable[[float, float], bool], x: int, y: int) -> float:
    """The share of a pixel of an icon inside a shape, which is drawn in the square from -1 to 1."""
    parts = [(part + 0.5) / 3 for part in range(3)]
    points = [(2 * (x + dx) / ICON_PIXELS - 1, 2 * (y + dy) / ICON_PIXELS - 1) for dx in parts for dy in parts]
    return sum(inside(*point) for point in points) / len(points)


def _rounded(x: float, y: float) -> bool:
    return math.hypot(max(abs(x) - 0.6, 0), max(abs(y) - 0.6, 0)) <= 0.4


SHAPES: dict[str, Callable[[float, float], bool]] = {
    "ring": lambda x, y: 0.32 <= math.hypot(x, y) <= 0.62,
    "moon": lambda x, y: math.hypot(x, y) <= 0.66 < math.hypot(x - 0.34, y + 0.22) + 0.12,
    "waves": lambda x, y: max(abs(x), abs(y)) <= 0.66 and abs((y + 0.14 * math.sin(5 * x) + 1.2) % 0.48 - 0.24) <= 0.1,
    "bars": lambda x, y: abs(x) <= 0.6 and (x + 0.6) % 0.45 <= 0.3 and -0.15 - 0.6 * x <= y + 0.25 and y <= 0.6,
    "diamond": lambda x, y: abs(x) + abs(y) <= 0.72,
}


def _png(rows: list[bytes], width: int, *, has_alpha: bool) -> bytes:
    raw = b"".join(b"\x00" + row for row in rows)
    header = struct.pack(">IIBBBBB", width, len(rows), 8, 6 if has_alpha else 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _landscape(chance: Random) -> list[bytes]:
    """A sky that brightens toward the horizon, behind three ranges of hills."""
    top: _Colour = (chance.randint(60, 140), chance.randint(110, 170), chance.randint(170, 220))
    bottom: _Colour = (chance.randint(220, 250), chance.randint(200, 235), chance.randint(170, 220))
    ridges = [_ridge(chance, 0.45 + 0.18 * depth) for depth in range(3)]
    shade = chance.uniform(0.7, 1.2)
    ground: list[_Colour] = [(int(90 * shade), int(115 * shade), int(125 * shade))]
    ground += [(int(60 * shade), int(90 * shade), int(85 * shade)), (int(35 * shade), int(58 * shade), int(52 * shade))]
    rows = []
    for y in range(PICTURE_HEIGHT):
        sky = bytes(round(a + (b - a) * min(1.0, 1.6 * y / PICTURE_HEIGHT)) for a, b in zip(top, bottom, strict=True))
        colours = [sky, *(bytes(colour) for colour in ground)]
        covers = [sum(y >= ridge[x] for ridge in ridges) for x in range(PICTURE_WIDTH)]
        rows.append(b"".join(colours[cover] for cover in covers))
    return rows


def _ridge(chance: Random, height: float) -> list[float]:
    """The upper edge of a range of hills: a row number per column; `height` is a share of the image."""
    waves = [(chance.uniform(0.5, 3.5), chance.uniform(0, math.tau), chance.uniform(4, 16)) for _ in range(3)]
    middle = height * PICTURE_HEIGHT
    return [
        middle + sum(size * math.sin(phase + turns * math.tau * x / PICTURE_WIDTH) for turns, phase, size in waves)
        for x in range(PICTURE_WIDTH)
    ]


def _bars(chance: Random) -> list[bytes]:
    """Eight bars on white, above a base line."""
    white, bar, line = b"\xfb\xfb\xf8", bytes((chance.randint(30, 90), chance.randint(90, 130), 160)), b"\x55\x55\x55"
    base = PICTURE_HEIGHT - 30
    tops = [base - round(chance.uniform(0.2, 0.9) * (base - 20)) for _ in range(8)]
    columns = [(x - 40) // 50 if x >= 40 and (x - 40) % 50 < 32 and x < 440 else -1 for x in range(PICTURE_WIDTH)]
    rows = []
    for y in range(PICTURE_HEIGHT):
        if base <= y < base + 2:
            rows.append(white * 30 + line * (PICTURE_WIDTH - 60) + white * 30)
        else:
            rows.append(b"".join(bar if column >= 0 and tops[column] <= y < base else white for column in columns))
    return rows
