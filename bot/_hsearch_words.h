/* H-search for carriers of WORDS words. */
typedef struct {
    uint64_t word[WORDS];
} NAME(set);

typedef struct {
    NAME(set) carrier;
    int32_t next;   /* of the same two points, -1 behind the last one */
    int32_t queue;  /* the next full to be combined, of the same size */
    int16_t end[2]; /* the points, the lower one first */
    int16_t size;   /* of the carrier */
    int16_t key;    /* of a semi */
    uint8_t state;
} NAME(link);

typedef struct { /* a full that has been combined, as seen from one of its points */
    NAME(set) carrier;
    int32_t link;
    int16_t size;
    int16_t end; /* the other point */
} NAME(way);

typedef struct {
    int32_t fulls, semis; /* the first of each list, -1 if there is none */
    int16_t full_count, semi_count;
} NAME(pair);

typedef struct {
    const hsearch_all_t *limits;
    int cells, points, colour, used, smallest;
    int16_t point[HSEARCH_CELLS];      /* of each cell, -1 for the opponent's */
    int16_t number[HSEARCH_CELLS + 2]; /* of the empty cell that a point is, -1 for a chain */
    int16_t way_count[HSEARCH_CELLS + 2][2]; /* at each point, to cells and to chains */
    int32_t queue[HSEARCH_CELLS + 1];    /* fulls to be combined, by size */
    NAME(way) ways[HSEARCH_CELLS + 2][2][WAYS];
    circuit_t circuit;
    NAME(link) *links;
    NAME(pair) pairs[];
} NAME(state);

#define SIDE 0 /* points 0 and 1 are the sides */

static int64_t NAME(bytes)(int cells) {
    int64_t points = cells + 2;
    return sizeof(NAME(state)) + points * points * sizeof(NAME(pair)) + LINKS * sizeof(NAME(link)) +
           64;
}

static inline int NAME(is_empty)(const NAME(set) *a) {
    uint64_t any = 0;
    for (int i = 0; i < WORDS; i++) any |= a->word[i];
    return any == 0;
}

static inline int NAME(meets)(const NAME(set) *a, const NAME(set) *b) {
    uint64_t any = 0;
    for (int i = 0; i < WORDS; i++) any |= a->word[i] & b->word[i];
    return any != 0;
}

static inline int NAME(is_subset)(const NAME(set) *a, const NAME(set) *b) {
    uint64_t any = 0;
    for (int i = 0; i < WORDS; i++) any |= a->word[i] & ~b->word[i];
    return any == 0;
}

static inline int NAME(count)(const NAME(set) *a) {
    int n = 0;
    for (int i = 0; i < WORDS; i++) n += __builtin_popcountll(a->word[i]);
    return n;
}

static inline NAME(set) NAME(join)(const NAME(set) *a, const NAME(set) *b) {
    NAME(set) c;
    for (int i = 0; i < WORDS; i++) c.word[i] = a->word[i] | b->word[i];
    return c;
}

static inline NAME(set) NAME(meet)(const NAME(set) *a, const NAME(set) *b) {
    NAME(set) c;
    for (int i = 0; i < WORDS; i++) c.word[i] = a->word[i] & b->word[i];
    return c;
}

static inline int NAME(has)(const NAME(set) *a, int cell) {
    return a->word[cell >> 6] >> (cell & 63) & 1;
}

static inline void NAME(add)(NAME(set) *a, int cell) {
    a->word[cell >> 6] |= (uint64_t)1 << (cell & 63);
}

static inline NAME(pair) *NAME(pair_of)(NAME(state) *s, int a, int b) {
    return &s->pairs[a < b ? a * s->points + b : b * s->points + a];
}

static int NAME(has_subset)(const NAME(state) *s, int32_t link, const NAME(set) *carrier) {
    for (; link >= 0; link = s->links[link].next)
        if (NAME(is_subset)(&s->links[link].carrier, carrier)) return 1;
    return 0;
}

static void NAME(drop_supersets)(NAME(state) *s, int32_t *at, int16_t *count,
                                 const NAME(set) *carrier) {
    while (*at >= 0) {
        NAME(link) *link = &s->links[*at];
        if (NAME(is_subset)(carrier, &link->carrier)) {
            link->state = GONE;
            *at = link->next;
            --*count;
        } else
            at = &link->next;
    }
}

