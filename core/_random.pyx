"""Seeded random numbers for Python."""


cdef class Random:
    """A seeded stream of random numbers.  The seed is any integer; its low 64 bits count."""

    def __cinit__(self, seed):
        rng_seed(&self.c, seed & 0xFFFFFFFFFFFFFFFF)

    def below(self, int n):
        """Return a number from 0 to n - 1, each equally likely.  Raise ValueError if n < 1."""
        if n < 1:
            raise ValueError(f"n must be at least 1, not {n}")
        return rng_below(&self.c, n)

    def bits(self):
        """Return 64 random bits as an integer."""
        return rng_next(&self.c)
