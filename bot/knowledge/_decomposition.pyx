"""Parts of the board that four chains enclose, filled in where a connection divides them.

Let g, v, h, w be four chains, g and h of one colour, v and w of the other, each of which touches
the next, and w touches g.  They enclose a part of the board: it has a single edge, along which come
these four, once each, and reaches no other side.  If g and h have a full connection whose carrier
lies in that part, its owner captures the carrier.  For he answers each stone in the carrier there
until he has joined g and h.  What he has joined divides the part in two; in either half the other
colour's stones touch one chain only of those outside, v or w: the liberties of that chain are a
clique that cuts the half off, and all in it is dead (see _cutsets.inc.h).  So the cells of the
carrier are either the owner's or dead.

In Hex a side is a chain, with the stones that are connected to it.  In Y sides are both players',
and a part that reaches one is left alone.
"""
from libc.stdint cimport int16_t, uint8_t
from libc.string cimport memset

from trivalent.bot.knowledge._bitset cimport MAX_CELLS, cells_have, cells_t
from trivalent.bot.knowledge._virtual_connections cimport Connections
from trivalent.bot.knowledge._hsearch cimport (
    hsearch_colour, hsearch_first, hsearch_link, hsearch_link_t, hsearch_point, hsearch_t
)

cdef enum:
    MOST = 128  # chains of both colours
    SIDES = 4

ctypedef struct chains_t:
    int count
    int16_t of[SIDES + MAX_CELLS]  # behind the sides, by cell; -1 where there is none
    uint8_t colour[MOST]
    int16_t point[MOST]             # that stands for the chain in the search, behind the cells
    uint8_t touches[MOST][MOST]


cdef inline int node_of(int neighbour) noexcept nogil:
    """The number of a neighbour, a side or a cell."""
    return SIDES + neighbour if neighbour >= 0 else -1 - neighbour


cdef int new_chain(chains_t* chains, int colour, int point) noexcept nogil:
    """Return the number of a new chain; there has to be room."""
    cdef int chain = chains.count
    chains.colour[chain] = colour
    chains.point[chain] = point
    memset(chains.touches[chain], False, MOST)
    chains.count += 1
    return chain


