"""A cluster whose guard records which workers live, with an additional worker for tasks that users are waiting for.

The queue has no priorities, so an urgent task could wait minutes for polls or training to finish. Urgent tasks have
their own queue (`feeds.tasks.enqueue`), read by a second thread of the process that reads the first one, and their own
worker. It is forked like the others and shares their memory; it takes only urgent tasks, and the others none.

Every `TICK_SECONDS` the guard schedules what is due, then writes one statement for all its workers, idle ones too. So a
worker that was seen lately also shows that tasks are being scheduled (`rssmanager.operations.background_work`).
"""

import threading
from multiprocessing.process import BaseProcess
from time import sleep
from typing import Any

from django.utils import timezone
from django_q import cluster
from django_q.brokers import get_broker
from django_q.conf import Conf
from django_q.pusher import pusher
from django_q.status import Stat

from feeds.tasks.enqueue import N_URGENT_WORKERS, URGENT_QUEUE
from rssmanager.operations import worker_heartbeat
from rssmanager.server.cluster import guarded_scheduler

POLL_SECONDS = 0.2
TICK_SECONDS = 15.0


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

    def guard(self) -> None:
        """Replace processes that died or took too long, schedule and tick, until the cluster stops."""
        self.start_event.set()
        since_tick = TICK_SECONDS  # the first one at once
        while True:
            self._replace_ended()
            if since_tick >= TICK_SECONDS:
                since_tick = 0.0
                guarded_scheduler(self.broker)
                worker_heartbeat.tick([process.pid for process in self.pool], timezone.now())
            Stat(self).save()
            if self.stop_event.wait(Conf.GUARD_CYCLE):
                break
            since_tick += Conf.GUARD_CYCLE
        self.stop()

    def _replace_ended(self) -> None:
        for process in list(self.pool):
            lock = process.timer.get_lock()
            if not process.is_alive():
                self.reincarnate(process)
            elif lock.acquire(False):  # otherwise it is reporting a result
                try:
                    self._count_down(process)
                finally:
                    lock.release()
        for process in (self.monitor, self.pusher):
            if not process.is_alive():
                self.reincarnate(process)

    def _count_down(self, process: Any) -> None:
        """Replace a worker whose task took too long, or that has just ended by itself."""
        if process.timer.value > 0:
            process.timer.value = max(0.0, process.timer.value - Conf.GUARD_CYCLE)
        if process.timer.value == 0:
            self.reincarnate(process)

    def reincarnate(self, process: Any) -> None:
        """Replace the process. A task that a worker leaves unfinished counts as failed."""
        is_worker = process in self.pool
        super().reincarnate(process)
        if is_worker:
            worker_heartbeat.on_worker_end(process.pid)

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
