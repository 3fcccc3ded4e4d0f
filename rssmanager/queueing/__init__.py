"""The task queue: no task waits twice, and urgent tasks have their own worker."""
