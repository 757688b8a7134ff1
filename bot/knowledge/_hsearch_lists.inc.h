/* H-search for carriers of WORDS words: its state, the lists of connections, and the OR rule.
 * _hsearch.c includes this header three times, once per carrier size.
 *
 * A *point* is an empty cell or a chain.  Cells have their own numbers; chains are numbered after
 * all cells, and the sides are the first chains.  In the order of points chains come before cells,
 * so that a pair is stored once, under its first point:
 *
 *                         last point
 *                   ... cell 17 ...               fulls   907 -> 311 -> -1
 *    first point   +-------------+                semis   912 -> 350 -> 344 -> -1
 *      chain 2     | fulls semis | ------->
 *                  +-------------+                links, newest first, chained by `next`
 *
 *    links[]   every connection made in this search, numbered in the order of making.  The head of
 *              a list also knows what all carriers of the list have in common (`common`), and how
 *              many there are (`count`).  A link that a better one has replaced is GONE: it's no
 *              longer in its list, but keeps its number, since others may be made of it.
 *    parts[]   the numbers of the links that each link is made of.
 *
 *    queue[0]   -> -1                          NEW links by the size of their carriers, chained by
 *    queue[1]   -> 905 -> -1                   `queue`.  run() takes the next link from the
 *    queue[2]   -> 912 -> 907 -> 899 -> -1     smallest size, combines it with all links COMBINED
 *    ...                                       before that share an end with it, and then files it
 *                                              at both ends for later ones:
 *
 *    newest_block[point][kind] -> [8 links] -> [8 links] -> -1     blocks, chained by `before`
 *
 *    kind TO_CELLS: fulls to cells;  TO_CHAINS: fulls to chains;  SEMIS
 *
 * A block holds the carriers of its links side by side, so that one loop without branches finds out
 * which of the eight share no cell with a given carrier. */
#include "bot/knowledge/_bitset.inc.h"

typedef struct { /* a connection */
    NAME(set) carrier;
    NAME(set) common; /* in the head of a list: the cells that all links of the list need, */
    int32_t count;    /* and how many links there are */
    int32_t next;     /* the next link between the same points and of the same kind, or -1 */
    int32_t queue;    /* the next link of the same size to be combined, or -1 */
    int32_t parts;    /* the index of its first part in parts[] */
    int16_t end[2];   /* points, in order */
    int16_t size, key;
    uint8_t state, rule, part_count;
} NAME(link);

typedef struct { /* what makes a connection: a rule and its parts */
    int rule, count;
    const int32_t *part;
} NAME(source);

typedef struct { /* a way from an empty cell to another, at no cost (neighbours) or by a bridge */
    NAME(set) carrier;
    NAME(set) all; /* the carrier and the cell that the step leads to */
    int to, size;
} NAME(step);

typedef struct { /* combined links seen from one of their ends, the oldest first */
    NAME(set) all[BLOCK_SIZE]; /* the carrier, and the other end if that is a cell */
    int16_t size[BLOCK_SIZE];
    int32_t number[BLOCK_SIZE];
    int32_t count, before; /* before: the previous block, or -1 */
} NAME(block);

typedef struct { /* the head of each list, or -1 */
    int32_t fulls, semis;
} NAME(pair);

typedef struct {
    const hsearch_t *limits;
    int cells, stride, colour, sides[3], chains, smallest;
    int probed; /* the key with a trial stone on it, to see whether it joins the sides; or -1 */
    int32_t used, parts_used, blocks_used;
    uint8_t stones[MAX_CELLS];
    int16_t point[MAX_CELLS];           /* per cell, -1 for the opponent's */
    uint8_t captures[MAX_CELLS];        /* per cell: how many bridges a stone there captures, */
    int16_t bridges[MAX_CELLS][3][2];   /* the cells of each, */
    NAME(set) captured[MAX_CELLS];      /* and all these cells */
    uint8_t step_count[MAX_CELLS];      /* per empty cell: how many steps lead from it, */
    NAME(set) step_targets[MAX_CELLS];  /* the cells that they lead to, */
    NAME(set) near[MAX_CELLS];          /* and those of them that are neighbours */
    int32_t newest_block[MAX_CELLS + HSEARCH_CHAINS][KINDS]; /* per point, or -1 */
    int32_t queue[MAX_CELLS + 1];       /* per carrier size: the first link to be combined, or -1 */
    NAME(link) *links;
    NAME(block) *blocks;
    int32_t *parts;
    NAME(step) (*steps)[12];            /* per cell */
    resistance_network_t *network;
    NAME(pair) pairs[];
} NAME(state);

