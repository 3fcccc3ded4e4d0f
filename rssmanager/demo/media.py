"""Generated images and audio for the sample articles: PNG landscapes, PNG bar charts, silent MP3."""

import math
import struct
import zlib
from functools import lru_cache
from random import Random

PICTURE_WIDTH = 480
PICTURE_HEIGHT = 270
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
    raw = b"".join(b"\x00" + row for row in rows)
    header = struct.pack(">IIBBBBB", PICTURE_WIDTH, PICTURE_HEIGHT, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


@lru_cache(maxsize=1)
def silence() -> bytes:
    """`SILENCE_SECONDS` of silent MP3."""
    return _MP3_FRAME * round(SILENCE_SECONDS * _MP3_FRAMES_PER_SECOND)


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
