/* H-search for carriers of WORDS words: its state, the lists of connections, and the OR rule. */
#include "bot/knowledge/_bitset.inc.h"

typedef struct {
    NAME(set) carrier;
    NAME(set) common; /* of the first one of a list: what all of them need, */
    int32_t count;    /* and how many there are */
    int32_t next;     /* of the same two points and kind, -1 behind the last one */
    int32_t queue;    /* the next one to be combined, of the same size */
    int32_t parts;    /* where those begin that it is made of */
    int16_t end[2];   /* points in order */
    int16_t size, key;
    uint8_t state, rule, part_count;
} NAME(link);

typedef struct { /* what a connection is made of */
    int rule, count;
    const int32_t *part;
} NAME(source);

typedef struct {
    NAME(set) carrier;
    NAME(set) all; /* with the cell that it leads to */
    int to, size;
} NAME(step);

typedef struct { /* connections that have been combined, seen from one of their ends, the oldest first */
    NAME(set) all[BLOCK]; /* cells: of the carrier, and the other end if it is one */
    int16_t size[BLOCK];
    int32_t number[BLOCK];
    int32_t count, before; /* the block with those before, -1 if there is none */
} NAME(block);

typedef struct { /* the first of each list, -1 if there is none */
    int32_t fulls, semis;
} NAME(pair);

typedef struct {
    const hsearch_t *limits;
    int cells, stride, colour, sides[3], chains, smallest;
    int tried; /* the key that there is a stone on to see whether it joins the sides, or -1 */
    int32_t used, parts_used, blocks_used;
    uint8_t stones[HSEARCH_CELLS];
    int16_t point[HSEARCH_CELLS];             /* of each cell, -1 for the opponent's */
    uint8_t captures[HSEARCH_CELLS];          /* how many bridges a stone on a cell captures, */
    int16_t bridges[HSEARCH_CELLS][3][2];     /* which, */
    NAME(set) captured[HSEARCH_CELLS];        /* and all of their cells */
    uint8_t step_count[HSEARCH_CELLS];        /* from an empty cell to others */
    NAME(set) stepped[HSEARCH_CELLS];         /* which these are, */
    NAME(set) near[HSEARCH_CELLS];            /* and those of them that are neighbours */
    int32_t ways[HSEARCH_CELLS + HSEARCH_CHAINS][KINDS]; /* the newest block, -1 if there is none */
    int32_t queue[HSEARCH_CELLS + 1];         /* what is to be combined, by size */
    NAME(link) *links;
    NAME(block) *blocks;
    int32_t *parts;
    NAME(step) (*steps)[12];                  /* of each cell */
    circuit_t *circuit;
    NAME(pair) pairs[];
} NAME(state);

static int64_t NAME(bytes)(int cells) {
    int64_t points = cells + HSEARCH_CHAINS;
    return sizeof(NAME(state)) + points * points * sizeof(NAME(pair)) +
           LINKS * sizeof(NAME(link)) + BLOCKS * sizeof(NAME(block)) + PARTS * sizeof(int32_t) +
           cells * sizeof(NAME(step)[12]) + sizeof(circuit_t) + 64;
}

static NAME(state) *NAME(state_of)(const hsearch_t *h) {
    NAME(state) *s = h->memory;
    s->limits = h;
    s->cells = h->cells;
    s->stride = h->cells + HSEARCH_CHAINS;
    s->links = (void *)(((uintptr_t)(s->pairs + s->stride * s->stride) + 63) & ~(uintptr_t)63);
    s->blocks = (void *)(s->links + LINKS);
    s->parts = (int32_t *)(s->blocks + BLOCKS);
    s->steps = (void *)(s->parts + PARTS);
    s->circuit = (void *)(s->steps + s->cells);
    return s;
}

static inline int NAME(is_cell)(const NAME(state) *s, int point) { return point < s->cells; }

/* Whether a chain is a side that does not join what is connected to it. */
static inline int NAME(is_apart)(const NAME(state) *s, int point) {
    return s->limits->shared && point >= s->cells && point < s->cells + 3;
}

/* Whether connections may meet in a chain. */
static inline int NAME(joins)(const NAME(state) *s, int point) {
    return point >= s->cells + 2 + s->limits->shared ||
           (s->limits->over_sides && !s->limits->shared);
}

/* The pairs of a point with those behind it in order: chains come first, then cells. */
static inline NAME(pair) *NAME(pair_of)(const NAME(state) *s, int first, int last) {
    int row = first < s->cells ? HSEARCH_CHAINS + first : first - s->cells;
    return (NAME(pair) *)&s->pairs[row * s->stride + last];
}

static inline void NAME(order)(const NAME(state) *s, int *first, int *last) {
    int a = *first, b = *last;
    if (NAME(is_cell)(s, a) == NAME(is_cell)(s, b) ? a > b : NAME(is_cell)(s, a)) *first = b, *last = a;
}

