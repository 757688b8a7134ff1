"""H-search from chains: what one colour can connect, whatever the opponent does.

A *full* connection holds if the opponent moves first, a *semi* connection if its owner does.  Each
needs the cells of its *carrier* only.  Both have a chain at one end, or a side, and at the other a
chain or an empty cell.  From one empty cell to the next there are but single steps: neighbours and
bridges.  Three rules make connections of others:

* two fulls that share no cell and meet in a chain make a full;
* two fulls that share no cell and meet in an empty cell, the key, make a semi;
* semis that have no cell in common to all of them make a full.

Small carriers come first.  Of each two ends only some connections are kept, of fulls those that
need other cells than the ones before: for what the opponent has to prevent that is what matters.
"""
from libc.stdint cimport int16_t, int32_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from trivalent.bot._cells cimport (
    MOST_CELLS, cells_add, cells_any, cells_count, cells_have, cells_join, cells_meet, cells_t
)

cdef enum:
    NEW, COMBINED, GONE  # states of a link


cdef inline bint is_subset(const cells_t* a, const cells_t* b) noexcept nogil:
    return (
        (a.word[0] & ~b.word[0]) | (a.word[1] & ~b.word[1])
        | (a.word[2] & ~b.word[2]) | (a.word[3] & ~b.word[3])
    ) == 0


cdef inline bint meets(const cells_t* a, const cells_t* b) noexcept nogil:
    return (
        (a.word[0] & b.word[0]) | (a.word[1] & b.word[1])
        | (a.word[2] & b.word[2]) | (a.word[3] & b.word[3])
    ) != 0


cdef int hsearch_init(hsearch_t* h, int cells, const int16_t* neighbours) except -1:
    """Prepare for positions of a board of up to 256 cells.  Raise MemoryError."""
    memset(h, 0, sizeof(hsearch_t))
    h.cells = cells
    h.neighbours = neighbours
    h.most_fulls = 4
    h.most_semis = 12
    h.most_size = 40
    h.capacity = 60_000
    h.links = <link_t*> calloc(h.capacity, sizeof(link_t))
    h.ends = <ends_t*> calloc(MOST_CHAINS * (cells + MOST_CHAINS), sizeof(ends_t))
    if not h.links or not h.ends:
        raise MemoryError
    return 0


cdef void hsearch_free(hsearch_t* h) noexcept nogil:
    free(h.links)
    free(h.ends)
    h.links = NULL
    h.ends = NULL


cdef inline ends_t* ends_of(const hsearch_t* h, int chain, int point) noexcept nogil:
    """What connects a chain with a point; of two chains the one with the lower number is first."""
    cdef int other = point - h.cells
    if other >= 0 and other < chain:
        return &h.ends[other * (h.cells + MOST_CHAINS) + h.cells + chain]
    return &h.ends[chain * (h.cells + MOST_CHAINS) + point]


cdef void unlink(hsearch_t* h, int32_t* at, int16_t* number) noexcept nogil:
    """Take a link out of its list."""
    cdef link_t* link = &h.links[at[0]]
    link.state = GONE
    at[0] = link.next
    number[0] -= 1


cdef int32_t new_link(
    hsearch_t* h, int chain, int point, const cells_t* carrier, int size
) noexcept nogil:
    cdef int32_t number = h.used
    cdef link_t* link
    if number == h.capacity:
        return -1
    h.used += 1
    link = &h.links[number]
    link.carrier = carrier[0]
    link.chain = chain
    link.point = point
    link.size = size
    link.state = NEW
    return number


cdef bint has_subset(const hsearch_t* h, int32_t number, const cells_t* carrier) noexcept nogil:
    """Whether a list has a link that needs none but these cells."""
    while number >= 0:
        if is_subset(&h.links[number].carrier, carrier):
            return True
        number = h.links[number].next
    return False


cdef bint drop_supersets(
    hsearch_t* h, int32_t* at, int16_t* number, const cells_t* carrier
) noexcept nogil:
    """Take those out of a list that need all these cells; return whether there were any."""
    cdef bint dropped = False
    while at[0] >= 0:
        if is_subset(carrier, &h.links[at[0]].carrier):
            unlink(h, at, number)
            dropped = True
        else:
            at = &h.links[at[0]].next
    return dropped


