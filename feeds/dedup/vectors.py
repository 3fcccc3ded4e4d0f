"""Unit vectors of 512 numbers, stored as signed bytes of length 127; cosines are off by less than 0.01."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

DIMENSIONS = 512

Vector = npt.NDArray[np.float32]
Matrix = npt.NDArray[np.float32]


def stored_vectors(vectors: Iterable[Vector]) -> list[bytes]:
    """The stored form of unit vectors."""
    return [np.rint(127 * vector).astype(np.int8).tobytes() for vector in vectors]


def vector_from(stored: bytes) -> Vector | None:
    """A unit vector of 512 numbers, None for b""."""
    if len(stored) != DIMENSIONS:
        return None
    vector = np.frombuffer(stored, dtype=np.int8).astype(np.float32)
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length else None


def matrix_from(stored: Sequence[bytes]) -> Matrix:
    """Non-empty stored vectors as the rows of a matrix (n × 512) of unit vectors."""
    matrix = np.frombuffer(b"".join(stored), dtype=np.int8).reshape(-1, DIMENSIONS).astype(np.float32)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    unit: Matrix = matrix / lengths
    return unit