static int NAME(joined)(const NAME(state) *s) {
    const NAME(pair) *sides = NAME(pair_of)(s, s->cells, s->cells + 1);
    return sides->fulls >= 0 ? 2 : sides->semis >= 0 ? 1 : 0;
}

static int NAME(has_subset)(const NAME(state) *s, int32_t link, const NAME(set) *carrier) {
    for (; link >= 0; link = s->links[link].next)
        if (NAME(is_subset)(&s->links[link].carrier, carrier)) return 1;
    return 0;
}

static void NAME(unlink)(NAME(state) *s, int32_t *at) {
    s->links[*at].state = GONE;
    *at = s->links[*at].next;
}

/* Let a list that some have been taken out of know what it has. */
static void NAME(renew)(NAME(state) *s, int32_t list) {
    if (list < 0) return;
    NAME(link) *head = &s->links[list];
    head->common = head->carrier;
    head->count = 1;
    for (int32_t i = head->next; i >= 0; i = s->links[i].next, head->count++)
        head->common = NAME(meet)(&head->common, &s->links[i].carrier);
}

/* Take those out of a list that need all these cells; return how many there were.  For one of its own
 * kind return -1 if there is one that needs none but these: a list cannot have both. */
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
    if (dropped) NAME(renew)(s, *list);
    return dropped;
}

/* Whether a connection makes others by AND: semis do only where a chain makes them longer. */
static inline int NAME(leads_on)(const NAME(state) *s, int first, int key) {
    return key < 0 || (s->limits->over_chains >= 0 && !NAME(is_cell)(s, first));
}

static int32_t NAME(new_link)(NAME(state) *s, int first, int last, const NAME(set) *carrier,
                              int size, int key, const NAME(source) *source, int32_t *list) {
    if (s->used == LINKS || s->parts_used + source->count > PARTS) return -1;
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
    if (NAME(leads_on)(s, first, key)) {
        link->queue = s->queue[size];
        s->queue[size] = s->used;
        if (size < s->smallest) s->smallest = size;
    }
    return *list = s->used++;
}

/* How large a carrier may be.  Neighbours need none, and other steps no more than they have. */
static inline int NAME(most_of)(const NAME(state) *s, int first, int last) {
    if (!NAME(is_cell)(s, first)) return s->limits->max_size;
    if (NAME(has)(s->limits->narrow ? &s->stepped[first] : &s->near[first], last)) return -1;
    return s->limits->max_between;
}

/* Whether an end is a cell of a carrier. */
static inline int NAME(has_end)(const NAME(state) *s, const NAME(set) *carrier, int end) {
    return NAME(is_cell)(s, end) && NAME(has)(carrier, end);
}

/* Whether a full is worth it, beside so many, only if it does without a cell that all of them need. */
static inline int NAME(is_narrow)(const NAME(state) *s, int first, int fulls) {
    int side = first >= s->cells && first < s->cells + 2 + s->limits->shared;
    return s->limits->narrow && !(side && fulls < s->limits->alike);
}

/* Keep a full if it is worth it. */
static void NAME(add_full)(NAME(state) *s, int first, int last, const NAME(set) *carrier, int size,
                           const NAME(source) *source) {
    NAME(pair) *pair = NAME(pair_of)(s, first, last);
    if (size > NAME(most_of)(s, first, last)) return;
    int dropped = NAME(drop_supersets)(s, &pair->fulls, carrier, 1);
    if (dropped < 0) return;
    if (pair->fulls >= 0) {
        const NAME(link) *head = &s->links[pair->fulls];
        int narrow = !dropped && NAME(is_narrow)(s, first, head->count);
        if ((narrow && NAME(is_subset)(&head->common, carrier)) ||
            head->count >= s->limits->max_fulls)
            return;
    }
    NAME(drop_supersets)(s, &pair->semis, carrier, 0);
    NAME(new_link)(s, first, last, carrier, size, -1, source, &pair->fulls);
}

/* Add the bridges that a stone on a cell captures, of those of which some cells have part. */
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

typedef struct { /* semis that are being combined, of the same two points */
    NAME(state) *s;
    int first, last, count, parts;
    NAME(set) allowed; /* to be common to all */
    int32_t semi[HSEARCH_SEMIS], part[HSEARCH_SEMIS];
    NAME(set) carrier[HSEARCH_SEMIS];
    uint32_t rank[HSEARCH_SEMIS];      /* by size, then in order */
    NAME(set) rest[HSEARCH_SEMIS + 1]; /* what that semi and all behind it have in common */
} NAME(ors);

