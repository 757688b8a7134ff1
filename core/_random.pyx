"""Seeded random numbers: the stream that Python sees."""


cdef class Random:
    """A seeded stream of random numbers; the seed is any integer, of which 64 bits count."""

    def __cinit__(self, seed):
        rng_seed(&self.c, seed & 0xFFFFFFFFFFFFFFFF)

    def below(self, int n):
        """Return a number from 0 to n - 1, each equally likely.  Raise ValueError if n < 1."""
        if n < 1:
            raise ValueError(f"no number is below {n}")
        return rng_below(&self.c, n)

    def bits(self):
        """Return 64 random bits as an integer."""
        return rng_next(&self.c)