static int64_t NAME(bytes)(int cells) {
    int64_t points = cells + HSEARCH_CHAINS;
    return sizeof(NAME(state)) + points * points * sizeof(NAME(pair)) +
           MAX_LINKS * sizeof(NAME(link)) + MAX_BLOCKS * sizeof(NAME(block)) +
           MAX_PARTS * sizeof(int32_t) + cells * sizeof(NAME(step)[12]) +
           sizeof(resistance_network_t) + 64;
}

/* Return the state in the memory of a search, its pointers set. */
static NAME(state) *NAME(state_of)(const hsearch_t *h) {
    NAME(state) *s = h->memory;
    s->limits = h;
    s->cells = h->cells;
    s->stride = h->cells + HSEARCH_CHAINS;
    s->links = (void *)(((uintptr_t)(s->pairs + s->stride * s->stride) + 63) & ~(uintptr_t)63);
    s->blocks = (void *)(s->links + MAX_LINKS);
    s->parts = (int32_t *)(s->blocks + MAX_BLOCKS);
    s->steps = (void *)(s->parts + MAX_PARTS);
    s->network = (void *)(s->steps + s->cells);
    return s;
}

static inline int NAME(is_cell)(const NAME(state) *s, int point) { return point < s->cells; }

/* Return whether a point is a side of Y, which doesn't join what is connected to it. */
static inline int NAME(is_shared_side)(const NAME(state) *s, int point) {
    return s->limits->shared && point >= s->cells && point < s->cells + 3;
}

/* Return whether connections that meet in a chain may be joined. */
static inline int NAME(joins)(const NAME(state) *s, int point) {
    return point >= s->cells + 2 + s->limits->shared ||
           (s->limits->and_over_edge && !s->limits->shared);
}

/* Return the lists of two points, which must be in order: chains before cells. */
static inline NAME(pair) *NAME(pair_of)(const NAME(state) *s, int first, int last) {
    int row = first < s->cells ? HSEARCH_CHAINS + first : first - s->cells;
    return (NAME(pair) *)&s->pairs[row * s->stride + last];
}

/* Put two points in order. */
static inline void NAME(order)(const NAME(state) *s, int *first, int *last) {
    int a = *first, b = *last;
    if (NAME(is_cell)(s, a) == NAME(is_cell)(s, b) ? a > b : NAME(is_cell)(s, a))
        *first = b, *last = a;
}

/* Return how far the sides are joined: 2 by a full, 1 by a semi, 0 not at all. */
static int NAME(joined)(const NAME(state) *s) {
    const NAME(pair) *sides = NAME(pair_of)(s, s->cells, s->cells + 1);
    return sides->fulls >= 0 ? 2 : sides->semis >= 0 ? 1 : 0;
}

/* Return whether a list has a link that needs only cells of a carrier. */
static int NAME(has_subset)(const NAME(state) *s, int32_t link, const NAME(set) *carrier) {
    for (; link >= 0; link = s->links[link].next)
        if (NAME(is_subset)(&s->links[link].carrier, carrier)) return 1;
    return 0;
}

/* Take a link out of its list, given where the list refers to it. */
static void NAME(unlink)(NAME(state) *s, int32_t *at) {
    s->links[*at].state = GONE;
    *at = s->links[*at].next;
}

/* Recompute what the head of a list knows about the list after links have been removed. */
static void NAME(refresh_head)(NAME(state) *s, int32_t list) {
    if (list < 0) return;
    NAME(link) *head = &s->links[list];
    head->common = head->carrier;
    head->count = 1;
    for (int32_t i = head->next; i >= 0; i = s->links[i].next, head->count++)
        head->common = NAME(meet)(&head->common, &s->links[i].carrier);
}

/* Remove the links of a list whose carriers contain a given carrier; return their number.  With
 * `own`, for a carrier of the list's own kind, return -1 if the list already has a link whose
 * carrier is a subset: a list can't have both. */