static int32_t NAME(new_link)(NAME(state) *s, int a, int b, const NAME(set) *carrier, int size) {
    if (s->used == LINKS) return -1;
    NAME(link) *link = &s->links[s->used];
    link->carrier = *carrier;
    link->end[0] = (int16_t)(a < b ? a : b);
    link->end[1] = (int16_t)(a < b ? b : a);
    link->size = (int16_t)size;
    link->state = NEW;
    return s->used++;
}

static void NAME(add_full)(NAME(state) *s, int a, int b, const NAME(set) *carrier, int size) {
    NAME(pair) *pair = NAME(pair_of)(s, a, b);
    if (NAME(has_subset)(s, pair->fulls, carrier)) return;
    NAME(drop_supersets)(s, &pair->fulls, &pair->full_count, carrier);
    NAME(drop_supersets)(s, &pair->semis, &pair->semi_count, carrier);
    if (pair->full_count >= s->limits->most_fulls) return;
    int32_t link = NAME(new_link)(s, a, b, carrier, size);
    if (link < 0) return;
    s->links[link].next = pair->fulls;
    pair->fulls = link;
    pair->full_count++;
    s->links[link].queue = s->queue[size];
    s->queue[size] = link;
    if (size < s->smallest) s->smallest = size;
}

typedef struct {
    NAME(state) *s;
    int a, b, count, most_size;
    NAME(set) semis[HSEARCH_SEMIS];
    NAME(set) rest[HSEARCH_SEMIS + 1]; /* what that semi and all behind it have in common */
} NAME(ors);

/* Add semis until they have no cell in common, in all ways that leave fewer and fewer. */
static void NAME(combine_semis)(NAME(ors) *o, int from, NAME(set) common, NAME(set) all, int left) {
    if (NAME(is_empty)(&common)) {
        int size = NAME(count)(&all);
        if (size <= o->most_size) NAME(add_full)(o->s, o->a, o->b, &all, size);
        return;
    }
    if (left == 0) return;
    for (int i = from; i < o->count && !NAME(meets)(&common, &o->rest[i]); i++) {
        NAME(set) fewer = NAME(meet)(&common, &o->semis[i]);
        if (NAME(is_subset)(&common, &fewer)) continue;
        NAME(set) more = NAME(join)(&all, &o->semis[i]);
        if (NAME(has_subset)(o->s, NAME(pair_of)(o->s, o->a, o->b)->fulls, &more)) continue;
        NAME(combine_semis)(o, i + 1, fewer, more, left - 1);
    }
}

static void NAME(add_semi)(NAME(state) *s, int a, int b, const NAME(set) *carrier, int size,
                           int key) {
    NAME(pair) *pair = NAME(pair_of)(s, a, b);
    if (NAME(has_subset)(s, pair->fulls, carrier) || NAME(has_subset)(s, pair->semis, carrier))
        return;
    NAME(drop_supersets)(s, &pair->semis, &pair->semi_count, carrier);
    if (pair->semi_count >= s->limits->most_semis) {
        int32_t *largest = &pair->semis;
        for (int32_t *at = largest; *at >= 0; at = &s->links[*at].next)
            if (s->links[*at].size > s->links[*largest].size) largest = at;
        if (s->links[*largest].size <= size) return;
        *largest = s->links[*largest].next;
        pair->semi_count--;
    }
    NAME(ors) o;
    o.s = s, o.a = a, o.b = b, o.count = 0;
    o.most_size = s->number[a] >= 0 && s->number[b] >= 0 ? s->limits->most_between : s->limits->most_size;
    for (int32_t i = pair->semis; i >= 0; i = s->links[i].next)
        o.semis[o.count++] = s->links[i].carrier;
    int32_t link = NAME(new_link)(s, a, b, carrier, size);
    if (link < 0) return;
    s->links[link].key = (int16_t)key;
    s->links[link].next = pair->semis;
    pair->semis = link;
    pair->semi_count++;
    memset(&o.rest[o.count], 0xFF, sizeof(NAME(set)));
    for (int i = o.count - 1; i >= 0; i--) o.rest[i] = NAME(meet)(&o.semis[i], &o.rest[i + 1]);
    NAME(combine_semis)(&o, 0, *carrier, *carrier, s->limits->most_ors - 1);
}

