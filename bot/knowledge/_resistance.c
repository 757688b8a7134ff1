/* Resistor networks solved directly: A = U' inv(D) U, where D is the diagonal of the upper triangle
 * U.  The rows are the points in the order of the board's cells, so that most of U is empty. */
#include "bot/knowledge/_resistance.h"

#include <math.h>
#include <string.h>

/* Return the representative of the points that are connected with a point. */
static int find(int16_t *parent, int point) {
    while (parent[point] != point) point = parent[point] = parent[parent[point]];
    return point;
}

static inline int is_absent(const resistance_network_t *c, int point, int ground) {
    return c->sides == 3 && point < 3 && point != ground;
}

/* Number the points that current can reach from a side, which is put to ground: the rows of the
 * matrix.  Others get -1.  Of three sides, the two that aren't grounded are left out.  Side 0 comes
 * last, as a row with many elements.  Return the number of rows. */
static int number_rows(const resistance_network_t *c, int ground, int16_t *row) {
    int16_t parent[MAX_NETWORK_POINTS];
    int rows = 0;
    for (int i = 0; i < c->points; i++) parent[i] = (int16_t)i;
    for (int w = 0; w < c->resistors; w++) {
        int a = c->end[w][0], b = c->end[w][1];
        if (!is_absent(c, a, ground) && !is_absent(c, b, ground))
            parent[find(parent, a)] = (int16_t)find(parent, b);
    }
    for (int k = 1; k <= c->points; k++) {
        int i = k % c->points;
        int reached = i != ground && find(parent, i) == find(parent, ground);
        row[i] = (int16_t)(reached ? rows++ : -1);
    }
    return rows;
}

/* Set up and factorize the matrix of the rows. */
static void factorize(resistance_network_t *c, int ground, const int16_t *row, int rows) {
    double *u = c->matrix;
    memset(u, 0, (size_t)rows * rows * sizeof *u);
    for (int w = 0; w < c->resistors; w++) {
        int a = row[c->end[w][0]], b = row[c->end[w][1]];
        if (is_absent(c, c->end[w][0], ground) || is_absent(c, c->end[w][1], ground)) continue;
        if (a >= 0) u[a * rows + a] += c->conductance[w];
        if (b >= 0) u[b * rows + b] += c->conductance[w];
        if (a >= 0 && b >= 0) u[a < b ? a * rows + b : b * rows + a] -= c->conductance[w];
    }
    for (int k = 0; k < rows; k++)
        for (int i = k + 1; i < rows; i++) {
            if (u[k * rows + i] == 0) continue;
            double factor = u[k * rows + i] / u[k * rows + k];
            for (int j = i; j < rows; j++) u[i * rows + j] -= factor * u[k * rows + j];
        }
}

/* Replace the current into each row by its voltage. */
static void substitute(const resistance_network_t *c, int rows, double *x) {
    const double *u = c->matrix;
    for (int k = 0; k < rows; k++)
        for (int i = k + 1; i < rows; i++) x[i] -= u[k * rows + i] / u[k * rows + k] * x[k];
    for (int k = rows - 1; k >= 0; k--) {
        for (int j = k + 1; j < rows; j++) x[k] -= u[k * rows + j] * x[j];
        x[k] /= u[k * rows + k];
    }
}

/* Let a current flow from a point to ground.  Return the voltage of the point; add to the current
 * through each point, and set the voltages. */
static double flow(resistance_network_t *c, int from, int ground, const int16_t *row, int rows,
                   double current, resistance_solution_t *solution) {
    double x[MAX_NETWORK_POINTS] = {0}, *volts = solution->volts;
    x[row[from]] = current;
    substitute(c, rows, x);
    for (int i = 0; i < c->points; i++) volts[i] = row[i] < 0 ? 0 : x[row[i]];
    for (int w = 0; w < c->resistors; w++) {
        int a = c->end[w][0], b = c->end[w][1];
        if (is_absent(c, a, ground) || is_absent(c, b, ground)) continue;
        double half = fabs(c->conductance[w] * (volts[a] - volts[b])) / 2;
        solution->through[a] += half;
        solution->through[b] += half;
    }
    solution->through[from] += current / 2; /* what enters or leaves the network */
    solution->through[ground] += current / 2;
    return volts[from];
}

/* Add to each point its resistance to ground: the diagonal of the inverse matrix. */
static void add_resistances(resistance_network_t *c, const int16_t *row, int rows, double *sum) {
    const double *u = c->matrix;
    double *inverse = c->inverse, diagonal[MAX_NETWORK_POINTS] = {0};
    memset(inverse, 0, (size_t)rows * rows * sizeof *inverse);
    for (int k = 0; k < rows; k++) { /* row k of the inverse of U', whose diagonal is scaled to 1 */
        inverse[k * rows + k] = 1;
        for (int j = 0; j <= k; j++)
            diagonal[j] += inverse[k * rows + j] * inverse[k * rows + j] / u[k * rows + k];
        for (int i = k + 1; i < rows; i++) {
            if (u[k * rows + i] == 0) continue;
            double factor = u[k * rows + i] / u[k * rows + k];
            for (int j = 0; j <= k; j++) inverse[i * rows + j] -= factor * inverse[k * rows + j];
        }
    }
    for (int i = c->sides; i < c->points; i++) sum[i] += row[i] < 0 ? INFINITY : diagonal[row[i]];
}

/* Solve a network with three sides. */
static double meet(resistance_network_t *c, resistance_solution_t *solution) {
    int16_t row[MAX_NETWORK_POINTS];
    double sum[MAX_NETWORK_POINTS] = {0};
    int best = -1;
    for (int side = 0; side < c->sides; side++) {
        int rows = number_rows(c, side, row);
        factorize(c, side, row, rows);
        add_resistances(c, row, rows, sum);
    }
    for (int i = c->sides; i < c->points; i++)
        if (sum[i] < (best < 0 ? INFINITY : sum[best])) best = i;
    for (int side = 0; side < c->sides && best >= 0; side++) {
        int rows = number_rows(c, side, row);
        factorize(c, side, row, rows);
        flow(c, best, side, row, rows, 1.0 / c->sides, solution);
    }
    memset(solution->volts, 0, c->points * sizeof *solution->volts);
    return best < 0 ? INFINITY : sum[best];
}

double resistance_solve(resistance_network_t *c, resistance_solution_t *solution) {
    int16_t row[MAX_NETWORK_POINTS];
    memset(solution->volts, 0, c->points * sizeof *solution->volts);
    memset(solution->through, 0, c->points * sizeof *solution->through);
    if (c->sides == 3) return meet(c, solution);
    int rows = number_rows(c, 1, row);
    if (row[0] < 0) return INFINITY;
    factorize(c, 1, row, rows);
    return flow(c, 0, 1, row, rows, 1, solution);
}
