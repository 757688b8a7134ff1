/* The reduction for columns of COLUMN bits in lanes of LANE bits and vectors of VECTOR bytes.
 * core/_kernels.c includes this file once for each class of columns. */

#define LANE_TYPE JOIN3(uint, LANE, _t)
#define vec JOIN3(vec, COLUMN, _v)
#define words_v JOIN3(words, COLUMN, _v)
#define NAME(name) JOIN3(name, _, COLUMN)
#define LANES (VECTOR * 8 / LANE)

typedef LANE_TYPE vec __attribute__((vector_size(VECTOR), aligned(8), may_alias));
typedef uint64_t words_v __attribute__((vector_size(VECTOR)));

/* Lanes 1, 2, ... of a, then lane 0 of b. */
static inline vec NAME(next_lane)(vec a, vec b) {
#if defined(__SSE2__) && VECTOR == 16 /* GCC makes ten instructions of the shuffle */
    return (vec)_mm_or_si128(_mm_srli_si128((__m128i)a, LANE / 8),
                             _mm_slli_si128((__m128i)b, 16 - LANE / 8));
#elif defined(__clang__) /* its shuffle takes no vector of indices, but it sees one in this */
    vec next;
    for (int i = 1; i < LANES; i++) next[i - 1] = a[i];
    next[LANES - 1] = b[0];
    return next;
#else
    vec from;
    for (int i = 0; i < LANES; i++) from[i] = (LANE_TYPE)(i + 1);
    return __builtin_shuffle(a, b, from);
#endif
}

/* What follows the last lane of a plane: nothing, or, if lanes hold several columns, the first lane
 * moved on by a column (behind column 7 comes column 8, the second one in lane 0). */
static inline vec NAME(behind)(vec first) {
#if COLUMN < LANE
    return first >> COLUMN;
#else
    (void)first;
    return (vec){0};
#endif
}

/* One vector of the next level.  Each cell (column c, row r) becomes the majority of a triplet:
 *
 *     a = (c, r)    b = a >> 1 = (c, r + 1)    c = (c + 1, r)
 *
 * A colour owns the new cell if it holds two of the three.  A triplet with one black, one white and
 * one empty cell becomes empty: it is on neither plane.
 *
 * If a lane holds several columns, the shift moves row 0 of the upper column into the last row of the
 * lower one.  That does no harm: the other two cells of that triplet have the same colour. */
static inline vec NAME(majority)(vec a, vec next) {
    vec b = a >> 1, c = NAME(next_lane)(a, next);
#if defined(__AVX512VL__) && VECTOR == 64 /* one instruction; GCC makes two */
    return (vec)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0xE8);
#elif defined(__AVX512VL__) && VECTOR == 32
    return (vec)_mm256_ternarylogic_epi64((__m256i)a, (__m256i)b, (__m256i)c, 0xE8);
#else
    return (a & (b | c)) | (b & c);
#endif
}

static inline int NAME(any)(vec x) {
#if defined(__AVX512F__) && VECTOR == 64
    return _mm512_test_epi64_mask((__m512i)x, (__m512i)x) != 0;
#elif defined(__AVX__) && VECTOR == 32
    return !_mm256_testz_si256((__m256i)x, (__m256i)x);
#elif defined(__SSE2__) && VECTOR == 16
    return _mm_movemask_epi8(_mm_cmpeq_epi8((__m128i)x, _mm_setzero_si128())) != 0xFFFF;
#else
    uint64_t words[VECTOR / 8], all = 0;
    __builtin_memcpy(words, &x, VECTOR);
    for (int i = 0; i < VECTOR / 8; i++) all |= words[i];
    return all != 0;
#endif
}

/* Vector i of a plane that has a single bit set.  (Flipping the bit in memory and then loading the
 * whole vector would stall: the load has to wait for the narrower store.) */
static inline vec NAME(single)(int i, int word, uint64_t bit) {
    words_v at;
    for (int k = 0; k < VECTOR / 8; k++) at[k] = (uint64_t)(i * (VECTOR / 8) + k);
    return (vec)((words_v)(at == (uint64_t)word) & bit);
}

/* Reduce a plane of n vectors, a constant, in registers. */
static ALWAYS_INLINE int NAME(reduce_n)(const vec *plane, int n, int levels) {
    vec p[8 + 1];
    for (int i = 0; i < n; i++) p[i] = plane[i];
    for (int level = 1; level < levels; level++) {
        p[n] = NAME(behind)(p[0]);
        for (int i = 0; i < n; i++) p[i] = NAME(majority)(p[i], p[i + 1]);
    }
    return p[0][0] & 1;
}

