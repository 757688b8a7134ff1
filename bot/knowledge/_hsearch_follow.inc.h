/* H-search for carriers of WORDS words: from the connections of a position to those after moves. */

/* What moves change. */
typedef struct {
    NAME(set) mine, theirs; /* cells that have been taken */
    NAME(set) changed;      /* empty cells where a stone captures others than before */
    int16_t chain[HSEARCH_CHAINS]; /* that each chain is part of now */
} NAME(moves);

/* Let two chains be one, whose number is the lower one. */
static void NAME(merge)(NAME(state) *s, NAME(moves) *m, int a, int b) {
    int kept = m->chain[a], gone = m->chain[b];
    if (kept > gone) kept = m->chain[b], gone = m->chain[a];
    for (int i = 0; i < s->chains; i++)
        if (m->chain[i] == gone) m->chain[i] = (int16_t)kept;
}

/* Give a stone of ours to the chains next to it, or let it be a chain of its own.  Where there are too
 * many chains it is nobody's, as if it were the opponent's. */
static void NAME(place)(NAME(state) *s, NAME(moves) *m, int cell) {
    const int16_t *around = s->limits->around + 6 * cell;
    int chain = -1;
    for (int k = 0; k < 6; k++) {
        int other = -1;
        if (around[k] >= 0)
            other = s->point[around[k]] - s->cells;
        else if (!s->limits->shared)
            other = -1 - around[k] == s->sides[0] ? 0 : -1 - around[k] == s->sides[1] ? 1 : -1;
        if (other < 0) continue;
        if (chain >= 0) NAME(merge)(s, m, chain, other);
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

/* Take a connection out of its list. */
static void NAME(forget)(NAME(state) *s, int32_t number) {
    const NAME(link) *link = &s->links[number];
    NAME(pair) *pair = NAME(pair_of)(s, link->end[0], link->end[1]);
    int32_t *at = link->key < 0 ? &pair->fulls : &pair->semis;
    int32_t *list = at;
    while (*at != number) at = &s->links[*at].next;
    NAME(unlink)(s, at);
    NAME(renew)(s, *list);
}

/* The point that a point is now. */
static int NAME(now)(const NAME(state) *s, const NAME(moves) *m, int point) {
    int chain = (NAME(is_cell)(s, point) ? s->point[point] : point) - s->cells;
    return chain < 0 ? point : s->cells + m->chain[chain];
}

/* Keep a connection as it is after the moves: with fewer cells, and other ends.  A semi whose key has
 * been played is a full. */
static void NAME(keep)(NAME(state) *s, const NAME(moves) *m, const NAME(link) *link) {
    const NAME(source) source = {link->rule, 0, NULL};
    NAME(set) carrier = NAME(minus)(&link->carrier, &m->mine);
    int a = NAME(now)(s, m, link->end[0]), b = NAME(now)(s, m, link->end[1]);
    int size = NAME(count)(&carrier);
    if (a == b) return;
    NAME(order)(s, &a, &b);
    if (link->key < 0 || NAME(has)(&m->mine, link->key))
        NAME(add_full)(s, a, b, &carrier, size, &source);
    else
        NAME(add_semi)(s, a, b, &carrier, size, link->key, &source);
}

/* Find what the moves change: the points, steps and captures. */
static void NAME(find_moves)(NAME(state) *s, const uint8_t *stones, NAME(moves) *m) {
    NAME(set) captured[HSEARCH_CELLS];
    uint8_t captures[HSEARCH_CELLS];
    memset(m, 0, sizeof *m);
    for (int i = 0; i < s->chains; i++) m->chain[i] = (int16_t)i;
    for (int cell = 0; cell < s->cells; cell++) {
        if (stones[cell] == s->stones[cell]) continue;
        s->stones[cell] = stones[cell];
        if (stones[cell] == s->colour)
            NAME(place)(s, m, cell);
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

static int NAME(follow)(const hsearch_t *h, const hsearch_t *before, const uint8_t *stones,
                        int enough, int tried) {
    const NAME(state) *from = before->memory;
    int anew = from->used > LINKS / 2 || before->max_between != h->max_between;
    for (int cell = 0; cell < from->cells; cell++) /* no stone is taken away by a move */
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
    int32_t known = s->used, kept[LINKS / 2], count = 0;
    NAME(moves) m;
    NAME(find_moves)(s, stones, &m);
    if (m.chain[0] == m.chain[1] && !h->shared) return NAME(build)(h, stones, from->colour, enough);
    for (int32_t i = 0; i < known; i++) {
        const NAME(link) *link = &s->links[i];
        int a = link->end[0], b = link->end[1];
        if (link->state == GONE) continue;
        if (NAME(meets)(&link->carrier, &m.theirs) || NAME(has_end)(s, &m.theirs, a) ||
            NAME(has_end)(s, &m.theirs, b))
            NAME(forget)(s, i);
        else if (NAME(meets)(&link->carrier, &m.mine) || NAME(now)(s, &m, a) != a ||
                 NAME(now)(s, &m, b) != b || NAME(has_end)(s, &m.changed, a) ||
                 NAME(has_end)(s, &m.changed, b)) {
            NAME(forget)(s, i);
            kept[count++] = i;
        }
    }
    NAME(add_neighbours)(s);
    for (int32_t i = 0; i < count; i++) {
        const NAME(link) link = s->links[kept[i]];
        NAME(keep)(s, &m, &link);
    }
    s->smallest = 0;
    s->tried = tried;
    return NAME(run)(s, enough);
}