cdef void add_full(hsearch_t* h, int chain, int point, const cells_t* carrier) noexcept nogil:
    """Keep a full connection if it is worth it."""
    cdef ends_t* ends = ends_of(h, chain, point)
    cdef int size = cells_count(carrier)
    cdef int32_t number
    cdef bint better
    if size > h.most_size or has_subset(h, ends.fulls, carrier):
        return
    better = drop_supersets(h, &ends.fulls, &ends.full_count, carrier)
    if not better and ends.full_count and is_subset(&ends.meet, carrier):
        return
    if ends.full_count >= h.most_fulls:
        return
    drop_supersets(h, &ends.semis, &ends.semi_count, carrier)
    number = new_link(h, chain, point, carrier, size)
    if number < 0:
        return
    ends.meet = cells_meet(&ends.meet, carrier) if ends.full_count else carrier[0]
    h.links[number].next = ends.fulls
    ends.fulls = number
    ends.full_count += 1
    h.links[number].queue = h.queue[size]
    h.queue[size] = number
    h.smallest = min(h.smallest, size)


cdef void combine_semis(hsearch_t* h, int chain, int point, int32_t first) noexcept nogil:
    """Make a full of a semi and as few others as it takes to have no cell in common."""
    cdef ends_t* ends = ends_of(h, chain, point)
    cdef cells_t common = h.links[first].carrier
    cdef cells_t all = common
    cdef cells_t rest
    cdef int32_t number, best
    cdef int left, fewest, size, smallest
    while cells_any(&common):
        best = -1
        fewest = cells_count(&common)
        smallest = 0
        number = ends.semis
        while number >= 0:
            rest = cells_meet(&common, &h.links[number].carrier)
            left = cells_count(&rest)
            if left <= fewest:
                rest = cells_join(&all, &h.links[number].carrier)
                size = cells_count(&rest)
                if left < fewest or (best >= 0 and size < smallest):
                    best = number
                    fewest = left
                    smallest = size
            number = h.links[number].next
        if best < 0:
            return
        common = cells_meet(&common, &h.links[best].carrier)
        all = cells_join(&all, &h.links[best].carrier)
    add_full(h, chain, point, &all)


cdef void add_semi(
    hsearch_t* h, int chain, int point, const cells_t* carrier, int key
) noexcept nogil:
    """Keep a semi connection if it is worth it, and look whether it completes a full."""
    cdef ends_t* ends = ends_of(h, chain, point)
    cdef int size = cells_count(carrier)
    cdef int32_t* at
    cdef int32_t* largest
    cdef int32_t number
    cdef cells_t common = carrier[0]
    if (
        size > h.most_size or has_subset(h, ends.fulls, carrier)
        or has_subset(h, ends.semis, carrier)
    ):
        return
    drop_supersets(h, &ends.semis, &ends.semi_count, carrier)
    at = largest = &ends.semis
    while at[0] >= 0:
        if h.links[at[0]].size > h.links[largest[0]].size:
            largest = at
        at = &h.links[at[0]].next
    if ends.semi_count >= h.most_semis:
        if h.links[largest[0]].size <= size:
            return
        unlink(h, largest, &ends.semi_count)
    number = ends.semis
    while number >= 0:
        common = cells_meet(&common, &h.links[number].carrier)
        number = h.links[number].next
    number = new_link(h, chain, point, carrier, size)
    if number < 0:
        return
    h.links[number].key = key
    h.links[number].next = ends.semis
    ends.semis = number
    ends.semi_count += 1
    if not cells_any(&common):
        combine_semis(h, chain, point, number)


cdef inline void over_cell(
    hsearch_t* h, int chain, int cell, const cells_t* a, int point, const cells_t* b
) noexcept nogil:
    """Two fulls that meet in an empty cell."""
    cdef cells_t all
    if meets(a, b) or cells_have(b, cell) or (point < h.cells and cells_have(a, point)):
        return
    all = cells_join(a, b)
    cells_add(&all, cell)
    add_semi(h, chain, point, &all, cell)


cdef inline void over_chain(
    hsearch_t* h, int chain, const cells_t* a, int point, const cells_t* b
) noexcept nogil:
    """Two fulls that meet in a chain."""
    cdef cells_t all
    if meets(a, b) or (point < h.cells and cells_have(a, point)):
        return
    all = cells_join(a, b)
    add_full(h, chain, point, &all)


cdef void combine_ends(
    hsearch_t* h, int chain, int via, const cells_t* carrier
) noexcept nogil:
    """Combine a full of two chains with those that one of them, via, has with others."""
    cdef int point
    cdef int32_t number
    for point in range(h.cells + h.chains):
        if point == h.cells + chain or point == h.cells + via or (
            point < h.cells and h.point[point] != point
        ):
            continue
        number = ends_of(h, via, point).fulls
        while number >= 0:
            if h.links[number].state == COMBINED:
                over_chain(h, chain, carrier, point, &h.links[number].carrier)
            number = h.links[number].next


