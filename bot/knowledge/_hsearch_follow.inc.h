/* H-search for carriers of WORDS words: from the connections of one position to those after further
 * moves.  _hsearch.c includes this header three times, once per carrier size. */

/* What the moves change. */
typedef struct {
    NAME(set) mine, theirs; /* cells that either side has taken */
    NAME(set) changed;      /* empty cells on which a stone now captures other cells */
    int16_t chain[HSEARCH_CHAINS]; /* the chain that each old chain is now part of */
} NAME(moves);

/* Merge two chains; the lower number stays. */
static void NAME(merge_chains)(NAME(state) *s, NAME(moves) *m, int a, int b) {
    int kept = m->chain[a], gone = m->chain[b];
    if (kept > gone) kept = m->chain[b], gone = m->chain[a];
    for (int i = 0; i < s->chains; i++)
        if (m->chain[i] == gone) m->chain[i] = (int16_t)kept;
}

/* Add an own stone to the chains next to it, or make it a chain of its own.  If there are too many
 * chains it belongs to nobody, as if it were the opponent's. */
static void NAME(place_stone)(NAME(state) *s, NAME(moves) *m, int cell) {
    const int16_t *around = s->limits->around + 6 * cell;
    int chain = -1;
    for (int k = 0; k < 6; k++) {
        int other = -1;
        if (around[k] >= 0)
            other = s->point[around[k]] - s->cells;
        else if (!s->limits->shared)
            other = -1 - around[k] == s->sides[0] ? 0 : -1 - around[k] == s->sides[1] ? 1 : -1;
        if (other < 0) continue;
        if (chain >= 0) NAME(merge_chains)(s, m, chain, other);
        chain = other;
    }
    if (chain < 0 && s->chains < HSEARCH_CHAINS) {
        chain = s->chains++;
        m->chain[chain] = (int16_t)chain;
        NAME(clear)(s, chain);
    }
    s->point[cell] = (int16_t)(chain < 0 ? -1 : s->cells + chain);
    NAME(add)(chain < 0 ? &m->theirs : &m->mine, cell);
}

/* Take a link out of its list. */
static void NAME(unlink_number)(NAME(state) *s, int32_t number) {
    const NAME(link) *link = &s->links[number];
    NAME(pair) *pair = NAME(pair_of)(s, link->end[0], link->end[1]);
    int32_t *at = link->key < 0 ? &pair->fulls : &pair->semis;
    int32_t *list = at;
    while (*at != number) at = &s->links[*at].next;
    NAME(unlink)(s, at);
    NAME(refresh_head)(s, *list);
}

/* Return the point that an old point is now. */
static int NAME(current_point)(const NAME(state) *s, const NAME(moves) *m, int point) {
    int chain = (NAME(is_cell)(s, point) ? s->point[point] : point) - s->cells;
    return chain < 0 ? point : s->cells + m->chain[chain];
}

/* Add a link again as it is after the moves: with fewer cells and perhaps other ends.  A semi whose
 * key has been played becomes a full. */
static void NAME(keep_after_moves)(NAME(state) *s, const NAME(moves) *m, const NAME(link) *link) {
    const NAME(source) source = {link->rule, 0, NULL};
    NAME(set) carrier = NAME(minus)(&link->carrier, &m->mine);
    int a = NAME(current_point)(s, m, link->end[0]), b = NAME(current_point)(s, m, link->end[1]);
    int size = NAME(count)(&carrier);
    if (a == b) return;
    NAME(order)(s, &a, &b);
    if (link->key < 0 || NAME(has)(&m->mine, link->key))
        NAME(add_full)(s, a, b, &carrier, size, &source);
    else
        NAME(add_semi)(s, a, b, &carrier, size, link->key, &source);
}

