/* A position as an electric circuit: the current that flows from one side to the other [ANS]. */
#ifndef TRIVALENT_CIRCUIT_H
#define TRIVALENT_CIRCUIT_H

#include <stdint.h>

enum { CIRCUIT_POINTS = 258, CIRCUIT_WIRES = 16384 };

typedef struct {
    int points, wires;
    int16_t end[CIRCUIT_WIRES][2];
    float conducts[CIRCUIT_WIRES];
} circuit_t;

/* Let a unit of current flow from point 0 to point 1; set what flows through each point, in and out
 * of it together.  All is 0 if nothing can flow. */
void circuit_solve(const circuit_t *circuit, float *through);
#endif
