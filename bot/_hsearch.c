/* H-search, compiled for carriers of one, two and four words. */
#include "_hsearch.h"

#include "_circuit.h"

#include <string.h>

enum {
    LINKS = 100000, /* at most */
    WAYS = 256,     /* from a point, to cells and to chains each */
    NEW = 0, COMBINED, GONE /* states of a full */
};

#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)
#define NAME(x) JOIN(x, WORDS)

#define WORDS 1
#include "_hsearch_words.h"
#define WORDS 2
#include "_hsearch_words.h"
#define WORDS 4
#include "_hsearch_words.h"

int64_t hsearch_bytes(int cells) {
    return cells <= 64 ? bytes_1(cells) : cells <= 128 ? bytes_2(cells) : bytes_4(cells);
}

int hsearch_find(const hsearch_all_t *h, const uint8_t *stones, int colour, int enough) {
    return (h->cells <= 64 ? find_1 : h->cells <= 128 ? find_2 : find_4)(h, stones, colour, enough);
}

int hsearch_between_sides(const hsearch_all_t *h, int full, uint64_t (*carriers)[HSEARCH_WORDS],
                          int16_t *keys) {
    return (h->cells <= 64 ? tell_1 : h->cells <= 128 ? tell_2 : tell_4)(h, full, carriers, keys);
}

void hsearch_currents(const hsearch_all_t *h, float *currents) {
    (h->cells <= 64 ? currents_1 : h->cells <= 128 ? currents_2 : currents_4)(h, currents);
}
