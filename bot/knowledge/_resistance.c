/* Currents by the conjugate gradient method with a diagonal preconditioner; a few steps suffice. */
#include "bot/knowledge/_resistance.h"

#include <math.h>
#include <string.h>

enum { MAX_STEPS = 40 };

#define ACCURACY 1e-3f /* relative error at which the iteration ends */

/* Set the net current out of each point at the given voltages. */
static void flow(const resistance_network_t *c, const float *volts, float *out) {
    memset(out, 0, c->points * sizeof *out);
    for (int w = 0; w < c->resistors; w++) {
        float current = c->conductance[w] * (volts[c->end[w][0]] - volts[c->end[w][1]]);
        out[c->end[w][0]] += current;
        out[c->end[w][1]] -= current;
    }
}

void resistance_currents(const resistance_network_t *c, float *through) {
    float v[MAX_NETWORK_POINTS], r[MAX_NETWORK_POINTS];
    float p[MAX_NETWORK_POINTS], q[MAX_NETWORK_POINTS];
    float diagonal[MAX_NETWORK_POINTS], rz = 0, first;
    for (int i = 0; i < c->points; i++) v[i] = 0.5f, p[i] = 0, diagonal[i] = 1e-9f;
    v[0] = 1, v[1] = 0;
    for (int w = 0; w < c->resistors; w++)
        for (int i = 0; i < 2; i++) diagonal[c->end[w][i]] += c->conductance[w];
    flow(c, v, r);
    for (int i = 2; i < c->points; i++) {
        r[i] = -r[i];
        p[i] = r[i] / diagonal[i];
        rz += r[i] * p[i];
    }
    first = rz;
    for (int step = 0; step < MAX_STEPS && rz > ACCURACY * ACCURACY * first; step++) {
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
    for (int w = 0; w < c->resistors; w++) {
        float current = fabsf(c->conductance[w] * (v[c->end[w][0]] - v[c->end[w][1]]));
        for (int i = 0; i < 2; i++) through[c->end[w][i]] += current;
    }
    float total = through[0] > 1e-9f ? through[0] : 1;
    for (int i = 0; i < c->points; i++) through[i] /= total;
}
