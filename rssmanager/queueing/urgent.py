"""A cluster with an additional worker for tasks that users are waiting for.

The queue has no priorities, so an urgent task could wait minutes for polls or training to finish. Urgent tasks have
their own queue (`feeds.tasks.enqueue`), read by a second thread of the process that reads the first one, and their own
worker. It is forked like the others and shares their memory; it takes only urgent tasks, and the others none.
"""

import threading
from multiprocessing.process import BaseProcess
from time import sleep
from typing import Any

from django_q import cluster
from django_q.brokers import get_broker
from django_q.pusher import pusher

from feeds.tasks.enqueue import N_URGENT_WORKERS, URGENT_QUEUE

POLL_SECONDS = 0.2


class UrgentSentinel(cluster.Sentinel):
    """The guard of a cluster, with `N_URGENT_WORKERS` more workers than in the settings."""

    def start(self) -> None:
        self.pool_size += N_URGENT_WORKERS
        self.urgent_queue = cluster.Queue(maxsize=N_URGENT_WORKERS)
        super().start()

    def spawn_pusher(self) -> BaseProcess:
        process: BaseProcess = self.spawn_process(
            push_both, self.task_queue, self.urgent_queue, self.event_out, self.broker
        )
        return process

    def spawn_worker(self) -> None:
        """Start a worker of the missing kind."""
        n_urgent = sum(process.takes_urgent for process in self.pool)
        is_urgent = n_urgent < N_URGENT_WORKERS
        queue = self.urgent_queue if is_urgent else self.task_queue
        self.spawn_process(cluster.worker, queue, self.result_queue, cluster.Value("f", -1), self.timeout)
        self.pool[-1].takes_urgent = is_urgent

    def stop(self) -> None:
        """Stop as usual, and the urgent worker too, once its queue can't receive more tasks."""
        self.event_out.set()
        while self.pusher.is_alive():
            sleep(POLL_SECONDS)
        for _ in range(N_URGENT_WORKERS):
            self.urgent_queue.put("STOP")
        super().stop()


def push_both(task_queue: Any, urgent_queue: Any, ending: Any, broker: Any) -> None:
    """Move tasks from the installation's two queues to those of this cluster, until it stops.

    If a queue can't be read, this process ends and the guard starts another.
    """
    threads = [
        threading.Thread(target=pusher, args=(urgent_queue, ending, get_broker(URGENT_QUEUE)), daemon=True),
        threading.Thread(target=pusher, args=(task_queue, ending, broker), daemon=True),
    ]
    for thread in threads:
        thread.start()
    while all(thread.is_alive() for thread in threads):
        sleep(POLL_SECONDS)
    if ending.is_set():
        for thread in threads:
            thread.join()


def add_urgent_worker() -> None:
    """Use `UrgentSentinel` for clusters of this process."""
    cluster.Sentinel = UrgentSentinel
