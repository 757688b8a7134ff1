"""Monte Carlo tree search whose leaves are batches of playouts, by threads that share the tree.

Each iteration descends from the root, plays one batch at the leaf, and takes its share of wins as
the value of the leaf.  The batch also tells how often a colour won with each cell: the prior of the
leaf's moves, and (RAVE) a sample for the moves of every position of the path.  Wins in one move are
seen at every leaf, proven, carried up the tree, and known wherever the position comes about again.

Threads use no locks.  A visit is counted on the way down and its value added on the way back, so
that a move somebody is busy with looks worse meanwhile (virtual loss).
"""
from threading import Thread

from libc.math cimport NAN, log, sqrt
from libc.stdint cimport INT64_MAX, UINT32_MAX, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from trivalent.bot._atomic cimport (
    f32_add, f32_load, i16_load, i16_store, i64_take, u32_acquire, u32_add, u32_load, u32_publish
)
from trivalent.bot.knowledge._virtual_connections cimport Connections
from trivalent.bot.search._proof_table cimport (
    proof_table_put, proof_table_free, proof_table_init, proof_table_get, proof_table_t
)
from trivalent.bot.search._node_knowledge cimport is_filled, learn_root, use_knowledge
from trivalent.bot.search._evaluate cimport evaluate, settle
from trivalent.bot.search._state cimport forget_rates, search_t, worker_t
from trivalent.bot.evaluation._pattern_policy cimport Policy, policy_shares
from trivalent.bot._stop cimport Stop, stop_load
from trivalent.bot.search._tree cimport (
    DROPPED, FILLED, UNIT, filled_of, moves_of, moves_t, node_at, node_t, node_units, proof_before,
    tree_clear, tree_count, tree_find, tree_free, tree_init, tree_keep, tree_new, tree_scarcity
)
from trivalent.core.playouts._batch cimport batch_free, batch_init, batch_seed, fill_t
from trivalent.bot.knowledge._fillin cimport Filler
from trivalent.bot.search._selection cimport attributes_t, selection
from trivalent.bot.knowledge._cutsets cimport CutsetFillin
from trivalent.core._random cimport rng_next, rng_seed, rng_t
from trivalent.core.connection._sliced cimport Slices
from trivalent.core.connection._triangle cimport Triangle


cdef inline attributes_t attributes_of(const node_t* node) noexcept nogil:
    cdef moves_t m = moves_of(node)
    return attributes_t(m.visits, m.value, m.policy, m.rave, m.samples, m.cell, m.proof)


cdef int select(const search_t* s, const node_t* node) noexcept nogil:
    """The move to follow, -1 if all are lost."""
    cdef attributes_t moves = attributes_of(node)
    cdef float bonus = s.explore * sqrt(log(u32_load(&node.visits) + 1.0))
    return s.moves.choose(&moves, node.count, s.rave, bonus, s.follow)


cdef uint32_t make_node(worker_t* w, int to_play) noexcept nogil:
    """Return a node of the position just evaluated, or 0 if there is no room."""
    cdef search_t* s = w.search
    cdef uint32_t number = tree_new(&s.tree, w.choices)
    cdef node_t* node
    cdef moves_t m
    cdef int j, cell, last = s.last
    if not number:
        return 0
    node = node_at(&s.tree, number)
    m = moves_of(node)
    if s.follow > 0:
        if w.depth:
            last = moves_of(w.path[w.depth - 1]).cell[w.taken[w.depth - 1]]
        policy_shares(s.policy, w.stones, to_play, last, w.choice, w.choices, m.policy)
    node.proof = w.proof
    node.value = w.value if to_play == 1 else 1 - w.value
    for j in range(w.choices):
        cell = w.choice[j]
        m.cell[j] = cell
        m.rave[j] = w.rate[to_play - 1][cell]
        m.samples[j] = s.prior
        if w.proof > 0:
            m.proof[j] = cell == w.winning
        elif w.proof < 0 or (w.forced >= 0 and w.forced != cell):
            m.proof[j] = -2
    return number