static inline int NAME(drop_supersets)(NAME(state) *s, int32_t *list, const NAME(set) *carrier,
                                       int own) {
    int dropped = 0;
    for (int32_t *at = list; *at >= 0;) {
        const NAME(link) *link = &s->links[*at];
        if (own && NAME(is_subset)(&link->carrier, carrier)) return -1;
        if (NAME(is_subset)(carrier, &link->carrier)) {
            NAME(unlink)(s, at);
            dropped++;
        } else
            at = &s->links[*at].next;
    }
    if (dropped) NAME(refresh_head)(s, *list);
    return dropped;
}

/* Return whether AND combines a link with others: a semi is only extended over a chain. */
static inline int NAME(is_combinable)(const NAME(state) *s, int first, int key) {
    return key < 0 || (s->limits->max_extension >= 0 && !NAME(is_cell)(s, first));
}

/* Add a link at the head of a list, and to the queue.  Return its number, or -1 if there isn't
 * room. */
static int32_t NAME(new_link)(NAME(state) *s, int first, int last, const NAME(set) *carrier,
                              int size, int key, const NAME(source) *source, int32_t *list) {
    if (s->used == MAX_LINKS || s->parts_used + source->count > MAX_PARTS) return -1;
    NAME(link) *link = &s->links[s->used];
    link->carrier = link->common = *carrier;
    link->count = 1;
    if (*list >= 0) {
        link->common = NAME(meet)(carrier, &s->links[*list].common);
        link->count += s->links[*list].count;
    }
    link->next = *list;
    link->parts = s->parts_used;
    link->end[0] = (int16_t)first;
    link->end[1] = (int16_t)last;
    link->size = (int16_t)size;
    link->key = (int16_t)key;
    link->state = NEW;
    link->rule = (uint8_t)source->rule;
    link->part_count = (uint8_t)source->count;
    for (int i = 0; i < source->count; i++) s->parts[s->parts_used++] = source->part[i];
    if (NAME(is_combinable)(s, first, key)) {
        link->queue = s->queue[size];
        s->queue[size] = s->used;
        if (size < s->smallest) s->smallest = size;
    }
    return *list = s->used++;
}

/* Return the largest carrier allowed between two points.  Neighbours need no connection, nor, with
 * greedy_fulls, do cells one bridge apart: their step is enough. */
static inline int NAME(max_size_of)(const NAME(state) *s, int first, int last) {
    if (!NAME(is_cell)(s, first)) return s->limits->max_size;
    if (NAME(has)(s->limits->greedy_fulls ? &s->step_targets[first] : &s->near[first], last))
        return -1;
    return s->limits->max_between;
}

/* Return whether an end of a connection is a cell of a carrier. */
static inline int NAME(has_end)(const NAME(state) *s, const NAME(set) *carrier, int end) {
    return NAME(is_cell)(s, end) && NAME(has)(carrier, end);
}

/* Return whether a further full must avoid a cell that all `fulls` present ones need. */
static inline int NAME(is_greedy)(const NAME(state) *s, int first, int fulls) {
    int side = first >= s->cells && first < s->cells + 2 + s->limits->shared;
    return s->limits->greedy_fulls && !(side && fulls < s->limits->max_equal_fulls);
}

/* Add a full unless it's redundant or a limit excludes it. */
static void NAME(add_full)(NAME(state) *s, int first, int last, const NAME(set) *carrier, int size,
                           const NAME(source) *source) {
    NAME(pair) *pair = NAME(pair_of)(s, first, last);
    if (size > NAME(max_size_of)(s, first, last)) return;
    int dropped = NAME(drop_supersets)(s, &pair->fulls, carrier, 1);
    if (dropped < 0) return;
    if (pair->fulls >= 0) {
        const NAME(link) *head = &s->links[pair->fulls];
        int greedy = !dropped && NAME(is_greedy)(s, first, head->count);
        if ((greedy && NAME(is_subset)(&head->common, carrier)) ||
            head->count >= s->limits->max_fulls)
            return;
    }
    NAME(drop_supersets)(s, &pair->semis, carrier, 0);
    NAME(new_link)(s, first, last, carrier, size, -1, source, &pair->fulls);
}

/* Add to `all` the bridges captured by a stone on a cell of which `some` has a part. */
static void NAME(add_captured)(const NAME(state) *s, int cell, const NAME(set) *some,
                               NAME(set) *all) {
    for (int i = 0; i < s->captures[cell]; i++) {
        const int16_t *bridge = s->bridges[cell][i];
        if (NAME(has)(some, bridge[0]) || NAME(has)(some, bridge[1])) {
            NAME(add)(all, bridge[0]);
            NAME(add)(all, bridge[1]);
        }
    }
}

