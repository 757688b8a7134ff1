"""The stack of df-pn: the positions on its path, their keys, and what decides them.

    frames[0]   the root           children  a1 b2 *c3 d4 ...    * the move that the search follows
    frames[1]   after c3           children  a1 b2  d4 *e2 ...
    frames[2]   after c3 e2        children  ...

Every frame holds its position filled in, and one child for each move worth a search. set_child()
makes the next frame, which is also where a child's key and gains come from, so that expanding a
frame overwrites the one after it.

Of all images of a position under the symmetries of the board, the one with the least key is in the
table.

Everything proven has a carrier: the cells that the win needs, even if the loser has all others.  So
a refutation of one move refutes every move outside its carrier; these need no search of their own.
"""
from libc.stdint cimport int16_t, uint8_t
from libc.string cimport memcpy, memset

from trivalent.core._colours cimport colour_index, opponent
from trivalent.bot.solver._dfpn_table cimport (
    INFINITE, dfpn_data_t, position_key_t, table_find, table_store
)
from trivalent.bot.knowledge._bitset cimport (
    MAX_CELLS, cells_add, cells_count, cells_drop, cells_has, cells_join, cells_meet, cells_t
)
from trivalent.core._colours cimport colour_index, opponent


cdef inline void toggle(position_key_t* key, const position_key_t* by) noexcept nogil:
    key.word[0] ^= by.word[0]
    key.word[1] ^= by.word[1]


cdef cells_t mapped(const solver_t* s, const cells_t* cells, const int16_t* to) noexcept nogil:
    """Return the image of a set of cells under a symmetry."""
    cdef cells_t image
    cdef int cell
    memset(&image, 0, sizeof(cells_t))
    for cell in range(s.cells):
        if cells_has(cells, cell):
            cells_add(&image, to[cell])
    return image


cdef void choose_image(const solver_t* s, frame_t* frame) noexcept nogil:
    """Let the image with the least key stand for the position."""
    cdef int i
    frame.symmetry = 0
    for i in range(1, s.symmetries):
        if frame.images[i].word[0] < frame.images[frame.symmetry].word[0]:
            frame.symmetry = i
    frame.key = frame.images[frame.symmetry]


cdef void add_keys(const solver_t* s, frame_t* frame, int cell) noexcept nogil:
    """Add the stone on a cell to the keys of all images."""
    cdef int i
    for i in range(s.symmetries):
        toggle(&frame.images[i], &s.stone_keys[colour_index(frame.stones[cell])][s.image[i][cell]])


cdef void set_root(worker_t* w, const uint8_t* stones, int to_play) noexcept nogil:
    """Put a position, filled in, at the bottom of the stack."""
    cdef const solver_t* s = w.solver
    cdef frame_t* frame = w.frames
    cdef int cell, i
    frame.to_play = to_play
    memcpy(frame.stones, stones, s.cells)
    if w.analyser.fillin:
        w.analyser.fill_in(w.analyser.fillin, frame.stones, to_play, False, NULL)
    for i in range(s.symmetries):
        frame.images[i] = s.to_play[colour_index(to_play)]
    for cell in range(s.cells):
        if frame.stones[cell]:
            add_keys(s, frame, cell)
    choose_image(s, frame)


cdef void set_child(worker_t* w, const frame_t* frame, int move) noexcept nogil:
    """Put the position after a move, filled in, on top of a frame."""
    cdef const solver_t* s = w.solver
    cdef frame_t* child = <frame_t*> frame + 1
    cdef int cell, i
    child.to_play = opponent(frame.to_play)
    memcpy(child.stones, frame.stones, s.cells)
    child.stones[move] = frame.to_play
    if w.analyser.fillin:
        w.analyser.fill_in(w.analyser.fillin, child.stones, child.to_play, False, NULL)
    memcpy(child.images, frame.images, s.symmetries * sizeof(frame.images[0]))
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
    """Add to a carrier the empty cells that a colour has got."""
    cdef int cell
    for cell in range(s.cells):
        if after[cell] == colour and before[cell] == 0:
            cells_add(carrier, cell)


cdef void set_solved(frame_t* frame, int winner, int move) noexcept nogil:
    """Set the data of a solved position; ``winner`` is 1 for the side to move, else -1."""
    frame.data.phi = 0 if winner > 0 else INFINITE
    frame.data.delta = INFINITE if winner > 0 else 0
    frame.data.move = move


