"""The second engine: atheris, which follows the coverage of our code to inputs that random damage seldom makes.

It is no dependency of the project, as there are builds of it for few machines: `pip install atheris` where it works. A
process of its own is started, since libFuzzer never returns.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzzing.running import PROJECT, Find, Outcome, failure, prepared
from tests.fuzzing.target import Target

_DONE = re.compile(r"stat::number_of_executed_units:\s*(\d+)|Done (\d+) runs|#(\d+)\s")
N_SAMPLES = 200  # cases of the random engine to begin with


def run(target: Target, *, seed: int, n_cases: int, seconds: float) -> Outcome:
    """A run until there were `n_cases`, `seconds` have passed, or the first find: libFuzzer ends with it."""
    if importlib.util.find_spec("atheris") is None:
        raise SystemExit("atheris is not installed: pip install atheris")
    outcome = Outcome(target.name, "atheris")
    started_at = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        samples = folder / "samples"
        samples.mkdir()
        for number, case in target.cases(seed):
            if number == N_SAMPLES:
                break
            data = case if isinstance(case, bytes) else case.encode("utf-8", "surrogatepass")
            (samples / str(number)).write_bytes(data)
        said = _fuzzed(target, folder, seed=seed, n_cases=n_cases, seconds=seconds)
        outcome.n_cases = max((int(number) for found in _DONE.findall(said) for number in found if number), default=0)
        with prepared(target):
            for path in sorted(folder.glob("found-*")):
                case = path.read_bytes()
                signature, told = failure(target, case) or ("found by atheris alone", said[-2000:])
                outcome.add(Find(signature, -1, case, told))
    outcome.seconds = time.monotonic() - started_at
    return outcome


def _fuzzed(target: Target, folder: Path, *, seed: int, n_cases: int, seconds: float) -> str:
    """What libFuzzer said."""
    command = [
        sys.executable, "-m", "tests.fuzzing.guided_process", target.name, str(folder / "samples"),
        f"-runs={n_cases}", f"-max_total_time={max(1, int(seconds))}", f"-seed={seed}", "-max_len=4096",
        "-rss_limit_mb=3000", f"-timeout={int(2 * target.most_seconds)}", f"-artifact_prefix={folder}/found-",
        "-print_final_stats=1",
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=PROJECT, env=os.environ, capture_output=True, text=True, errors="replace", check=False
    )
    shutil.rmtree(folder / "samples")
    return done.stderr
