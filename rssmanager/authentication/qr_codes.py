"""QR codes as the path of an SVG."""

from dataclasses import dataclass

import segno


@dataclass(frozen=True, slots=True)
class Picture:
    """A square of `size` cells, and its dark ones as the path of an SVG."""

    size: int
    path: str


def qr_code(text: str) -> Picture:
    """The text as a QR code, with the margin that cameras need."""
    rows = list(segno.make_qr(text, error="m").matrix_iter(border=4))
    dark = [(x, y) for y, row in enumerate(rows) for x, is_dark in enumerate(row) if is_dark]
    return Picture(len(rows), "".join(f"M{x} {y}h1v1h-1z" for x, y in dark))
