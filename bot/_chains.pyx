"""H-search from chains: what one colour can connect, whatever the opponent does.

A *full* connection holds if the opponent moves first, a *semi* connection if its owner does.  Each
needs the cells of its *carrier* only.  Both have a chain at one end, or a side, and at the other a
chain or an empty cell.  From one empty cell to the next there are but single steps: neighbours and
bridges.  Three rules make connections of others:

* two fulls that share no cell and meet in a chain make a full;
* two fulls that share no cell and meet in an empty cell, the key, make a semi;
* semis that have no cell in common to all of them make a full.

In Y the sides are both players' and join nothing; who connects one point to all three sides by
connections that share no cell (a tripod) has won, and such tripods make others by the third rule.

Small carriers come first.  Of each two ends only some connections are kept, of fulls those that
need other cells than the ones before: for what the opponent has to prevent that is what matters.
"""
from libc.stdint cimport int16_t, int32_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from trivalent.bot._cells cimport (
    MOST_CELLS, cells_add, cells_any, cells_count, cells_have, cells_join, cells_meet, cells_t
)

cdef enum:
    NEW, COMBINED, GONE  # states of a link
    MOST_PARTS = 16

ctypedef struct source_t:  # what a link is made of
    int rule
    int count
    int32_t part[MOST_PARTS]


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
    cdef int i
    memset(h, 0, sizeof(hsearch_t))
    h.cells = cells
    h.neighbours = neighbours
    h.shared = True  # unless there are four sides
    for i in range(6 * cells):
        if neighbours[i] == -4:
            h.shared = False
    h.side_count = MOST_SIDES if h.shared else 2
    h.most_fulls = 4
    h.most_semis = 12
    h.most_size = 40
    h.capacity = 60_000
    h.parts_capacity = 4 * h.capacity
    # Not cleared: each is written before it is read, and most of them never are.
    h.links = <link_t*> malloc(h.capacity * sizeof(link_t))
    h.parts = <int32_t*> malloc(h.parts_capacity * sizeof(int32_t))
    h.ends = <ends_t*> calloc(MOST_CHAINS * (cells + MOST_CHAINS), sizeof(ends_t))
    if not h.links or not h.parts or not h.ends:
        raise MemoryError
    return 0


cdef void hsearch_free(hsearch_t* h) noexcept nogil:
    free(h.links)
    free(h.parts)
    free(h.ends)
    h.links = NULL
    h.parts = NULL
    h.ends = NULL


cdef void unlink(hsearch_t* h, int32_t* at, int16_t* number) noexcept nogil:
    """Take a link out of its list."""
    cdef link_t* link = &h.links[at[0]]
    link.state = GONE
    at[0] = link.next
    number[0] -= 1


cdef int32_t new_link(
    hsearch_t* h, int chain, int point, const cells_t* carrier, int size, const source_t* source
) noexcept nogil:
    cdef int32_t number = h.used
    cdef link_t* link
    cdef int i
    if number == h.capacity or h.parts_used + source.count > h.parts_capacity:
        return -1
    h.used += 1
    link = &h.links[number]
    link.carrier = carrier[0]
    link.chain = chain
    link.point = point
    link.size = size
    link.key = -1
    link.state = NEW
    link.rule = source.rule
    link.parts = h.parts_used
    link.part_count = source.count
    for i in range(source.count):
        h.parts[h.parts_used + i] = source.part[i]
    h.parts_used += source.count
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


cdef void add_full(
    hsearch_t* h, int chain, int point, const cells_t* carrier, const source_t* source
) noexcept nogil:
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
    number = new_link(h, chain, point, carrier, size, source)
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
    cdef source_t source
    source.rule = OR
    source.part[0] = first
    source.count = 1
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
        if best < 0 or source.count == MOST_PARTS:
            return
        source.part[source.count] = best
        source.count += 1
        common = cells_meet(&common, &h.links[best].carrier)
        all = cells_join(&all, &h.links[best].carrier)
    add_full(h, chain, point, &all, &source)


