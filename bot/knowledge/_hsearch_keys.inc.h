/* H-search for carriers of WORDS words: probing keys where the rules don't join the sides.
 * _hsearch.c includes this header three times, once per carrier size.
 *
 * A stone on a cell is a chain, and chains have rules of their own, so that a stone has more
 * connections than the empty cell had.  In Y probing finds hardly anything and isn't done. */

/* Return how far a cell with fulls to one side and semis to the other is from being a key: the
 * number of cells that all those semis need that are disjoint from some full.  Return -1 if it's
 * too far: more than MAX_NEEDED cells, or more than a quarter of all cells of these semis, which
 * then hardly differ. */
static int NAME(key_distance)(const NAME(state) *s, int cell) {
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
    return count > MAX_NEEDED || 4 * count > NAME(count)(&all) ? -1 : count;
}

/* If the sides aren't joined, look for a cell with which they would be: the key of a semi.  Return
 * how far the sides are joined. */
static int NAME(probe_keys)(const hsearch_t *h) {
    NAME(state) *s = NAME(state_of)(h);
    const NAME(source) source = {HSEARCH_KEY, 0, NULL};
    uint8_t stones[MAX_CELLS];
    int distance[MAX_CELLS];
    hsearch_t with_key = *h;
    with_key.memory = (char *)h->memory + NAME(bytes)(s->cells);
    with_key.max_equal_fulls = 0; /* one full is enough */
    if (h->key_probes <= 0 || h->shared || NAME(joined)(s)) return NAME(joined)(s);
    for (int cell = 0; cell < s->cells; cell++)
        distance[cell] = s->point[cell] == cell ? NAME(key_distance)(s, cell) : -1;
    memcpy(stones, s->stones, s->cells);
    for (int probes = h->key_probes; probes > 0 && !NAME(joined)(s); probes--) {
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

static int NAME(build_and_probe)(const hsearch_t *h, const uint8_t *stones, int colour,
                                 int enough) {
    NAME(build)(h, stones, colour, enough);
    return NAME(probe_keys)(h);
}

static int NAME(follow_and_probe)(const hsearch_t *h, const hsearch_t *before,
                                  const uint8_t *stones, int enough) {
    NAME(follow)(h, before, stones, enough, -1);
    return NAME(probe_keys)(h);
}
