"""Positions on the path of the solver: their keys, and what decides them.

Positions are filled in before anything else.  Of all images of a position the one with the least
key is in the table.  Whatever is proven has a carrier: cells that the win needs, the winner having
all others against him.  So what refutes one move refutes all that leave its carrier alone; they
need no search of their own.
"""
from libc.stdint cimport int16_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from trivalent.bot.solver._dfpn_table cimport (
    INFINITE, bounds_t, position_key_t, table_find, table_store
)
from trivalent.bot.knowledge._bitset cimport (
    MAX_CELLS, cells_add, cells_count, cells_have, cells_join, cells_meet, cells_t
)
from trivalent.core._colours cimport colour_index, opponent


cdef inline void toggle(position_key_t* key, const position_key_t* by) noexcept nogil:
    key.word[0] ^= by.word[0]
    key.word[1] ^= by.word[1]


cdef cells_t mapped(const solver_t* s, const cells_t* cells, const int16_t* to) noexcept nogil:
    cdef cells_t image
    cdef int cell
    memset(&image, 0, sizeof(cells_t))
    for cell in range(s.cells):
        if cells_have(cells, cell):
            cells_add(&image, to[cell])
    return image


cdef void choose_image(const solver_t* s, frame_t* frame) noexcept nogil:
    """Of all images of a position the one with the least key stands for it."""
    cdef int i
    frame.symmetry = 0
    for i in range(1, s.symmetries):
        if frame.images[i].word[0] < frame.images[frame.symmetry].word[0]:
            frame.symmetry = i
    frame.key = frame.images[frame.symmetry]


cdef void add_keys(const solver_t* s, frame_t* frame, int cell) noexcept nogil:
    cdef int i
    for i in range(s.symmetries):
        toggle(&frame.images[i], &s.stone_keys[frame.stones[cell] - 1][s.image[i][cell]])


cdef void set_root(worker_t* w, const uint8_t* stones, int to_play) noexcept nogil:
    """Make a position, filled in, the first one of the path."""
    cdef const solver_t* s = w.solver
    cdef frame_t* frame = w.frames
    cdef int cell, i
    frame.to_play = to_play
    memcpy(frame.stones, stones, s.cells)
    w.examiner.fill_in(w.examiner.fillin, frame.stones, to_play, False, NULL)
    for i in range(s.symmetries):
        frame.images[i] = s.to_play[colour_index(to_play)]
    for cell in range(s.cells):
        if frame.stones[cell]:
            add_keys(s, frame, cell)
    choose_image(s, frame)


cdef void set_child(worker_t* w, const frame_t* frame, int move) noexcept nogil:
    """Make the position after a move, filled in, the next one of the path."""
    cdef const solver_t* s = w.solver
    cdef frame_t* child = <frame_t*> frame + 1
    cdef int cell, i
    child.to_play = opponent(frame.to_play)
    memcpy(child.stones, frame.stones, s.cells)
    child.stones[move] = frame.to_play
    w.examiner.fill_in(w.examiner.fillin, child.stones, child.to_play, False, NULL)
    memcpy(child.images, frame.images, sizeof(frame.images))
    for i in range(s.symmetries):
        toggle(&child.images[i], &s.to_play[0])
        toggle(&child.images[i], &s.to_play[1])
    for cell in range(s.cells):
        if child.stones[cell] != frame.stones[cell]:
            add_keys(s, child, cell)
    choose_image(s, child)


cdef void add_gains(
    const solver_t* s, const uint8_t* before, const uint8_t* after, int colour, cells_t* carrier
) noexcept nogil:
    """Add the cells that have got stones of a colour."""
    cdef int cell
    for cell in range(s.cells):
        if after[cell] == colour and before[cell] == 0:
            cells_add(carrier, cell)


cdef void set_solved(frame_t* frame, int winner, int move) noexcept nogil:
    frame.bounds.phi = 0 if winner > 0 else INFINITE
    frame.bounds.delta = INFINITE if winner > 0 else 0
    frame.bounds.move = move


cdef void store(worker_t* w, const frame_t* frame) noexcept nogil:
    cdef solver_t* s = w.solver
    cdef bounds_t bounds = frame.bounds
    cdef cells_t carrier
    if bounds.move >= 0:
        bounds.move = s.image[frame.symmetry][bounds.move]
    if is_solved(&bounds):
        carrier = mapped(s, &frame.carrier, s.image[frame.symmetry])
    table_store(&s.table, &frame.key, &bounds, &carrier)


cdef bint load(worker_t* w, frame_t* frame) noexcept nogil:
    """Get what the table has of a position."""
    cdef solver_t* s = w.solver
    cdef cells_t carrier
    if table_find(&s.table, &frame.key, &frame.bounds, &carrier) < 0:
        return False
    if frame.bounds.move >= 0:
        frame.bounds.move = s.origin[frame.symmetry][frame.bounds.move]
    if is_solved(&frame.bounds):
        frame.carrier = mapped(s, &carrier, s.origin[frame.symmetry])
    return True