typedef struct { /* an OR of semis between the same two points, while it is built */
    NAME(state) *s;
    int first, last, count, parts;
    NAME(set) allowed; /* cells that all semis may have in common: the ends capture them */
    int32_t semi[HSEARCH_SEMIS], part[HSEARCH_SEMIS];
    NAME(set) carrier[HSEARCH_SEMIS];
    uint32_t rank[HSEARCH_SEMIS];      /* orders semis by size, then by place in the list */
    NAME(set) rest[HSEARCH_SEMIS + 1]; /* what this semi and all later ones have in common */
} NAME(ors);

/* Add the full made of the chosen semis, given what their carriers have in common and their union.
 */
static void NAME(add_or)(NAME(ors) *o, const NAME(set) *common, const NAME(set) *all) {
    const NAME(source) source = {HSEARCH_OR, o->parts, o->part};
    NAME(state) *s = o->s;
    NAME(set) carrier = *all;
    if (NAME(is_cell)(s, o->first)) NAME(add_captured)(s, o->first, common, &carrier);
    if (NAME(is_cell)(s, o->last)) NAME(add_captured)(s, o->last, common, &carrier);
    if (!NAME(has_end)(s, &carrier, o->first) && !NAME(has_end)(s, &carrier, o->last))
        NAME(add_full)(s, o->first, o->last, &carrier, NAME(count)(&carrier), &source);
}

/* Add semis until no forbidden cell is common to all, in every way in which each semi removes one.
 */
static void NAME(combine_all)(NAME(ors) *o, int from, const NAME(set) *common,
                              const NAME(set) *all) {
    NAME(state) *s = o->s;
    NAME(set) left = NAME(minus)(common, &o->allowed), fewer, more;
    if (NAME(is_empty)(&left)) {
        NAME(add_or)(o, common, all);
        if (NAME(is_empty)(common)) return;
        left = *common; /* further semis may even avoid the captured cells */
    }
    if (o->parts == s->limits->max_ors) return;
    for (int i = from; i < o->count && !NAME(meets)(&left, &o->rest[i]); i++) {
        const NAME(set) *semi = &o->carrier[i];
        if (NAME(is_subset)(&left, semi)) continue;
        more = NAME(join)(all, semi);
        if (NAME(has_subset)(s, NAME(pair_of)(s, o->first, o->last)->fulls, &more)) continue;
        fewer = NAME(meet)(common, semi);
        o->part[o->parts++] = o->semi[i];
        NAME(combine_all)(o, i + 1, &fewer, &more);
        o->parts--;
    }
}

/* Return whether the semis that avoid `without` have no cell of `common` in common. */
static inline int NAME(can_avoid)(const NAME(ors) *o, int without, NAME(set) common) {
    NAME(set) avoided;
    memset(&avoided, 0, sizeof avoided);
    NAME(add)(&avoided, without);
    for (int i = 0; i < o->count; i++) { /* no branches: they'd be unpredictable */
        uint64_t others = -(uint64_t)NAME(meets)(&o->carrier[i], &avoided);
        for (int w = 0; w < WORDS; w++) common.word[w] &= o->carrier[i].word[w] | others;
    }
    return NAME(is_empty)(&common);
}

/* Greedily add semis that avoid `without`, small ones first, until no cell of `common` is left in
 * common, which must be possible.  Add their cells to `all`. */
static void NAME(combine_avoiding)(NAME(ors) *o, int without, NAME(set) common, NAME(set) *all) {
    NAME(set) left = NAME(minus)(&common, &o->allowed);
    o->parts = 1;
    for (int cell; (cell = NAME(next)(&left, -1)) >= 0;) {
        uint32_t best = NONE;
        NAME(set) avoided;
        memset(&avoided, 0, sizeof avoided);
        NAME(add)(&avoided, cell);
        if (without >= 0) NAME(add)(&avoided, without);
        for (int i = 0; i < o->count; i++) {
            uint32_t rank = o->rank[i] | (NAME(meets)(&o->carrier[i], &avoided) ? NONE : 0);
            best = rank < best ? rank : best;
        }
        const NAME(set) *carrier = &o->carrier[best % HSEARCH_SEMIS];
        common = NAME(meet)(&common, carrier);
        left = NAME(minus)(&common, &o->allowed);
        *all = NAME(join)(all, carrier);
        o->part[o->parts++] = o->semi[best % HSEARCH_SEMIS];
    }
    NAME(add_or)(o, &common, all);
}

