/* H-search for carriers of WORDS words: the connections that it starts with in a position, and
 * access to its results.  _hsearch.c includes this header three times, once per carrier size. */

/* Number the chains: first the sides, with the stones on them unless the sides are shared. */
static void NAME(find_points)(NAME(state) *s) {
    const int16_t *around = s->limits->around;
    int16_t todo[MAX_CELLS];
    int count = 2 + s->limits->shared;
    for (int cell = 0; cell < s->cells; cell++)
        s->point[cell] = s->stones[cell] ? -1 : (int16_t)cell;
    s->chains = count;
    for (int start = -count; start < s->cells; start++) {
        int length = 0, chain = s->chains;
        if (start < 0) {
            chain = start + count;
            for (int cell = 0; cell < s->cells && !s->limits->shared; cell++)
                for (int k = 0; k < 6 && s->stones[cell] == s->colour && s->point[cell] < 0; k++)
                    if (around[6 * cell + k] == -1 - s->sides[chain]) {
                        s->point[cell] = (int16_t)(s->cells + chain);
                        todo[length++] = (int16_t)cell;
                    }
        } else {
            if (s->stones[start] != s->colour || s->point[start] >= 0 || chain == HSEARCH_CHAINS)
                continue;
            s->point[start] = (int16_t)(s->cells + chain);
            s->chains++;
            todo[length++] = (int16_t)start;
        }
        while (length) {
            int cell = todo[--length];
            for (int k = 0; k < 6; k++) {
                int next = around[6 * cell + k];
                if (next >= 0 && s->stones[next] == s->colour && s->point[next] < 0) {
                    s->point[next] = s->point[cell];
                    todo[length++] = (int16_t)next;
                }
            }
        }
    }
}

/* Return the number of a cell among the neighbours of another. */
static inline int NAME(index_of)(const int16_t *around, int cell) {
    int k = 0;
    while (around[k] != cell) k++;
    return k;
}

static inline int NAME(is_empty_cell)(const NAME(state) *s, int cell) {
    return cell >= 0 && s->point[cell] == cell;
}

/* List the steps from each empty cell to others: to neighbours and by bridges. */
static void NAME(find_steps)(NAME(state) *s) {
    for (int cell = 0; cell < s->cells; cell++) {
        const int16_t *around = s->limits->around + 6 * cell, *far = s->limits->far + 6 * cell;
        NAME(step) *step = s->steps[cell];
        memset(&s->near[cell], 0, sizeof(NAME(set)));
        for (int i = 0; i < 6 && NAME(is_empty_cell)(s, cell); i++) {
            int a = around[i], b = around[i < 5 ? i + 1 : 0];
            if (!NAME(is_empty_cell)(s, a)) continue;
            NAME(add)(&s->near[cell], a);
            *step++ = (NAME(step)){.to = a};
            if (!NAME(is_empty_cell)(s, b) || !NAME(is_empty_cell)(s, far[i])) continue;
            *step = (NAME(step)){.to = far[i], .size = 2};
            NAME(add)(&step->carrier, a);
            NAME(add)(&step++->carrier, b);
        }
        s->step_count[cell] = (uint8_t)(step - s->steps[cell]);
        memset(&s->step_targets[cell], 0, sizeof(NAME(set)));
        while (step > s->steps[cell]) {
            step--;
            NAME(add)(&s->step_targets[cell], step->to);
            step->all = step->carrier;
            NAME(add)(&step->all, step->to);
        }
    }
}

/* Return who owns a neighbour: 1 the colour, -1 its opponent, 0 neither or unknown. */
static inline int NAME(owner)(const NAME(state) *s, int neighbour) {
    if (neighbour >= 0)
        return s->stones[neighbour] == 0 ? 0 : s->stones[neighbour] == s->colour ? 1 : -1;
    if (s->limits->shared) return 0;
    return -1 - neighbour == s->sides[0] || -1 - neighbour == s->sides[1] ? 1 : -1;
}

