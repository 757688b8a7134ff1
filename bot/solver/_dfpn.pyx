"""Depth-first proof-number search (df-pn) [AHS; PL].

The proof number phi of a position is the least number of leaves to solve before it's known that the
side to move wins; the disproof number delta is the same for its loss.  Seen from the side to move,
a move leads to a position of the opponent, so that

    phi(position)   = min over moves of delta(move)
    delta(position) = sum over moves of phi(move)

search() descends to the move of least delta and stays below it until one of the thresholds is
reached:

    max_phi of the move   = max_delta - (delta - phi(move))      the sum reaches the limit above
    max_delta of the move = min(max_phi, patience * second + 1)  another move looks better

`second` is the second least delta, and `patience` the 1 + epsilon trick: only a move that is better
by that factor draws the search away.  The search descends only to one of the most promising moves,
the share `widening` of those unsolved; further moves come in as these are refuted.

Threads share the table.  A move at which another thread is at work looks harder than it is, so that
threads spread over the tree.  When one of them has solved a position, the others leave it.
"""
from threading import Thread

from libc.stdint cimport INT64_MAX, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from trivalent.bot._atomic cimport i64_load, i64_take, lock, unlock
from trivalent.bot.solver._dfpn_table cimport (
    INFINITE, dfpn_data_t, table_clear, table_count, table_enter, table_find, table_free,
    table_init, table_leave
)
from trivalent.bot.knowledge._bitset cimport MAX_CELLS as _MAX_CELLS, cells_has, cells_t
from trivalent.bot.knowledge._virtual_connections cimport Connections
from trivalent.bot.knowledge._node_analysis cimport (
    analyse_node, analyser_free, analyser_init, analyser_t, node_analysis_t
)
from trivalent.bot.solver._dfpn_stack cimport (
    UNSOLVED, add_gains, apply_solved_child, child_t, drop_dominated, frame_t, is_solved, load,
    mapped, memo_t, set_child, set_lost, set_root, set_solved, solver_t, store, worker_t
)
from trivalent.bot.solver._playout_analysis cimport (
    analyse_by_playouts, playout_analyser_free, playout_analyser_init
)
from trivalent.bot._stop cimport Stop, stop_load
from trivalent.bot.knowledge._fillin cimport Filler
from trivalent.core._colours cimport opponent
from trivalent.core._random cimport rng_next, rng_seed, rng_t
from trivalent.core.connection._arbiter cimport Arbiter
from trivalent.core.connection._sliced cimport Slices

INFINITY = INFINITE
"""The proof number of what can't be proven: the position is solved."""
MAX_CELLS = _MAX_CELLS
"""Cells of the largest board."""

cdef enum:
    MEMOS = 1 << 14  # analyses kept for each thread


cdef double _now() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec + 1e-9 * now.tv_nsec


cdef inline memo_t* memo_of(const worker_t* w, const frame_t* frame) noexcept nogil:
    return &w.solver.memos[frame.key.word[1] & w.solver.last_memo]


cdef void memorise(worker_t* w, const frame_t* frame) noexcept nogil:
    """Keep the analysis of an open position, which will soon come up again."""
    cdef memo_t* memo = memo_of(w, frame)
    cdef int i
    lock(&memo.guard)
    memo.key = frame.key
    memo.symmetry = frame.symmetry
    memo.count = frame.found.count
    memo.carrier_count = frame.found.carrier_count
    for i in range(memo.count):
        memo.cells[i] = <uint8_t> frame.found.cells[i]
    memcpy(memo.carriers, frame.found.carriers, memo.carrier_count * sizeof(cells_t))
    unlock(&memo.guard)


cdef bint recall(worker_t* w, frame_t* frame) noexcept nogil:
    """Fetch the analysis of a position if it's still kept.  Return whether it is."""
    cdef memo_t* memo = memo_of(w, frame)
    cdef int i
    cdef bint known
    lock(&memo.guard)
    known = (
        memo.key.word[0] == frame.key.word[0] and memo.key.word[1] == frame.key.word[1]
        and memo.symmetry == frame.symmetry
    )
    if known:
        frame.found.winner = 0
        frame.found.count = memo.count
        frame.found.carrier_count = memo.carrier_count
        for i in range(memo.count):
            frame.found.cells[i] = memo.cells[i]
        memcpy(frame.found.carriers, memo.carriers, memo.carrier_count * sizeof(cells_t))
    unlock(&memo.guard)
    return known