cdef int longest_loss(const node_t* node) noexcept nogil:
    """The proof of a node all of whose moves are lost; 0 or more if that is not so."""
    cdef moves_t m = moves_of(node)
    cdef int i, proof, longest = 0
    for i in range(node.count):
        proof = i16_load(&m.proof[i])
        if proof >= 0:
            return proof
        if proof != DROPPED:
            longest = min(longest, proof)
    return longest


cdef void prove(worker_t* w, int proof) noexcept nogil:
    """Carry the proof of the leaf as far up the path as it reaches."""
    cdef proof_table_t* known = &w.search.known
    cdef node_t* node
    cdef moves_t m
    cdef int depth = w.depth
    proof_table_put(known, w.keys[depth], proof)
    while depth > 0:
        depth -= 1
        node = w.path[depth]
        m = moves_of(node)
        proof = proof_before(proof)
        i16_store(&m.proof[w.taken[depth]], proof)
        if proof < 0:  # the side to move here may have other moves
            proof = longest_loss(node)
            if proof >= 0:
                return
        i16_store(&node.proof, proof)
        proof_table_put(known, w.keys[depth], proof)


cdef void back_up(worker_t* w) noexcept nogil:
    """Add the value of the leaf and its rates to the path, and take its stones away."""
    cdef search_t* s = w.search
    cdef moves_t m
    cdef attributes_t moves
    cdef int depth, mover, cell
    cdef float value
    for depth in range(w.depth):
        mover = s.to_play if depth % 2 == 0 else 3 - s.to_play
        cell = moves_of(w.path[depth]).cell[w.taken[depth]]
        w.stones[cell] = 0
        w.rate[mover - 1][cell] = w.value if mover == 1 else 1 - w.value
        w.rate[2 - mover][cell] = NAN
    for depth in range(w.depth):
        mover = s.to_play if depth % 2 == 0 else 3 - s.to_play
        value = w.value if mover == 1 else 1 - w.value
        m = moves_of(w.path[depth])
        f32_add(&m.value[w.taken[depth]], value)
        moves = attributes_of(w.path[depth])
        s.moves.sample(&moves, w.path[depth].count, w.rate[mover - 1])


cdef int proof_by_moves(const node_t* node) noexcept nogil:
    """The proof that the moves of a node give: the shortest win, or else the longest loss."""
    cdef moves_t m = moves_of(node)
    cdef int i, proof, shortest = 0
    for i in range(node.count):
        proof = i16_load(&m.proof[i])
        if proof > 0 and (not shortest or proof < shortest):
            shortest = proof
    return shortest or longest_loss(node)


