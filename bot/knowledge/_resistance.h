/* A position as a network of resistors between points, the first of which are the sides that a
 * player wants to join: how hard that looks, and where it is decided [ANS]. */
#ifndef TRIVALENT_RESISTANCE_H
#define TRIVALENT_RESISTANCE_H

#include <stdint.h>

enum { MAX_NETWORK_POINTS = 259, MAX_RESISTORS = 16384 };

typedef struct {
    int sides; /* 2 or 3 */
    int points, resistors;
    int16_t end[MAX_RESISTORS][2]; /* different points */
    double conductance[MAX_RESISTORS]; /* above 0 */
    double matrix[MAX_NETWORK_POINTS * MAX_NETWORK_POINTS]; /* scratch memory, */
    double inverse[MAX_NETWORK_POINTS * MAX_NETWORK_POINTS]; /* with three sides only */
} resistance_network_t;

typedef struct { /* of each point, at a current of 1 */
    double volts[MAX_NETWORK_POINTS];   /* with two sides: side 1 has 0 */
    double through[MAX_NETWORK_POINTS]; /* the current through the point */
} resistance_solution_t;

/* Return the resistance between the sides, INFINITY if nothing joins them; then no current flows.
 *
 * With two sides, a current of 1 flows from side 0 to side 1.  With three sides, which conduct
 * nothing from one point to another, it is the least sum, over all other points, of the resistances
 * between the point and each side.  From this best meeting point a current of 1/3 flows to each
 * side; there are no voltages. */
double resistance_solve(resistance_network_t *network, resistance_solution_t *solution);
#endif
