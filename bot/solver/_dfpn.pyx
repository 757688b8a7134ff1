"""Focused depth-first proof-number search for Hex and Y [AHS; PL].

A node's phi is what it takes at least to show that its side to move wins, delta that it loses: phi
is the least delta of its children, delta the sum of their phi.  The search stays with the child of
least delta until another one looks better by more than half.  Of the moves only two in five are
looked at, the most promising ones: others come in as these are refuted.

Threads share the table.  A child that another thread is at looks harder than it is, so that they
spread over the tree; what one of them has solved the others leave.
"""
from threading import Thread

from libc.stdint cimport INT64_MAX, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from trivalent.bot._atomic cimport i64_load, i64_take, lock, unlock
from trivalent.bot.solver._dfpn_table cimport (
    INFINITE, bounds_t, table_clear, table_count, table_enter, table_find, table_free, table_init,
    table_leave
)
from trivalent.bot.knowledge._bitset cimport MAX_CELLS, cells_have, cells_t
from trivalent.bot.knowledge._virtual_connections cimport Connections
from trivalent.bot.solver._node_analysis cimport (
    examine, examined_t, examiner_free, examiner_init, examiner_t
)
from trivalent.bot.solver._dfpn_stack cimport (
    UNSOLVED, add_gains, child_t, drop_dominated, frame_t, is_solved, load, lose, mapped, memo_t,
    set_child, set_root, set_solved, settle, solver_t, store, worker_t
)
from trivalent.bot._stop cimport Stop, stop_load
from trivalent.bot.knowledge._fillin cimport Filler
from trivalent.core._colours cimport opponent
from trivalent.core._random cimport rng_next, rng_seed, rng_t
from trivalent.core.connection._sliced cimport Slices
from trivalent.core.connection._triangle cimport Triangle

INFINITY = INFINITE
"""What a bound is that shows that the position is solved."""
LARGEST = MAX_CELLS
"""Cells of the largest boards."""

cdef enum:
    MEMOS = 1 << 14  # positions for each thread that need not be examined again


cdef double _now() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec + 1e-9 * now.tv_nsec


cdef inline memo_t* memo_of(const worker_t* w, const frame_t* frame) noexcept nogil:
    return &w.solver.memos[frame.key.word[1] & w.solver.last_memo]


cdef void memorise(worker_t* w, const frame_t* frame) noexcept nogil:
    """Keep what has been found out at an open position: it will come about again soon."""
    cdef memo_t* memo = memo_of(w, frame)
    cdef int i
    lock(&memo.guard)
    memo.key = frame.key
    memo.symmetry = frame.symmetry
    memo.count = frame.found.count
    memo.ways = frame.found.ways
    for i in range(memo.count):
        memo.cells[i] = <uint8_t> frame.found.cells[i]
    memcpy(memo.carriers, frame.found.carriers, memo.ways * sizeof(cells_t))
    unlock(&memo.guard)


cdef bint recall(worker_t* w, frame_t* frame) noexcept nogil:
    """Whether that is still known."""
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
        frame.found.ways = memo.ways
        for i in range(memo.count):
            frame.found.cells[i] = memo.cells[i]
        memcpy(frame.found.carriers, memo.carriers, memo.ways * sizeof(cells_t))
    unlock(&memo.guard)
    return known


cdef bint has_hopes(const worker_t* w, const frame_t* frame) noexcept nogil:
    """Whether the side to move can have a connection that it did not have a move ago.

    It had none then that wins, and the opponent's move has only taken cells from it, unless
    something has been filled in for it.
    """
    cdef int cell
    if frame == w.frames:
        return True
    for cell in range(w.solver.cells):
        if frame.stones[cell] == frame.to_play and (frame - 1).stones[cell] == 0:
            return True
    return False