cdef bint may_connect(const worker_t* w, const frame_t* frame) noexcept nogil:
    """Return whether the side to move may have a winning connection that it didn't have before.

    It had none at its last move, and the opponent's move since then has only taken cells away,
    unless something has been filled in for the side to move.
    """
    cdef int cell
    if frame == w.frames:
        return True
    for cell in range(w.solver.cells):
        if frame.stones[cell] == frame.to_play and (frame - 1).stones[cell] == 0:
            return True
    return False


cdef bint expand(worker_t* w, frame_t* frame) noexcept nogil:
    """Analyse a position and list its moves.  Return whether it's still open."""
    cdef solver_t* s = w.solver
    cdef analyser_t* a = &w.analyser
    cdef node_analysis_t* found = &frame.found
    cdef child_t* child
    cdef const frame_t* after = frame + 1
    cdef int i, j
    w.work += 1
    i64_take(&s.work, 1, INT64_MAX)
    frame.count = 0
    if not recall(w, frame):
        if a.fillin:
            a.fill_in(a.fillin, frame.stones, frame.to_play, False, a.inferior)
            analyse_node(a, frame.stones, frame.to_play, may_connect(w, frame), found)
        else:
            analyse_by_playouts(
                &w.playout_analyser, frame.stones, frame.to_play, frame.key.word[0], found
            )
        if found.winner:
            frame.carrier = found.carrier
            set_solved(frame, found.winner, found.move)
            return False
        memorise(w, frame)
    for i in range(found.count):
        child = &frame.children[i]
        child.cell = found.cells[i]
        child.state = UNSOLVED
        child.phi = child.delta = 1
        child.work = child.busy = 0
        child.twin = -1
        set_child(w, frame, child.cell)
        child.key = after.key
        child.symmetry = after.symmetry
        memset(&child.own, 0, sizeof(cells_t))
        add_gains(s, frame.stones, after.stones, frame.to_play, &child.own)
        memset(&child.theirs, 0, sizeof(cells_t))
        add_gains(s, frame.stones, after.stones, after.to_play, &child.theirs)
        for j in range(i):
            if (
                frame.children[j].key.word[0] == child.key.word[0]
                and frame.children[j].key.word[1] == child.key.word[1]
            ):
                child.twin = j
                break
    frame.count = found.count
    drop_dominated(frame)
    if frame.count == 0:
        set_lost(w, frame)
        return False
    return True


cdef void refresh(worker_t* w, frame_t* frame) noexcept nogil:
    """Look up what the table knows of the moves."""
    cdef solver_t* s = w.solver
    cdef dfpn_data_t data
    cdef cells_t carrier
    cdef child_t* child
    cdef int i, busy
    for i in range(frame.count):
        child = &frame.children[i]
        if child.state != UNSOLVED:
            continue
        busy = table_find(&s.table, &child.key, &data, &carrier)
        child.busy = max(busy, 0)
        if busy < 0:
            continue
        child.phi = data.phi
        child.delta = data.delta
        child.work = data.work
        if is_solved(&data):
            carrier = mapped(s, &carrier, s.origin[child.symmetry])
            apply_solved_child(frame, i, &data, &carrier)
            if data.delta == 0:
                return


