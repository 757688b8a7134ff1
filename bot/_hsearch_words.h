/* H-search for carriers of WORDS words: its state, and the rules. */
#include "_sets.h"

typedef struct {
    NAME(set) carrier;
    int32_t next;   /* of the same two points and kind, -1 behind the last one */
    int32_t queue;  /* the next one to be combined, of the same size */
    int32_t way[2]; /* at each end the next one that has been combined */
    int32_t parts;  /* where those begin that it is made of */
    int16_t end[2]; /* points in order */
    int16_t size, key;
    uint8_t state, rule, part_count;
} NAME(link);

typedef struct { /* what a connection is made of */
    int rule, count;
    const int32_t *part;
} NAME(source);

typedef struct {
    NAME(set) carrier;
    int to, size;
} NAME(step);

typedef struct { /* the first of each list, -1 if there is none */
    int32_t fulls, semis;
} NAME(pair);

typedef struct {
    const hsearch_t *limits;
    int cells, stride, colour, sides[3], chains, smallest;
    int32_t used, parts_used;
    uint8_t stones[HSEARCH_CELLS];
    int16_t point[HSEARCH_CELLS];             /* of each cell, -1 for the opponent's */
    uint8_t captures[HSEARCH_CELLS];          /* how many bridges a stone on a cell captures, */
    int16_t bridges[HSEARCH_CELLS][3][2];     /* which, */
    NAME(set) captured[HSEARCH_CELLS];        /* and all of their cells */
    uint8_t step_count[HSEARCH_CELLS];        /* from an empty cell to others */
    NAME(set) stepped[HSEARCH_CELLS];         /* which these are */
    int32_t ways[HSEARCH_CELLS + HSEARCH_CHAINS][KINDS];
    int32_t queue[HSEARCH_CELLS + 1];         /* what is to be combined, by size */
    NAME(link) *links;
    int32_t *parts;
    NAME(step) (*steps)[12];                  /* of each cell */
    circuit_t *circuit;
    NAME(pair) pairs[];
} NAME(state);

static int64_t NAME(bytes)(int cells) {
    int64_t points = cells + HSEARCH_CHAINS;
    return sizeof(NAME(state)) + points * points * sizeof(NAME(pair)) +
           LINKS * sizeof(NAME(link)) + PARTS * sizeof(int32_t) + cells * sizeof(NAME(step)[12]) +
           sizeof(circuit_t) + 64;
}

