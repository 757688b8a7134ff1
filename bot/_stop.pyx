"""A request to stop, which any thread can make."""

cdef extern from *:
    """
    static inline void stop_store(int *flag) { __atomic_store_n(flag, 1, __ATOMIC_RELAXED); }
    """
    void stop_store(int* flag) noexcept nogil


cdef class Stop:
    """A request to stop one piece of work; once set, it stays set.

    Each search gets a `Stop` of its own: a request made before the search begins still counts, and
    one made too late can't hit the next search.
    """

    def set(self):
        """Request the stop.  Any thread may call this at any time."""
        stop_store(&self.flag)

    @property
    def is_set(self):
        """Whether the stop has been requested."""
        return bool(stop_load(&self.flag))