cdef void iterate(worker_t* w) noexcept nogil:
    """One leaf."""
    cdef search_t* s = w.search
    cdef node_t* node = node_at(&s.tree, s.tree.root)
    cdef moves_t m
    cdef int colour = s.to_play, i, proof
    cdef uint32_t child, visits, new
    w.depth = 0
    w.keys[0] = s.key
    w.known_filled = NULL
    while True:
        visits = u32_load(&node.visits)
        if (
            s.connects and w.depth and (visits == s.connect or visits == s.connect_wide)
            and not i16_load(&node.proof)
        ):
            use_knowledge(w, node, colour, visits != s.connect)
        if u32_acquire(&node.filled) == FILLED:
            w.known_filled = filled_of(node)
            w.known_depth = w.depth
        proof = i16_load(&node.proof)
        i = -1 if proof else select(s, node)
        if i < 0:
            # Another thread has proven it meanwhile and need not have got further up; or two have
            # proven its last moves at once, and neither has seen the other's.
            if not proof:
                proof = longest_loss(node)
                i16_store(&node.proof, proof)
            prove(w, proof)
            forget_rates(w)
            w.value = (proof > 0) == (colour == 1)
            back_up(w)
            return
        m = moves_of(node)
        # A move that was in the tree before its cell was filled in: from there on the filling does
        # not hold.
        if w.known_filled != NULL and is_filled(s, w.known_filled, m.cell[i]):
            w.known_filled = NULL
        visits = u32_add(&m.visits[i], 1)
        u32_add(&node.visits, 1)
        w.path[w.depth] = node
        w.taken[w.depth] = i
        w.keys[w.depth + 1] = (
            w.keys[w.depth] ^ s.keys[colour - 1][m.cell[i]] ^ s.white_to_play
        )
        w.depth += 1
        w.stones[m.cell[i]] = colour
        colour = 3 - colour
        child = u32_acquire(&m.child[i])
        if not child:
            break
        node = node_at(&s.tree, child)
    w.proof = proof_table_get(&s.known, w.keys[w.depth])
    if not w.proof:
        evaluate(w, colour, m.cell[i], True)
    if w.proof:
        settle(w, colour)
        prove(w, w.proof)
    elif visits + 1 >= s.expand * tree_scarcity(&s.tree):
        new = make_node(w, colour)
        if new:
            u32_publish(&m.child[i], new)
    back_up(w)


cdef double _now() noexcept nogil:
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec + 1e-9 * now.tv_nsec