cdef void combine(hsearch_t* h, int32_t number) noexcept nogil:
    """Combine a full with all that have been combined before."""
    cdef link_t* link = &h.links[number]
    cdef cells_t carrier = link.carrier
    cdef cells_t step_carrier
    cdef const step_t* step
    cdef int chain = link.chain, point = link.point, other, i
    cdef int32_t with_number
    if point >= h.cells:
        combine_ends(h, chain, point - h.cells, &carrier)
        combine_ends(h, point - h.cells, chain, &carrier)
    else:
        for i in range(h.step_count[point]):
            step = &h.steps[point][i]
            memset(&step_carrier, 0, sizeof(cells_t))
            if step.carrier[0] >= 0:
                cells_add(&step_carrier, step.carrier[0])
                cells_add(&step_carrier, step.carrier[1])
            over_cell(h, chain, point, &carrier, step.to, &step_carrier)
        for other in range(h.chains):
            if other == chain:
                continue
            with_number = ends_of(h, other, point).fulls
            while with_number >= 0:
                if h.links[with_number].state == COMBINED:
                    over_cell(
                        h, chain, point, &carrier, h.cells + other, &h.links[with_number].carrier
                    )
                with_number = h.links[with_number].next
            with_number = ends_of(h, chain, h.cells + other).fulls
            while with_number >= 0:
                if h.links[with_number].state == COMBINED:
                    over_chain(h, other, &h.links[with_number].carrier, point, &carrier)
                with_number = h.links[with_number].next
    if h.links[number].state == NEW:
        h.links[number].state = COMBINED


cdef void find_chains(hsearch_t* h, const uint8_t* stones) noexcept nogil:
    """Number the chains: the sides first, with what is connected to them."""
    cdef int16_t todo[MOST_CELLS]
    cdef int cell, at, i, neighbour, number, chain, length
    for cell in range(h.cells):
        h.point[cell] = cell if stones[cell] == 0 else -1
    h.chains = 2
    for chain in range(2 + h.cells):
        length = 0
        if chain < 2:  # a side begins with the stones on it
            for cell in range(h.cells):
                if stones[cell] == h.colour and h.point[cell] == -1:
                    for i in range(6):
                        if h.neighbours[6 * cell + i] == -1 - h.sides[chain]:
                            h.point[cell] = h.cells + chain
                            todo[length] = cell
                            length += 1
                            break
            number = chain
        else:
            cell = chain - 2
            if stones[cell] != h.colour or h.point[cell] != -1 or h.chains == MOST_CHAINS:
                continue
            number = h.chains
            h.chains += 1
            h.point[cell] = h.cells + number
            todo[length] = cell
            length += 1
        while length:
            length -= 1
            at = todo[length]
            for i in range(6):
                neighbour = h.neighbours[6 * at + i]
                if neighbour >= 0 and stones[neighbour] == h.colour and h.point[neighbour] == -1:
                    h.point[neighbour] = h.cells + number
                    todo[length] = neighbour
                    length += 1


cdef void find_steps(hsearch_t* h) noexcept nogil:
    """List the steps from each empty cell to others: to neighbours, and by bridges."""
    cdef int cell, i, a, b, c, k
    cdef step_t* step
    for cell in range(h.cells):
        h.step_count[cell] = 0
        if h.point[cell] != cell:
            continue
        for i in range(6):
            a = h.neighbours[6 * cell + i]
            b = h.neighbours[6 * cell + (i + 1) % 6]
            if a < 0 or h.point[a] != a:
                continue
            step = &h.steps[cell][h.step_count[cell]]
            step.to = a
            step.carrier[0] = step.carrier[1] = -1
            h.step_count[cell] += 1
            if b < 0 or h.point[b] != b:
                continue
            # What is next to both, and not the cell itself: the neighbours of a go round the
            # same way, and behind b comes the far end.
            for k in range(6):
                if h.neighbours[6 * a + k] == cell:
                    break
            c = h.neighbours[6 * a + (k + 4) % 6]
            if c < 0 or h.point[c] != c:
                continue
            step = &h.steps[cell][h.step_count[cell]]
            step.to = c
            step.carrier[0] = a
            step.carrier[1] = b
            h.step_count[cell] += 1