cdef void store(worker_t* w, const frame_t* frame) noexcept nogil:
    """Store what is known of a position, as its image, in the table."""
    cdef solver_t* s = w.solver
    cdef dfpn_data_t data = frame.data
    cdef cells_t carrier
    if data.move >= 0:
        data.move = s.image[frame.symmetry][data.move]
    if is_solved(&data):
        carrier = mapped(s, &frame.carrier, s.image[frame.symmetry])
    table_store(&s.table, &frame.key, &data, &carrier)


cdef bint load(worker_t* w, frame_t* frame) noexcept nogil:
    """Fetch what the table knows of a position.  Return whether it knows anything."""
    cdef solver_t* s = w.solver
    cdef cells_t carrier
    if table_find(&s.table, &frame.key, &frame.data, &carrier) < 0:
        return False
    if frame.data.move >= 0:
        frame.data.move = s.origin[frame.symmetry][frame.data.move]
    if is_solved(&frame.data):
        frame.carrier = mapped(s, &carrier, s.origin[frame.symmetry])
    return True


cdef bint add_pruning_proofs(
    const worker_t* w, const frame_t* frame, const cells_t* left, cells_t* total
) noexcept nogil:
    """Add the cells that show why moves left over need no refutation.  Return whether there were
    any.

    Either the opponent has a reply that makes the move's stone dead, or the move is dominated.
    """
    cdef const solver_t* s = w.solver
    cdef const analyser_t* e = &w.analyser
    cdef uint8_t needs[MAX_CELLS]
    cdef const child_t* dominator
    cdef cells_t more = total[0]
    cdef int i, k, cell
    for cell in range(s.cells):
        if not (cells_has(left, cell) and cells_has(total, cell)):
            continue
        for i in range(frame.count):
            if frame.children[i].cell == cell:  # a child that's left over is dominated
                dominator = &frame.children[frame.children[i].dominator]
                more = cells_join(&more, &dominator.own)
                more = cells_join(&more, &dominator.theirs)
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


cdef void set_lost(worker_t* w, frame_t* frame) noexcept nogil:
    """Set a position lost: no move is left.  Find few cells that suffice to refute all moves."""
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
        for i in range(frame.found.carrier_count + frame.count):
            if i < frame.found.carrier_count:
                carrier = &frame.found.carriers[i]
                cell = -1
            elif frame.children[i - frame.found.carrier_count].state == REFUTED:
                carrier = &frame.children[i - frame.found.carrier_count].carrier
                cell = frame.children[i - frame.found.carrier_count].cell
            else:
                continue
            some = cells_meet(&left, carrier)
            size = cells_count(&some)
            if size == cells_count(&left) and (cell < 0 or not cells_has(&left, cell)):
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
            cells_drop(&left, best_move)
    if not refuted:  # all moves are pruned, for reasons that may involve any cell
        total = left
    while add_pruning_proofs(w, frame, &left, &total):
        pass
    best_move = -1
    for i in range(frame.count):
        if best_move < 0 or frame.children[i].work > frame.children[best_move].work:
            best_move = i
    frame.carrier = total
    set_solved(frame, -1, frame.children[best_move].cell if best_move >= 0 else -1)


cdef void apply_solved_child(
    frame_t* frame, int number, const dfpn_data_t* data, const cells_t* carrier
) noexcept nogil:
    """Take over the result of a child.

    If it wins, so does the position.  If it's refuted, so are all moves outside the carrier.
    """
    cdef child_t* child = &frame.children[number]
    cdef int i
    if data.delta == 0:
        frame.carrier = cells_join(carrier, &child.own)
        set_solved(frame, 1, child.cell)
        return
    child.state = REFUTED
    child.carrier = cells_join(carrier, &child.theirs)
    for i in range(frame.count):
        if frame.children[i].state == UNSOLVED and not cells_has(
            &child.carrier, frame.children[i].cell
        ):
            frame.children[i].state = IRRELEVANT


cdef void drop_dominated(frame_t* frame) noexcept nogil:
    """Drop moves at cells that another move gives its side as well, so that it's at least as good.

    The other move must still be there when a move is dropped: so a cycle isn't dropped whole.
    """
    cdef child_t* child
    cdef int i, j
    for i in range(frame.count - 1, -1, -1):
        child = &frame.children[i]
        for j in range(frame.count):
            if (
                j != i and frame.children[j].state == UNSOLVED
                and cells_has(&frame.children[j].own, child.cell)
            ):
                child.state = DOMINATED
                child.dominator = j
                break