cdef bint add_excuses(
    const worker_t* w, const frame_t* frame, const cells_t* left, cells_t* total
) noexcept nogil:
    """Add what shows that moves left over need no refutation; return whether that was anything.

    Either the opponent has a reply that makes the move dead, or it is dominated.
    """
    cdef const solver_t* s = w.solver
    cdef const examiner_t* e = &w.examiner
    cdef uint8_t needs[MAX_CELLS]
    cdef cells_t more = total[0]
    cdef int i, k, cell
    for cell in range(s.cells):
        if not (cells_have(left, cell) and cells_have(total, cell)):
            continue
        for i in range(frame.count):
            if frame.children[i].cell == cell:  # it is dominated
                more = cells_join(&more, &frame.children[frame.children[i].dominator].changed)
                break
        else:
            e.reverse(e.fillin, frame.stones, frame.to_play, cell, needs)
            for k in range(s.cells):
                if needs[k]:
                    cells_add(&more, k)
    if cells_count(&more) == cells_count(total):
        return False
    total[0] = more
    return True


cdef void lose(worker_t* w, frame_t* frame) noexcept nogil:
    """The side to move has no move left: find few cells that are enough to refute them all."""
    cdef const solver_t* s = w.solver
    cdef const cells_t* carrier
    cdef const cells_t* best
    cdef cells_t left, total, some
    cdef int cell, i, size, smallest, best_move
    cdef bint refuted = False
    memset(&left, 0, sizeof(cells_t))
    memset(&total, 0, sizeof(cells_t))
    for cell in range(s.cells):
        if frame.stones[cell] == 0:
            cells_add(&left, cell)
    while True:
        best = NULL
        smallest = 2 * MAX_CELLS
        best_move = -1
        for i in range(frame.found.ways + frame.count):
            if i < frame.found.ways:
                carrier = &frame.found.carriers[i]
                cell = -1
            elif frame.children[i - frame.found.ways].state == REFUTED:
                carrier = &frame.children[i - frame.found.ways].carrier
                cell = frame.children[i - frame.found.ways].cell
            else:
                continue
            some = cells_meet(&left, carrier)
            size = cells_count(&some)
            if size == cells_count(&left) and (cell < 0 or not cells_have(&left, cell)):
                continue
            some = cells_join(&total, carrier)
            size = cells_count(&some)
            if size < smallest:
                smallest = size
                best = carrier
                best_move = cell
        if best == NULL:
            break
        refuted = True
        left = cells_meet(&left, best)
        total = cells_join(&total, best)
        if best_move >= 0:
            left.word[best_move >> 6] &= ~(<uint64_t> 1 << (best_move & 63))
    if not refuted:  # all moves have excuses, whose cells may be anywhere
        total = left
    while add_excuses(w, frame, &left, &total):
        pass
    best_move = -1
    for i in range(frame.count):
        if best_move < 0 or frame.children[i].work > frame.children[best_move].work:
            best_move = i
    frame.carrier = total
    set_solved(frame, -1, frame.children[best_move].cell if best_move >= 0 else -1)


cdef void settle(
    worker_t* w, frame_t* frame, int number, const bounds_t* bounds, const cells_t* carrier
) noexcept nogil:
    """Take in that a move is decided; its position is the next one of the path."""
    cdef const solver_t* s = w.solver
    cdef child_t* child = &frame.children[number]
    cdef const frame_t* after = frame + 1
    cdef int i
    if bounds.delta == 0:
        frame.carrier = carrier[0]
        add_gains(s, frame.stones, after.stones, frame.to_play, &frame.carrier)
        set_solved(frame, 1, child.cell)
        return
    child.state = REFUTED
    child.carrier = carrier[0]
    add_gains(s, frame.stones, after.stones, after.to_play, &child.carrier)
    for i in range(frame.count):
        if frame.children[i].state == UNSOLVED and not cells_have(
            &child.carrier, frame.children[i].cell
        ):
            frame.children[i].state = NEEDLESS


cdef void drop_dominated(frame_t* frame) noexcept nogil:
    """Drop moves at cells that another move gives its side as well: that one is as good.

    Each has to have one that is left when it is dropped, so that not all of a cycle are.
    """
    cdef child_t* child
    cdef int i, j
    for i in range(frame.count - 1, -1, -1):
        child = &frame.children[i]
        for j in range(frame.count):
            if (
                j != i and frame.children[j].state == UNSOLVED
                and cells_have(&frame.children[j].own, child.cell)
            ):
                child.state = DOMINATED
                child.dominator = j
                break
