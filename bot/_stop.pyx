"""A request to stop, set from any thread."""


cdef class Stop:
    """A request to stop one piece of work: set once, never cleared.

    Whoever starts a search gives it a `Stop` of its own, so that a request which comes before the
    search has begun still counts, and one which comes too late cannot hit the next search.
    """

    def set(self):
        """Ask for the stop.  Any thread may call this, at any time."""
        stop_store(&self.flag)

    @property
    def is_set(self):
        """Whether the stop has been asked for."""
        return bool(stop_load(&self.flag))