/* Keep the full that semis make whose carriers have some cells in common that are allowed. */
static void NAME(add_or)(NAME(ors) *o, const NAME(set) *common, const NAME(set) *all) {
    const NAME(source) source = {HSEARCH_OR, o->parts, o->part};
    NAME(state) *s = o->s;
    NAME(set) carrier = *all;
    if (NAME(is_cell)(s, o->first)) NAME(add_captured)(s, o->first, common, &carrier);
    if (NAME(is_cell)(s, o->last)) NAME(add_captured)(s, o->last, common, &carrier);
    if (!NAME(has_end)(s, &carrier, o->first) && !NAME(has_end)(s, &carrier, o->last))
        NAME(add_full)(s, o->first, o->last, &carrier, NAME(count)(&carrier), &source);
}

/* Add semis until they have no cell in common, in all ways that leave fewer and fewer. */
static void NAME(combine_all)(NAME(ors) *o, int from, const NAME(set) *common,
                              const NAME(set) *all) {
    NAME(state) *s = o->s;
    NAME(set) left = NAME(minus)(common, &o->allowed), fewer, more;
    if (NAME(is_empty)(&left)) {
        NAME(add_or)(o, common, all);
        if (NAME(is_empty)(common)) return;
        left = *common; /* it may do without what is captured, too */
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

/* Whether semis that do without a cell have none in common with some cells. */
static inline int NAME(can_do_without)(const NAME(ors) *o, int without, NAME(set) common) {
    NAME(set) avoided;
    memset(&avoided, 0, sizeof avoided);
    NAME(add)(&avoided, without);
    for (int i = 0; i < o->count; i++) { /* no branches, there is no foretelling them */
        uint64_t others = -(uint64_t)NAME(meets)(&o->carrier[i], &avoided);
        for (int w = 0; w < WORDS; w++) common.word[w] &= o->carrier[i].word[w] | others;
    }
    return NAME(is_empty)(&common);
}

/* Add semis that do without a cell, small ones first, until they have none in common, which is
 * possible; and all the cells. */
static void NAME(combine_without)(NAME(ors) *o, int without, NAME(set) common, NAME(set) *all) {
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

/* Add semis to one, so that of each cell that all fulls need, or the newest one if more are kept, there
 * is one without it, if it can be. */
static void NAME(combine_some)(NAME(ors) *o, const NAME(set) *carrier) {
    NAME(state) *s = o->s;
    int32_t full = NAME(pair_of)(s, o->first, o->last)->fulls;
    NAME(set) needed = *carrier, left = NAME(minus)(carrier, &o->allowed), all;
    if (full >= 0) {
        const NAME(link) *head = &s->links[full];
        needed = NAME(is_narrow)(s, o->first, head->count) ? head->common : head->carrier;
    } else
        NAME(combine_without)(o, -1, *carrier, &needed);
    needed = NAME(minus)(&needed, carrier);
    for (int cell = -1; (cell = NAME(next)(&needed, cell)) >= 0;) {
        if (!NAME(can_do_without)(o, cell, left)) continue;
        all = *carrier;
        NAME(combine_without)(o, cell, *carrier, &all);
        needed = NAME(meet)(&needed, &all);
    }
}

/* Look whether a semi completes fulls, with others behind it. */
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
    if (s->limits->narrow) {
        NAME(combine_some)(&o, &carrier);
        return;
    }
    memset(&o.rest[o.count], 0xFF, sizeof(NAME(set)));
    for (int i = o.count - 1; i >= 0; i--) o.rest[i] = NAME(meet)(&o.carrier[i], &o.rest[i + 1]);
    NAME(combine_all)(&o, 0, &carrier, &carrier);
}

/* Keep a semi if it is worth it, and look whether it completes fulls. */
static void NAME(add_semi)(NAME(state) *s, int first, int last, const NAME(set) *carrier, int size,
                           int key, const NAME(source) *source) {
    NAME(pair) *pair = NAME(pair_of)(s, first, last);
    NAME(set) allowed, left = *carrier; /* to be common to all semis of a full, and what is not */
    if (size > NAME(most_of)(s, first, last) || NAME(has_subset)(s, pair->fulls, carrier) ||
        NAME(drop_supersets)(s, &pair->semis, carrier, 1) < 0)
        return;
    if (pair->semis >= 0 && s->links[pair->semis].count >= s->limits->max_semis) {
        int32_t *largest = &pair->semis;
        for (int32_t *at = largest; *at >= 0; at = &s->links[*at].next)
            if (s->links[*at].size > s->links[*largest].size) largest = at;
        if (s->links[*largest].size <= size) return;
        NAME(unlink)(s, largest);
        NAME(renew)(s, pair->semis);
    }
    int32_t before = pair->semis;
    int32_t number = NAME(new_link)(s, first, last, carrier, size, key, source, &pair->semis);
    if (number < 0) return;
    memset(&allowed, 0, sizeof allowed);
    if (s->limits->captures) {
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
