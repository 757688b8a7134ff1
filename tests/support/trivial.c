/* A trivial engine that answers at once with random moves drawn from its seed.
 *
 * Tests use it to measure what a tournament costs, so it does as little as possible: one read and one
 * write per command.  Arguments: seconds to sleep before each move; a folder whose file "busy" gets
 * a line with the total seconds spent on answers; optionally anything, to vary each sleep between
 * half and one and a half times its length, so that games don't run in step.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_SIZE 26

static int size = 11;
static uint64_t state = 1;
static int cells[MAX_SIZE * MAX_SIZE], left;  /* of the current game, in playing order */
static char taken[MAX_SIZE * MAX_SIZE];

static uint64_t bits(void) {  /* splitmix64 */
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void begin(void) {
    left = size * size;
    memset(taken, 0, sizeof taken);
    for (int n = 0; n < left; n++) {
        int other = (int)(bits() % (uint64_t)(n + 1));
        cells[n] = cells[other];
        cells[other] = n;
    }
}

static int next(void) {
    int cell;
    do {
        if (left == 0) exit(2);  /* asked for more moves than there are cells */
        cell = cells[--left];
    } while (taken[cell]);
    return cell;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void think(double seconds, int varies) {
    if (varies) seconds *= 0.5 + (double)(bits() >> 11) * 0x1p-53;
    struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&pause, NULL);
}

static void leave(const char *folder, double busy) {
    char path[4096];
    snprintf(path, sizeof path, "%s/busy", folder);
    FILE *file = fopen(path, "a");
    if (file) {
        fprintf(file, "%.6f\n", busy);
        fclose(file);
    }
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    double slow = atof(argv[1]), busy = 0.0;
    char line[1000], command[20] = "", words[2][20];
    long number;

    /* `quit` has no id and needs no answer. */
    while (fgets(line, sizeof line, stdin) && strcmp(line, "quit\n")) {
        busy -= now();
        *words[0] = *words[1] = 0;
        if (sscanf(line, "%ld %19s %19s %19s", &number, command, words[0], words[1]) < 2) return 2;
        printf("=%ld ", number);
        if (!strcmp(command, "genmove")) {
            int cell = next();
            if (slow > 0) think(slow, argc > 3);
            printf("%c%d", 'a' + cell % size, cell / size + 1);
        } else if (!strcmp(command, "play")) {
            int cell = (words[1][0] | 0x20) - 'a' + size * (atoi(words[1] + 1) - 1);
            if (cell >= 0 && cell < size * size) taken[cell] = 1;
        } else if (!strcmp(command, "boardsize")) {
            size = atoi(words[0]);
            if (size < 1 || size > MAX_SIZE) exit(2);
        } else if (!strcmp(command, "seed")) {
            state = strtoull(words[0], NULL, 10);
        } else if (!strcmp(command, "clear_board")) {
            begin();
        } else if (!strcmp(command, "name")) {
            printf("trivial");
        }
        printf("\n\n");
        fflush(stdout);
        busy += now();
    }
    leave(argv[2], busy);
    return 0;
}
