"""Fill-in by decomposition: a connection divides a region enclosed by four chains.

Let g, v, h, w be four chains, g and h of one colour, v and w of the other, each touching the next,
and w touching g.  They enclose a region if its boundary is a single closed curve along which these
four chains follow each other, once each, and if it reaches no other side of the board.  Suppose g
and h have a full connection whose carrier lies in that region.  Then its owner captures the
carrier: he answers each stone played in it until g and h are joined.  The chain that joins them
divides the region in two.  In either half the other colour's stones touch only one chain outside
it, v or w; the liberties of that chain are a clique that cuts the half off, so everything in the
half is dead (see _cutsets.inc.h).  Hence every cell of the carrier is either the owner's or dead.

In Hex a side counts as a chain, together with the stones connected to it.  In Y sides belong to
both players, and a region that reaches one is left alone.
"""
from libc.stdint cimport int16_t, uint8_t
from libc.string cimport memset

from trivalent.bot.knowledge._bitset cimport MAX_CELLS, cells_has, cells_t
from trivalent.bot.knowledge._virtual_connections cimport Connections
from trivalent.bot.knowledge._hsearch cimport (
    hsearch_colour, hsearch_first, hsearch_link, hsearch_link_t, hsearch_point, hsearch_t
)

cdef enum:
    MAX_CHAINS = 128  # of both colours
    SIDES = 4

ctypedef struct chains_t:
    int count
    int16_t of[SIDES + MAX_CELLS]   # the chain of each side and, after the sides, each cell; or -1
    uint8_t colour[MAX_CHAINS]
    int16_t point[MAX_CHAINS]       # the point of H-search that represents the chain
    uint8_t touches[MAX_CHAINS][MAX_CHAINS]


cdef inline int node_of(int neighbour) noexcept nogil:
    """Return the index in `chains_t.of` of a neighbour: a cell, or -1 - side."""
    return SIDES + neighbour if neighbour >= 0 else -1 - neighbour


cdef int new_chain(chains_t* chains, int colour, int point) noexcept nogil:
    """Add a chain and return its number.  The caller makes sure that there is room."""
    cdef int chain = chains.count
    chains.colour[chain] = colour
    chains.point[chain] = point
    memset(chains.touches[chain], False, MAX_CHAINS)
    chains.count += 1
    return chain


cdef bint find_chains(const hsearch_t* h, const uint8_t* stones, chains_t* chains) noexcept nogil:
    """Find the chains of both colours and which of them touch.  Return False if there are too many.
    """
    cdef int16_t cells[MAX_CELLS]
    cdef int first, cell, i, a, b, count, done, other, chain
    chains.count = 0
    for i in range(SIDES):
        chains.of[i] = -1 if h.shared else new_chain(chains, 1 + i // 2, h.cells + i % 2)
    memset(chains.of + SIDES, 0xFF, h.cells * sizeof(int16_t))
    for first in range(h.cells):
        if stones[first] == 0 or chains.of[SIDES + first] >= 0:
            continue
        if chains.count == MAX_CHAINS:
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
    if not h.shared:  # sides of Hex touch each other at the corners of the board
        for i in range(SIDES):
            a, b = chains.of[i // 2], chains.of[2 + i % 2]
            chains.touches[a][b] = chains.touches[b][a] = True
    return True


cdef bint encloses(
    const hsearch_t* h, const chains_t* chains, const int* four, const cells_t* carrier
) noexcept nogil:
    """Return whether four chains enclose a region, as defined above, that contains a carrier."""
    cdef int16_t todo[MAX_CELLS]
    cdef uint8_t inside[SIDES + MAX_CELLS]
    cdef uint8_t bars[MAX_CHAINS]
    cdef int length = 0, at, i, other, cell, direction, edges = 0, steps = 0, turns = 0
    cdef int chain, last, seen = 0, start, start_direction
    memset(bars, False, MAX_CHAINS)
    for i in range(4):
        bars[four[i]] = True
    memset(inside, False, SIDES + h.cells)
    start = start_direction = -1
    for cell in range(h.cells):
        if cells_has(carrier, cell):
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
        if cells_has(carrier, cell) and not inside[SIDES + cell]:
            return False
    if start < 0:
        return False
    # Walk along the boundary with the region on one side.  Turn to the next direction: if the cell
    # there is inside, step to it and look back; otherwise it is the next piece of the boundary.
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
    """Fill in the carrier of a full between the first two of four chains, if they enclose it.

    Return the number of cells filled in.
    """
    cdef int number = hsearch_first(h, chains.point[four[0]], chains.point[four[1]], True)
    cdef hsearch_link_t link
    cdef int cell, filled
    while number >= 0:
        hsearch_link(h, number, &link)
        if encloses(h, chains, four, &link.carrier):
            filled = 0
            for cell in range(h.cells):
                if cells_has(&link.carrier, cell) and stones[cell] == 0:
                    stones[cell] = hsearch_colour(h)
                    filled += 1
            return filled
        number = link.next
    return 0


cdef inline bint is_end(const hsearch_t* h, const chains_t* chains, int chain) noexcept nogil:
    """Return whether H-search connects this chain: it may have run out of chains."""
    return chains.colour[chain] == hsearch_colour(h) and chains.point[chain] >= h.cells


cdef int decompose(const hsearch_t* h, uint8_t* stones) noexcept nogil:
    """Fill in what the colour of an H-search captures by its full connections.

    The stones must be those of the position that was searched.  Return the number of cells filled
    in.
    """
    cdef chains_t chains
    cdef int four[4]
    cdef int g, k, v, w, filled = 0
    if not find_chains(h, stones, &chains):
        return 0
    for g in range(chains.count):
        if not is_end(h, &chains, g):
            continue
        for k in range(g):
            if not is_end(h, &chains, k):
                continue
            if hsearch_first(h, chains.point[g], chains.point[k], True) < 0:
                continue
            for v in range(chains.count):  # chains that touch g have the other colour
                if not (chains.touches[g][v] and chains.touches[k][v]):
                    continue
                for w in range(v):
                    if chains.touches[g][w] and chains.touches[k][w]:
                        four[0], four[1], four[2], four[3] = g, k, v, w
                        filled += fill_between(h, &chains, stones, four)
    return filled


def decomposed(Connections connections not None, const uint8_t[::1] stones not None):
    """Return the stones with everything filled in that the connections built for them capture.

    Raise ValueError if the number of stones doesn't fit the board.
    """
    filled = bytearray(stones)
    cdef uint8_t[::1] view = filled
    if len(filled) != connections.h.cells:
        raise ValueError(f"{len(filled)} stones for a board of {connections.h.cells} cells")
    decompose(&connections.h, &view[0])
    return bytes(filled)
