"""What a worker does after it is told to poll: poll what is due, match what came, deliver. Prints the figures.

It says when it has started, and waits for a line before it polls, so that several begin together. Names and events are
left to their own worker; `enriching_round` times them.
"""

import json
import sys
from time import perf_counter

from feeds.polling.engine import poll_due
from feeds.stories.engine import match
from reader.subscriptions.delivery import deliver


def main() -> None:
    print("ready", flush=True)
    sys.stdin.readline()
    polled = poll_due()
    began = perf_counter()
    matched = match()
    match_seconds = perf_counter() - began
    deliver()
    print(
        json.dumps(
            {
                "new": polled.n_new,
                "seconds": polled.seconds,
                "stage_seconds": dict(polled.stages),
                "matched": matched.n_articles,
                "match_seconds": match_seconds,
                "match_stage_seconds": dict(matched.seconds),
            }
        )
    )


if __name__ == "__main__":
    main()