cdef int select(worker_t* w, frame_t* frame, uint32_t* second) noexcept nogil:
    """Compute the numbers of a position from its moves.  Return the best move's index, or -1.

    ``second`` gets the second least delta, with moves of other threads made harder.
    """
    cdef solver_t* s = w.solver
    cdef child_t* child
    cdef int i, best = -1, unsolved = 0, looked_at
    cdef uint64_t sum = 0
    cdef uint64_t least = INFINITE, fewest = INFINITE, second_fewest = INFINITE, seeming
    for i in range(frame.count):
        child = &frame.children[i]
        if child.state == UNSOLVED and not (
            child.twin >= 0 and frame.children[child.twin].state == UNSOLVED
        ):
            unsolved += 1
            sum += child.phi
    looked_at = 1 + <int> (s.widening * unsolved)
    for i in range(frame.count):
        child = &frame.children[i]
        if child.state == UNSOLVED and not (
            child.twin >= 0 and frame.children[child.twin].state == UNSOLVED
        ):
            least = min(least, child.delta)
            seeming = child.delta * (1 + <uint64_t> child.busy)
            if seeming < fewest:
                second_fewest = fewest
                fewest = seeming
                best = i
            elif seeming < second_fewest:
                second_fewest = seeming
            looked_at -= 1
            if looked_at == 0:
                break
    second[0] = <uint32_t> min(second_fewest, <uint64_t> INFINITE)
    frame.data.phi = <uint32_t> least
    frame.data.delta = min(sum, <uint64_t> INFINITE - 1)
    frame.data.move = frame.children[best].cell if best >= 0 else -1
    return best


cdef bint to_stop(worker_t* w) noexcept nogil:
    """Return whether the search has to end."""
    cdef solver_t* s = w.solver
    if not w.stopped:
        w.stopped = (
            stop_load(s.stop) or 0 <= s.nodes <= i64_load(&s.work)
            or (s.end >= 0 and _now() >= s.end)
        )
    return w.stopped


cdef bint is_settled(worker_t* w, const frame_t* frame) noexcept nogil:
    """Return whether another thread has solved this position or one above it."""
    cdef const frame_t* above = w.frames
    cdef dfpn_data_t data
    cdef cells_t carrier
    while above <= frame:
        if (
            table_find(&w.solver.table, &above.key, &data, &carrier) >= 0
            and is_solved(&data)
        ):
            return True
        above += 1
    return False


cdef void search(
    worker_t* w, frame_t* frame, uint32_t max_phi, uint32_t max_delta
) noexcept nogil:
    """Search a position until it's solved or phi or delta reaches its limit."""
    cdef solver_t* s = w.solver
    cdef frame_t* next_frame = frame + 1
    cdef child_t* child
    cdef int64_t before = w.work
    cdef uint32_t second, limit, known_work
    cdef int best
    if not load(w, frame):
        frame.data.phi = frame.data.delta = 1
        frame.data.work = 0
        frame.data.move = -1
    known_work = frame.data.work
    if expand(w, frame):
        while True:
            refresh(w, frame)
            if is_solved(&frame.data):
                break
            best = select(w, frame, &second)
            if best < 0:
                set_lost(w, frame)
                break
            if frame.data.phi >= max_phi or frame.data.delta >= max_delta or to_stop(w):
                break
            child = &frame.children[best]
            limit = <uint32_t> min(second * s.patience + 1, INFINITE)
            # Other threads may make the best move look worse than the limit; search at least once.
            limit = max(min(max_phi, limit), child.delta + 1)
            set_child(w, frame, child.cell)
            if s.threads > 1:
                table_enter(&s.table, &child.key)
            search(w, next_frame, max_delta - (frame.data.delta - child.phi), limit)
            if s.threads > 1:
                table_leave(&s.table, &child.key)
                if is_settled(w, frame):
                    break
            child.phi = next_frame.data.phi
            child.delta = next_frame.data.delta
            child.work = next_frame.data.work
            if is_solved(&next_frame.data):
                apply_solved_child(frame, best, &next_frame.data, &next_frame.carrier)
                if is_solved(&frame.data):
                    break
    frame.data.work = <uint32_t> min(known_work + (w.work - before), <int64_t> 0xFFFFFFFF)
    store(w, frame)


