/* The colours of stones as numbers: 0 empty, 1 black, 2 white. */
#ifndef TRIVALENT_COLOURS_H
#define TRIVALENT_COLOURS_H

/* Return the other colour. */
static inline int opponent(int colour) { return 3 - colour; }

/* Return a colour's index in an array with one element a colour: 0 for Black, 1 for White. */
static inline int colour_index(int colour) { return colour - 1; }

#endif
