"""A farm of synthetic feeds on loopback, served by the tool next to the checkout."""

import json
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any, Self

TOOL = Path(__file__).resolve().parents[3] / "shared" / "tools" / "farm.py"


class Farm:
    """`n_feeds` feeds of `n_entries` at 199 loopback addresses; a context manager. Entries are dated back from now."""

    def __init__(self, n_feeds: int, *, port: int = 9177, latency_ms: int = 0, n_entries: int = 20) -> None:
        self._base = f"http://127.0.0.1:{port}"
        self._process = subprocess.Popen(
            [sys.executable, str(TOOL), "--port", str(port), "--feeds", str(n_feeds), "--latency-ms", str(latency_ms),
             "--items", str(n_entries), "--base-time", str(int(time.time()))],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def __enter__(self) -> Self:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if "ready" in line:
                return self
        raise RuntimeError("the farm ended before it was ready")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.terminate()
        self._process.wait()

    def get(self, path: str) -> bytes:
        with urllib.request.urlopen(self._base + path) as answer:
            return bytes(answer.read())

    def stats(self) -> dict[str, Any]:
        return dict(json.loads(self.get("/stats?reset=1")))
