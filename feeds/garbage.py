"""Keep the garbage collector from looking again and again through what was loaded to stay.

A worker that compares texts has some hundred thousand objects of its libraries in memory. Each full collection visits
them all, and work that makes many objects causes many: it made a first poll a third slower. `gc.freeze` puts what is
there aside.
"""

import gc
from functools import cache


@cache
def settle(stage: str) -> None:
    """Set aside what is in memory, once a stage that this process comes to run: its libraries are loaded by then."""
    gc.collect()
    gc.freeze()