cdef class Dfpn:
    """A search whose table persists between calls; see `trivalent.bot.solver.solver`."""

    cdef solver_t s
    cdef worker_t* workers
    cdef int threads
    cdef Arbiter arbiter
    cdef Slices slices
    cdef Filler filler
    cdef Connections connections

    def __cinit__(
        self, Arbiter arbiter not None, Slices slices not None, Filler filler,
        Connections connections, symmetries, *, size_t memory, int threads,
        double widening=0.4, double patience=1.5
    ):
        cdef solver_t* s = &self.s
        cdef rng_t rng
        cdef int cell, i, k
        self.arbiter = arbiter
        self.slices = slices
        self.filler = filler
        self.connections = connections
        s.cells = arbiter.c.cells
        s.widening = widening
        s.patience = patience
        s.symmetries = len(symmetries)
        for i, cells in enumerate(symmetries):
            for cell in range(s.cells):
                s.image[i][cell] = cells[cell]
                s.origin[i][cells[cell]] = cell
        rng_seed(&rng, s.cells)
        for cell in range(s.cells):
            for i in range(2):
                for k in range(2):
                    s.stone_keys[i][cell].word[k] = rng_next(&rng)
        for i in range(2):
            for k in range(2):
                s.to_play[i].word[k] = rng_next(&rng)
        table_init(&s.table, memory, s.cells)
        s.last_memo = MEMOS
        while s.last_memo < <uint64_t> threads * MEMOS:
            s.last_memo *= 2
        s.memos = <memo_t*> calloc(s.last_memo, sizeof(memo_t))
        if not s.memos:
            raise MemoryError
        s.last_memo -= 1
        self.workers = <worker_t*> calloc(threads, sizeof(worker_t))
        if not self.workers:
            raise MemoryError
        self.threads = threads
        for i in range(threads):
            self.workers[i].solver = s
            self.workers[i].frames = <frame_t*> calloc(s.cells + 2, sizeof(frame_t))
            if not self.workers[i].frames:
                raise MemoryError
            if filler is None:
                playout_analyser_init(
                    &self.workers[i].playout_analyser, &arbiter.c, &slices.c
                )
            else:
                analyser_init(&self.workers[i].analyser, arbiter.c.triangle, filler, connections)

    def __dealloc__(self):
        cdef int i
        table_free(&self.s.table)
        for i in range(self.threads):
            analyser_free(&self.workers[i].analyser)
            playout_analyser_free(&self.workers[i].playout_analyser)
            free(self.workers[i].frames)
        free(self.workers)
        free(self.s.memos)

    def clear(self):
        """Forget everything."""
        table_clear(&self.s.table)

    @property
    def entries(self):
        """The number of positions in the table."""
        return table_count(&self.s.table)

    @property
    def capacity(self):
        """The number of positions for which the table has room."""
        return 4 * self.s.table.buckets

    def run(self, const uint8_t[::1] stones not None, int to_play, int64_t nodes, double seconds,
            Stop stop not None):
        """Search until the position is solved, a limit is reached, or the stop is set.

        Return the number of positions examined, of which there are at most ``nodes``; ``seconds``
        limits the wall-clock time.  A negative limit is none.
        """
        cdef solver_t* s = &self.s
        cdef int i
        s.threads = self.threads
        s.work = 0
        s.nodes = nodes
        s.end = _now() + seconds if seconds >= 0 else -1
        s.stop = &stop.flag
        for i in range(self.threads):
            self.workers[i].work = 0
            self.workers[i].stopped = False
            set_root(&self.workers[i], &stones[0], to_play)
        helpers = [Thread(target=self._work, args=(i,)) for i in range(1, self.threads)]
        for helper in helpers:
            helper.start()
        self._work(0)
        for helper in helpers:
            helper.join()
        return s.work

    def _work(self, int number):
        """Search in one of several threads."""
        with nogil:
            search(&self.workers[number], self.workers[number].frames, INFINITE, INFINITE)

    def look(self, const uint8_t[::1] stones not None, int to_play):
        """Return (phi, delta, work, move, carrier) of a position from the table, or None.

        The carrier is one of the position as given, not filled in.
        """
        cdef worker_t* w = self.workers
        cdef frame_t* root = w.frames
        cdef int colour, cell
        set_root(w, &stones[0], to_play)
        if not load(w, root):
            return None
        carrier = []
        if is_solved(&root.data):
            colour = to_play if root.data.phi == 0 else opponent(to_play)
            add_gains(&self.s, &stones[0], root.stones, colour, &root.carrier)
            carrier = [cell for cell in range(self.s.cells) if cells_has(&root.carrier, cell)]
        return root.data.phi, root.data.delta, root.data.work, root.data.move, carrier