static int NAME(reduce)(uint64_t *words, int bytes, int columns, int levels) {
    vec *p = (vec *)words;
    const int n = bytes / VECTOR, per = VECTOR * 8 / LANE;
    switch (n) {
        case 1: return NAME(reduce_n)(p, 1, levels);
        case 2: return NAME(reduce_n)(p, 2, levels);
        case 4: return NAME(reduce_n)(p, 4, levels);
        case 8: return NAME(reduce_n)(p, 8, levels);
    }
    for (int level = 1; level < levels; level++) {
        /* Columns beyond the live ones only feed cells outside the triangle. */
        int live = levels - level < columns ? levels - level : columns;
        int last = (live + per - 1) / per - 1;
        for (int i = 0; i < last; i++) p[i] = NAME(majority)(p[i], p[i + 1]);
        p[last] = NAME(majority)(p[last], last + 1 < n ? p[last + 1] : (vec){0});
    }
    return p[0][0] & 1;
}

/* Reduce INTERLEAVED planes of n vectors, a constant: the steps of one fill the latencies of the
 * others. */
static ALWAYS_INLINE void NAME(reduce_interleaved)(const vec *planes, int n, int levels,
                                                   uint8_t *won) {
    vec p[INTERLEAVED][2 + 1];
    for (int k = 0; k < INTERLEAVED; k++)
        for (int i = 0; i < n; i++) p[k][i] = planes[k * n + i];
    for (int level = 1; level < levels; level++)
        for (int k = 0; k < INTERLEAVED; k++) {
            p[k][n] = NAME(behind)(p[k][0]);
            for (int i = 0; i < n; i++) p[k][i] = NAME(majority)(p[k][i], p[k][i + 1]);
        }
    for (int k = 0; k < INTERLEAVED; k++) won[k] = p[k][0][0] & 1;
}

static void NAME(reduce_many)(const uint64_t *planes, int bytes, int columns, int levels, int count,
                              uint8_t *won) {
    const int n = bytes / VECTOR, words = bytes / 8;
    int i = 0;
    if (n == 1)
        for (; i + INTERLEAVED <= count; i += INTERLEAVED)
            NAME(reduce_interleaved)((const vec *)(planes + i * words), 1, levels, won + i);
    if (n == 2)
        for (; i + INTERLEAVED <= count; i += INTERLEAVED)
            NAME(reduce_interleaved)((const vec *)(planes + i * words), 2, levels, won + i);
    for (; i < count; i++) {
        uint64_t copy[64];
        __builtin_memcpy(copy, planes + i * words, (size_t)bytes);
        won[i] = (uint8_t)NAME(reduce)(copy, bytes, columns, levels);
    }
}

static void NAME(build)(uint64_t *words, int bytes, int levels) {
    vec *below = (vec *)words;
    const int n = bytes / VECTOR;
    for (int level = 1; level < levels + LEVEL_BLOCK - 1; level++, below += n)
        for (int i = 0; i < n; i++) {
            vec next = i + 1 < n ? below[i + 1] : NAME(behind)(below[0]);
            below[n + i] = NAME(majority)(below[i], next);
        }
}

/* Update whole levels of n vectors, a constant, a block of LEVEL_BLOCK levels at a time.  If a level
 * hasn't changed, none above it has, so it's enough to check the last level of each block.  Most
 * stones need a single block, and one well-predicted branch is cheaper than a check at each level. */
static ALWAYS_INLINE void NAME(toggle_n)(vec *level, int n, int levels, int word, uint64_t bit) {
    vec p[8 + 1];
    for (int i = 0; i < n; i++) p[i] = level[i] ^= NAME(single)(i, word, bit);
    for (int done = 1; done < levels; done += LEVEL_BLOCK) {
        vec changed = {0};
        for (int k = 1; k <= LEVEL_BLOCK; k++) {
            level += n;
            p[n] = NAME(behind)(p[0]);
            for (int i = 0; i < n; i++) {
                p[i] = NAME(majority)(p[i], p[i + 1]);
                if (k == LEVEL_BLOCK) changed |= p[i] ^ level[i];
                level[i] = p[i];
            }
        }
        if (!NAME(any)(changed)) return;
    }
}

static void NAME(toggle)(uint64_t *words, int bytes, int levels, int word, uint64_t bit) {
    vec *below = (vec *)words, zero = {0};
    const int n = bytes / VECTOR;
    switch (n) {
        case 1: NAME(toggle_n)(below, 1, levels, word, bit); return;
        case 2: NAME(toggle_n)(below, 2, levels, word, bit); return;
        case 4: NAME(toggle_n)(below, 4, levels, word, bit); return;
        case 8: NAME(toggle_n)(below, 8, levels, word, bit); return;
    }
    /* Wide planes: only the vectors first .. last have changed, and the one before reads the first. */
    int first = word * 8 / VECTOR, last = first;
    below[first] ^= NAME(single)(first, word, bit);
    while (--levels) {
        vec *here = below + n;
        int low = n, high = -1;
        for (int i = first ? first - 1 : 0; i <= last; i++) {
            vec value = NAME(majority)(below[i], i + 1 < n ? below[i + 1] : zero);
            if (NAME(any)(value ^ here[i])) {
                here[i] = value;
                if (low == n) low = i;
                high = i;
            }
        }
        if (high < 0) return;
        first = low;
        last = high;
        below = here;
    }
}

#undef LANE_TYPE
#undef vec
#undef words_v
#undef NAME
#undef LANES
#undef LANE
#undef COLUMN
#undef VECTOR