cdef bint find(const hsearch_t* h, const uint8_t* stones, chains_t* chains) noexcept nogil:
    """Find the chains of both colours; False if there are too many."""
    cdef int16_t cells[MAX_CELLS]
    cdef int first, cell, i, a, b, count, done, other, chain
    chains.count = 0
    for i in range(SIDES):
        chains.of[i] = -1 if h.shared else new_chain(chains, 1 + i // 2, h.cells + i % 2)
    memset(chains.of + SIDES, 0xFF, h.cells * sizeof(int16_t))
    for first in range(h.cells):
        if stones[first] == 0 or chains.of[SIDES + first] >= 0:
            continue
        if chains.count == MOST:
            return False
        chain = -1
        cells[0] = first
        count = 1
        done = 0
        chains.of[SIDES + first] = chains.count
        while done < count:
            cell = cells[done]
            done += 1
            for i in range(6):
                other = node_of(h.around[6 * cell + i])
                if other < SIDES:
                    if chains.of[other] >= 0 and chains.colour[chains.of[other]] == stones[first]:
                        chain = chains.of[other]
                elif stones[other - SIDES] == stones[first] and chains.of[other] < 0:
                    chains.of[other] = chains.count
                    cells[count] = other - SIDES
                    count += 1
        if chain < 0:
            chain = new_chain(chains, stones[first], hsearch_point(h, first))
        for i in range(count):
            chains.of[SIDES + cells[i]] = chain
    for cell in range(h.cells):
        a = chains.of[SIDES + cell]
        for i in range(6):
            b = chains.of[node_of(h.around[6 * cell + i])]
            if a >= 0 and b >= 0 and a != b:
                chains.touches[a][b] = chains.touches[b][a] = True
    if not h.shared:  # a side touches those at its corners
        for i in range(SIDES):
            a, b = chains.of[i // 2], chains.of[2 + i % 2]
            chains.touches[a][b] = chains.touches[b][a] = True
    return True


cdef bint encloses(
    const hsearch_t* h, const chains_t* chains, const int* four, const cells_t* carrier
) noexcept nogil:
    """Whether four chains enclose a part of the board, as above, in which a carrier lies."""
    cdef int16_t todo[MAX_CELLS]
    cdef uint8_t inside[SIDES + MAX_CELLS]
    cdef uint8_t bars[MOST]
    cdef int length = 0, at, i, other, cell, direction, edges = 0, steps = 0, turns = 0
    cdef int chain, last, seen = 0, start, start_direction
    memset(bars, False, MOST)
    for i in range(4):
        bars[four[i]] = True
    memset(inside, False, SIDES + h.cells)
    start = start_direction = -1
    for cell in range(h.cells):
        if cells_have(carrier, cell):
            if length == 0:
                todo[0] = cell
                length = 1
                inside[SIDES + cell] = True
    while length:
        length -= 1
        at = todo[length]
        for i in range(6):
            other = node_of(h.around[6 * at + i])
            if chains.of[other] >= 0 and bars[chains.of[other]]:
                edges += 1
                start = at
                start_direction = i
            elif other < SIDES:
                return False
            elif not inside[other]:
                inside[other] = True
                todo[length] = other - SIDES
                length += 1
    for cell in range(h.cells):
        if cells_have(carrier, cell) and not inside[SIDES + cell]:
            return False
    if start < 0:
        return False
    # Round the edge: what comes next in the direction after is inside, then we go on from there,
    # or is not, then it is the next of the edge.
    cell = start
    direction = start_direction
    last = chains.of[node_of(h.around[6 * cell + direction])]
    while True:
        steps += 1
        other = node_of(h.around[6 * cell + (direction + 1) % 6])
        if inside[other]:
            cell = other - SIDES
            direction = (direction + 5) % 6
        else:
            direction = (direction + 1) % 6
        chain = chains.of[node_of(h.around[6 * cell + direction])]
        if chain != last:
            turns += 1
            last = chain
            for i in range(4):
                if four[i] == chain:
                    seen |= 1 << i
        if cell == start and direction == start_direction:
            break
    return steps == edges and turns == 4 and seen == 15


cdef int fill_between(
    const hsearch_t* h, const chains_t* chains, uint8_t* stones, const int* four
) noexcept nogil:
    """Fill in the carrier of a connection of the first two of four chains, if they enclose it."""
    cdef int number = hsearch_first(h, chains.point[four[0]], chains.point[four[1]], True)
    cdef hsearch_link_t link
    cdef const cells_t* carrier = <const cells_t*> link.carrier
    cdef int cell, filled
    while number >= 0:
        hsearch_link(h, number, &link)
        if encloses(h, chains, four, carrier):
            filled = 0
            for cell in range(h.cells):
                if cells_have(carrier, cell) and stones[cell] == 0:
                    stones[cell] = hsearch_colour(h)
                    filled += 1
            return filled
        number = link.next
    return 0


cdef inline bint is_end(const hsearch_t* h, const chains_t* chains, int chain) noexcept nogil:
    """Whether a chain is one of those that the search connects, which may be too many for it."""
    return chains.colour[chain] == hsearch_colour(h) and chains.point[chain] >= h.cells


cdef int decompose(const hsearch_t* h, uint8_t* stones) noexcept nogil:
    """Fill in what the colour of a search captures by its connections; return how many cells.

    The stones are those that the search has been for.
    """
    cdef chains_t chains
    cdef int four[4]
    cdef int g, k, v, w, filled = 0
    if not find(h, stones, &chains):
        return 0
    for g in range(chains.count):
        if not is_end(h, &chains, g):
            continue
        for k in range(g):
            if not is_end(h, &chains, k):
                continue
            if hsearch_first(h, chains.point[g], chains.point[k], True) < 0:
                continue
            for v in range(chains.count):  # chains that touch are of different colours
                if not (chains.touches[g][v] and chains.touches[k][v]):
                    continue
                for w in range(v):
                    if chains.touches[g][w] and chains.touches[k][w]:
                        four[0], four[1], four[2], four[3] = g, k, v, w
                        filled += fill_between(h, &chains, stones, four)
    return filled


def decomposed(Connections connections not None, const uint8_t[::1] stones not None):
    """Return the stones with what is captured by the connections built for them filled in."""
    filled = bytearray(stones)
    cdef uint8_t[::1] view = filled
    if len(filled) != connections.h.cells:
        raise ValueError(f"{len(filled)} stones for {connections.h.cells} cells")
    decompose(&connections.h, &view[0])
    return bytes(filled)