/* Return whether an opponent's stone on a cell would be dead, given that we own the three
 * neighbours in a row from number `first` on: so it is if we own the next or the last of the other
 * three, or the opponent owns the middle one. */
static int NAME(would_be_dead)(const NAME(state) *s, int cell, int first) {
    const int16_t *of_cell = s->limits->around + 6 * cell;
    return NAME(owner)(s, of_cell[(first + 3) % 6]) > 0 ||
           NAME(owner)(s, of_cell[(first + 4) % 6]) < 0 ||
           NAME(owner)(s, of_cell[(first + 5) % 6]) > 0;
}

/* Find what a stone on each empty cell would capture: the two cells of every bridge to a stone or a
 * side, if the opponent's stone on either cell is dead once we own the other. */
static void NAME(find_captures)(NAME(state) *s) {
    const int16_t *around = s->limits->around;
    for (int cell = 0; cell < s->cells; cell++) {
        NAME(set) *captured = &s->captured[cell];
        s->captures[cell] = 0;
        if (!s->limits->share_captured || !NAME(is_empty_cell)(s, cell)) continue;
        memset(captured, 0, sizeof *captured);
        for (int i = 0; i < 6; i++) {
            int a = around[6 * cell + i], b = around[6 * cell + (i + 1) % 6];
            if (!NAME(is_empty_cell)(s, a) || !NAME(is_empty_cell)(s, b) ||
                NAME(has)(captured, a) || NAME(has)(captured, b) ||
                NAME(owner)(s, s->limits->far[6 * cell + i]) <= 0)
                continue;
            /* Around a come the far end, b and the cell in a row; around b the cell, a and the
             * far end. */
            if (NAME(would_be_dead)(s, a, NAME(index_of)(around + 6 * a, cell) + 4) &&
                NAME(would_be_dead)(s, b, NAME(index_of)(around + 6 * b, cell))) {
                NAME(add)(captured, a);
                NAME(add)(captured, b);
                s->bridges[cell][s->captures[cell]][0] = (int16_t)a;
                s->bridges[cell][s->captures[cell]++][1] = (int16_t)b;
            }
        }
    }
}

/* Connect adjacent points: chains and cells, and in Y chains and sides. */
static void NAME(add_neighbours)(NAME(state) *s) {
    const NAME(source) source = {HSEARCH_BASE, 0, NULL};
    NAME(set) nothing;
    memset(&nothing, 0, sizeof nothing);
    for (int cell = 0; cell < s->cells; cell++) {
        int point = s->point[cell];
        if (point < 0 || (!NAME(is_cell)(s, point) && !s->limits->shared)) continue;
        for (int k = 0; k < 6; k++) {
            int next = s->limits->around[6 * cell + k], chain = -1;
            if (next >= 0) {
                if (NAME(is_cell)(s, point)) chain = s->point[next] - s->cells;
            } else
                chain = -1 - next - s->sides[0];
            if (chain >= 0 && (next >= 0 || chain < 2 + s->limits->shared))
                NAME(add_full)(s, s->cells + chain, point, &nothing, 0, &source);
        }
    }
}

/* Connect pairs of cells that each have a step to the same third cell. */
static void NAME(add_between)(NAME(state) *s) {
    const int32_t part[2] = {-1, -1};
    const NAME(source) source = {HSEARCH_AND, 2, part};
    for (int key = 0; key < s->cells; key++)
        for (int i = 0; i < s->step_count[key]; i++)
            for (int j = 0; j < i; j++) {
                const NAME(step) *a = &s->steps[key][i], *b = &s->steps[key][j];
                int first = a->to, last = b->to, size = a->size + b->size + 1;
                NAME(set) all = NAME(join)(&a->carrier, &b->carrier);
                if (size > s->limits->max_between || NAME(meets)(&a->carrier, &b->carrier) ||
                    NAME(has)(&all, first) || NAME(has)(&all, last))
                    continue;
                NAME(add)(&all, key);
                NAME(order)(s, &first, &last);
                NAME(add_semi)(s, first, last, &all, size, key, &source);
            }
}

