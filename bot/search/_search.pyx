"""Monte Carlo tree search by threads that share one tree.

Each iteration descends from the root to a leaf, asks the evaluators about it, and adds what they
say to the moves on the path (_iteration.pyx).  The leaf's value is a share of won playouts; its
cell rates are the first RAVE samples of its own moves, and one more sample for the moves of every
node on the path.  Wins in one move are seen at every leaf; proofs are carried up the tree, and
known wherever the same position comes up again (_proof_table.pxd).

    search_t, worker_t   _state.pxd            what threads share, and what each has
    choosing a move      _selection.h          the formula, explained
    nodes                _tree.pxd             layout, life cycle, sharing between threads
    leaves               _evaluate.pyx         fill-in, evaluators, immediate wins
    network              _judgement.pyx        when it is asked, and what its opinion changes
    connections          _node_knowledge.pyx   proofs and fill-in at nodes visited often
    proven distances     _proven.pxd           what their values mean
"""
from threading import Thread

from libc.stdint cimport INT64_MAX, UINT32_MAX, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from trivalent.bot._atomic cimport f32_load, i16_load, i16_store, i64_take, u32_load
from trivalent.bot._stop cimport Stop, stop_load
from trivalent.bot.evaluation._evaluator cimport MAX_EVALUATORS, Evaluator
from trivalent.bot.evaluation._leaf cimport preparation
from trivalent.bot.knowledge._cutsets cimport CutsetFillin
from trivalent.bot.knowledge._fillin cimport Filler
from trivalent.bot.knowledge._virtual_connections cimport Connections
from trivalent.bot.search._evaluate cimport evaluate, evaluate_as_proven
from trivalent.bot.search._iteration cimport iterate, make_node, proven_by_moves
from trivalent.bot.search._judgement cimport judge_node
from trivalent.bot.search._node_knowledge cimport use_knowledge_at_root
from trivalent.bot.search._proof_table cimport proof_table_free, proof_table_init
from trivalent.bot.search._proven cimport PRUNED
from trivalent.bot.search._selection cimport selection
from trivalent.bot.search._state cimport search_t, worker_t
from trivalent.bot.search._tree cimport (
    UNIT, moves_of, moves_t, node_at, node_t, node_units, tree_clear, tree_count, tree_find,
    tree_free, tree_init, tree_keep
)
from trivalent.core._random cimport rng_next, rng_seed, rng_t
from trivalent.core.connection._arbiter cimport Arbiter

cdef enum:
    MAX_THREADS = 256
    PROOF_TABLE_SHARE = 16  # of the memory, the proof table gets one part in this many


cdef double _now() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec + 1e-9 * now.tv_nsec


