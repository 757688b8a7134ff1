"""A request to stop, which kernels can read without the GIL."""
cdef extern from *:
    """
    static inline int stop_load(const int *flag) { return __atomic_load_n(flag, __ATOMIC_RELAXED); }
    """
    int stop_load(const int* flag) noexcept nogil


cdef class Stop:
    cdef int flag
