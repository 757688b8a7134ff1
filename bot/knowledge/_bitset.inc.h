/* Sets of cells as WORDS 64-bit words: bit c & 63 of word c >> 6 stands for cell c.
 *
 * This header is included once for each number of words.  The including file defines WORDS, and
 * NAME(x), which must give each instantiation its own names. */
typedef struct {
    uint64_t word[WORDS];
} NAME(set);

static inline int NAME(is_empty)(const NAME(set) *a) {
    uint64_t any = 0;
    for (int i = 0; i < WORDS; i++) any |= a->word[i];
    return any == 0;
}

/* Return whether two sets have a cell in common. */
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

/* Return the union. */
static inline NAME(set) NAME(join)(const NAME(set) *a, const NAME(set) *b) {
    NAME(set) c;
    for (int i = 0; i < WORDS; i++) c.word[i] = a->word[i] | b->word[i];
    return c;
}

/* Return the intersection. */
static inline NAME(set) NAME(meet)(const NAME(set) *a, const NAME(set) *b) {
    NAME(set) c;
    for (int i = 0; i < WORDS; i++) c.word[i] = a->word[i] & b->word[i];
    return c;
}

static inline NAME(set) NAME(minus)(const NAME(set) *a, const NAME(set) *b) {
    NAME(set) c;
    for (int i = 0; i < WORDS; i++) c.word[i] = a->word[i] & ~b->word[i];
    return c;
}

static inline int NAME(has)(const NAME(set) *a, int cell) {
    return a->word[cell >> 6] >> (cell & 63) & 1;
}

static inline void NAME(add)(NAME(set) *a, int cell) {
    a->word[cell >> 6] |= (uint64_t)1 << (cell & 63);
}

static inline void NAME(drop)(NAME(set) *a, int cell) {
    a->word[cell >> 6] &= ~((uint64_t)1 << (cell & 63));
}

static inline void NAME(add_all)(NAME(set) *a, const NAME(set) *b) {
    for (int i = 0; i < WORDS; i++) a->word[i] |= b->word[i];
}

/* Return the first cell of the set after a given one (-1: the first of all), or -1. */
static inline int NAME(next)(const NAME(set) *a, int cell) {
    cell++;
    for (int i = cell >> 6; i < WORDS; i++, cell = i << 6) {
        uint64_t rest = a->word[i] >> (cell & 63);
        if (rest) return cell + __builtin_ctzll(rest);
    }
    return -1;
}
