"""Pools of processes and of threads: neither can be made."""

from intentbox import absent


class Pool:
    def __init__(self, *arguments, **options):
        absent.no_processes()


class ThreadPool:
    def __init__(self, *arguments, **options):
        absent.no_threads()
