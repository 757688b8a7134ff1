"""What H-search from chains has found, for Python."""
from libc.stdint cimport int32_t, uint8_t

from trivalent.bot._cells cimport MOST_CELLS, cells_have, cells_t
from trivalent.bot._chains cimport (
    AND, BASE, OR, TRIPOD, ends_of, ends_t, hsearch_build, hsearch_free, hsearch_init,
    hsearch_mustplay, hsearch_winner, link_t
)

RULES = {BASE: "base", AND: "and", OR: "or", TRIPOD: "tripod"}


def can_connect(board):
    """Whether connections can be found on a board."""
    return len(board) <= MOST_CELLS


def joins_two_sides(board):
    """Whether they can be found, and the goal is a connection between two sides, as in Hex."""
    return can_connect(board) and len(board.goals[0]) == 2


cdef class Connections:
    """The connections of a colour in a position.

    The points are the empty cells, by their numbers, and behind them the chains.  The first chains
    are the sides that the colour has to join, two in Hex, three in Y.  In Y connections between the
    first two stand for those of all three.
    """

    def __cinit__(self, board not None):
        cdef int i
        if not can_connect(board):
            raise ValueError(f"no connections on {board}")
        for i in range(6 * len(board)):
            self.around[i] = _neighbour(board, i // 6, i % 6)
        hsearch_init(&self.h, len(board), self.around)

    def __dealloc__(self):
        hsearch_free(&self.h)

    def build(self, const uint8_t[::1] stones not None, int colour):
        """Find them."""
        with nogil:
            hsearch_build(&self.h, &stones[0], colour)
        return self.h.used

    @property
    def winner(self):
        """2 if the colour has connected its sides, 1 if it has to move for that, else 0."""
        return hsearch_winner(&self.h)

    @property
    def mustplay(self):
        """The cells of all semis between the sides: where the opponent has to move."""
        cdef cells_t cells
        if not hsearch_mustplay(&self.h, &cells):
            return None
        return [cell for cell in range(self.h.cells) if cells_have(&cells, cell)]

    @property
    def points(self):
        """The point of each cell: itself, its chain behind the cells, or -1."""
        return [self.h.point[cell] for cell in range(self.h.cells)]

    def links(self, int chain, int point, bint full):
        """The numbers of the connections between a chain and a point."""
        cdef const ends_t* ends
        cdef int32_t number
        if not (0 <= chain < self.h.chains and 0 <= point < self.h.cells + self.h.chains):
            raise ValueError(f"no chain {chain} or no point {point}")
        found = []
        ends = ends_of(&self.h, chain, point)
        number = ends.fulls if full else ends.semis
        while number >= 0:
            found.append(number)
            number = self.h.links[number].next
        return found

    def link(self, int number):
        """A connection, also one that has been replaced by a better one: (chain, point, carrier,
        key, rule, parts).

        The key is -1 for a full; a part -1 is a step from the key to a neighbour or by a bridge.
        """
        cdef const link_t* link
        cdef int i
        if not 0 <= number < self.h.used:
            raise ValueError(f"no connection {number}")
        link = &self.h.links[number]
        chain, point = link.chain, link.point
        if point >= self.h.cells and point - self.h.cells < chain:
            chain, point = point - self.h.cells, chain + self.h.cells
        return (
            chain, point,
            [c for c in range(self.h.cells) if cells_have(&link.carrier, c)], link.key,
            RULES[link.rule], [self.h.parts[link.parts + i] for i in range(link.part_count)],
        )

    def all(self):
        """All connections: (full or not, chain, point, carrier, key)."""
        cdef int chain, point
        found = []
        for chain in range(self.h.chains):
            for point in range(self.h.cells + self.h.chains):
                if point >= self.h.cells and point - self.h.cells <= chain:
                    continue
                for full in (True, False):
                    for number in self.links(chain, point, full):
                        _, _, carrier, key, _, _ = self.link(number)
                        found.append((full, chain, point, carrier, key))
        return found


def _neighbour(board, int cell, int direction):
    """The neighbour of a cell in a direction, clockwise; -1 - side for a side of the board."""
    x, y = board.coordinates[cell]
    if board.game == "y":
        dx, dy = ((0, -1), (1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1))[direction]
        outside = -1 if x + dx < 0 else -3 if y + dy == board.height else -2
    else:
        dx, dy = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))[direction]
        outside = (
            -1 if y + dy < 0 else -2 if y + dy == board.height else -3 if x + dx < 0 else -4
        )
    column, row = x + dx, y + dy
    for neighbour in board.neighbours[cell]:
        if board.coordinates[neighbour] == (column, row):
            return neighbour
    return outside