/* Combine a full with the ones that have been combined before, at one of its points. */
static void NAME(combine_at)(NAME(state) *s, int32_t number, int via) {
    NAME(set) carrier = s->links[number].carrier;
    int mid = s->links[number].end[via], far = s->links[number].end[1 - via];
    if (mid <= SIDE + 1) return; /* what is connected by a side is little, and takes long to find */
    int key = s->number[mid];
    for (int chain = 0; chain < 2; chain++) {
        /* Of semis between two cells only those matter that can make a full of the size wanted. */
        int most = s->limits->most_size;
        if (!chain && s->number[far] >= 0) most = s->limits->most_between;
        most -= s->links[number].size + 2 * (key >= 0);
        if (most < 0) continue;
        for (int i = s->way_count[mid][chain] - 1; i >= 0; i--) {
            const NAME(way) *other = &s->ways[mid][chain][i];
            int end = other->end;
            if (other->size > most || NAME(meets)(&carrier, &other->carrier) || end == far ||
                s->links[other->link].state == GONE)
                continue;
            if (!chain && NAME(has)(&carrier, s->number[end])) continue;
            if (s->number[far] >= 0 && NAME(has)(&other->carrier, s->number[far])) continue;
            NAME(set) all = NAME(join)(&carrier, &other->carrier);
            int size = s->links[number].size + other->size;
            if (key < 0)
                NAME(add_full)(s, far, end, &all, size);
            else {
                NAME(add)(&all, key);
                NAME(add_semi)(s, far, end, &all, size + 1, key);
            }
            if (s->links[number].state == GONE) return;
        }
    }
}

/* Note that a full has been combined, at one of its points. */
static void NAME(add_way)(NAME(state) *s, int32_t number, int at) {
    const NAME(link) *link = &s->links[number];
    int point = link->end[at], end = link->end[1 - at], chain = s->number[end] < 0;
    int16_t *count = &s->way_count[point][chain];
    if (*count == WAYS) return;
    NAME(way) *way = &s->ways[point][chain][(*count)++];
    way->carrier = link->carrier;
    way->link = number;
    way->size = link->size;
    way->end = (int16_t)end;
}

static int NAME(joined)(NAME(state) *s) {
    const NAME(pair) *pair = NAME(pair_of)(s, SIDE, SIDE + 1);
    return pair->fulls >= 0 ? 2 : pair->semis >= 0 ? 1 : 0;
}

/* Number the points: the sides with what is connected to them, the other chains, the empty cells. */
static void NAME(find_points)(NAME(state) *s, const int16_t *around, const uint8_t *stones) {
    int16_t todo[HSEARCH_CELLS];
    int side = s->colour == 1 ? 0 : 2;
    for (int cell = 0; cell < s->cells; cell++) s->point[cell] = -1;
    s->points = 2;
    s->number[0] = s->number[1] = -1;
    for (int start = -2; start < s->cells; start++) {
        int length = 0, point = s->points;
        if (start < 0) {
            point = start + 2;
            for (int cell = 0; cell < s->cells; cell++)
                for (int k = 0; k < 6 && stones[cell] == s->colour && s->point[cell] < 0; k++)
                    if (around[6 * cell + k] == -1 - (side + point)) {
                        s->point[cell] = (int16_t)point;
                        todo[length++] = (int16_t)cell;
                    }
        } else {
            if (s->point[start] >= 0 || stones[start] == 3 - s->colour) continue;
            s->point[start] = (int16_t)point;
            s->number[point] = stones[start] ? -1 : (int16_t)start;
            s->points++;
            if (stones[start]) todo[length++] = (int16_t)start;
        }
        while (length) {
            int cell = todo[--length];
            for (int k = 0; k < 6; k++) {
                int next = around[6 * cell + k];
                if (next >= 0 && stones[next] == s->colour && s->point[next] < 0) {
                    s->point[next] = (int16_t)point;
                    todo[length++] = (int16_t)next;
                }
            }
        }
    }
}