/* Add fulls made of one semi and others, so that for each cell that all present fulls need (or that
 * the newest one needs, if more are kept) there is a full without it, if possible. */
static void NAME(combine_greedily)(NAME(ors) *o, const NAME(set) *carrier) {
    NAME(state) *s = o->s;
    int32_t full = NAME(pair_of)(s, o->first, o->last)->fulls;
    NAME(set) needed = *carrier, left = NAME(minus)(carrier, &o->allowed), all;
    if (full >= 0) {
        const NAME(link) *head = &s->links[full];
        needed = NAME(is_greedy)(s, o->first, head->count) ? head->common : head->carrier;
    } else
        NAME(combine_avoiding)(o, -1, *carrier, &needed);
    needed = NAME(minus)(&needed, carrier);
    for (int cell = -1; (cell = NAME(next)(&needed, cell)) >= 0;) {
        if (!NAME(can_avoid)(o, cell, left)) continue;
        all = *carrier;
        NAME(combine_avoiding)(o, cell, *carrier, &all);
        needed = NAME(meet)(&needed, &all);
    }
}

/* Look for fulls that a new semi completes together with later ones in its list. */
static void NAME(combine_semis)(NAME(state) *s, int32_t number, const NAME(set) *allowed) {
    const NAME(link) *link = &s->links[number];
    const NAME(set) carrier = link->carrier;
    NAME(ors) o;
    o.s = s, o.first = link->end[0], o.last = link->end[1];
    o.allowed = *allowed;
    o.count = 0, o.parts = 1, o.part[0] = number;
    for (int32_t i = link->next; i >= 0; i = s->links[i].next, o.count++) {
        o.semi[o.count] = i;
        o.carrier[o.count] = s->links[i].carrier;
        o.rank[o.count] = (uint32_t)(s->links[i].size * HSEARCH_SEMIS + o.count);
    }
    if (s->limits->greedy_fulls) {
        NAME(combine_greedily)(&o, &carrier);
        return;
    }
    memset(&o.rest[o.count], 0xFF, sizeof(NAME(set)));
    for (int i = o.count - 1; i >= 0; i--) o.rest[i] = NAME(meet)(&o.carrier[i], &o.rest[i + 1]);
    NAME(combine_all)(&o, 0, &carrier, &carrier);
}

/* Add a semi unless it's redundant or a limit excludes it; then look for fulls that it completes.
 */
static void NAME(add_semi)(NAME(state) *s, int first, int last, const NAME(set) *carrier, int size,
                           int key, const NAME(source) *source) {
    NAME(pair) *pair = NAME(pair_of)(s, first, last);
    NAME(set) allowed; /* cells that all semis of a full may have in common */
    NAME(set) left = *carrier;
    if (size > NAME(max_size_of)(s, first, last) || NAME(has_subset)(s, pair->fulls, carrier) ||
        NAME(drop_supersets)(s, &pair->semis, carrier, 1) < 0)
        return;
    if (pair->semis >= 0 && s->links[pair->semis].count >= s->limits->max_semis) {
        int32_t *largest = &pair->semis;
        for (int32_t *at = largest; *at >= 0; at = &s->links[*at].next)
            if (s->links[*at].size > s->links[*largest].size) largest = at;
        if (s->links[*largest].size <= size) return;
        NAME(unlink)(s, largest);
        NAME(refresh_head)(s, pair->semis);
    }
    int32_t before = pair->semis;
    int32_t number = NAME(new_link)(s, first, last, carrier, size, key, source, &pair->semis);
    if (number < 0) return;
    memset(&allowed, 0, sizeof allowed);
    if (s->limits->share_captured) {
        for (int i = 0; i < 2; i++) {
            int end = i ? first : last;
            if (NAME(is_cell)(s, end) && s->captures[end])
                allowed = NAME(join)(&allowed, &s->captured[end]);
        }
        left = NAME(minus)(carrier, &allowed);
    }
    if (before < 0 ? NAME(is_empty)(&left) : !NAME(meets)(&left, &s->links[before].common))
        NAME(combine_semis)(s, number, &allowed);
}