cdef class Search:
    """A tree of positions on one board, searched on from move to move; see `SearchSettings`."""

    cdef search_t s
    cdef worker_t* workers[MAX_THREADS]
    cdef int worker_count
    cdef object settings       # keeps alive what `s` points to
    cdef uint64_t seed
    cdef uint64_t worker_seed  # of the evaluators, each with the number of its thread
    cdef size_t proof_bytes
    cdef bint root_is_learned  # whether connections have been searched for at the root

    def __cinit__(self, settings not None):
        cdef search_t* s = &self.s
        cdef Arbiter arbiter = settings.arbiter
        cdef Filler filler = settings.filler
        cdef CutsetFillin cutsets = settings.cutsets
        cdef size_t memory = <size_t> settings.memory << 20
        cdef int words
        if not 1 <= len(settings.evaluators) <= MAX_EVALUATORS:
            raise ValueError(
                f"a search takes 1 to {MAX_EVALUATORS} evaluators, not {len(settings.evaluators)}"
            )
        self.settings = settings
        self.seed = settings.seed
        s.evaluators = len(settings.evaluators)
        s.arbiter = &arbiter.c
        s.rave_weight = settings.rave_weight
        s.exploration = settings.exploration
        s.expansion_threshold = settings.expansion_threshold
        s.rave_prior_count = settings.rave_prior_count
        s.prior_weight = settings.prior_weight
        s.evaluation_noise = settings.evaluation_noise
        s.judge = -1
        s.net_visits = settings.net_visits
        s.net_value_weight = settings.net_value_weight
        s.net_prior_weight = settings.net_prior_weight
        s.net_rave_weight = settings.net_rave_weight
        s.net_puct = settings.net_puct
        s.preparation = preparation(s.arbiter.cells, filler, settings.prune)
        if cutsets is not None:
            s.cutsets = &cutsets.c
        s.connects = settings.vc_quick is not None
        s.vc_visits = settings.vc_visits
        s.vc_wide_visits = settings.vc_wide_visits or UINT32_MAX
        s.selection = selection()[0]
        self._draw_keys()
        self.proof_bytes = memory // PROOF_TABLE_SHARE
        proof_table_init(&s.proofs, self.proof_bytes)
        words = (s.arbiter.cells + 31) // 32 if s.cutsets else 0
        # There is always room for the root.
        tree_init(
            &s.tree,
            max(memory - self.proof_bytes, 2 * node_units(s.arbiter.cells, words) * UNIT),
            words
        )

    def __dealloc__(self):
        cdef worker_t* w
        cdef int i, j
        tree_free(&self.s.tree)
        proof_table_free(&self.s.proofs)
        for i in range(MAX_THREADS):
            w = self.workers[i]
            if not w:
                continue
            for j in range(self.s.evaluators):
                if w.evaluators[j].free != NULL and w.evaluators[j].data:
                    w.evaluators[j].free(w.evaluators[j].data)
            free(w.vc_quick.memory)
            free(w.vc_wide.memory)
            free(w.vc_followed.memory)
            free(w)

    cdef void _draw_keys(self) noexcept:
        """Draw the keys of hashes, the same for each board, and of the noise, by the seed."""
        cdef search_t* s = &self.s
        cdef rng_t rng
        cdef int cell
        rng_seed(&rng, s.arbiter.cells)
        for cell in range(s.arbiter.cells):
            s.keys[0][cell] = rng_next(&rng)
            s.keys[1][cell] = rng_next(&rng)
        s.white_to_play = rng_next(&rng)
        rng_seed(&rng, self.seed)
        s.noise_key = rng_next(&rng)

    def reserve(self, int threads):
        """Make room for this many threads, at most 256.  Raise MemoryError if there is too little.
        """
        while self.worker_count < min(threads, MAX_THREADS):
            self._add_worker()

    cdef int _add_worker(self) except -1:
        cdef int number = self.worker_count, i
        cdef Connections quick = self.settings.vc_quick
        cdef Connections wide = self.settings.vc_wide
        cdef worker_t* w = self.workers[number]
        if not w:  # else an earlier try has run out of memory: what it got is freed in the end
            w = self.workers[number] = <worker_t*> calloc(1, sizeof(worker_t))
            if not w:
                raise MemoryError
        w.search = &self.s
        if quick is not None and not w.vc_quick.memory:
            quick.prepare(&w.vc_quick)
        if quick is not None and not w.vc_wide.memory:
            wide.prepare(&w.vc_wide)
        if quick is not None and not w.vc_followed.memory:
            wide.prepare(&w.vc_followed)
        for i, evaluator in enumerate(self.settings.evaluators):
            if not w.evaluators[i].data:
                (<Evaluator?> evaluator).attach(&w.evaluators[i])
            if w.evaluators[i].judge != NULL:
                self.s.judge = i
        self._seed_worker(number)
        self.worker_count += 1
        return 0

    cdef void _seed_worker(self, int number) noexcept:
        cdef worker_t* w = self.workers[number]
        cdef int i
        for i in range(self.s.evaluators):
            if w.evaluators[i].seed != NULL:
                w.evaluators[i].seed(w.evaluators[i].data, self.worker_seed, number)

    def forget(self):
        """Drop the tree and all proofs."""
        tree_clear(&self.s.tree)
        proof_table_free(&self.s.proofs)
        proof_table_init(&self.s.proofs, self.proof_bytes)

    def set_position(
        self, const uint8_t[::1] stones not None, int to_play, int last, uint64_t key,
        int previous=-1
    ):
        """Make an open position the root, and keep what the tree knows below it.

        ``last`` is the cell just played, or -1, ``previous`` the one before.  ``key`` and the seed
        start the random numbers if the tree is new.
        """
        cdef search_t* s = &self.s
        cdef int cells = s.arbiter.cells, i
        memcpy(s.stones, &stones[0], cells)
        s.to_play = to_play
        s.last = last
        s.previous = previous
        s.leaves = 0
        self.root_is_learned = False
        for i in range(self.worker_count):
            self.workers[i].playouts = self.workers[i].black_wins = 0
            memset(self.workers[i].all_owned, 0, cells * sizeof(int64_t))
            memset(self.workers[i].all_won, 0, cells * sizeof(int64_t))
        s.key = s.white_to_play if to_play == 2 else 0
        for i in range(cells):
            if stones[i]:
                s.key ^= s.keys[stones[i] - 1][i]
        s.tree.root = tree_find(
            &s.tree, s.origin, s.origin_to_play, s.stones, to_play, cells
        )
        if s.tree.root:
            if s.tree.used <= s.tree.capacity // 2:
                return
            tree_keep(&s.tree, s.tree.root)
        else:
            tree_clear(&s.tree)
            self.worker_seed = self.seed ^ key
            for i in range(self.worker_count):
                self._seed_worker(i)
        memcpy(s.origin, s.stones, cells)
        s.origin_to_play = to_play

    def run(self, int64_t nodes, double seconds, Stop stop not None, int threads):
        """Search until ``nodes`` leaves have been evaluated since `set_position`, for ``seconds``,
        until the stop is set, or until the result is proven.  A negative limit is none.

        Return whether only the time limit ended the search, so that it may go on.  The root is
        evaluated in any case, so that there are moves to choose from.  Raise MemoryError if there
        is too little for the threads.
        """
        cdef double end = _now() + seconds if seconds >= 0 else -1
        cdef int i
        self.reserve(threads)
        self._prepare()
        helpers = [
            Thread(target=self._work, args=(i, nodes, end, stop))
            for i in range(1, min(threads, self.worker_count))
        ]
        for helper in helpers:
            helper.start()
        self._work(0, nodes, end, stop)
        for helper in helpers:
            helper.join()
        return not (
            node_at(&self.s.tree, self.s.tree.root).proven or stop.flag
            or 0 <= nodes <= self.s.leaves
        )

    cdef int _prepare(self) except -1:
        """Give all workers the stones of the root, and make a node of it unless it is one."""
        cdef search_t* s = &self.s
        cdef worker_t* w = self.workers[0]
        cdef node_t* root
        cdef int i
        for i in range(self.worker_count):
            memcpy(self.workers[i].leaf.stones, s.stones, s.arbiter.cells)
        if not s.tree.root:
            w.depth = 0
            w.keys[0] = s.key
            w.known_filled = NULL
            w.judged = 0
            evaluate(w, s.to_play, s.last, True)
            if w.proven:  # on the filled-in board; here the stones have yet to be played
                evaluate(w, s.to_play, s.last, False)
            if w.proven:
                evaluate_as_proven(w, s.to_play)
            s.tree.root = s.tree.origin = make_node(w, s.to_play)
            s.leaves = 1
        root = node_at(&s.tree, s.tree.root)
        # At the root it isn't enough to know that the position is won: a move has to be proven.
        root.proven = proven_by_moves(root)
        w.known_filled = NULL
        w.depth = 0
        if s.judge >= 0 and not root.judged and not root.proven:
            judge_node(w, root, s.to_play)
        if s.connects and not root.proven and not self.root_is_learned:
            use_knowledge_at_root(w, root, s.to_play)
        self.root_is_learned = True
        return 0

    def _work(self, int number, int64_t nodes, double end, Stop stop not None):
        """Search as one of several threads, until a limit, the stop or a proof."""
        cdef search_t* s = &self.s
        cdef worker_t* w = self.workers[number]
        cdef const node_t* root = node_at(&s.tree, s.tree.root)
        cdef int64_t limit = nodes if nodes >= 0 else INT64_MAX
        with nogil:
            while not i16_load(&root.proven) and not stop_load(&stop.flag):
                if end >= 0 and _now() >= end:
                    break
                if i64_take(&s.leaves, 1, limit) < 0:
                    break
                iterate(w)

    def learn(self, int cell, int distance):
        """Accept the proven distance of a move of the root, found elsewhere; see `moves`.

        Return whether the root has such a move.  Any thread may call this while a search runs.
        """
        cdef node_t* root = node_at(&self.s.tree, self.s.tree.root)
        cdef moves_t m = moves_of(root)
        cdef int i
        for i in range(root.count):
            if m.cell[i] == cell:
                if i16_load(&m.proven[i]) in (0, PRUNED):
                    i16_store(&m.proven[i], distance)
                distance = proven_by_moves(root)
                if distance:
                    i16_store(&root.proven, distance)
                return True
        return False

    def exclude(self, cells):
        """Leave these moves of the root out of the search, and of `moves`, until `forget`.

        The root must have been searched.  What is proven of it from then on is true of the other
        moves only.
        """
        cdef node_t* root = node_at(&self.s.tree, self.s.tree.root)
        cdef moves_t m = moves_of(root)
        cdef int i
        for i in range(root.count):
            if m.cell[i] in cells:
                m.proven[i] = PRUNED
        root.proven = proven_by_moves(root)

    @property
    def leaves(self):
        """The number of leaves evaluated since `set_position`."""
        return self.s.leaves

    @property
    def nodes(self):
        """The number of nodes in the tree."""
        return tree_count(&self.s.tree)

    @property
    def memory_used(self):
        """The share of the tree's memory in use, 0 to 1."""
        return self.s.tree.used / <double> self.s.tree.capacity

    def moves(self):
        """Return a tuple (cell, visits, value, RAVE value, proven distance) for each move of the
        root, best first, without those pruned meanwhile.

        Values are for the side to move, 0 to 1.  The proven distance counts plies to the end of the
        game, negative for a loss, 0 if nothing is proven; see _proven.pxd.  Any thread may call
        this while a search runs.
        """
        cdef const node_t* root = node_at(&self.s.tree, self.s.tree.root)
        cdef moves_t m = moves_of(root)
        cdef uint32_t visits
        cdef int i
        moves = []
        for i in range(root.count):
            if i16_load(&m.proven[i]) == PRUNED:
                continue
            visits = u32_load(&m.visits[i])
            value = min(1.0, f32_load(&m.value[i]) / visits) if visits else root.value
            moves.append((m.cell[i], visits, value, m.rave[i], i16_load(&m.proven[i])))
        return sorted(moves, key=_preference, reverse=True)

    def priors(self):
        """Return a dictionary from each cell that the root has a move for to the move's prior."""
        cdef const node_t* root = node_at(&self.s.tree, self.s.tree.root)
        cdef moves_t m = moves_of(root)
        return {m.cell[i]: f32_load(&m.prior[i]) for i in range(root.count)}

    def owners(self):
        """Return a pair for each cell, over all playouts since `set_position`: the share in which
        Black owned it at the end, and how much more often Black won with it than without.
        """
        cdef int64_t playouts = 0, wins = 0, owned, won
        cdef int i, cell
        for i in range(self.worker_count):
            playouts += self.workers[i].playouts
            wins += self.workers[i].black_wins
        found = []
        for cell in range(self.s.arbiter.cells):
            owned = won = 0
            for i in range(self.worker_count):
                owned += self.workers[i].all_owned[cell]
                won += self.workers[i].all_won[cell]
            pivotality = 0.0
            if 0 < owned < playouts:
                pivotality = won / <double> owned - (wins - won) / <double> (playouts - owned)
            found.append((owned / <double> playouts if playouts else 0.5, pivotality))
        return found

    def variation(self, int first):
        """Return the cells of the principal variation that begins with a move of the root."""
        cdef const node_t* node = node_at(&self.s.tree, self.s.tree.root)
        cdef moves_t m = moves_of(node)
        cdef int i, chosen = -1
        for i in range(node.count):
            if m.cell[i] == first:
                chosen = i
        line = []
        while chosen >= 0:
            line.append(m.cell[chosen])
            if not m.child[chosen]:
                break
            node = node_at(&self.s.tree, m.child[chosen])
            m = moves_of(node)
            chosen = -1
            for i in range(node.count):
                if m.visits[i] and m.proven[i] != PRUNED and (
                    chosen < 0 or _better(&m, i, chosen)
                ):
                    chosen = i
        return line


def _preference(move):
    """Rank wins before open moves before losses: the shortest win, the longest loss.

    Open moves rank by visits, and unvisited ones by RAVE.
    """
    _, visits, _, rave, distance = move
    return (distance > 0) - (distance < 0), -distance, visits, rave


cdef bint _better(const moves_t* m, int i, int j) noexcept:
    """Whether move i is preferable to j: the shortest win, an open move, the longest loss; then
    the more visited one.
    """
    cdef int a = m.proven[i], b = m.proven[j]
    if (a > 0) != (b > 0):
        return a > 0
    if (a < 0) != (b < 0):
        return b < 0
    if a != b:
        return a < b
    return m.visits[i] > m.visits[j]
