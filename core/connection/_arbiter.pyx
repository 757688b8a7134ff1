"""Who has won on one whole board, by the test that suits the board."""
from functools import lru_cache

from trivalent.core.connection import _chains, _triangle


cdef class Arbiter:
    """What decides on a board: its triangle if it can be reduced, else its chains."""

    def __cinit__(self, Triangle triangle=None, Chains chains=None):
        self.triangle, self.chains = triangle, chains
        if triangle is not None:
            self.c.triangle = &triangle.c
            self.c.cells = triangle.c.cells
        elif chains is not None:
            self.c.chains = &chains.c
            self.c.cells = chains.c.cells
        else:
            raise ValueError("an arbiter needs a triangle or chains")


@lru_cache(maxsize=16)
def arbiter(board):
    """Return the arbiter of a board, cached."""
    if board.framing is None:
        return Arbiter(chains=_chains.chains(board))
    return Arbiter(_triangle.triangle(board))