cdef void add_semi(
    hsearch_t* h, int chain, int point, const cells_t* carrier, int key, const source_t* source
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
    number = new_link(h, chain, point, carrier, size, source)
    if number < 0:
        return
    h.links[number].key = key
    h.links[number].next = ends.semis
    ends.semis = number
    ends.semi_count += 1
    if not cells_any(&common):
        combine_semis(h, chain, point, number)


cdef inline source_t both(int32_t a, int32_t b) noexcept nogil:
    cdef source_t source
    source.rule = AND
    source.part[0] = a
    source.part[1] = b
    source.count = 2
    return source


cdef inline bint is_side(const hsearch_t* h, int chain) noexcept nogil:
    """Whether a chain is a side that does not join what is connected to it."""
    return h.shared and chain < MOST_SIDES


cdef inline void over_cell(
    hsearch_t* h, int chain, int cell, int32_t first, int point, const cells_t* b, int32_t second
) noexcept nogil:
    """Two fulls that meet in an empty cell; the second may be a step, which is -1."""
    cdef const cells_t* a = &h.links[first].carrier
    cdef cells_t all
    cdef source_t source
    if meets(a, b) or cells_have(b, cell) or (point < h.cells and cells_have(a, point)):
        return
    if is_side(h, chain) and point >= h.cells and is_side(h, point - h.cells):
        return
    all = cells_join(a, b)
    cells_add(&all, cell)
    source = both(first, second)
    add_semi(h, chain, point, &all, cell, &source)


cdef inline void over_chain(
    hsearch_t* h, int chain, int32_t first, int point, int32_t second
) noexcept nogil:
    """Two fulls that meet in a chain."""
    cdef const cells_t* a = &h.links[first].carrier
    cdef const cells_t* b = &h.links[second].carrier
    cdef cells_t all
    cdef source_t source
    if meets(a, b) or (point < h.cells and cells_have(a, point)):
        return
    if is_side(h, chain) and point >= h.cells and is_side(h, point - h.cells):
        return
    all = cells_join(a, b)
    source = both(first, second)
    add_full(h, chain, point, &all, &source)


cdef void combine_ends(hsearch_t* h, int chain, int via, int32_t first) noexcept nogil:
    """Combine a full of two chains with those that one of them, via, has with others."""
    cdef int point
    cdef int32_t number
    if is_side(h, via):
        return
    for point in range(h.cells + h.chains):
        if point == h.cells + chain or point == h.cells + via or (
            point < h.cells and h.point[point] != point
        ):
            continue
        number = ends_of(h, via, point).fulls
        while number >= 0:
            if h.links[number].state == COMBINED:
                over_chain(h, chain, first, point, number)
            number = h.links[number].next


cdef void combine(hsearch_t* h, int32_t number) noexcept nogil:
    """Combine a full with all that have been combined before."""
    cdef link_t* link = &h.links[number]
    cdef cells_t step_carrier
    cdef const step_t* step
    cdef int chain = link.chain, point = link.point, other, i
    cdef int32_t with_number
    if point >= h.cells:
        combine_ends(h, chain, point - h.cells, number)
        combine_ends(h, point - h.cells, chain, number)
    else:
        for i in range(h.step_count[point]):
            step = &h.steps[point][i]
            memset(&step_carrier, 0, sizeof(cells_t))
            if step.carrier[0] >= 0:
                cells_add(&step_carrier, step.carrier[0])
                cells_add(&step_carrier, step.carrier[1])
            over_cell(h, chain, point, number, step.to, &step_carrier, -1)
        for other in range(h.chains):
            if other == chain:
                continue
            with_number = ends_of(h, other, point).fulls
            while with_number >= 0:
                if h.links[with_number].state == COMBINED:
                    over_cell(
                        h, chain, point, number, h.cells + other, &h.links[with_number].carrier,
                        with_number
                    )
                with_number = h.links[with_number].next
            if is_side(h, chain):
                continue
            with_number = ends_of(h, chain, h.cells + other).fulls
            while with_number >= 0:
                if h.links[with_number].state == COMBINED:
                    over_chain(h, other, with_number, point, number)
                with_number = h.links[with_number].next
    if h.links[number].state == NEW:
        h.links[number].state = COMBINED


cdef void find_tripods(hsearch_t* h) noexcept nogil:
    """Connect points to all three sides of Y; chains 0 and 1 stand for these."""
    cdef int point, i
    for point in range(h.cells + h.chains):
        if point < h.cells and h.point[point] != point:
            continue
        if point >= h.cells and is_side(h, point - h.cells):
            continue
        add_tripods(
            h, point, ends_of(h, 0, point).fulls, ends_of(h, 1, point).fulls,
            ends_of(h, 2, point).fulls
        )
        for i in range(3 if point >= h.cells else 0):  # and with a semi to one of the sides
            add_tripods(
                h, point, ends_of(h, i, point).semis, ends_of(h, (i + 1) % 3, point).fulls,
                ends_of(h, (i + 2) % 3, point).fulls
            )


cdef void add_tripods(
    hsearch_t* h, int point, int32_t first, int32_t second, int32_t third
) noexcept nogil:
    """Connect a point to the sides by three links, one of each list, that share no cell.

    Those of the first list may be semis, if the point is a chain.
    """
    cdef int32_t a = first, b, c
    cdef const cells_t* carrier
    cdef cells_t two, all
    cdef source_t source
    source.rule = TRIPOD
    source.count = 3
    while a >= 0:
        carrier = &h.links[a].carrier
        b = second
        while b >= 0:
            c = -1 if meets(carrier, &h.links[b].carrier) else third
            two = cells_join(carrier, &h.links[b].carrier)
            while c >= 0:
                if not meets(&two, &h.links[c].carrier):
                    all = cells_join(&two, &h.links[c].carrier)
                    source.part[0] = a
                    source.part[1] = b
                    source.part[2] = c
                    if point < h.cells:
                        cells_add(&all, point)
                        add_semi(h, 0, h.cells + 1, &all, point, &source)
                    elif h.links[a].key >= 0:
                        add_semi(h, 0, h.cells + 1, &all, h.links[a].key, &source)
                    else:
                        add_full(h, 0, h.cells + 1, &all, &source)
                c = h.links[c].next
            b = h.links[b].next
        a = h.links[a].next


cdef void find_chains(hsearch_t* h, const uint8_t* stones) noexcept nogil:
    """Number the chains: the sides first, with what is connected to them."""
    cdef int16_t todo[MOST_CELLS]
    cdef int cell, at, i, neighbour, number, chain, length
    for cell in range(h.cells):
        h.point[cell] = cell if stones[cell] == 0 else -1
    h.chains = h.side_count
    for chain in range(h.side_count + h.cells):
        length = 0
        if chain < h.side_count:  # a side begins with the stones on it, if it is one player's
            for cell in range(0 if h.shared else h.cells):
                if stones[cell] == h.colour and h.point[cell] == -1:
                    for i in range(6):
                        if h.neighbours[6 * cell + i] == -1 - h.sides[chain]:
                            h.point[cell] = h.cells + chain
                            todo[length] = cell
                            length += 1
                            break
            number = chain
        else:
            cell = chain - h.side_count
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


cdef void add_neighbours(hsearch_t* h) noexcept nogil:
    """Connect what lies next to each other: cells and chains, and in Y chains and sides."""
    cdef int cell, i, neighbour, chain, point
    cdef cells_t nothing
    cdef source_t source
    memset(&nothing, 0, sizeof(cells_t))
    source.rule = BASE
    source.count = 0
    for cell in range(h.cells):
        point = h.point[cell]
        if point < 0 or (point >= h.cells and not h.shared):
            continue
        for i in range(6):
            neighbour = h.neighbours[6 * cell + i]
            chain = -1
            if neighbour >= 0:
                if point < h.cells:
                    chain = h.point[neighbour] - h.cells  # negative unless there is a chain
            elif -1 - neighbour - h.sides[0] < h.side_count:
                chain = -1 - neighbour - h.sides[0]  # negative for a side before ours
            if chain >= 0 and ends_of(h, chain, point).fulls < 0:
                add_full(h, chain, point, &nothing, &source)


cdef void hsearch_build(hsearch_t* h, const uint8_t* stones, int colour) noexcept nogil:
    """Find the connections of a colour."""
    cdef int points = h.cells + MOST_CHAINS, i, chain, point, number, size
    cdef ends_t* ends
    h.colour = colour
    for i in range(h.side_count):
        h.sides[i] = i if h.shared or colour == 1 else i + 2
    find_chains(h, stones)
    find_steps(h)
    h.used = h.parts_used = 0
    for chain in range(h.chains):
        for point in range(h.cells + h.chains):
            ends = &h.ends[chain * points + point]
            ends.fulls = ends.semis = -1
            ends.full_count = ends.semi_count = 0
    for size in range(SIZES):
        h.queue[size] = -1
    h.smallest = SIZES
    add_neighbours(h)
    while h.smallest < SIZES:
        number = h.queue[h.smallest]
        if number < 0:
            h.smallest += 1
            continue
        h.queue[h.smallest] = h.links[number].queue
        if h.links[number].state == NEW:
            combine(h, number)
    if h.shared:
        find_tripods(h)


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