/* Find what the moves change, and update points, steps and captures. */
static void NAME(find_moves)(NAME(state) *s, const uint8_t *stones, NAME(moves) *m) {
    NAME(set) captured[MAX_CELLS];
    uint8_t captures[MAX_CELLS];
    memset(m, 0, sizeof *m);
    for (int i = 0; i < s->chains; i++) m->chain[i] = (int16_t)i;
    for (int cell = 0; cell < s->cells; cell++) {
        if (stones[cell] == s->stones[cell]) continue;
        s->stones[cell] = stones[cell];
        if (stones[cell] == s->colour)
            NAME(place_stone)(s, m, cell);
        else {
            s->point[cell] = -1;
            NAME(add)(&m->theirs, cell);
        }
    }
    for (int cell = 0; cell < s->cells; cell++)
        if (s->point[cell] >= s->cells)
            s->point[cell] = (int16_t)(s->cells + m->chain[s->point[cell] - s->cells]);
    memcpy(captures, s->captures, sizeof captures);
    memcpy(captured, s->captured, sizeof captured);
    NAME(find_steps)(s);
    NAME(find_captures)(s);
    for (int cell = 0; cell < s->cells; cell++)
        if (s->captures[cell] &&
            (!captures[cell] || !NAME(is_subset)(&s->captured[cell], &captured[cell])))
            NAME(add)(&m->changed, cell);
}

/* Find the connections after moves; see hsearch_follow().  Start again where that's simpler.  With
 * `probed`, the key with a trial stone, only connections that may join the sides matter. */
static int NAME(follow)(const hsearch_t *h, const hsearch_t *before, const uint8_t *stones,
                        int enough, int probed) {
    const NAME(state) *from = before->memory;
    int anew = from->used > MAX_LINKS / 2 || before->max_between != h->max_between;
    for (int cell = 0; cell < from->cells; cell++) /* moves don't remove stones */
        anew |= from->stones[cell] && stones[cell] != from->stones[cell];
    if (anew) return NAME(build)(h, stones, from->colour, enough);
    memcpy(h->memory, from, (const char *)(from->pairs + from->chains * from->stride) -
                                (const char *)from);
    NAME(state) *s = NAME(state_of)(h);
    if (h->max_between >= 0)
        memcpy(NAME(pair_of)(s, 0, 0), NAME(pair_of)(from, 0, 0),
               s->cells * s->stride * sizeof(NAME(pair)));
    memcpy(s->links, from->links, from->used * sizeof from->links[0]);
    memcpy(s->blocks, from->blocks, from->blocks_used * sizeof from->blocks[0]);
    memcpy(s->parts, from->parts, from->parts_used * sizeof from->parts[0]);
    int32_t known = s->used, kept[MAX_LINKS / 2], count = 0;
    NAME(moves) m;
    NAME(find_moves)(s, stones, &m);
    if (m.chain[0] == m.chain[1] && !h->shared) return NAME(build)(h, stones, from->colour, enough);
    for (int32_t i = 0; i < known; i++) {
        const NAME(link) *link = &s->links[i];
        int a = link->end[0], b = link->end[1];
        if (link->state == GONE) continue;
        if (NAME(meets)(&link->carrier, &m.theirs) || NAME(has_end)(s, &m.theirs, a) ||
            NAME(has_end)(s, &m.theirs, b))
            NAME(unlink_number)(s, i);
        else if (NAME(meets)(&link->carrier, &m.mine) || NAME(current_point)(s, &m, a) != a ||
                 NAME(current_point)(s, &m, b) != b || NAME(has_end)(s, &m.changed, a) ||
                 NAME(has_end)(s, &m.changed, b)) {
            NAME(unlink_number)(s, i);
            kept[count++] = i;
        }
    }
    NAME(add_neighbours)(s);
    for (int32_t i = 0; i < count; i++) {
        const NAME(link) link = s->links[kept[i]];
        NAME(keep_after_moves)(s, &m, &link);
    }
    s->smallest = 0;
    s->probed = probed;
    return NAME(run)(s, enough);
}
