/* Included by _selection_kernels.c, once for each instruction set: plain loops over the moves of a
 * node, written so that the compiler vectorises them.
 *
 * Other threads may write the same numbers meanwhile.  Each number is read and written whole, and a
 * sample lost between threads hardly matters; to ThreadSanitizer it is a race. */
#include <math.h>

#define UNWATCHED __attribute__((no_sanitize("thread")))

/* Inlined twice, with a constant `puct` in the usual case: that term costs a division a move. */
UNWATCHED static inline __attribute__((always_inline)) int
choose_by(const attributes_t *moves, int n, float rave_weight, float bonus, float prior_weight,
          float puct) {
    const uint32_t *restrict visits = moves->visits;
    const float *restrict value = moves->value, *restrict prior = moves->prior;
    const float *restrict mean = moves->rave;
    const uint16_t *restrict samples = moves->samples;
    const int16_t *restrict proven = moves->proven;
    /* No score is negative, so the bits of scores, read as integers, compare as the scores do. */
    int32_t bits[MAX_MOVES], best = -1;
    for (int i = 0; i < n; i++) {
        /* The formula of _selection.h with a single division: `value` is the sum n q. */
        float count = (float)(int32_t)visits[i], m = samples[i], more = 1 + rave_weight * m, score;
        score = (m * mean[i] + more * value[i]) / (m + more * count);
        score += (bonus + prior_weight * prior[i]) / sqrtf(count + 1);
        if (puct != 0) score += puct * prior[i] / (count + 1);
        union { float number; int32_t bits; } both = {.number = score};
        bits[i] = proven[i] < 0 ? -1 : both.bits;
    }
    for (int i = 0; i < n; i++) best = bits[i] > best ? bits[i] : best;
    if (best < 0) return -1;
    int chosen = 0;
    while (bits[chosen] != best) chosen++;
    return chosen;
}

UNWATCHED static int choose(const attributes_t *moves, int n, float rave_weight, float bonus,
                            float prior_weight, float puct) {
    return puct > 0 ? choose_by(moves, n, rave_weight, bonus, prior_weight, puct)
                    : choose_by(moves, n, rave_weight, bonus, prior_weight, 0);
}

UNWATCHED static void sample(const attributes_t *moves, int n, const float *restrict rates) {
    float *restrict mean = moves->rave;
    uint16_t *restrict samples = moves->samples;
    const int16_t *restrict cell = moves->cell;
    for (int i = 0; i < n; i++) {
        float rate = rates[cell[i]];
        int known = rate >= 0, more = samples[i] + (known & (samples[i] < MAX_SAMPLES));
        float change = (rate - mean[i]) / (float)more;
        samples[i] = (uint16_t)more;
        mean[i] = known ? mean[i] + change : mean[i];
    }
}