cdef bint expand(worker_t* w, frame_t* frame) noexcept nogil:
    """Examine a position and list its moves; return whether it is still open."""
    cdef solver_t* s = w.solver
    cdef examiner_t* e = &w.examiner
    cdef examined_t* found = &frame.found
    cdef child_t* child
    cdef const frame_t* after = frame + 1
    cdef int i, j
    w.work += 1
    i64_take(&s.work, 1, INT64_MAX)
    frame.count = 0
    if not recall(w, frame):
        e.fill_in(e.fillin, frame.stones, frame.to_play, False, e.inferior)
        examine(
                e, frame.stones, frame.to_play, has_hopes(w, frame), frame.key.word[0], found
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
        child.changed = child.own
        add_gains(s, frame.stones, after.stones, after.to_play, &child.changed)
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
        lose(w, frame)
        return False
    return True


cdef void refresh(worker_t* w, frame_t* frame) noexcept nogil:
    """Look up what is known of the moves."""
    cdef solver_t* s = w.solver
    cdef bounds_t bounds
    cdef cells_t carrier
    cdef child_t* child
    cdef int i, busy
    for i in range(frame.count):
        child = &frame.children[i]
        if child.state != UNSOLVED:
            continue
        busy = table_find(&s.table, &child.key, &bounds, &carrier)
        child.busy = max(busy, 0)
        if busy < 0:
            continue
        child.phi = bounds.phi
        child.delta = bounds.delta
        child.work = bounds.work
        if is_solved(&bounds):
            set_child(w, frame, child.cell)
            carrier = mapped(s, &carrier, s.origin[child.symmetry])
            settle(w, frame, i, &bounds, &carrier)
            if bounds.delta == 0:
                return


cdef int select(worker_t* w, frame_t* frame, uint32_t* second) noexcept nogil:
    """Sum up the moves: the bounds of the position, the best move, what the next one takes."""
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
    frame.bounds.phi = <uint32_t> least
    frame.bounds.delta = min(sum, <uint64_t> INFINITE - 1)
    frame.bounds.move = frame.children[best].cell if best >= 0 else -1
    return best


cdef bint to_stop(worker_t* w) noexcept nogil:
    """Whether the search has to end, if it has not been found before."""
    cdef solver_t* s = w.solver
    if not w.stopped:
        w.stopped = (
            stop_load(s.stop) or 0 <= s.nodes <= i64_load(&s.work)
            or (s.end >= 0 and _now() >= s.end)
        )
    return w.stopped


cdef bint is_settled(worker_t* w, const frame_t* frame) noexcept nogil:
    """Whether another thread has solved the position, or one on the path to it."""
    cdef const frame_t* above = w.frames
    cdef bounds_t bounds
    cdef cells_t carrier
    while above <= frame:
        if (
            table_find(&w.solver.table, &above.key, &bounds, &carrier) >= 0
            and is_solved(&bounds)
        ):
            return True
        above += 1
    return False


cdef void search(
    worker_t* w, frame_t* frame, uint32_t max_phi, uint32_t max_delta
) noexcept nogil:
    """Search a position until it is solved or one of its bounds has reached its limit."""
    cdef solver_t* s = w.solver
    cdef frame_t* next_frame = frame + 1
    cdef child_t* child
    cdef int64_t before = w.work
    cdef uint32_t second, limit, known_work
    cdef int best
    if not load(w, frame):
        frame.bounds.phi = frame.bounds.delta = 1
        frame.bounds.work = 0
        frame.bounds.move = -1
    known_work = frame.bounds.work
    if expand(w, frame):
        while True:
            refresh(w, frame)
            if is_solved(&frame.bounds):
                break
            best = select(w, frame, &second)
            if best < 0:
                lose(w, frame)
                break
            if frame.bounds.phi >= max_phi or frame.bounds.delta >= max_delta or to_stop(w):
                break
            child = &frame.children[best]
            limit = <uint32_t> min(second * s.patience + 1, INFINITE)
            # It may look worse than it is to another thread: then it gets the least there is.
            limit = max(min(max_phi, limit), child.delta + 1)
            set_child(w, frame, child.cell)
            if s.threads > 1:
                table_enter(&s.table, &child.key)
            search(w, next_frame, max_delta - (frame.bounds.delta - child.phi), limit)
            if s.threads > 1:
                table_leave(&s.table, &child.key)
                if is_settled(w, frame):
                    break
            child.phi = next_frame.bounds.phi
            child.delta = next_frame.bounds.delta
            child.work = next_frame.bounds.work
            if is_solved(&next_frame.bounds):
                settle(w, frame, best, &next_frame.bounds, &next_frame.carrier)
                if is_solved(&frame.bounds):
                    break
    frame.bounds.work = <uint32_t> min(known_work + (w.work - before), <int64_t> 0xFFFFFFFF)
    store(w, frame)


cdef class Dfpn:
    """A search whose table stays from one call to the next; see `trivalent.bot.solver.solver`."""

    cdef solver_t s
    cdef worker_t* workers
    cdef int threads
    cdef Triangle triangle
    cdef Slices slices
    cdef Filler filler
    cdef Connections connections

    def __cinit__(
        self, Triangle triangle not None, Slices slices not None, Filler filler not None,
        Connections connections, symmetries, *, size_t memory,
        int threads, double widening=0.4, double patience=1.5
    ):
        cdef solver_t* s = &self.s
        cdef rng_t rng
        cdef int cell, i, k
        self.triangle = triangle
        self.slices = slices
        self.filler = filler
        self.connections = connections
        s.cells = triangle.c.cells
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
            examiner_init(
                &self.workers[i].examiner, &triangle.c, &slices.c, filler, connections
            )

    def __dealloc__(self):
        cdef int i
        table_free(&self.s.table)
        for i in range(self.threads):
            examiner_free(&self.workers[i].examiner)
            free(self.workers[i].frames)
        free(self.workers)
        free(self.s.memos)

    def clear(self):
        """Forget everything."""
        table_clear(&self.s.table)

    @property
    def entries(self):
        """Positions in the table."""
        return table_count(&self.s.table)

    @property
    def capacity(self):
        """Positions that the table has room for."""
        return 4 * self.s.table.buckets

    def run(self, const uint8_t[::1] stones not None, int to_play, int64_t nodes, double seconds,
            Stop stop not None):
        """Search until the position is solved, so many have been examined, so many seconds have
        passed, or the stop is set.  Return the positions examined.  A negative limit is none.
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
        """Search in one thread of several."""
        with nogil:
            search(&self.workers[number], self.workers[number].frames, INFINITE, INFINITE)

    def look(self, const uint8_t[::1] stones not None, int to_play):
        """What the table has of a position, or None: phi, delta, work, move, carrier.

        The carrier is one of the position as it is, not filled in.
        """
        cdef worker_t* w = self.workers
        cdef frame_t* root = w.frames
        cdef int colour, cell
        set_root(w, &stones[0], to_play)
        if not load(w, root):
            return None
        carrier = []
        if is_solved(&root.bounds):
            colour = to_play if root.bounds.phi == 0 else opponent(to_play)
            add_gains(&self.s, &stones[0], root.stones, colour, &root.carrier)
            carrier = [cell for cell in range(self.s.cells) if cells_have(&root.carrier, cell)]
        return root.bounds.phi, root.bounds.delta, root.bounds.work, root.bounds.move, carrier