static int NAME(find)(const hsearch_all_t *h, const uint8_t *stones, int colour, int enough) {
    NAME(state) *s = h->memory;
    NAME(set) nothing;
    memset(&nothing, 0, sizeof nothing);
    s->limits = h;
    s->cells = h->cells;
    s->colour = colour;
    s->used = 0;
    s->smallest = HSEARCH_CELLS + 1;
    NAME(find_points)(s, h->around, stones);
    int64_t points = h->cells + 2;
    s->links = (void *)(((uintptr_t)(s->pairs + points * points) + 63) & ~(uintptr_t)63);
    for (int i = 0; i < s->points * s->points; i++) {
        s->pairs[i].fulls = s->pairs[i].semis = -1;
        s->pairs[i].full_count = s->pairs[i].semi_count = 0;
    }
    memset(s->way_count, 0, s->points * sizeof s->way_count[0]);
    for (int i = 0; i <= HSEARCH_CELLS; i++) s->queue[i] = -1;
    for (int cell = 0; cell < s->cells; cell++) {
        int point = s->point[cell];
        if (point < 0 || s->number[point] < 0) continue;
        for (int k = 0; k < 6; k++) {
            int next = h->around[6 * cell + k], side = -1 - next - (colour == 1 ? 0 : 2);
            int other = next >= 0 ? s->point[next] : side == 0 || side == 1 ? side : -1;
            if (other >= 0 && (s->number[other] < 0 || other < point))
                NAME(add_full)(s, point, other, &nothing, 0);
        }
    }
    while (s->smallest <= HSEARCH_CELLS) {
        int32_t number = s->queue[s->smallest];
        if (number < 0) {
            s->smallest++;
            continue;
        }
        s->queue[s->smallest] = s->links[number].queue;
        for (int via = 0; via < 2; via++)
            if (s->links[number].state == NEW) NAME(combine_at)(s, number, via);
        if (s->links[number].state == NEW) {
            s->links[number].state = COMBINED;
            for (int i = 0; i < 2; i++) NAME(add_way)(s, number, i);
        }
        if (NAME(joined)(s) >= enough) break;
    }
    return NAME(joined)(s);
}

/* The connections that have been found as a circuit: of two points with a full one wire, the less
 * conductive the more cells all of their fulls have in common. */
static void NAME(wire)(const hsearch_all_t *h, circuit_t *circuit) {
    NAME(state) *s = h->memory;
    circuit->points = s->points;
    circuit->wires = 0;
    for (int b = 1; b < s->points; b++)
        for (int a = 0; a < b; a++) {
            int32_t i = s->pairs[a * s->points + b].fulls;
            if (i < 0 || (s->number[a] < 0 && s->number[b] < 0)) continue;
            NAME(set) common = s->links[i].carrier;
            for (i = s->links[i].next; i >= 0; i = s->links[i].next)
                common = NAME(meet)(&common, &s->links[i].carrier);
            if (circuit->wires == CIRCUIT_WIRES) return;
            circuit->end[circuit->wires][0] = (int16_t)a;
            circuit->end[circuit->wires][1] = (int16_t)b;
            circuit->conducts[circuit->wires++] =
                (s->number[a] < 0 || s->number[b] < 0 ? 2.0f : 1.0f) / (1 + NAME(count)(&common));
        }
}

static void NAME(currents)(const hsearch_all_t *h, float *currents) {
    NAME(state) *s = h->memory;
    circuit_t *circuit = &s->circuit;
    float through[CIRCUIT_POINTS];
    NAME(wire)(h, circuit);
    circuit_solve(circuit, through);
    memset(currents, 0, s->cells * sizeof *currents);
    for (int i = 0; i < s->points; i++)
        if (s->number[i] >= 0) currents[s->number[i]] = through[i];
}

static int NAME(tell)(const hsearch_all_t *h, int full, uint64_t (*carriers)[HSEARCH_WORDS],
                      int16_t *keys) {
    NAME(state) *s = h->memory;
    const NAME(pair) *pair = NAME(pair_of)(s, SIDE, SIDE + 1);
    int count = 0;
    for (int32_t i = full ? pair->fulls : pair->semis; i >= 0; i = s->links[i].next) {
        int at = count++;
        for (; at > 0 && NAME(count)((NAME(set) *)carriers[at - 1]) > s->links[i].size; at--) {
            memcpy(carriers[at], carriers[at - 1], sizeof carriers[0]);
            keys[at] = keys[at - 1];
        }
        memset(carriers[at], 0, sizeof carriers[0]);
        memcpy(carriers[at], &s->links[i].carrier, sizeof(NAME(set)));
        keys[at] = s->links[i].key;
    }
    return count;
}

#undef SIDE
#undef WORDS
