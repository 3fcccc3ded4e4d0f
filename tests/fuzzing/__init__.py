"""Fuzzing of everything that reads external input, with hundreds of thousands of cases.

`python -m tests.fuzzing` (or `make fuzz`) runs it. Each target has a maker of cases and a check of what must hold for
all of them. Cases are mutations of small samples and sentences of small grammars, made by `random.Random` from a seed,
the target's name and the case's number: any case can be made again from these three. With `atheris` installed,
`--engine atheris` lets it guide the mutations by the code that they reach.

What fails is made as small as it can be and written to `var/fuzz/`; it belongs into `tests/feeds/test_fuzz_finds.py` or
beside the module's own tests, with a mend.
"""
