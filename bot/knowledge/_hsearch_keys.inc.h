/* H-search for carriers of WORDS words: keys are tried where the rules do not join the sides.
 *
 * A stone on a cell is a chain, and chains have rules of their own; so there are more connections
 * once it is there than there are with the cell.  In Y this finds hardly anything, and is not done. */

/* How far a cell is from being the key of a semi between the sides, if it has fulls with one of them
 * and semis with the other one: the number of cells that all these semis need which share no cell with
 * some full.  Return -1 if it is too far: if there are more such cells than NEEDED, or than a quarter of
 * what the semis need together, which are then hardly different from each other. */
static int NAME(distance)(const NAME(state) *s, int cell) {
    const NAME(pair) *one = NAME(pair_of)(s, s->cells, cell);
    const NAME(pair) *other = NAME(pair_of)(s, s->cells + 1, cell);
    int32_t fulls = one->fulls >= 0 ? one->fulls : other->fulls;
    int32_t semis = one->fulls >= 0 ? other->semis : one->semis;
    int count = 0;
    NAME(set) common, all;
    if (one->fulls >= 0 && other->fulls >= 0) return -1;
    memset(&common, 0xFF, sizeof common);
    memset(&all, 0, sizeof all);
    for (; semis >= 0; semis = s->links[semis].next)
        for (int32_t i = fulls; i >= 0; i = s->links[i].next)
            if (!NAME(meets)(&s->links[i].carrier, &s->links[semis].carrier)) {
                common = NAME(meet)(&common, &s->links[semis].carrier);
                all = NAME(join)(&all, &s->links[semis].carrier);
                count++;
                break;
            }
    if (count < 2) return -1;
    count = NAME(count)(&common);
    return count > NEEDED || 4 * count > NAME(count)(&all) ? -1 : count;
}

/* Where the sides are not joined, look for a cell with which they would be: it is the key of a semi. */
static int NAME(try_keys)(const hsearch_t *h) {
    NAME(state) *s = NAME(state_of)(h);
    const NAME(source) source = {HSEARCH_KEY, 0, NULL};
    uint8_t stones[HSEARCH_CELLS];
    int distance[HSEARCH_CELLS];
    hsearch_t with_key = *h;
    with_key.memory = (char *)h->memory + NAME(bytes)(s->cells);
    with_key.alike = 0; /* only whether there is one */
    if (h->tries <= 0 || h->shared || NAME(joined)(s)) return NAME(joined)(s);
    for (int cell = 0; cell < s->cells; cell++)
        distance[cell] = s->point[cell] == cell ? NAME(distance)(s, cell) : -1;
    memcpy(stones, s->stones, s->cells);
    for (int tries = h->tries; tries > 0 && !NAME(joined)(s); tries--) {
        int key = -1;
        for (int cell = 0; cell < s->cells; cell++)
            if (distance[cell] >= 0 && (key < 0 || distance[cell] < distance[key])) key = cell;
        if (key < 0) break;
        distance[key] = -1;
        stones[key] = (uint8_t)s->colour;
        NAME(follow)(&with_key, h, stones, 2, key);
        stones[key] = 0;
        const NAME(state) *after = with_key.memory;
        int32_t i = NAME(pair_of)(after, s->cells, s->cells + 1)->fulls;
        for (; i >= 0; i = after->links[i].next) {
            NAME(set) carrier = after->links[i].carrier;
            NAME(add)(&carrier, key);
            NAME(add_semi)(s, s->cells, s->cells + 1, &carrier, after->links[i].size + 1, key,
                           &source);
        }
    }
    return NAME(joined)(s);
}

static int NAME(build_and_try)(const hsearch_t *h, const uint8_t *stones, int colour, int enough) {
    NAME(build)(h, stones, colour, enough);
    return NAME(try_keys)(h);
}

static int NAME(follow_and_try)(const hsearch_t *h, const hsearch_t *before, const uint8_t *stones,
                                int enough) {
    NAME(follow)(h, before, stones, enough, -1);
    return NAME(try_keys)(h);
}
