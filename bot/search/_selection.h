/* What a tree search does with all moves of a node at once: choosing one, and adding RAVE samples.
 *
 * The choice.  A search follows the move with the highest score
 *
 *     w r + (1 - w) q  +  (E + P p) / sqrt(n + 1)  +  C p / (n + 1)        w = m / (m + n + B m n)
 *
 * where the move has n visits of mean value q, m RAVE samples of mean r, and prior p, and
 *   B  is `rave_weight`, or `net_rave_weight` once the network has judged the node: if m is large,
 *      RAVE and visits weigh the same after 1 / B visits;
 *   E  is `exploration` times sqrt(ln(N + 1)), N being the visits of the node;
 *   P  is `prior_weight`, or `net_prior_weight` once the network has judged the node;
 *   C  is 0, or `net_puct` times sqrt(N) once the network has judged the node.
 * Mean and RAVE are combined as in [AHH].  The exploration term is that of UCB1, sqrt(ln N / n),
 * with n + 1 for n, and so small by default that RAVE and the prior do the exploring.  The prior
 * term with P differs from PUCT's, the one with C: it doesn't grow with N, so the prior decides
 * where to look first, but no move is visited for its prior's sake for ever.
 *
 * First-play urgency.  There is none to tune: an unvisited move has w = 1, so its value is its RAVE
 * mean.  This begins with the cell's rate in the batch that evaluated the node, which counts as
 * `rave_prior_count` samples, and takes in a sample from every leaf below the node.
 *
 * Virtual loss.  A visit counts on the way down, and its value is added on the way back; meanwhile
 * q is too low, and other threads look elsewhere.
 */
#ifndef TRIVALENT_SELECTION_H
#define TRIVALENT_SELECTION_H

#include <stddef.h>
#include <stdint.h>

#include "core/_isa.h"

enum { MAX_MOVES = 63 * 63, MAX_SAMPLES = 65535 };

/* Attributes of the moves, n of each; see bot/search/_tree.pxd. */
typedef struct {
    const uint32_t *visits;
    const float *value, *prior;
    float *rave;
    uint16_t *samples;
    const int16_t *cell, *proven;
} attributes_t;

typedef struct {
    /* Return the index of the move with the highest score, the first of equal ones; -1 if all are
     * lost or pruned.  `bonus` is E, `puct` is C. */
    int (*choose)(const attributes_t *moves, int n, float rave_weight, float bonus,
                  float prior_weight, float puct);
    /* Add the rate of its cell to each move's RAVE samples, unless it is NaN. */
    void (*sample)(const attributes_t *moves, int n, const float *rates);
} selection_t;

ISA_TABLES(selection_t, selection_kernels)

#endif
