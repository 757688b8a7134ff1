"""Solving positions on many machines."""


class ClusterError(RuntimeError):
    """The cluster can't be reached, or a worker has failed; the message is one sentence."""