/* Remove all connections of a chain. */
static void NAME(clear)(NAME(state) *s, int chain) {
    memset(NAME(pair_of)(s, s->cells + chain, 0), 0xFF, s->stride * sizeof(NAME(pair)));
    memset(s->newest_block[s->cells + chain], 0xFF, sizeof s->newest_block[0]);
}

/* Find all connections of a colour; see hsearch_build(). */
static int NAME(build)(const hsearch_t *h, const uint8_t *stones, int colour, int enough) {
    NAME(state) *s = NAME(state_of)(h);
    memcpy(s->stones, stones, s->cells);
    s->colour = colour;
    for (int i = 0; i < 3; i++) s->sides[i] = h->shared || colour == 1 ? i : i + 2;
    s->probed = -1;
    s->used = s->parts_used = s->blocks_used = s->smallest = 0;
    NAME(find_points)(s);
    NAME(find_steps)(s);
    NAME(find_captures)(s);
    memset(s->newest_block, 0xFF, s->cells * sizeof s->newest_block[0]);
    memset(s->queue, 0xFF, sizeof s->queue);
    for (int chain = 0; chain < s->chains; chain++) NAME(clear)(s, chain);
    NAME(add_neighbours)(s);
    if (h->max_between >= 0) {
        memset(NAME(pair_of)(s, 0, 0), 0xFF, s->cells * s->stride * sizeof(NAME(pair)));
        NAME(add_between)(s);
    }
    return NAME(run)(s, enough);
}

/* Add a resistor to a network, if there is room. */
static inline void NAME(add_resistor)(resistance_network_t *network, int a, int b, double conductance) {
    if (network->resistors == MAX_RESISTORS || conductance <= 0) return;
    network->end[network->resistors][0] = (int16_t)a;
    network->end[network->resistors][1] = (int16_t)b;
    network->conductance[network->resistors++] = conductance;
}

/* Return how well connections between two points conduct, the first of which is given, as a part of
 * what they would if they all needed no cell in common; 0 if there are none. */
static double NAME(conductance)(const NAME(state) *s, int32_t i) {
    if (i < 0) return 0;
    NAME(set) common = s->links[i].carrier;
    for (i = s->links[i].next; i >= 0; i = s->links[i].next)
        common = NAME(meet)(&common, &s->links[i].carrier);
    return 1.0 / (1 + NAME(count)(&common));
}

/* Return the conductance of the connections between a chain and another point. */
static double NAME(conductance_of_chain)(const NAME(state) *s, int chain, int point,
                                         const hsearch_wires_t *wires) {
    const NAME(pair) *pair = NAME(pair_of)(s, s->cells + chain, point);
    double full = NAME(conductance)(s, pair->fulls);
    if (NAME(is_cell)(s, point))
        return full > 0           ? 2 * full
               : wires->semis > 0 ? wires->semis * NAME(conductance)(s, pair->semis)
                                  : 0;
    if (NAME(is_shared_side)(s, s->cells + chain) && full == 1) return HSEARCH_CONTACT;
    return wires->chains * full;
}

/* Make a resistance network of the connections.  at[] gets the network's point for each of ours, or
 * -1. */