cdef void hsearch_build(hsearch_t* h, const uint8_t* stones, int colour) noexcept nogil:
    """Find the connections of a colour."""
    cdef int points = h.cells + MOST_CHAINS, i, cell, chain, point, number, size
    cdef cells_t nothing
    cdef ends_t* ends
    memset(&nothing, 0, sizeof(cells_t))
    h.colour = colour
    h.sides[0] = 0 if colour == 1 else 2
    h.sides[1] = h.sides[0] + 1
    find_chains(h, stones)
    find_steps(h)
    h.used = 0
    for chain in range(h.chains):
        for point in range(h.cells + h.chains):
            ends = &h.ends[chain * points + point]
            ends.fulls = ends.semis = -1
            ends.full_count = ends.semi_count = 0
    for size in range(SIZES):
        h.queue[size] = -1
    h.smallest = SIZES
    for cell in range(h.cells):
        if h.point[cell] != cell:
            continue
        for i in range(6):
            point = h.neighbours[6 * cell + i]
            chain = -1
            if point >= 0:
                chain = h.point[point] - h.cells  # negative unless there is a chain
            elif -1 - point == h.sides[0]:
                chain = 0
            elif -1 - point == h.sides[1]:
                chain = 1
            if chain >= 0 and ends_of(h, chain, cell).fulls < 0:
                add_full(h, chain, cell, &nothing)
    while h.smallest < SIZES:
        number = h.queue[h.smallest]
        if number < 0:
            h.smallest += 1
            continue
        h.queue[h.smallest] = h.links[number].queue
        if h.links[number].state == NEW:
            combine(h, number)


cdef int hsearch_winner(const hsearch_t* h) noexcept nogil:
    """2 if the sides are connected whoever moves, 1 if they are when the colour moves, else 0."""
    cdef const ends_t* ends = ends_of(h, 0, h.cells + 1)
    return 2 if ends.fulls >= 0 else 1 if ends.semis >= 0 else 0


cdef bint hsearch_mustplay(const hsearch_t* h, cells_t* cells) noexcept nogil:
    """The cells of all semis between the sides; False if there is no such semi."""
    cdef int32_t number = ends_of(h, 0, h.cells + 1).semis
    if number < 0:
        return False
    cells[0] = h.links[number].carrier
    while number >= 0:
        cells[0] = cells_meet(cells, &h.links[number].carrier)
        number = h.links[number].next
    return True


cdef int smallest_link(const hsearch_t* h) noexcept nogil:
    cdef const ends_t* ends = ends_of(h, 0, h.cells + 1)
    cdef int32_t number = ends.fulls if ends.fulls >= 0 else ends.semis
    cdef int32_t best = number
    while number >= 0:
        if h.links[number].size < h.links[best].size:
            best = number
        number = h.links[number].next
    return best


cdef int hsearch_smallest(const hsearch_t* h) noexcept nogil:
    """The cells of the smallest full between the sides, or else of the smallest semi; or -1."""
    cdef int number = smallest_link(h)
    return h.links[number].size if number >= 0 else -1


cdef bint hsearch_carrier(const hsearch_t* h, cells_t* cells) noexcept nogil:
    """The carrier of that connection; False if there is none."""
    cdef int number = smallest_link(h)
    if number < 0:
        return False
    cells[0] = h.links[number].carrier
    return True


def can_connect(board):
    """Whether connections can be found on a board."""
    return board.game == "hex" and len(board) <= MOST_CELLS


cdef class Connections:
    """The connections of a colour in a position of Hex."""

    def __cinit__(self, board not None):
        cdef int i
        if not can_connect(board):
            raise ValueError(f"no connections on {board}")
        ring = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))
        cells = {place: cell for cell, place in enumerate(board.coordinates)}
        for (x, y), cell in cells.items():
            for i, (dx, dy) in enumerate(ring):
                place = x + dx, y + dy
                self.around[6 * cell + i] = cells.get(
                    place,
                    -1 if place[1] < 0 else -2 if place[1] == board.height
                    else -3 if place[0] < 0 else -4
                )
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
        return hsearch_winner(&self.h)

    @property
    def mustplay(self):
        cdef cells_t cells
        if not hsearch_mustplay(&self.h, &cells):
            return None
        return [cell for cell in range(self.h.cells) if cells_have(&cells, cell)]

    @property
    def points(self):
        """The point of each cell: itself, its chain behind the cells, or -1."""
        return [self.h.point[cell] for cell in range(self.h.cells)]

    def all(self):
        """All connections: (full or not, chain, point, carrier, key)."""
        cdef int chain, point
        cdef int32_t number
        found = []
        for chain in range(self.h.chains):
            for point in range(self.h.cells + self.h.chains):
                if point >= self.h.cells and point - self.h.cells <= chain:
                    continue
                for full in (True, False):
                    ends = ends_of(&self.h, chain, point)
                    number = ends.fulls if full else ends.semis
                    while number >= 0:
                        carrier = [
                            c for c in range(self.h.cells)
                            if cells_have(&self.h.links[number].carrier, c)
                        ]
                        found.append(
                            (full, chain, point, carrier, -1 if full else self.h.links[number].key)
                        )
                        number = self.h.links[number].next
        return found
