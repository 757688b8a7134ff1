/* H-search for carriers of WORDS words: the AND, CROSS and TRIPOD rules, applied until nothing is
 * new.  _hsearch.c includes this header three times, once per carrier size. */

/* Return whether stones on some points capture all cells that two carriers share; add to `all`
 * everything that they capture. */
static int NAME(can_share)(const NAME(state) *s, const NAME(set) *a, const NAME(set) *b,
                           const int points[3], NAME(set) *all) {
    NAME(set) shared = NAME(meet)(a, b);
    for (int i = 0; i < 3 && s->limits->share_captured; i++) {
        int cell = points[i];
        if (!NAME(is_cell)(s, cell) || !s->captures[cell] ||
            !NAME(meets)(&shared, &s->captured[cell]))
            continue;
        NAME(add_captured)(s, cell, &shared, all);
        shared = NAME(minus)(&shared, &s->captured[cell]);
    }
    return NAME(is_empty)(&shared);
}

/* Apply AND to two connections that meet in a point `mid` and lead on to `first` and `last`.  The
 * second one may be a step, with number -1. */
static void NAME(combine_two)(NAME(state) *s, int32_t one, int32_t two, int mid, int first,
                              int last, const NAME(set) *other, int size, int key) {
    const NAME(set) *carrier = &s->links[one].carrier;
    const int32_t part[2] = {one, two};
    const NAME(source) source = {HSEARCH_AND, 2, part};
    const int points[3] = {mid, first, last};
    NAME(set) all = NAME(join)(carrier, other);
    size += s->links[one].size;
    if (first == last || (NAME(is_shared_side)(s, first) && NAME(is_shared_side)(s, last))) return;
    if (NAME(meets)(carrier, other)) {
        if (!NAME(can_share)(s, carrier, other, points, &all)) return;
        size = NAME(count)(&all);
    }
    if (s->limits->share_captured &&
        (NAME(has_end)(s, &all, first) || NAME(has_end)(s, &all, last)))
        return;
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

/* Apply AND to a link and the combined links of one kind at one of its ends.  Whether they are
 * disjoint is decided for a whole block at once, without branches. */
static void NAME(combine_with)(NAME(state) *s, int32_t number, int kind, int mid, int far,
                               int max_size, const NAME(set) *all) {
    const NAME(link) *link = &s->links[number];
    for (int32_t n = s->newest_block[mid][kind]; n >= 0; n = s->blocks[n].before) {
        const NAME(block) *block = &s->blocks[n];
        uint32_t fit = 0;
        for (int i = 0; i < block->count; i++)
            fit |= (uint32_t)(!NAME(meets)(all, &block->all[i]) & (block->size[i] <= max_size))
                   << i;
        while (fit) {
            int i = 31 - __builtin_clz(fit);
            const NAME(link) *other = &s->links[block->number[i]];
            fit &= ~((uint32_t)1 << i);
            if (other->state == GONE) continue;
            NAME(combine_two)(s, number, block->number[i], mid, far,
                              other->end[0] == mid ? other->end[1] : other->end[0], &other->carrier,
                              other->size, link->key >= 0 ? link->key : other->key);
            if (link->state == GONE) return;
        }
    }
}

/* Apply AND to a link and the steps from one of its ends. */
static void NAME(combine_with_steps)(NAME(state) *s, int32_t number, int mid, int far, int max_size,
                                     const NAME(set) *all) {
    const NAME(step) *step = s->steps[mid];
    uint32_t fit = 0;
    for (int i = 0; i < s->step_count[mid]; i++)
        fit |= (uint32_t)(!NAME(meets)(all, &step[i].all) & (step[i].size <= max_size)) << i;
    for (; fit && s->links[number].state == NEW; fit &= fit - 1) {
        const NAME(step) *to = &step[__builtin_ctz(fit)];
        NAME(combine_two)(s, number, -1, mid, far, to->to, &to->carrier, to->size, mid);
    }
}

/* Return the cells that a connection continuing from the near end must not need: the carrier except
 * what a stone on the far end captures, and the far end itself. */
static inline NAME(set) NAME(not_shared)(const NAME(state) *s, const NAME(link) *link, int far) {
    NAME(set) all = link->carrier;
    if (!NAME(is_cell)(s, far)) return all;
    if (s->limits->share_captured) all = NAME(minus)(&all, &s->captured[far]);
    NAME(add)(&all, far);
    return all;
}

/* File a combined link at one of its ends. */
static void NAME(append_to_block)(NAME(state) *s, int32_t number, int kind, int mid, int far) {
    const NAME(link) *link = &s->links[number];
    int32_t *newest = &s->newest_block[mid][kind];
    if (*newest < 0 || s->blocks[*newest].count == BLOCK_SIZE) {
        s->blocks[s->blocks_used].before = *newest;
        s->blocks[s->blocks_used].count = 0;
        *newest = s->blocks_used++;
    }
    NAME(block) *block = &s->blocks[*newest];
    block->all[block->count] = NAME(not_shared)(s, link, far);
    block->size[block->count] = link->size;
    block->number[block->count++] = number;
}

/* Apply AND to a link and all links combined before. */
static void NAME(combine)(NAME(state) *s, int32_t number) {
    NAME(link) *link = &s->links[number];
    const hsearch_t *limits = s->limits;
    int full = link->key < 0;
    for (int at = 0; at < 2; at++) {
        int mid = link->end[at], far = link->end[1 - at], key = NAME(is_cell)(s, mid);
        NAME(set) all; /* cells that the other link must not need */
        int probed = s->probed >= 0 && mid == s->point[s->probed]; /* need not join cells */
        if ((key ? !full : !NAME(joins)(s, mid)) || (probed && NAME(is_cell)(s, far))) continue;
        all = NAME(not_shared)(s, link, far);
        if (limits->share_captured && key) all = NAME(minus)(&all, &s->captured[mid]);
        int from = probed ? TO_CHAINS : TO_CELLS, end = key ? SEMIS : KINDS;
        for (int kind = from; kind < end && link->state == NEW; kind++) {
            int between = kind == TO_CELLS && NAME(is_cell)(s, far);
            int max_size = (between ? limits->max_between : limits->max_size) - link->size - key;
            int extension = limits->max_extension; /* cells of a full that extends a semi */
            if (extension >= 0 && (kind == SEMIS ? !NAME(is_cell)(s, far) : kind == TO_CHAINS))
                extension = limits->max_size;
            if (kind == SEMIS && (!full || link->size > extension)) continue;
            if (!full && extension < max_size) max_size = extension;
            if (kind == TO_CELLS && key)
                NAME(combine_with_steps)(s, number, mid, far, max_size, &all);
            if (max_size >= 0 && link->state == NEW)
                NAME(combine_with)(s, number, kind, mid, far, max_size, &all);
        }
    }
    if (link->state != NEW) return;
    link->state = COMBINED;
    for (int at = 0; at < 2; at++) {
        int mid = link->end[at], far = link->end[1 - at];
        if (full || !NAME(is_cell)(s, mid))
            NAME(append_to_block)(
                s, number, !full ? SEMIS : NAME(is_cell)(s, far) ? TO_CELLS : TO_CHAINS, mid, far);
    }
}

/* Return whether a link shares with others no cells but those that a stone on the key captures.  If
 * so, `all` is the union. */
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

/* An application of the crossing rule to two chains, a cell and a key: the first chain has a full
 * to the cell and a semi to the key, the other chain a full to the key and a semi to the cell. */
typedef struct {
    int lower, higher; /* the chains, in order */
    int cell, key;
    int32_t list[4];   /* the heads of four lists: the two fulls, then the semis of the first and
                          of the other chain */
    NAME(set) needs;   /* cells that all links of some list need, except what the key captures */
} NAME(crossing);

/* Prepare the crossing rule.  Return whether the four lists may contain disjoint links. */
static int NAME(may_cross)(const NAME(state) *s, int first, int second, int cell, int key,
                           NAME(crossing) *c) {
    const NAME(set) *captured = s->captures[key] ? &s->captured[key] : NULL;
    if (captured && NAME(has)(captured, cell)) return 0;
    *c = (NAME(crossing)){
        first < second ? first : second, first < second ? second : first, cell, key,
        {NAME(pair_of)(s, first, cell)->fulls, NAME(pair_of)(s, second, key)->fulls,
         NAME(pair_of)(s, first, key)->semis, NAME(pair_of)(s, second, cell)->semis}, {{0}}};
    for (int i = 0; i < 4; i++) {
        NAME(set) common = s->links[c->list[i]].common;
        if (captured) common = NAME(minus)(&common, captured);
        if (NAME(meets)(&c->needs, &common)) return 0;
        c->needs = NAME(join)(&c->needs, &common);
    }
    return !NAME(has)(&c->needs, cell) && !NAME(has)(&c->needs, key);
}

/* Apply the crossing rule with a connection between cell and key.  `between` is its carrier and
 * both ends. */
static void NAME(cross_by)(NAME(state) *s, const NAME(crossing) *c, const NAME(set) *between) {
    const NAME(link) *links = s->links;
    NAME(set) one, two, three, all;
    int32_t part[4];
    const NAME(source) source = {HSEARCH_CROSS, 4, part};
    if (!s->captures[c->key] && NAME(meets)(&c->needs, between)) return;
    for (int32_t i = part[0] = c->list[0]; i >= 0; part[0] = i = links[i].next) {
        if (!NAME(disjoint)(s, i, between, c->key, &one)) continue;
        for (int32_t j = part[1] = c->list[1]; j >= 0; part[1] = j = links[j].next) {
            if (!NAME(disjoint)(s, j, &one, c->key, &two)) continue;
            for (int32_t k = part[2] = c->list[2]; k >= 0; part[2] = k = links[k].next) {
                if (!NAME(disjoint)(s, k, &two, c->key, &three)) continue;
                for (int32_t l = part[3] = c->list[3]; l >= 0; part[3] = l = links[l].next)
                    if (NAME(disjoint)(s, l, &three, c->key, &all))
                        NAME(add_semi)(s, c->lower, c->higher, &all, NAME(count)(&all), c->key,
                                       &source);
            }
        }
    }
}

/* Apply the crossing rule with all semis between cell and key, or, if these aren't searched for,
 * with two steps over any third cell.  Fulls would give nothing that AND and OR don't. */
static void NAME(cross_cells)(NAME(state) *s, const NAME(crossing) *c) {
    int cell = c->cell, key = c->key;
    NAME(set) ends, between;
    memset(&ends, 0, sizeof ends);
    NAME(add)(&ends, cell);
    NAME(add)(&ends, key);
    if (s->limits->max_between >= 0 && !NAME(has)(&s->step_targets[cell], key)) {
        int lower = cell < key ? cell : key, higher = cell < key ? key : cell;
        for (int32_t i = NAME(pair_of)(s, lower, higher)->semis; i >= 0; i = s->links[i].next) {
            between = NAME(join)(&ends, &s->links[i].carrier);
            NAME(cross_by)(s, c, &between);
        }
        return;
    }
    for (int i = 0; i < s->step_count[cell]; i++) {
        const NAME(step) *to = &s->steps[cell][i];
        if (!NAME(has)(&s->step_targets[to->to], key) || NAME(has)(&to->carrier, key)) continue;
        for (int j = 0; j < s->step_count[to->to]; j++) {
            const NAME(step) *from = &s->steps[to->to][j];
            if (from->to != key || NAME(has)(&from->carrier, cell) ||
                NAME(meets)(&to->carrier, &from->carrier))
                continue;
            between = NAME(join)(&to->all, &from->carrier);
            between = NAME(join)(&between, &ends);
            NAME(cross_by)(s, c, &between);
        }
    }
}

/* Apply the crossing rule once to all connections.  Return whether it made any. */
static int NAME(cross)(NAME(state) *s) {
    NAME(set) fulls[HSEARCH_CHAINS], semis[HSEARCH_CHAINS]; /* per chain: cells it has them to */
    NAME(set) near[MAX_CELLS]; /* per cell: the cells to which it may have a semi */
    int32_t used = s->used;
    memset(near, s->limits->max_between < 0 ? 0 : 0xFF, s->cells * sizeof near[0]);
    for (int cell = 0; cell < s->cells && s->limits->max_between < 0; cell++)
        for (int i = 0; i < s->step_count[cell]; i++)
            near[cell] = NAME(join)(&near[cell], &s->step_targets[s->steps[cell][i].to]);
    memset(fulls, 0, s->chains * sizeof fulls[0]);
    memset(semis, 0, s->chains * sizeof semis[0]);
    for (int chain = 0; chain < s->chains; chain++)
        for (int cell = 0; cell < s->cells; cell++) {
            const NAME(pair) *pair = NAME(pair_of)(s, s->cells + chain, cell);
            if (pair->fulls >= 0) NAME(add)(&fulls[chain], cell);
            if (pair->semis >= 0) NAME(add)(&semis[chain], cell);
        }
    for (int a = 0; a < s->chains; a++)
        for (int b = 0; b < s->chains; b++) {
            int first = s->cells + a, second = s->cells + b;
            int lower = a < b ? first : second, higher = a < b ? second : first;
            NAME(set) cells = NAME(meet)(&fulls[a], &semis[b]);
            NAME(set) keys = NAME(meet)(&fulls[b], &semis[a]);
            if (a == b || NAME(is_empty)(&keys) ||
                (s->limits->greedy_fulls && NAME(pair_of)(s, lower, higher)->fulls >= 0) ||
                (NAME(is_shared_side)(s, first) && NAME(is_shared_side)(s, second)))
                continue;
            for (int cell = -1; (cell = NAME(next)(&cells, cell)) >= 0;) {
                NAME(set) others = NAME(meet)(&keys, &near[cell]);
                for (int key = -1; (key = NAME(next)(&others, key)) >= 0;) {
                    NAME(crossing) c;
                    /* Without captures, exchanging cell and key gives the same. */
                    if (key != cell && (a < b || s->captures[key]) &&
                        NAME(may_cross)(s, first, second, cell, key, &c))
                        NAME(cross_cells)(s, &c);
                }
            }
        }
    return s->used > used;
}

/* Connect a point to the three sides by three disjoint links, one of each list.  The first list may
 * hold semis if the point is a chain. */
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
                    NAME(add_semi)(s, s->cells, s->cells + 1, &all, NAME(count)(&all), key,
                                   &source);
                else
                    NAME(add_full)(s, s->cells, s->cells + 1, &all, NAME(count)(&all), &source);
            }
        }
}

/* Connect points to all three sides of Y.  The pair of the first two sides stands for all three. */
static void NAME(find_tripods)(NAME(state) *s) {
    for (int i = 0; i < s->cells + s->chains; i++) {
        const NAME(pair) *at[3];
        if (NAME(is_shared_side)(s, i) || (NAME(is_cell)(s, i) && s->point[i] != i)) continue;
        for (int side = 0; side < 3; side++) at[side] = NAME(pair_of)(s, s->cells + side, i);
        NAME(add_tripods)(s, i, at[0]->fulls, at[1]->fulls, at[2]->fulls);
        for (int side = 0; side < 3 && !NAME(is_cell)(s, i); side++) /* with a semi to one side */
            NAME(add_tripods)(s, i, at[side]->semis, at[(side + 1) % 3]->fulls,
                              at[(side + 2) % 3]->fulls);
    }
}

/* Apply all rules to new links until there are none, or the sides are joined as far as `enough`. */
static int NAME(run)(NAME(state) *s, int enough) {
    for (int crossings = s->limits->crossing_rounds;; crossings--) {
        while (s->smallest <= s->limits->max_size && NAME(joined)(s) < enough) {
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
