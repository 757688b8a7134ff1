/* Currents by conjugate gradients with a diagonal preconditioner: few steps are enough. */
#include "bot/knowledge/_resistance.h"

#include <math.h>
#include <string.h>

enum { STEPS = 40 };

#define ACCURATE 1e-3f /* what the error is to fall to */

/* Add to each point what flows out of it at some voltages. */
static void flow(const circuit_t *c, const float *volts, float *out) {
    memset(out, 0, c->points * sizeof *out);
    for (int w = 0; w < c->wires; w++) {
        float current = c->conducts[w] * (volts[c->end[w][0]] - volts[c->end[w][1]]);
        out[c->end[w][0]] += current;
        out[c->end[w][1]] -= current;
    }
}

void circuit_solve(const circuit_t *c, float *through) {
    float v[CIRCUIT_POINTS], r[CIRCUIT_POINTS], p[CIRCUIT_POINTS], q[CIRCUIT_POINTS];
    float diagonal[CIRCUIT_POINTS], rz = 0, first;
    for (int i = 0; i < c->points; i++) v[i] = 0.5f, p[i] = 0, diagonal[i] = 1e-9f;
    v[0] = 1, v[1] = 0;
    for (int w = 0; w < c->wires; w++)
        for (int i = 0; i < 2; i++) diagonal[c->end[w][i]] += c->conducts[w];
    flow(c, v, r);
    for (int i = 2; i < c->points; i++) {
        r[i] = -r[i];
        p[i] = r[i] / diagonal[i];
        rz += r[i] * p[i];
    }
    first = rz;
    for (int step = 0; step < STEPS && rz > ACCURATE * ACCURATE * first; step++) {
        float pq = 0, next = 0;
        flow(c, p, q);
        for (int i = 2; i < c->points; i++) pq += p[i] * q[i];
        if (pq <= 0) break;
        for (int i = 2; i < c->points; i++) {
            v[i] += rz / pq * p[i];
            r[i] -= rz / pq * q[i];
            next += r[i] * r[i] / diagonal[i];
        }
        for (int i = 2; i < c->points; i++) p[i] = r[i] / diagonal[i] + next / rz * p[i];
        rz = next;
    }
    memset(through, 0, c->points * sizeof *through);
    for (int w = 0; w < c->wires; w++) {
        float current = fabsf(c->conducts[w] * (v[c->end[w][0]] - v[c->end[w][1]]));
        for (int i = 0; i < 2; i++) through[c->end[w][i]] += current;
    }
    float total = through[0] > 1e-9f ? through[0] : 1;
    for (int i = 0; i < c->points; i++) through[i] /= total;
}
