"""H-search for Python: build connections of a position and look at them."""
from libc.stdint cimport int16_t, uint8_t
from libc.stdlib cimport free, malloc

from trivalent.bot.knowledge._bitset cimport MAX_CELLS, cells_has, cells_t
from trivalent.bot.knowledge._hsearch cimport (
    HSEARCH_AND, HSEARCH_BASE, HSEARCH_CROSS, HSEARCH_KEY, HSEARCH_OR, HSEARCH_SEMIS,
    HSEARCH_TRIPOD,
    hsearch_between_sides, hsearch_build, hsearch_bytes, hsearch_chains, hsearch_first,
    hsearch_follow, hsearch_joined, hsearch_link, hsearch_link_t, hsearch_point, hsearch_t
)

RULES = {
    HSEARCH_BASE: "base", HSEARCH_AND: "and", HSEARCH_OR: "or", HSEARCH_CROSS: "cross",
    HSEARCH_TRIPOD: "tripod", HSEARCH_KEY: "key",
}


def can_connect(board):
    """Return whether H-search can handle a board: one with a lattice, of up to 256 cells."""
    return board.lattice is not None and len(board) <= MAX_CELLS


cdef class Connections:
    """Connections of a colour in a position.

    Points are the empty cells, by their numbers, and after them the chains.  The first chains are
    the sides that the colour must join, two in Hex, three in Y.  In Y, connections between the
    first two sides stand for connections of all three.

    The keyword arguments are the limits of the search, explained in `_hsearch.h`; the defaults suit
    a search that looks at many positions.  ``max_equal_fulls`` counts for all sides together.
    Raise ValueError if the board has more than 256 cells, MemoryError if there's no room.
    """

    def __cinit__(
        self, board not None, *, int max_fulls=16, int max_semis=60, int max_ors=4,
        int max_size=60, int max_between=-1, bint greedy_fulls=True, int max_equal_fulls=24,
        bint and_over_edge=False, int max_extension=2, bint share_captured=False,
        int crossing_rounds=1, int key_probes=0
    ):
        cdef int i
        if not can_connect(board):
            raise ValueError(f"no connections on {board}: it has more than {MAX_CELLS} cells")
        for i in range(6 * len(board)):
            self.around[i] = _neighbour(board, i // 6, i % 6)
            self.far[i] = -1 - len(board.sides)
        for i in range(6 * len(board)):
            neighbour = self.around[i]
            if neighbour >= 0:  # its neighbours are in the same order, so its next one lies beyond
                self.far[i] = _neighbour(board, neighbour, (i + 1) % 6)
        self.board = board
        self.h.cells = len(board)
        self.h.around = self.around
        self.h.far = self.far
        self.h.shared = len(board.goals[0]) > 2
        self.h.max_fulls = max_fulls
        self.h.max_semis = max(1, min(max_semis, HSEARCH_SEMIS))
        self.h.max_ors = max(1, min(max_ors, HSEARCH_SEMIS))
        self.h.max_size = min(max_size, MAX_CELLS)
        self.h.max_between = max_between
        self.h.greedy_fulls = greedy_fulls
        self.h.max_equal_fulls = max_equal_fulls // len(board.goals[0])
        self.h.and_over_edge = and_over_edge
        self.h.max_extension = max_extension
        self.h.share_captured = share_captured
        self.h.crossing_rounds = crossing_rounds
        self.h.key_probes = key_probes
        self.prepare(&self.h)
        self.build(bytes([2]) * self.h.cells, 1)

    def __dealloc__(self):
        free(self.h.memory)

    cdef int prepare(self, hsearch_t* h) except -1:
        """Set up another search with the same board and limits and memory of its own.

        The caller frees the memory.  Raise MemoryError if there's no room.
        """
        h[0] = self.h
        h.memory = malloc(hsearch_bytes(h.cells))  # the system provides pages as they are touched
        if not h.memory:
            raise MemoryError
        return 0

    def build(self, const uint8_t[::1] stones not None, int colour):
        """Find the connections of a colour; return how many have been made.

        Some of these may have been replaced by better ones.  Raise ValueError if the stones don't
        fit the board or there's no such colour.
        """
        cdef hsearch_link_t link
        if len(stones) != self.h.cells or colour not in (1, 2):
            raise ValueError(
                f"{len(stones)} stones for a board of {self.h.cells} cells, colour {colour}"
            )
        self.colour = colour
        with nogil:
            hsearch_build(&self.h, &stones[0], colour, 3)
        return hsearch_link(&self.h, -1, &link)

    def follow(self, const uint8_t[::1] stones not None, Connections after not None):
        """Find, in another object, the connections after further moves, starting from these.

        ``after`` has the same board and limits of its own.  Raise ValueError if it is this object
        or has another board, or if the stones don't fit.
        """
        if after is self or after.board != self.board:
            raise ValueError("after must be other connections on the same board")
        if len(stones) != self.h.cells:
            raise ValueError(f"{len(stones)} stones for a board of {self.h.cells} cells")
        after.colour = self.colour
        with nogil:
            hsearch_follow(&after.h, &self.h, &stones[0], 3)

    @property
    def chains(self):
        """The number of chains, including the sides."""
        return hsearch_chains(&self.h)

    @property
    def count(self):
        """The number of connections in all lists."""
        cdef hsearch_link_t link
        cdef int first, last, full, number, points = self.h.cells + hsearch_chains(&self.h)
        cdef int found = 0
        for first in range(points):
            for last in range(first + 1, points):
                for full in range(2):
                    number = hsearch_first(&self.h, first, last, full)
                    while number >= 0:
                        found += 1
                        hsearch_link(&self.h, number, &link)
                        number = link.next
        return found

    @property
    def winner(self):
        """2 if the colour has connected its sides, 1 if it does so by moving first, else 0."""
        return hsearch_joined(&self.h)

    @property
    def mustplay(self):
        """The cells common to all semis between the sides, or None if there are none.

        The opponent must play on one of them.
        """
        cdef cells_t carriers[HSEARCH_SEMIS]
        cdef int16_t keys[HSEARCH_SEMIS]
        cdef int count = hsearch_between_sides(&self.h, False, carriers, keys), i, cell
        if not count:
            return None
        return [
            cell for cell in range(self.h.cells)
            if all(cells_has(&carriers[i], cell) for i in range(count))
        ]

    @property
    def points(self):
        """The point of each cell: the cell itself, its chain, or -1 for the opponent's stones."""
        return [hsearch_point(&self.h, cell) for cell in range(self.h.cells)]

    def links(self, int first, int last, bint full):
        """Return the numbers of the fulls, or of the semis, between two points.

        Raise ValueError if there are no such points.
        """
        cdef hsearch_link_t link
        cdef int number, points = self.h.cells + hsearch_chains(&self.h)
        if not (0 <= first < points and 0 <= last < points and first != last):
            raise ValueError(f"{first} and {last} are not two points; there are {points}")
        found = []
        number = hsearch_first(&self.h, first, last, full)
        while number >= 0:
            found.append(number)
            hsearch_link(&self.h, number, &link)
            number = link.next
        return found

    def link(self, int number):
        """Return a connection as (first, last, carrier, key, rule, parts).

        It may also be one that a better connection has replaced.  Of its ends, chains come before
        cells.  The key of a full is -1; a part -1 is a step from the key to a neighbour or by a
        bridge.  Raise ValueError if there's no such connection.
        """
        cdef hsearch_link_t link
        cdef int i
        if not 0 <= number < hsearch_link(&self.h, number, &link):
            raise ValueError(f"there is no connection {number}")
        return (
            link.end[0], link.end[1],
            [c for c in range(self.h.cells) if cells_has(&link.carrier, c)], link.key,
            RULES[link.rule], [link.part[i] for i in range(link.parts)],
        )

    def all(self):
        """Return all connections as (is full, first, last, carrier, key)."""
        cdef int first, last, points = self.h.cells + hsearch_chains(&self.h)
        found = []
        for first in range(points):
            for last in range(first + 1, points):
                for full in (True, False):
                    for number in self.links(first, last, full):
                        found.append((full, *self.link(number)[:4]))
        return found


def _neighbour(board, int cell, int direction):
    """The neighbour of a cell in a direction, clockwise; -1 - side for a side of the board."""
    x, y = board.lattice.places[cell]
    dx, dy = board.lattice.steps[direction]
    place = x + dx, y + dy
    return board.lattice.cells[place] if place in board.lattice.cells else (
        -1 - board.lattice.border[place]
    )
