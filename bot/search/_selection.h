/* What a tree search does with all moves of a position at once. */
#ifndef TRIVALENT_SELECTION_H
#define TRIVALENT_SELECTION_H

#include <stddef.h>
#include <stdint.h>

#include "core/_isa.h"

enum { MAX_MOVES = 63 * 63, MAX_SAMPLES = 65535 };

/* Attributes of the moves, n of each; see bot/search/_tree.pxd. */
typedef struct {
    const uint32_t *visits;
    const float *value, *policy;
    float *rave;
    uint16_t *samples;
    const int16_t *cell, *proof;
} attributes_t;

typedef struct {
    /* The move to follow, -1 if all are lost.  The weight of RAVE falls with the visits of the move
     * itself [AHH].  Written with one division: with n visits of mean q, m samples of mean r, and
     * w = m / (m + n + rave m n), the value is w r + (1 - w) q. */
    int (*choose)(const attributes_t *moves, int n, float rave, float bonus, float follow);
    /* Give each move the rate of its cell as a sample, unless that is NaN. */
    void (*sample)(const attributes_t *moves, int n, const float *rates);
} selection_t;

ISA_TABLES(selection_t, selection_kernels)

#endif