cdef class Search:
    """A tree that is searched again and again; see `MctsParameters` for the parameters."""

    cdef search_t s
    cdef worker_t** workers
    cdef Triangle triangle
    cdef Slices slices
    cdef Filler filler
    cdef CutsetFillin regions
    cdef Connections connections
    cdef Connections wide
    cdef Policy policy
    cdef uint64_t seed
    cdef size_t for_known  # bytes
    cdef bint has_learned  # of the root, what need not be learned again

    def __cinit__(
        self, Triangle triangle not None, Slices slices not None, *, uint64_t seed, int threads,
        int lanes, tuple fill, Filler filler, bint prune, CutsetFillin regions,
        Connections connections, Connections wide, int connect, int connect_wide, int expand,
        double rave, double explore, int prior, Policy policy not None, double follow, double noise,
        long memory
    ):
        cdef int i, cell, words
        cdef rng_t rng
        cdef search_t* s = &self.s
        self.triangle = triangle
        self.slices = slices
        self.seed = seed
        s.triangle = &triangle.c
        s.rave = rave
        s.explore = explore
        s.expand = expand
        s.prior = prior
        s.noise = noise
        s.threads = threads
        s.boards = lanes
        self.filler = filler
        if filler is not None:
            s.fillin = &filler.board
            s.fill_in = filler.kernels.fill_in
            s.find_dominated = filler.kernels.dominated
        s.prune = prune
        self.regions = regions
        if regions is not None:
            s.regions = &regions.c
        self.policy = policy
        s.policy = &policy.c
        s.follow = follow
        self.connections = connections
        self.wide = wide
        s.connects = connections is not None
        s.connect = connect
        s.connect_wide = connect_wide or UINT32_MAX
        s.moves = selection()[0]
        in_turn, balanced, bridges, repair = fill
        rng_seed(&rng, s.triangle.cells)
        for cell in range(s.triangle.cells):
            s.keys[0][cell] = rng_next(&rng)
            s.keys[1][cell] = rng_next(&rng)
        s.white_to_play = rng_next(&rng)
        rng_seed(&rng, seed)
        s.noise_key = rng_next(&rng)
        self.for_known = (memory << 20) // 16
        proof_table_init(&s.known, self.for_known)
        words = (s.triangle.cells + 31) // 32 if s.regions else 0
        # The root always has room.
        tree_init(
            &s.tree,
            max((memory << 20) - self.for_known, 2 * node_units(s.triangle.cells, words) * UNIT),
            words
        )
        self.workers = <worker_t**> calloc(threads, sizeof(worker_t*))
        if not self.workers:
            raise MemoryError
        for i in range(threads):
            self.workers[i] = <worker_t*> calloc(1, sizeof(worker_t))
            if not self.workers[i]:
                raise MemoryError
            self.workers[i].search = s
            if s.connects:
                connections.prepare(&self.workers[i].quick)
                wide.prepare(&self.workers[i].wide)
                wide.prepare(&self.workers[i].spare)
            batch_init(
                &self.workers[i].batch, &slices.c,
                fill_t(in_turn=in_turn, balanced=balanced, bridges=bridges, repair=repair),
                lanes // 64
            )

    def __dealloc__(self):
        cdef int i
        tree_free(&self.s.tree)
        proof_table_free(&self.s.known)
        if self.workers:
            for i in range(self.s.threads):
                if self.workers[i]:
                    batch_free(&self.workers[i].batch)
                    free(self.workers[i].quick.memory)
                    free(self.workers[i].wide.memory)
                    free(self.workers[i].spare.memory)
                    free(self.workers[i])
            free(self.workers)

    def forget(self):
        """Drop the tree and all that is known."""
        tree_clear(&self.s.tree)
        proof_table_free(&self.s.known)
        proof_table_init(&self.s.known, self.for_known)

    def set_position(
        self, const uint8_t[::1] stones not None, int to_play, int last, uint64_t key
    ):
        """Make an open position the root; what the tree knows of it stays.

        ``last`` is the cell just played, or -1; ``key`` goes with the seed if the tree is new.
        """
        cdef search_t* s = &self.s
        cdef int cells = s.triangle.cells, i
        memcpy(s.stones, &stones[0], cells)
        s.to_play = to_play
        s.last = last
        s.leaves = 0
        self.has_learned = False
        for i in range(s.threads):
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
            for i in range(s.threads):
                batch_seed(&self.workers[i].batch, self.seed ^ key, i)
        memcpy(s.origin, s.stones, cells)
        s.origin_to_play = to_play

    def run(self, int64_t nodes, double seconds, Stop stop not None, int threads):
        """Search on until so many leaves have been evaluated since `set_position`, so many seconds
        have passed, the stop is set, or the result is proven.  A negative limit is none.  Return
        whether only the time has ended it: the search may go on.

        The root is evaluated in any case, so that there is something to choose by.
        """
        cdef double end = _now() + seconds if seconds >= 0 else -1
        cdef int i
        self._prepare()
        helpers = [
            Thread(target=self._work, args=(i, nodes, end, stop))
            for i in range(1, min(threads, self.s.threads))
        ]
        for helper in helpers:
            helper.start()
        self._work(0, nodes, end, stop)
        for helper in helpers:
            helper.join()
        return not (
            node_at(&self.s.tree, self.s.tree.root).proof or stop.flag
            or 0 <= nodes <= self.s.leaves
        )

    cdef int _prepare(self) except -1:
        """Load the workers with the root, and make it a node if it is none."""
        cdef search_t* s = &self.s
        cdef worker_t* w = self.workers[0]
        cdef node_t* root
        cdef int i
        for i in range(s.threads):
            memcpy(self.workers[i].stones, s.stones, s.triangle.cells)
        if not s.tree.root:
            w.depth = 0
            w.keys[0] = s.key
            w.known_filled = NULL
            evaluate(w, s.to_play, s.last, True)
            if w.proof:  # of the board as filled in; here it has yet to be played
                evaluate(w, s.to_play, s.last, False)
            if w.proof:
                settle(w, s.to_play)
            s.tree.root = s.tree.origin = make_node(w, s.to_play)
            s.leaves = 1
        root = node_at(&s.tree, s.tree.root)
        # That a position is won is not enough at the root: there has to be a move that wins.
        root.proof = proof_by_moves(root)
        w.known_filled = NULL
        if s.connects and not root.proof and not self.has_learned:
            learn_root(w, root, s.to_play)
        self.has_learned = True
        return 0

    def _work(self, int number, int64_t nodes, double end, Stop stop not None):
        """Iterate, in one thread of several, until the search is to end."""
        cdef search_t* s = &self.s
        cdef worker_t* w = self.workers[number]
        cdef const node_t* root = node_at(&s.tree, s.tree.root)
        cdef int64_t limit = nodes if nodes >= 0 else INT64_MAX
        with nogil:
            while not i16_load(&root.proof) and not stop_load(&stop.flag):
                if end >= 0 and _now() >= end:
                    break
                if i64_take(&s.leaves, 1, limit) < 0:
                    break
                iterate(w)

    def learn(self, int cell, int proof):
        """Take in the proof of a move of the root, as `moves` tells it, which somebody else has
        found; return whether there is such a move.  Any thread may call while a search runs.
        """
        cdef node_t* root = node_at(&self.s.tree, self.s.tree.root)
        cdef moves_t m = moves_of(root)
        cdef int i
        for i in range(root.count):
            if m.cell[i] == cell:
                if i16_load(&m.proof[i]) in (0, DROPPED):
                    i16_store(&m.proof[i], proof)
                proof = proof_by_moves(root)
                if proof:
                    i16_store(&root.proof, proof)
                return True
        return False

    @property
    def leaves(self):
        """The leaves evaluated since `set_position`."""
        return self.s.leaves

    @property
    def nodes(self):
        """The positions in the tree."""
        return tree_count(&self.s.tree)

    @property
    def memory_used(self):
        """The share of the memory of the tree that is in use."""
        return self.s.tree.used / <double> self.s.tree.capacity

    def moves(self):
        """A tuple (cell, visits, value, rave value, proof) for each move of the root, in no order,
        but those that have been filled in meanwhile.

        The proof is in plies to the end, negative for a loss of the side to move, 0 if open.  Any
        thread may ask while a search runs.
        """
        cdef const node_t* root = node_at(&self.s.tree, self.s.tree.root)
        cdef moves_t m = moves_of(root)
        cdef uint32_t visits
        cdef int i
        moves = []
        for i in range(root.count):
            if i16_load(&m.proof[i]) == DROPPED:
                continue
            visits = u32_load(&m.visits[i])
            value = min(1.0, f32_load(&m.value[i]) / visits) if visits else root.value
            moves.append((m.cell[i], visits, value, m.rave[i], i16_load(&m.proof[i])))
        return moves

    def owners(self):
        """For each cell, from all playouts since `set_position`: how often Black owned it at the
        end, and how much more often Black won with it than without.
        """
        cdef int64_t playouts = 0, wins = 0, owned, won
        cdef int i, cell
        for i in range(self.s.threads):
            playouts += self.workers[i].playouts
            wins += self.workers[i].black_wins
        found = []
        for cell in range(self.s.triangle.cells):
            owned = won = 0
            for i in range(self.s.threads):
                owned += self.workers[i].all_owned[cell]
                won += self.workers[i].all_won[cell]
            pivotality = 0.0
            if 0 < owned < playouts:
                pivotality = won / <double> owned - (wins - won) / <double> (playouts - owned)
            found.append((owned / <double> playouts if playouts else 0.5, pivotality))
        return found

    def variation(self, int first):
        """The cells of the line that the search expects after a move of the root."""
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
                if m.visits[i] and m.proof[i] != DROPPED and (
                    chosen < 0 or _better(&m, i, chosen)
                ):
                    chosen = i
        return line


cdef bint _better(const moves_t* m, int i, int j) noexcept:
    """Whether a move is to be preferred: the shortest win, an open move, the longest loss."""
    cdef int a = m.proof[i], b = m.proof[j]
    if (a > 0) != (b > 0):
        return a > 0
    if (a < 0) != (b < 0):
        return b < 0
    if a != b:
        return a < b
    return m.visits[i] > m.visits[j]
