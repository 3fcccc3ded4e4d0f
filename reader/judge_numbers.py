"""Which numbers the built-in judge of time sensitivity judges with: those learned here, or those that are shipped."""

import logging
from functools import lru_cache

from reader.models import JudgeTraining
from reader.scoring.sensitivity import SHIPPED, Numbers, UnreadableNumbers

logger = logging.getLogger(__name__)


def current_numbers() -> Numbers:
    """The newest training's numbers if it was better than the shipped judge, else the shipped ones. One query."""
    stored = JudgeTraining.objects.values_list("numbers", flat=True).first()
    return _read(bytes(stored)) if stored else SHIPPED


@lru_cache(maxsize=1)
def _read(stored: bytes) -> Numbers:
    """Reading them takes longer than fetching them, so what was read is remembered, not what was fetched."""
    try:
        return Numbers.from_bytes(stored)
    except UnreadableNumbers as error:  # of another version; the next training replaces them
        logger.warning("The numbers of the judge trained here cannot be read: %s", error)
        return SHIPPED
