/* H-search, compiled for carriers of one, two and four words. */
#include "bot/knowledge/_hsearch.h"

#include "bot/knowledge/_resistance.h"

#include <string.h>

enum {
    MAX_LINKS = 60000, /* connections made in one search */
    MAX_PARTS = 4 * MAX_LINKS,
    BLOCK_SIZE = 8, /* connections at a point that are compared together */
    MAX_BLOCKS = 2 * MAX_LINKS / BLOCK_SIZE + 3 * (MAX_CELLS + HSEARCH_CHAINS),
    MAX_NEEDED = 2, /* cells that all semis to a cell may need if it is probed as a key */
    NONE = 1 << 30, /* a rank after all semis */
    NEW = 0, COMBINED, GONE, /* states of a connection */
    TO_CELLS = 0, TO_CHAINS, SEMIS, KINDS, /* kinds of combined connections at a point */
};

#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define NAME(x) JOIN(x, WORDS)

#define WORDS 1
#include "bot/knowledge/_hsearch_lists.inc.h"
#include "bot/knowledge/_hsearch_rules.inc.h"
#include "bot/knowledge/_hsearch_board.inc.h"
#include "bot/knowledge/_hsearch_follow.inc.h"
#include "bot/knowledge/_hsearch_keys.inc.h"
#undef WORDS
#define WORDS 2
#include "bot/knowledge/_hsearch_lists.inc.h"
#include "bot/knowledge/_hsearch_rules.inc.h"
#include "bot/knowledge/_hsearch_board.inc.h"
#include "bot/knowledge/_hsearch_follow.inc.h"
#include "bot/knowledge/_hsearch_keys.inc.h"
#undef WORDS
#define WORDS 4
#include "bot/knowledge/_hsearch_lists.inc.h"
#include "bot/knowledge/_hsearch_rules.inc.h"
#include "bot/knowledge/_hsearch_board.inc.h"
#include "bot/knowledge/_hsearch_follow.inc.h"
#include "bot/knowledge/_hsearch_keys.inc.h"

#define CALL(function, ...) \
    ((h->cells <= 64 ? function##_1 : h->cells <= 128 ? function##_2 : function##_4)(__VA_ARGS__))
#define STATE(member) \
    (h->cells <= 64    ? ((const state_1 *)h->memory)->member \
     : h->cells <= 128 ? ((const state_2 *)h->memory)->member \
                       : ((const state_4 *)h->memory)->member)

int64_t hsearch_bytes(int cells) {
    return 2 * (cells <= 64 ? bytes_1(cells) : cells <= 128 ? bytes_2(cells) : bytes_4(cells));
}

int hsearch_build(const hsearch_t *h, const uint8_t *stones, int colour, int enough) {
    return CALL(build_and_probe, h, stones, colour, enough);
}

int hsearch_follow(const hsearch_t *h, const hsearch_t *before, const uint8_t *stones, int enough) {
    return CALL(follow_and_probe, h, before, stones, enough);
}

int hsearch_joined(const hsearch_t *h) { return CALL(joined_sides, h); }

int hsearch_between_sides(const hsearch_t *h, int full, cells_t *carriers,
                          int16_t *keys) {
    return CALL(between_sides, h, full, carriers, keys);
}

double hsearch_resistance(const hsearch_t *h, const hsearch_wires_t *wires, float *currents) {
    return CALL(resistance, h, wires, currents);
}

int hsearch_colour(const hsearch_t *h) { return STATE(colour); }

int hsearch_chains(const hsearch_t *h) { return STATE(chains); }

int hsearch_point(const hsearch_t *h, int cell) { return STATE(point[cell]); }

int hsearch_first(const hsearch_t *h, int first, int last, int full) {
    return CALL(first, h, first, last, full);
}

int hsearch_link(const hsearch_t *h, int number, hsearch_link_t *link) {
    return CALL(describe, h, number, link);
}
