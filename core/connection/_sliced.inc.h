/* The kernels of _sliced.h.  core/_kernels.c includes this file; it is compiled for each instruction
 * set, with WIDTH the size of a vector in bytes.  A slice is worked through in parts of one vector. */

typedef uint64_t part __attribute__((vector_size(WIDTH), aligned(8), may_alias));

/* Number of parts that hold that many words. */
static inline int parts(int words) { return (words * 8 + WIDTH - 1) / WIDTH; }

static inline part *part_of(slice_t *slices, int slot, int k) {
    return (part *)(void *)&slices[slot] + k;
}

static inline part read_part(const slice_t *slices, int slot, int k) {
    return ((const part *)(const void *)&slices[slot])[k];
}

static inline part majority(part a, part b, part c) {
#if defined(__AVX512F__) && WIDTH == 64 /* one instruction; GCC makes two */
    return (part)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0xE8);
#else
    return (a & (b | c)) | (b & c);
#endif
}

static inline int any_set(part x) {
    uint64_t all = 0;
    for (int i = 0; i < WIDTH / 8; i++) all |= x[i];
    return all != 0;
}

typedef struct {
    part s[4];
} part_rng;

static inline part_rng load_rng(const slice_rng_t *rng, int k) {
    part_rng r;
    for (int i = 0; i < 4; i++) r.s[i] = read_part(rng->s, i, k);
    return r;
}

static inline void store_rng(slice_rng_t *rng, int k, const part_rng *r) {
    for (int i = 0; i < 4; i++) *part_of(rng->s, i, k) = r->s[i];
}

static inline part rotate(part x, int n) { return x << n | x >> (64 - n); }