static NAME(state) *NAME(state_of)(const hsearch_t *h) {
    NAME(state) *s = h->memory;
    s->limits = h;
    s->cells = h->cells;
    s->stride = h->cells + HSEARCH_CHAINS;
    s->links = (void *)(((uintptr_t)(s->pairs + s->stride * s->stride) + 63) & ~(uintptr_t)63);
    s->parts = (int32_t *)(s->links + LINKS);
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

/* Take those out of a list that need all these cells; return how many there were.  Without doing so
 * return -1 if there is one that needs none but these. */
static inline int NAME(drop_supersets)(NAME(state) *s, int32_t *at, const NAME(set) *carrier,
                                       int size) {
    int dropped = 0;
    while (*at >= 0) {
        const NAME(link) *link = &s->links[*at];
        if (link->size <= size && NAME(is_subset)(&link->carrier, carrier)) return -1;
        if (link->size > size && NAME(is_subset)(carrier, &link->carrier)) {
            NAME(unlink)(s, at);
            dropped++;
        } else
            at = &s->links[*at].next;
    }
    return dropped;
}

static int32_t NAME(new_link)(NAME(state) *s, int first, int last, const NAME(set) *carrier,
                              int size, int key, const NAME(source) *source, int32_t *list) {
    if (s->used == LINKS || s->parts_used + source->count > PARTS) return -1;
    NAME(link) *link = &s->links[s->used];
    link->carrier = *carrier;
    link->next = *list;
    link->queue = s->queue[size];
    link->parts = s->parts_used;
    link->end[0] = (int16_t)first;
    link->end[1] = (int16_t)last;
    link->size = (int16_t)size;
    link->key = (int16_t)key;
    link->state = NEW;
    link->rule = (uint8_t)source->rule;
    link->part_count = (uint8_t)source->count;
    if (source->count)
        memcpy(s->parts + s->parts_used, source->part, source->count * sizeof(int32_t));
    s->parts_used += source->count;
    s->queue[size] = s->used;
    if (size < s->smallest) s->smallest = size;
    return *list = s->used++;
}

/* Whether fulls that are not better than those before are told from others: whether these have some
 * cell in common that this one needs, too. */
static int NAME(adds_nothing)(const NAME(state) *s, int32_t link, const NAME(set) *carrier) {
    NAME(set) common;
    if (link < 0) return 0;
    common = s->links[link].carrier;
    while ((link = s->links[link].next) >= 0) common = NAME(meet)(&common, &s->links[link].carrier);
    return NAME(is_subset)(&common, carrier);
}

/* How large a carrier may be.  Neighbours need none, and other steps no more than they have. */
static inline int NAME(most_of)(const NAME(state) *s, int first, int last) {
    const int16_t *around = s->limits->around + 6 * first;
    if (!NAME(is_cell)(s, first)) return s->limits->most_size;
    if (s->limits->narrow && NAME(has)(&s->stepped[first], last)) return -1;
    for (int k = 0; k < 6; k++)
        if (around[k] == last) return -1;
    return s->limits->most_between;
}

/* Whether an end is a cell of a carrier. */
static inline int NAME(has_end)(const NAME(state) *s, const NAME(set) *carrier, int end) {
    return NAME(is_cell)(s, end) && NAME(has)(carrier, end);
}

/* Keep a full if it is worth it. */
static void NAME(add_full)(NAME(state) *s, int first, int last, const NAME(set) *carrier, int size,
                           const NAME(source) *source) {
    const hsearch_t *limits = s->limits;
    NAME(pair) *pair = NAME(pair_of)(s, first, last);
    int dropped, count = 0;
    if (size > NAME(most_of)(s, first, last)) return;
    dropped = NAME(drop_supersets)(s, &pair->fulls, carrier, size);
    if (dropped < 0 ||
        (dropped == 0 && limits->narrow && NAME(adds_nothing)(s, pair->fulls, carrier)))
        return;
    for (int32_t i = pair->fulls; i >= 0; i = s->links[i].next) count++;
    if (count >= limits->most_fulls) return;
    for (int32_t *at = &pair->semis; *at >= 0;) {
        if (s->links[*at].size >= size && NAME(is_subset)(carrier, &s->links[*at].carrier))
            NAME(unlink)(s, at);
        else
            at = &s->links[*at].next;
    }
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
    if (o->parts == s->limits->most_ors) return;
    for (int i = from; i < o->count && !NAME(meets)(&left, &o->rest[i]); i++) {
        const NAME(set) *semi = &s->links[o->semi[i]].carrier;
        if (NAME(is_subset)(&left, semi)) continue;
        more = NAME(join)(all, semi);
        if (NAME(has_subset)(s, NAME(pair_of)(s, o->first, o->last)->fulls, &more)) continue;
        fewer = NAME(meet)(common, semi);
        o->part[o->parts++] = o->semi[i];
        NAME(combine_all)(o, i + 1, &fewer, &more);
        o->parts--;
    }
}

/* Add semis that do without a cell, small ones first, until they have none in common.  Return whether
 * that is possible, and all the cells. */
static int NAME(combine_without)(NAME(ors) *o, int without, NAME(set) common, NAME(set) *all) {
    NAME(state) *s = o->s;
    NAME(set) left = NAME(minus)(&common, &o->allowed);
    o->parts = 1;
    for (int cell; (cell = NAME(next)(&left, -1)) >= 0;) {
        int32_t best = -1;
        for (int i = 0; i < o->count; i++) {
            const NAME(link) *semi = &s->links[o->semi[i]];
            if (!NAME(has)(&semi->carrier, cell) &&
                !(without >= 0 && NAME(has)(&semi->carrier, without)) &&
                (best < 0 || semi->size < s->links[best].size))
                best = o->semi[i];
        }
        if (best < 0) return 0;
        common = NAME(meet)(&common, &s->links[best].carrier);
        left = NAME(minus)(&common, &o->allowed);
        *all = NAME(join)(all, &s->links[best].carrier);
        o->part[o->parts++] = best;
    }
    NAME(add_or)(o, &common, all);
    return 1;
}

/* Add semis to one, so that of each cell that all fulls need there is one without it, if it can be. */
static void NAME(combine_some)(NAME(ors) *o, const NAME(set) *carrier) {
    NAME(state) *s = o->s;
    int32_t full = NAME(pair_of)(s, o->first, o->last)->fulls;
    NAME(set) left = NAME(minus)(carrier, &o->allowed), needed, all;
    if (NAME(meets)(&left, &o->rest[0])) return;
    if (full < 0) {
        needed = *carrier;
        if (!NAME(combine_without)(o, -1, *carrier, &needed)) return;
    } else
        needed = s->links[full].carrier;
    for (; full >= 0; full = s->links[full].next)
        needed = NAME(meet)(&needed, &s->links[full].carrier);
    needed = NAME(minus)(&needed, carrier);
    for (int cell = -1; (cell = NAME(next)(&needed, cell)) >= 0;) {
        all = *carrier;
        if (NAME(combine_without)(o, cell, *carrier, &all)) needed = NAME(meet)(&needed, &all);
    }
}

/* Keep a semi if it is worth it, and look whether it completes fulls. */
static void NAME(add_semi)(NAME(state) *s, int first, int last, const NAME(set) *carrier, int size,
                           int key, const NAME(source) *source) {
    NAME(pair) *pair = NAME(pair_of)(s, first, last);
    int32_t *largest = NULL;
    NAME(ors) o;
    if (size > NAME(most_of)(s, first, last) || NAME(has_subset)(s, pair->fulls, carrier) ||
        NAME(drop_supersets)(s, &pair->semis, carrier, size) < 0)
        return;
    o.count = 0;
    for (int32_t *at = &pair->semis; *at >= 0; at = &s->links[*at].next, o.count++)
        if (!largest || s->links[*at].size > s->links[*largest].size) largest = at;
    if (o.count >= s->limits->most_semis) {
        if (s->links[*largest].size <= size) return;
        NAME(unlink)(s, largest);
    }
    o.count = 0;
    for (int32_t i = pair->semis; i >= 0; i = s->links[i].next) o.semi[o.count++] = i;
    int32_t number = NAME(new_link)(s, first, last, carrier, size, key, source, &pair->semis);
    if (number < 0) return;
    memset(&o.rest[o.count], 0xFF, sizeof(NAME(set)));
    for (int i = o.count - 1; i >= 0; i--)
        o.rest[i] = NAME(meet)(&s->links[o.semi[i]].carrier, &o.rest[i + 1]);
    memset(&o.allowed, 0, sizeof o.allowed);
    for (int i = 0; i < 2; i++) {
        int end = i ? first : last;
        if (NAME(is_cell)(s, end) && s->captures[end])
            o.allowed = NAME(join)(&o.allowed, &s->captured[end]);
    }
    o.s = s, o.first = first, o.last = last;
    o.parts = 1, o.part[0] = number;
    if (s->limits->narrow)
        NAME(combine_some)(&o, carrier);
    else
        NAME(combine_all)(&o, 0, carrier, carrier);
}

/* Whether stones at some points capture all cells that two carriers share; add what they capture to
 * all cells. */
static int NAME(can_share)(const NAME(state) *s, const NAME(set) *a, const NAME(set) *b,
                           const int points[3], NAME(set) *all) {
    NAME(set) shared = NAME(meet)(a, b);
    for (int i = 0; i < 3 && s->limits->captures; i++) {
        int cell = points[i];
        if (!NAME(is_cell)(s, cell) || !s->captures[cell] ||
            !NAME(meets)(&shared, &s->captured[cell]))
            continue;
        NAME(add_captured)(s, cell, &shared, all);
        shared = NAME(minus)(&shared, &s->captured[cell]);
    }
    return NAME(is_empty)(&shared);
}

/* Combine two connections that meet in a point and go on to two others.  The second one may be a step,
 * whose number is -1. */
static void NAME(combine_two)(NAME(state) *s, int32_t one, int32_t two, int mid, int first, int last,
                              const NAME(set) *other, int size, int key) {
    const NAME(set) *carrier = &s->links[one].carrier;
    const int32_t part[2] = {one, two};
    const NAME(source) source = {HSEARCH_AND, 2, part};
    const int points[3] = {mid, first, last};
    NAME(set) all = NAME(join)(carrier, other);
    size += s->links[one].size;
    if (first == last || (NAME(is_apart)(s, first) && NAME(is_apart)(s, last))) return;
    if (NAME(meets)(carrier, other)) {
        if (!NAME(can_share)(s, carrier, other, points, &all)) return;
        size = NAME(count)(&all);
    }
    if (NAME(has_end)(s, &all, first) || NAME(has_end)(s, &all, last)) return;
    NAME(order)(s, &first, &last);
    if (NAME(is_cell)(s, mid)) {
        size += !NAME(has)(&all, mid);
        NAME(add)(&all, mid);
        NAME(add_semi)(s, first, last, &all, size, mid, &source);
    } else if (key >= 0)
        NAME(add_semi)(s, first, last, &all, size, key, &source);
    else
        NAME(add_full)(s, first, last, &all, size, &source);
}

/* Combine a connection with one kind of those that have been combined before, at one of its ends. */
static void NAME(combine_with)(NAME(state) *s, int32_t number, int at, int kind, int most) {
    const NAME(link) *link = &s->links[number];
    int mid = link->end[at], far = link->end[1 - at];
    for (int32_t i = s->ways[mid][kind]; i >= 0;) {
        const NAME(link) *other = &s->links[i];
        int side = other->end[1] == mid, end = other->end[1 - side];
        int key = link->key >= 0 ? link->key : other->key;
        if (other->state != GONE && other->size <= most) {
            NAME(combine_two)(s, number, i, mid, far, end, &other->carrier, other->size, key);
            if (link->state == GONE) return;
        }
        i = other->way[side];
    }
}

/* Combine a connection with all that have been combined before. */
static void NAME(combine)(NAME(state) *s, int32_t number) {
    NAME(link) *link = &s->links[number];
    const hsearch_t *limits = s->limits;
    int full = link->key < 0, longer = limits->over_chains;
    for (int at = 0; at < 2; at++) {
        int mid = link->end[at], far = link->end[1 - at], key = NAME(is_cell)(s, mid);
        if (key ? !full : !NAME(joins)(s, mid)) continue;
        for (int kind = 0; kind < (key ? SEMIS : KINDS) && link->state == NEW; kind++) {
            int between = kind == TO_CELLS && NAME(is_cell)(s, far);
            int most = (between ? limits->most_between : limits->most_size) - link->size - key;
            if (kind == SEMIS && (!full || link->size > longer)) continue;
            if (!full && longer < most) most = longer;
            for (int i = 0; kind == TO_CELLS && key && i < s->step_count[mid]; i++) {
                const NAME(step) *step = &s->steps[mid][i];
                if (step->size <= most && link->state == NEW)
                    NAME(combine_two)(s, number, -1, mid, far, step->to, &step->carrier, step->size,
                                      mid);
            }
            if (most >= 0) NAME(combine_with)(s, number, at, kind, most);
        }
    }
    if (link->state != NEW) return;
    link->state = COMBINED;
    for (int at = 0; at < 2; at++) {
        int kind = !full ? SEMIS : NAME(is_cell)(s, link->end[1 - at]) ? TO_CELLS : TO_CHAINS;
        link->way[at] = s->ways[link->end[at]][kind];
        s->ways[link->end[at]][kind] = number;
    }
}

/* Add the carrier of a connection to others unless it shares more with them than a stone at the key
 * captures. */
static inline int NAME(disjoint)(const NAME(state) *s, int32_t link, const NAME(set) *others,
                                 int key, NAME(set) *all) {
    const NAME(set) *carrier = &s->links[link].carrier;
    *all = NAME(join)(others, carrier);
    if (!NAME(meets)(carrier, others)) return 1;
    if (!s->captures[key]) return 0;
    NAME(set) shared = NAME(meet)(carrier, others);
    NAME(add_captured)(s, key, &shared, all);
    return NAME(is_subset)(&shared, &s->captured[key]);
}

/* Connect two chains by the crossing rule: the first has a full with the cell, the other with the
 * key, and each a semi with the other one of these.  All that is between these is given, and both. */
static void NAME(cross_chains)(NAME(state) *s, int first, int second, int cell, int key,
                               const NAME(set) *between) {
    int lower = first < second ? first : second, higher = first < second ? second : first;
    NAME(set) one, two, three, all;
    int32_t part[4];
    const NAME(source) source = {HSEARCH_CROSS, 4, part};
    if (s->captures[key] && NAME(has)(&s->captured[key], cell)) return;
    for (int32_t a = NAME(pair_of)(s, first, cell)->fulls; a >= 0; a = s->links[a].next) {
        if (!NAME(disjoint)(s, a, between, key, &one)) continue;
        for (int32_t b = NAME(pair_of)(s, second, key)->fulls; b >= 0; b = s->links[b].next) {
            if (!NAME(disjoint)(s, b, &one, key, &two)) continue;
            for (int32_t d = NAME(pair_of)(s, first, key)->semis; d >= 0; d = s->links[d].next) {
                if (!NAME(disjoint)(s, d, &two, key, &three)) continue;
                int32_t e = NAME(pair_of)(s, second, cell)->semis;
                for (; e >= 0; e = s->links[e].next) {
                    if (!NAME(disjoint)(s, e, &three, key, &all)) continue;
                    part[0] = a, part[1] = b, part[2] = d, part[3] = e;
                    NAME(add_semi)(s, lower, higher, &all, NAME(count)(&all), key, &source);
                }
            }
        }
    }
}

/* Connect two chains by the crossing rule, by way of two cells: by what is between these, and by
 * whatever key both have a step to. */
static void NAME(cross_cells)(NAME(state) *s, int first, int second, int cell, int key) {
    NAME(set) ends, between;
    memset(&ends, 0, sizeof ends);
    NAME(add)(&ends, cell);
    NAME(add)(&ends, key);
    if (s->limits->most_between >= 0) {
        int lower = cell < key ? cell : key, higher = cell < key ? key : cell;
        for (int32_t i = NAME(pair_of)(s, lower, higher)->semis; i >= 0; i = s->links[i].next) {
            between = NAME(join)(&ends, &s->links[i].carrier);
            NAME(cross_chains)(s, first, second, cell, key, &between);
        }
    }
    for (int i = 0; i < s->step_count[cell]; i++) {
        const NAME(step) *to = &s->steps[cell][i];
        if (!NAME(has)(&s->stepped[to->to], key) || NAME(has)(&to->carrier, key)) continue;
        for (int j = 0; j < s->step_count[to->to]; j++) {
            const NAME(step) *from = &s->steps[to->to][j];
            if (from->to != key || NAME(has)(&from->carrier, cell) ||
                NAME(meets)(&to->carrier, &from->carrier))
                continue;
            between = NAME(join)(&to->carrier, &from->carrier);
            between = NAME(join)(&between, &ends);
            NAME(add)(&between, to->to);
            NAME(cross_chains)(s, first, second, cell, key, &between);
        }
    }
}

/* Apply the crossing rule once to all there is; return whether that gave anything. */
static int NAME(cross)(NAME(state) *s) {
    NAME(set) fulls[HSEARCH_CHAINS], semis[HSEARCH_CHAINS]; /* cells that each chain has them with */
    NAME(set) near[HSEARCH_CELLS];                          /* and cells that others have */
    int32_t used = s->used;
    memset(fulls, 0, s->chains * sizeof fulls[0]);
    memset(semis, 0, s->chains * sizeof semis[0]);
    memset(near, 0, s->cells * sizeof near[0]);
    for (int chain = 0; chain < s->chains; chain++)
        for (int cell = 0; cell < s->cells; cell++) {
            const NAME(pair) *pair = NAME(pair_of)(s, s->cells + chain, cell);
            if (pair->fulls >= 0) NAME(add)(&fulls[chain], cell);
            if (pair->semis >= 0) NAME(add)(&semis[chain], cell);
        }
    for (int cell = 0; cell < s->cells; cell++)
        for (int i = 0; i < s->step_count[cell]; i++)
            near[cell] = NAME(join)(&near[cell], &s->stepped[s->steps[cell][i].to]);
    for (int cell = 0; cell < s->cells && s->limits->most_between >= 0; cell++)
        for (int other = cell + 1; other < s->cells; other++)
            if (NAME(pair_of)(s, cell, other)->semis >= 0) {
                NAME(add)(&near[cell], other);
                NAME(add)(&near[other], cell);
            }
    for (int a = 0; a < s->chains; a++)
        for (int b = 0; b < s->chains; b++) {
            int first = s->cells + a, second = s->cells + b;
            int lower = a < b ? first : second, higher = a < b ? second : first;
            NAME(set) cells = NAME(meet)(&fulls[a], &semis[b]);
            NAME(set) keys = NAME(meet)(&fulls[b], &semis[a]);
            if (a == b || NAME(is_empty)(&keys) ||
                (s->limits->narrow && NAME(pair_of)(s, lower, higher)->fulls >= 0) ||
                (NAME(is_apart)(s, first) && NAME(is_apart)(s, second)))
                continue;
            for (int cell = -1; (cell = NAME(next)(&cells, cell)) >= 0;) {
                NAME(set) found = NAME(meet)(&near[cell], &keys);
                for (int key = -1; (key = NAME(next)(&found, key)) >= 0;)
                    /* Without captures it is the same with cell and key exchanged. */
                    if (key != cell && (a < b || s->captures[key]))
                        NAME(cross_cells)(s, first, second, cell, key);
            }
        }
    return s->used > used;
}

/* Connect a point to the sides by three links, one of each list, that share no cell.  Those of the
 * first list may be semis, if the point is a chain. */
static void NAME(add_tripods)(NAME(state) *s, int point, int32_t first, int32_t second,
                              int32_t third) {
    int32_t part[3];
    const NAME(source) source = {HSEARCH_TRIPOD, 3, part};
    NAME(set) two, all;
    for (int32_t a = first; a >= 0; a = s->links[a].next)
        for (int32_t b = second; b >= 0; b = s->links[b].next) {
            if (NAME(meets)(&s->links[a].carrier, &s->links[b].carrier)) continue;
            two = NAME(join)(&s->links[a].carrier, &s->links[b].carrier);
            for (int32_t c = third; c >= 0; c = s->links[c].next) {
                if (NAME(meets)(&two, &s->links[c].carrier)) continue;
                int key = s->links[a].key;
                all = NAME(join)(&two, &s->links[c].carrier);
                part[0] = a, part[1] = b, part[2] = c;
                if (NAME(is_cell)(s, point)) NAME(add)(&all, key = point);
                if (key >= 0)
                    NAME(add_semi)(s, s->cells, s->cells + 1, &all, NAME(count)(&all), key, &source);
                else
                    NAME(add_full)(s, s->cells, s->cells + 1, &all, NAME(count)(&all), &source);
            }
        }
}

/* Connect points to all three sides of Y; chains 0 and 1 stand for these. */
static void NAME(find_tripods)(NAME(state) *s) {
    for (int i = 0; i < s->cells + s->chains; i++) {
        const NAME(pair) *at[3];
        if (NAME(is_apart)(s, i) || (NAME(is_cell)(s, i) && s->point[i] != i)) continue;
        for (int side = 0; side < 3; side++) at[side] = NAME(pair_of)(s, s->cells + side, i);
        NAME(add_tripods)(s, i, at[0]->fulls, at[1]->fulls, at[2]->fulls);
        for (int side = 0; side < 3 && !NAME(is_cell)(s, i); side++) /* a semi to one of them */
            NAME(add_tripods)(s, i, at[side]->semis, at[(side + 1) % 3]->fulls,
                              at[(side + 2) % 3]->fulls);
    }
}

/* Apply all rules to what is new until there is nothing more, or the sides are joined so far. */
static int NAME(run)(NAME(state) *s, int enough) {
    for (int crossings = s->limits->crossings;; crossings--) {
        while (s->smallest <= s->limits->most_size && NAME(joined)(s) < enough) {
            int32_t number = s->queue[s->smallest];
            if (number < 0) {
                s->smallest++;
                continue;
            }
            s->queue[s->smallest] = s->links[number].queue;
            if (s->links[number].state == NEW) NAME(combine)(s, number);
        }
        if (crossings <= 0 || NAME(joined)(s) >= enough || !NAME(cross)(s)) break;
    }
    if (s->limits->shared) NAME(find_tripods)(s);
    return NAME(joined)(s);
}