static void NAME(build_network)(const NAME(state) *s, const hsearch_wires_t *wires,
                                resistance_network_t *network, int16_t *at) {
    int sides = 2 + s->limits->shared, points = sides;
    int between = wires->cells > 0 && s->limits->max_between >= 0;
    network->sides = sides;
    network->resistors = 0;
    for (int i = 0; i < s->cells + s->chains; i++)
        at[i] = (int16_t)(i >= s->cells && i < s->cells + sides ? i - s->cells
                          : i < s->cells && s->point[i] != i    ? -1 : points++);
    network->points = points;
    for (int cell = 0; cell < s->cells; cell++) {
        if (at[cell] < 0) continue;
        for (int i = 0; i < s->step_count[cell]; i++) {
            const NAME(step) *step = &s->steps[cell][i];
            if (step->to > cell && (step->size == 0 || wires->bridges))
                NAME(add_resistor)(network, at[cell], at[step->to], 1.0 / (1 + step->size));
        }
        for (int to = cell + 1; between && to < s->cells; to++)
            if (at[to] >= 0 && !NAME(has)(&s->step_targets[cell], to))
                NAME(add_resistor)(
                    network, at[cell], at[to],
                    wires->cells * NAME(conductance)(s, NAME(pair_of)(s, cell, to)->fulls));
        for (int chain = 0; chain < s->chains; chain++)
            NAME(add_resistor)(network, at[cell], at[s->cells + chain],
                               NAME(conductance_of_chain)(s, chain, cell, wires));
    }
    for (int chain = 0; chain < s->chains; chain++)
        for (int other = chain < sides ? sides : chain + 1; other < s->chains; other++)
            NAME(add_resistor)(network, at[s->cells + chain], at[s->cells + other],
                               NAME(conductance_of_chain)(s, chain, s->cells + other, wires));
}

static double NAME(resistance)(const hsearch_t *h, const hsearch_wires_t *wires, float *currents) {
    const NAME(state) *s = h->memory;
    resistance_solution_t solution;
    int16_t at[MAX_CELLS + HSEARCH_CHAINS];
    NAME(build_network)(s, wires, s->network, at);
    double resistance = resistance_solve(s->network, &solution);
    for (int cell = 0; cell < s->cells; cell++)
        currents[cell] = at[cell] < 0 ? 0 : (float)solution.through[at[cell]];
    return resistance;
}

static int NAME(joined_sides)(const hsearch_t *h) { return NAME(joined)(h->memory); }

static int NAME(between_sides)(const hsearch_t *h, int full, cells_t *carriers,
                               int16_t *keys) {
    const NAME(state) *s = h->memory;
    const NAME(pair) *pair = NAME(pair_of)(s, s->cells, s->cells + 1);
    int count = 0;
    for (int32_t i = full ? pair->fulls : pair->semis; i >= 0; i = s->links[i].next) {
        int at = count++;
        for (; at > 0; at--) {
            if (NAME(count)((const NAME(set) *)&carriers[at - 1]) <= s->links[i].size) break;
            carriers[at] = carriers[at - 1];
            keys[at] = keys[at - 1];
        }
        memset(&carriers[at], 0, sizeof carriers[0]);
        memcpy(&carriers[at], &s->links[i].carrier, sizeof(NAME(set)));
        keys[at] = s->links[i].key;
    }
    return count;
}

static int NAME(first)(const hsearch_t *h, int first, int last, int full) {
    const NAME(state) *s = h->memory;
    const NAME(pair) *pair;
    NAME(order)(s, &first, &last);
    if (NAME(is_cell)(s, first) && h->max_between < 0) return -1;
    pair = NAME(pair_of)(s, first, last);
    return full ? pair->fulls : pair->semis;
}

static int NAME(describe)(const hsearch_t *h, int number, hsearch_link_t *out) {
    const NAME(state) *s = h->memory;
    if (number < 0 || number >= s->used) return s->used;
    const NAME(link) *link = &s->links[number];
    memset(&out->carrier, 0, sizeof out->carrier);
    memcpy(&out->carrier, &link->carrier, sizeof(NAME(set)));
    out->end[0] = link->end[0];
    out->end[1] = link->end[1];
    out->size = link->size;
    out->key = link->key;
    out->rule = link->rule;
    out->parts = link->part_count;
    out->part = s->parts + link->parts;
    out->next = link->next;
    return s->used;
}