static inline part draw(part_rng *r) { /* xoshiro256++, Blackman and Vigna */
    part *s = r->s, result = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

static void coins(slice_rng_t *rng, slice_t *cells, const int16_t *slots, int n, int words) {
    for (int k = 0; k < parts(words); k++) {
        part_rng r = load_rng(rng, k);
        for (int i = 0; i < n; i++) *part_of(cells, slots[i], k) = draw(&r);
        store_rng(rng, k, &r);
    }
}

/* The boards on which each colour holds a cell; on the others it's empty. */
typedef struct {
    part black, white;
} holders;

static ALWAYS_INLINE holders holders_of(const slice_t *black, const slice_t *white, int slot, int k) {
    return (holders){read_part(black, slot, k), read_part(white, slot, k)};
}

/* Reply to the new stones where they intrude into bridges.  Return those that got no reply. */
static ALWAYS_INLINE holders reply(slice_t *black, slice_t *white, holders stones,
                                const reply_t *replies, int n, int start, int k) {
    for (int i = 0, at = n ? start % n : 0; i < n; i++, at = at + 1 == n ? 0 : at + 1) {
        const reply_t *r = &replies[at];
        holders p = holders_of(black, white, r->partner, k);
        holders end = holders_of(black, white, r->end, k), far = holders_of(black, white, r->far, k);
        part open = ~(p.black | p.white);
        part saved_by_white = stones.black & open & end.white & far.white;
        part saved_by_black = stones.white & open & end.black & far.black;
        *part_of(white, r->partner, k) = p.white | saved_by_white;
        *part_of(black, r->partner, k) = p.black | saved_by_black;
        stones.black ^= saved_by_white; /* a stone is answered once */
        stones.white ^= saved_by_black;
    }
    return stones;
}

/* Reply to the new stones where they intrude into edge templates. */
static ALWAYS_INLINE void reply_at_edge(slice_t *black, slice_t *white, holders stones,
                                        const edge_reply_t *replies, int n, int start, int k) {
    for (int i = 0, at = n ? start % n : 0; i < n; i++, at = at + 1 == n ? 0 : at + 1) {
        const edge_reply_t *r = &replies[at];
        holders stone = holders_of(black, white, r->stone, k);
        part saved_by_white = stones.black & stone.white & ((part){0} - (uint64_t)(r->colours >> 1));
        part saved_by_black = stones.white & stone.black & ((part){0} - (uint64_t)(r->colours & 1));
        if (!any_set(saved_by_white | saved_by_black)) continue;
        holders at_reply = holders_of(black, white, r->reply, k);
        part open = ~(at_reply.black | at_reply.white);
        for (int j = 0; j < 6; j++) {
            holders other = holders_of(black, white, r->others[j], k);
            open &= ~(other.black | other.white);
        }
        saved_by_white &= open;
        saved_by_black &= open;
        *part_of(white, r->reply, k) = at_reply.white | saved_by_white;
        *part_of(black, r->reply, k) = at_reply.black | saved_by_black;
        stones.black ^= saved_by_white;
        stones.white ^= saved_by_black;
    }
}

/* Reply to the new stones in a slot, in bridges or else, if wanted, in edge templates. */
static ALWAYS_INLINE void answer(slice_t *black, slice_t *white, int slot, holders stones,
                                 const reply_t *replies, const int32_t *first,
                                 const edge_reply_t *edge_replies, const int32_t *first_edge,
                                 int start, int k) {
    stones = reply(black, white, stones, replies + first[slot], first[slot + 1] - first[slot], start, k);
    if (edge_replies)
        reply_at_edge(black, white, stones, edge_replies + first_edge[slot],
                      first_edge[slot + 1] - first_edge[slot], start, k);
}

enum { WEIGHT_BITS = 4 }; /* weights are sixteenths */

/* On each board, whether a random number is below the weight.  Digit b of the numbers is digits[b];
 * the lowest is compared first: where the weight's digit is 1, `below | digit` follows, else `&`,
 * and the majority with the weight's digit is either of them without a branch. */
static ALWAYS_INLINE part is_below(const part *digits, int weight) {
    part below = {0};
    for (int b = 0; b < WEIGHT_BITS; b++)
        below = majority(below, digits[b], (part){0} - (uint64_t)(weight >> b & 1));
    return below | ((part){0} - (uint64_t)(weight >> WEIGHT_BITS)); /* 16: always */
}

/* Inlined twice: as usual, and with weights or edge templates. */
static ALWAYS_INLINE void
fill_by(slice_rng_t *rng, slice_t *black, slice_t *white, const int16_t *slots, int n,
        const uint8_t *weights, const reply_t *replies, const int32_t *first,
        const edge_reply_t *edge_replies, const int32_t *first_edge, int last, int words) {
    for (int k = 0; k < parts(words); k++) {
        part_rng r = load_rng(rng, k);
        part coin = {0}, digits[WEIGHT_BITS] = {{0}};
        if (last >= 0)
            answer(black, white, last, holders_of(black, white, last, k), replies, first,
                   edge_replies, first_edge, n ? slots[0] : 0, k);
        for (int i = 0; i < n; i++) {
            const int slot = slots[i];
            holders held = holders_of(black, white, slot, k);
            part open = ~(held.black | held.white);
            if (weights) {
                for (int b = 0; b < WEIGHT_BITS; b++) digits[b] = i % 2 ? ~digits[b] : draw(&r);
                coin = is_below(digits, weights[slot]);
            } else {
                coin = i % 2 ? ~coin : draw(&r);
            }
            holders stones = {open & coin, open & ~coin};
            *part_of(black, slot, k) = held.black | stones.black;
            *part_of(white, slot, k) = held.white | stones.white;
            answer(black, white, slot, stones, replies, first, edge_replies, first_edge, i, k);
        }
        store_rng(rng, k, &r);
    }
}

static void fill(slice_rng_t *rng, slice_t *black, slice_t *white, const int16_t *slots, int n,
                 const uint8_t *weights, const reply_t *replies, const int32_t *first,
                 const edge_reply_t *edge_replies, const int32_t *first_edge, int last, int words) {
    if (weights || edge_replies)
        fill_by(rng, black, white, slots, n, weights, replies, first, edge_replies, first_edge, last,
                words);
    else
        fill_by(rng, black, white, slots, n, NULL, replies, first, NULL, NULL, last, words);
}

/* The number of black stones of each board is counted vertically: count[b] holds digit b (of weight
 * 2^b) of the counts of all boards.
 *
 *     board      511 ...  3  2  1  0
 *     count[0]     1 ...  0  1  1  0     weight 1
 *     count[1]     0 ...  0  1  1  1     weight 2
 *     count[2]     1 ...  1  0  0  0     weight 4
 *                  5 ...  4  3  3  2     black stones on that board
 *
 * Adding a cell is one half adder per digit: the slice of the cell is the carry into count[0], and
 * the carry seldom gets further than a few digits.  The same digits then hold the excess over the
 * wanted number in two's complement (count[bits - 1] is the sign), then its size; while the size is
 * above 0, a stone of the colour in excess is flipped and the size decremented. */
static void balance(slice_t *cells, const int16_t *slots, int n, int black, int words) {
    const int bits = 33 - __builtin_clz(n | 1); /* the digits of n and a sign */
    for (int k = 0; k < parts(words); k++) {
        part count[COUNT_BITS + 1], negative, left;
        part carry;
        for (int b = 0; b < bits; b++) count[b] = (part){0};
        for (int i = 0; i < n; i++) {
            carry = read_part(cells, slots[i], k);
            for (int b = 0; b < bits && (b < 3 || any_set(carry)); b++) {
                part sum = count[b] ^ carry;
                carry &= count[b];
                count[b] = sum;
            }
        }
        /* Subtract the wanted number: add its complement and one. */
        carry = ~(part){0};
        for (int b = 0; b < bits; b++) {
            part digit = black >> b & 1 ? (part){0} : ~(part){0};
            part sum = count[b] ^ digit ^ carry;
            carry = majority(count[b], digit, carry);
            count[b] = sum;
        }
        /* Take the absolute value: if negative, complement and add one. */
        negative = carry = count[bits - 1];
        for (int b = 0; b < bits; b++) {
            part digit = count[b] ^ negative;
            count[b] = digit ^ carry;
            carry &= digit;
        }
        for (int i = 0; i < n; i++) {
            left = (part){0};
            for (int b = 0; b < bits; b++) left |= count[b];
            if (!any_set(left)) break;
            part *cell = part_of(cells, slots[i], k);
            part flip = (*cell ^ negative) & left, borrow = flip;
            *cell ^= flip;
            for (int b = 0; b < bits; b++) {
                part digit = count[b];
                count[b] = digit ^ borrow;
                borrow &= ~digit;
            }
        }
    }
}

static void repair(slice_rng_t *rng, slice_t *cells, const rhombus_t *pairs, int n, int chance,
                   int words) {
    for (int k = 0; k < parts(words); k++) {
        part_rng r = load_rng(rng, k);
        for (int i = 0; i < n; i++) {
            const rhombus_t *pair = &pairs[i];
            part *p = part_of(cells, pair->p, k), *q = part_of(cells, pair->q, k);
            part end = read_part(cells, pair->end, k);
            part broken = (end & read_part(cells, pair->far_black, k) & ~(*p | *q)) |
                          (~(end | read_part(cells, pair->far_white, k)) & *p & *q);
            part coin = draw(&r);
            if (chance < 256) { /* compare random digits with those of the chance, lowest first */
                part lucky = (part){0};
                for (int b = __builtin_ctz(chance | 256); b < 8; b++)
                    lucky = chance >> b & 1 ? lucky | draw(&r) : lucky & draw(&r);
                broken &= lucky;
            }
            *p ^= broken & coin;
            *q ^= broken & ~coin;
        }
        store_rng(rng, k, &r);
    }
}

/* One pass of the reduction: each visited cell of `to` becomes the majority of its triplet in
 * `from`: itself, the next row, and the next column. */
static ALWAYS_INLINE void pass(const slice_t *from, slice_t *to, const slice_shape_t *shape,
                               int last, int k) {
    const int rows = shape->rows; /* clang would read it again after each store */
    for (int c = 0; c <= last && c < shape->columns; c++) {
        int high = last - c + 1 < shape->high[c] ? last - c + 1 : shape->high[c];
        int slot = c * rows + shape->low[c], end = c * rows + high;
        if (slot >= end) continue;
        part here = read_part(from, slot, k);
        for (; slot < end; slot++) {
            part next = read_part(from, slot + 1, k);
            *part_of(to, slot, k) = majority(here, next, read_part(from, slot + rows, k));
            here = next;
        }
    }
}

static void reduce_slices(const slice_t *cells, slice_t *work, const slice_shape_t *shape,
                          slice_t *wins, int words) {
    const int last = shape->levels - 2; /* the largest column + row on the next level */
    for (int k = 0; k < parts(words); k++) {
        pass(cells, work, shape, last, k);
        for (int s = last - 1; s >= 0; s--) pass(work, work, shape, s, k);
        *part_of(wins, 0, k) = last < 0 ? read_part(cells, 0, k) : read_part(work, 0, k);
    }
}

static inline int64_t popcount(const slice_t *x, int words) {
#if defined(__POPCNT__) || !defined(__x86_64__)
    int64_t sum = 0;
    for (int i = 0; i < words; i++) sum += __builtin_popcountll(x->word[i]);
    return sum;
#else /* no such instruction: add neighbouring bits, then pairs, nibbles and bytes */
    part sum = {0};
    for (int k = 0; k < parts(words); k++) {
        part v = read_part(x, 0, k);
        v -= v >> 1 & 0x5555555555555555;
        v = (v & 0x3333333333333333) + (v >> 2 & 0x3333333333333333);
        sum += (v + (v >> 4)) & 0x0F0F0F0F0F0F0F0F;
    }
    int64_t total = 0;
    for (int i = 0; i < WIDTH / 8; i++) { /* the bytes hold up to 32: widen them before adding */
        uint64_t w = (sum[i] & 0x00FF00FF00FF00FF) + (sum[i] >> 8 & 0x00FF00FF00FF00FF);
        total += (int64_t)(w * 0x0001000100010001 >> 48);
    }
    return total;
#endif
}

static void count_slices(const slice_t *cells, const int16_t *slots, int n, const slice_t *wins,
                         const slice_t *mask, int64_t *owned, int64_t *won, int words) {
    for (int i = 0; i < n; i++) {
        slice_t black, both;
        for (int k = 0; k < parts(words); k++) {
            part x = read_part(cells, slots[i], k) & read_part(mask, 0, k);
            *part_of(&black, 0, k) = x;
            *part_of(&both, 0, k) = x & read_part(wins, 0, k);
        }
        owned[i] += popcount(&black, words);
        won[i] += popcount(&both, words);
    }
}
