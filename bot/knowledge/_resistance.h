/* A position as a resistance network: the current that flows from one side to the other [ANS]. */
#ifndef TRIVALENT_RESISTANCE_H
#define TRIVALENT_RESISTANCE_H

#include <stdint.h>

enum { MAX_NETWORK_POINTS = 258, MAX_RESISTORS = 16384 };

typedef struct {
    int points, resistors;
    int16_t end[MAX_RESISTORS][2];
    float conductance[MAX_RESISTORS];
} resistance_network_t;

/* Let a unit current flow from point 0 to point 1.  Set the current through each point, counting
 * what enters and what leaves; all 0 if no current can flow. */
void resistance_currents(const resistance_network_t *network, float *through);
#endif
