/* The flood fill of _flood.h.  core/_kernels.c includes this file after _sliced.inc.h. */

/* Let chains grow: `reach` holds the parts of them that are known, `own` the stones. */
static void spread(const part *own, part *reach, const flood_t *f) {
    part changed;
    do {
        changed = (part){0};
        for (int v = 0; v < f->nodes; v++) {
            part r = reach[v];
            for (int i = f->first[v]; i < f->first[v + 1]; i++) r |= reach[f->neighbours[i]];
            r &= own[v];
            changed |= r ^ reach[v];
            reach[v] = r;
        }
        if (!any_set(changed)) return;
        changed = (part){0};
        for (int v = f->nodes - 1; v >= 0; v--) {
            part r = reach[v];
            for (int i = f->first[v]; i < f->first[v + 1]; i++) r |= reach[f->neighbours[i]];
            r &= own[v];
            changed |= r ^ reach[v];
            reach[v] = r;
        }
    } while (any_set(changed));
}

/* Go from side to side of the goal, and keep the chains that touch all sides so far. */
static part join(const part *own, part *reach, const flood_t *f, int goal) {
    part won = {0};
    for (int v = 0; v < f->cells; v++) reach[v] = own[v];
    for (;;) {
        const int side = goal & -goal;
        goal &= goal - 1;
        if (!goal) {
            for (int v = 0; v < f->cells; v++)
                if (f->touches[v] & side) won |= reach[v];
            return won;
        }
        for (int v = 0; v < f->cells; v++)
            if (!(f->touches[v] & side)) reach[v] = (part){0};
        spread(own, reach, f);
    }
}

/* On each board, begin at the first seed that is among `left`; write to `begun` where. Return the
 * boards on which a seed has been found. */
static part begin(const part *left, part *begun, int seeds) {
    part found = {0};
    for (int j = 0; j < seeds; j++) {
        begun[j] = left[j] & ~found;
        found |= left[j];
    }
    return found;
}

/* Follow one chain after the other, on each board another one, from a polygon of its first seed; it
 * wins if it gets to the other polygon. Chains don't touch each other, so what earlier ones have
 * reached can stay. */
static part close_loop(const part *own, part *reach, const flood_t *f) {
    part won = {0}, left[MAX_SEEDS], begun[MAX_SEEDS];
    for (int v = 0; v < f->nodes; v++) reach[v] = (part){0};
    for (;;) {
        for (int j = 0; j < f->seed_count; j++) {
            const int near = f->seeds[j], far = near + f->cells;
            left[j] = own[near] & ~(reach[near] | reach[far] | won);
        }
        if (!any_set(begin(left, begun, f->seed_count))) return won;
        for (int j = 0; j < f->seed_count; j++) reach[f->seeds[j]] |= begun[j];
        spread(own, reach, f);
        for (int j = 0; j < f->seed_count; j++) won |= reach[f->seeds[j] + f->cells] & begun[j];
    }
}

enum { SCORE_BITS = 10 }; /* four times the border's cells, and more, is less than 1024 */

/* Add 2^bit on some boards to numbers that are stored vertically; see `balance`. */
static inline void add(part *count, int bit, part carry) {
    for (int b = bit; b < SCORE_BITS && any_set(carry); b++) {
        part sum = count[b] ^ carry;
        carry &= count[b];
        count[b] = sum;
    }
}

typedef struct {
    part greater, equal;
} order_t;

/* Compare numbers that are stored vertically with a constant. */
static inline order_t compare(const part *count, int with) {
    order_t order = {{0}, ~(part){0}};
    for (int b = SCORE_BITS - 1; b >= 0; b--) {
        if (with >> b & 1) {
            order.equal &= count[b];
        } else {
            order.greater |= order.equal & count[b];
            order.equal &= ~count[b];
        }
    }
    return order;
}

/* Follow the chains that touch the border, one after the other and on each board another one, and
 * count the points of both colours: peries less four for each group. With p peries, b of them Black's
 * in the end, and B and W groups, Black leads by 2 b - p - 4 (B - W). So that only additions are
 * needed, b + 2 W + 2 (r - B) is counted in r rounds of one chain each: Black has more points if that
 * is more than p / 2 + 2 r. A chain with a single peri is no group, and its peri goes to the other
 * colour. */
static part score(const slice_t *cells, part *own, part *reach, const flood_t *f, int k) {
    part count[SCORE_BITS] = {{0}}, corners[SCORE_BITS] = {{0}};
    part left[MAX_SEEDS], begun[MAX_SEEDS], owner[MAX_SEEDS];
    const int peries = f->seed_count;
    int rounds = 0;
    for (int j = 0; j < peries; j++) {
        left[j] = ~(part){0};
        owner[j] = read_part(cells, f->seeds[j], k);
    }
    for (part open; any_set(open = begin(left, begun, peries)); rounds++) {
        part black = {0}, more = {0};
        for (int j = 0; j < peries; j++) black |= begun[j] & read_part(cells, f->seeds[j], k);
        for (int v = 0; v < f->cells; v++) {
            own[v] = ~(read_part(cells, v, k) ^ black);
            reach[v] = (part){0};
        }
        for (int j = 0; j < peries; j++) reach[f->seeds[j]] = begun[j];
        spread(own, reach, f);
        for (int j = 0; j < peries; j++) {
            left[j] &= ~reach[f->seeds[j]];
            more |= reach[f->seeds[j]] & ~begun[j];
        }
        for (int j = 0; j < peries; j++) owner[j] ^= begun[j] & ~more;
        add(count, 1, open & more & ~black);
        add(count, 1, ~(open & more & black));
    }
    for (int j = 0; j < peries; j++) {
        add(count, 0, owner[j]);
        if (f->is_corner[f->seeds[j]]) add(corners, 0, owner[j]);
    }
    const order_t points = compare(count, peries / 2 + 2 * rounds);
    if (peries % 2) return points.greater;
    return points.greater | (points.equal & compare(corners, 2).greater);
}

/* On which boards the stones in `cells` have won if the opponent gets all other cells. */
static void flood(const slice_t *cells, slice_t *work, const flood_t *f, int colour, slice_t *wins,
                  int words) {
    part *own = (part *)(void *)work, *reach = own + f->nodes;
    for (int k = 0; k < parts(words); k++) {
        part won;
        if (f->aim == AIM_SCORE) {
            won = score(cells, own, reach, f, k);
        } else {
            for (int v = 0; v < f->nodes; v++)
                own[v] = read_part(cells, v < f->cells ? v : v - f->cells, k);
            won = f->aim == AIM_JOIN ? join(own, reach, f, f->goal[colour - 1])
                                     : close_loop(own, reach, f);
        }
        *part_of(wins, 0, k) = won;
    }
}
