"""What H-search has found, for Python."""
from libc.stdint cimport int16_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc

from trivalent.bot.knowledge._bitset cimport MAX_CELLS
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
    """Whether connections can be found on a board."""
    return len(board) <= MAX_CELLS


def joins_two_sides(board):
    """Whether they can be found, and the goal is a connection between two sides, as in Hex."""
    return can_connect(board) and len(board.goals[0]) == 2


cdef class Connections:
    """The connections of a colour in a position.

    The points are the empty cells, by their numbers, and behind them the chains.  The first chains
    are the sides that the colour has to join, two in Hex, three in Y.  In Y connections between the
    first two stand for those of all three.

    The limits are those of `_hsearch.h`; these are good for a search that looks at many positions.
    Fulls that are alike are counted for all sides together.
    """

    def __cinit__(
        self, board not None, *, int fulls=16, int semis=60, int ors=4, int size=60,
        int between=-1, bint narrow=True, int alike=24, bint over_sides=False, int over_chains=2,
        bint captures=False, int crossings=1, int tries=0
    ):
        cdef int i
        if not can_connect(board):
            raise ValueError(f"no connections on {board}")
        for i in range(6 * len(board)):
            self.around[i] = _neighbour(board, i // 6, i % 6)
            self.far[i] = -1 - len(board.sides)
        for i in range(6 * len(board)):
            neighbour = self.around[i]
            if neighbour >= 0:  # its neighbours go round the same way: next is the next one of ours
                self.far[i] = _neighbour(board, neighbour, (i + 1) % 6)
        self.board = board
        self.h.cells = len(board)
        self.h.around = self.around
        self.h.far = self.far
        self.h.shared = len(board.goals[0]) > 2
        self.h.max_fulls = fulls
        self.h.max_semis = max(1, min(semis, HSEARCH_SEMIS))
        self.h.max_ors = max(1, min(ors, HSEARCH_SEMIS))
        self.h.max_size = min(size, MAX_CELLS)
        self.h.max_between = between
        self.h.narrow = narrow
        self.h.alike = alike // len(board.goals[0])
        self.h.over_sides = over_sides
        self.h.over_chains = over_chains
        self.h.captures = captures
        self.h.crossings = crossings
        self.h.tries = tries
        self.prepare(&self.h)
        self.build(bytes([2]) * self.h.cells, 1)

    def __dealloc__(self):
        free(self.h.memory)

    cdef int prepare(self, hsearch_t* h) except -1:
        """Let another search have the board and the limits, and memory of its own to be freed.

        Raise MemoryError.
        """
        h[0] = self.h
        h.memory = malloc(hsearch_bytes(h.cells))  # not touched before it is needed
        if not h.memory:
            raise MemoryError
        return 0

    def build(self, const uint8_t[::1] stones not None, int colour):
        """Find them; return how many have been made."""
        cdef hsearch_link_t link
        if len(stones) != self.h.cells or colour not in (1, 2):
            raise ValueError(f"{len(stones)} stones of {self.h.cells} cells, colour {colour}")
        self.colour = colour
        with nogil:
            hsearch_build(&self.h, &stones[0], colour, 3)
        return hsearch_link(&self.h, -1, &link)

    def follow(self, const uint8_t[::1] stones not None, Connections after not None):
        """Let others of the same board, and with limits of their own, be those after some moves."""
        if after is self or after.board != self.board:
            raise ValueError("connections are followed by others of the same board")
        if len(stones) != self.h.cells:
            raise ValueError(f"{len(stones)} stones of {self.h.cells} cells")
        after.colour = self.colour
        with nogil:
            hsearch_follow(&after.h, &self.h, &stones[0], 3)

    @property
    def chains(self):
        """The number of chains, with the sides."""
        return hsearch_chains(&self.h)

    @property
    def count(self):
        """The number of connections."""
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
        """2 if the colour has connected its sides, 1 if it has to move for that, else 0."""
        return hsearch_joined(&self.h)

    @property
    def mustplay(self):
        """The cells of all semis between the sides: where the opponent has to move."""
        cdef uint64_t carriers[HSEARCH_SEMIS][4]
        cdef int16_t keys[HSEARCH_SEMIS]
        cdef int count = hsearch_between_sides(&self.h, False, carriers, keys), i, cell
        if not count:
            return None
        return [
            cell for cell in range(self.h.cells)
            if all(carriers[i][cell >> 6] >> (cell & 63) & 1 for i in range(count))
        ]

    @property
    def points(self):
        """The point of each cell: itself, its chain behind the cells, or -1."""
        return [hsearch_point(&self.h, cell) for cell in range(self.h.cells)]

    def links(self, int first, int last, bint full):
        """The numbers of the connections between two points."""
        cdef hsearch_link_t link
        cdef int number, points = self.h.cells + hsearch_chains(&self.h)
        if not (0 <= first < points and 0 <= last < points and first != last):
            raise ValueError(f"no two points {first} and {last}")
        found = []
        number = hsearch_first(&self.h, first, last, full)
        while number >= 0:
            found.append(number)
            hsearch_link(&self.h, number, &link)
            number = link.next
        return found

    def link(self, int number):
        """A connection, also one that has been replaced by a better one: (first, last, carrier,
        key, rule, parts).

        Chains come before cells.  The key is -1 for a full; a part -1 is a step from the key to a
        neighbour or by a bridge.
        """
        cdef hsearch_link_t link
        cdef int i
        if not 0 <= number < hsearch_link(&self.h, number, &link):
            raise ValueError(f"no connection {number}")
        return (
            link.end[0], link.end[1],
            [c for c in range(self.h.cells) if link.carrier[c >> 6] >> (c & 63) & 1], link.key,
            RULES[link.rule], [link.part[i] for i in range(link.parts)],
        )

    def all(self):
        """All connections: (full or not, first, last, carrier, key)."""
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
