/* Included by _cutsets.c, for sets of WORDS words.
 *
 * A colour plays on a graph: its nodes are the empty cells; two are *linked* if they are neighbours
 * or next to one chain of the colour's, and a node *has* a side if it is on it, or next to a chain
 * that is.  The colour wins if connected nodes of its own have all its sides together.  Two nodes
 * that have all sides but one in common count as linked too: if stones on both belong to different
 * chains, neither of which wins, what joins the two wins only by bringing the last side.
 *
 * *A clique cuts off what is behind it.*  Let every two nodes of a set K be linked, and let D be nodes
 * that are linked to no others but D and K, and have no sides but those that all of K have (not all
 * sides; K may be empty).  Then D is dead.  For let the colour win with stones on some of D.  A
 * winning chain is not all in D, which lacks a side; so it has stones of K, with all the sides of D.
 * Without its stones on D what is left is still connected, for a way through D enters and leaves
 * it by nodes of K.  (If these are linked for their sides alone there may be several chains left.
 * Each has a node of K, hence the sides of D, and any two have all sides but one in common.  Were there
 * none with all sides, all would have the same, and so would all together with D: that was no win.)
 *
 * Three kinds of K are looked at, which in games are next to all there are: the links of one node
 * (which is then called simplicial), the liberties of one chain, and the nodes that have all sides
 * but one, in Hex those of a side.
 *
 * *Killers.*  A node whose links would be a clique without one of them, its killer, is dead once the
 * opponent has a stone there.  Take any set of such nodes of which each one has a killer that is in
 * the set or dead.  The opponent captures all of it: if the colour plays on one he replies at the
 * killer; the stone is dead then, so it may change its colour, and makes those dead whose killer it is,
 * and these again others.  Who follows killers gets into a circle or to a dead node, so all of the
 * set is dead or his, but for what leads into another circle; there he replies as here.
 *
 * Stones of the opponent's only take nodes away, whereby cliques remain cliques: all that is found can
 * be filled in together. */
#include "bot/knowledge/_bitset.inc.h"

typedef struct {
    int all;                       /* a bit for each side */
    NAME(set) nodes;
    NAME(set) links[REGIONS_CELLS]; /* of nodes */
    uint8_t has[REGIONS_CELLS];     /* a bit for each side */
    NAME(set) with_side[REGIONS_SIDES];
    int chains;
    NAME(set) liberties[REGIONS_CELLS]; /* of chains */
} NAME(graph);

#define EACH(i) for (int i = 0; i < WORDS; i++)
#define EACH_OF(cell, of)                                                                          \
    for (int w_ = 0; w_ < WORDS; w_++)                                                             \
        for (uint64_t left_ = (of)->word[w_], cell = 0;                                            \
             left_ && (cell = 64 * (unsigned)w_ + (unsigned)__builtin_ctzll(left_), 1);            \
             left_ &= left_ - 1)

/* How many there are, but 2 for more than 1. */
static inline int NAME(some)(const NAME(set) *a) {
    int words = 0;
    uint64_t more = 0;
    EACH(i) {
        words += a->word[i] != 0;
        more |= a->word[i] & (a->word[i] - 1);
    }
    return more || words > 1 ? 2 : words;
}

/* Link the nodes of a set with each other. */
static void NAME(link_all)(NAME(graph) *g, const NAME(set) *nodes) {
    EACH_OF(node, nodes) NAME(add_all)(&g->links[node], nodes);
}

/* The nodes that have all sides but perhaps one. */
static NAME(set) NAME(having_all_but)(const NAME(graph) *g, int side) {
    NAME(set) found = g->nodes;
    for (int other = 0; 1 << other <= g->all; other++)
        if (other != side) found = NAME(meet)(&found, &g->with_side[other]);
    return found;
}

/* Take a chain out of the stones and link what is next to it. */
static void NAME(add_chain)(NAME(graph) *g, const regions_board_t *board, const uint8_t *along,
                            NAME(set) *stones) {
    NAME(set) todo = {{0}}, liberties = {{0}};
    int sides = 0;
    NAME(add)(&todo, NAME(next)(stones, -1));
    while (!NAME(is_empty)(&todo)) {
        NAME(set) next = {{0}};
        *stones = NAME(minus)(stones, &todo);
        EACH_OF(stone, &todo) {
            sides |= along[stone];
            EACH(i) next.word[i] |= board->around[stone][i];
        }
        todo = NAME(meet)(&next, stones);
        next = NAME(meet)(&next, &g->nodes);
        NAME(add_all)(&liberties, &next);
    }
    EACH_OF(node, &liberties) g->has[node] |= (uint8_t)sides;
    NAME(link_all)(g, &liberties);
    g->liberties[g->chains++] = liberties;
}

static void NAME(make_graph)(NAME(graph) *g, const regions_board_t *board, const uint8_t *stones,
                             int colour) {
    const uint8_t *along = board->along[colour_index(colour)];
    NAME(set) own = {{0}};
    memset(&g->nodes, 0, sizeof g->nodes);
    g->all = (1 << board->sides) - 1;
    g->chains = 0;
    for (int cell = 0; cell < board->cells; cell++) {
        uint64_t bit = (uint64_t)1 << (cell & 63);
        g->nodes.word[cell >> 6] |= stones[cell] == 0 ? bit : 0;
        own.word[cell >> 6] |= stones[cell] == colour ? bit : 0;
    }
    EACH_OF(node, &g->nodes) {
        EACH(i) g->links[node].word[i] = board->around[node][i] & g->nodes.word[i];
        g->has[node] = along[node];
    }
    while (!NAME(is_empty)(&own)) NAME(add_chain)(g, board, along, &own);
    memset(g->with_side, 0, sizeof g->with_side);
    EACH_OF(node, &g->nodes) {
        for (int side = 0; side < board->sides; side++)
            if (g->has[node] >> side & 1) NAME(add)(&g->with_side[side], (int)node);
    }
    for (int side = 0; side < board->sides; side++) {
        NAME(set) nodes = NAME(having_all_but)(g, side);
        NAME(link_all)(g, &nodes);
    }
    EACH_OF(node, &g->nodes) NAME(drop)(&g->links[node], (int)node);
}

/* The killers of a node; return whether it is dead. */
static int NAME(killers)(const NAME(graph) *g, int node, NAME(set) *killers) {
    const NAME(set) *links = &g->links[node];
    int dead = 1;
    memset(killers, 0, sizeof *killers);
    if (g->has[node] == g->all) return 0;
    EACH_OF(at, links) {
        NAME(set) missing = NAME(minus)(links, &g->links[at]);
        int lacks = (g->has[node] & ~g->has[at]) != 0, count;
        NAME(drop)(&missing, (int)at);
        count = NAME(some)(&missing);
        if (count == 0 && !lacks) continue;
        /* A killer is in each pair that is not linked. */
        if (lacks || count > 1) memset(&missing, 0, sizeof missing);
        NAME(add)(&missing, (int)at);
        *killers = dead ? missing : NAME(meet)(killers, &missing);
        dead = 0;
        if (NAME(is_empty)(killers)) return 0;
    }
    return dead;
}

/* Dead nodes, and those that are captured by killers. */
static NAME(set) NAME(captured)(const NAME(graph) *g) {
    NAME(set) dead = {{0}}, found = {{0}}, killers[REGIONS_CELLS];
    EACH_OF(node, &g->nodes) {
        if (NAME(killers)(g, (int)node, &killers[node])) {
            NAME(add)(&dead, (int)node);
            NAME(add)(&found, (int)node);
        } else if (!NAME(is_empty)(&killers[node])) {
            NAME(add)(&found, (int)node);
        }
    }
    for (int changed = 1; changed;) { /* the largest set that holds */
        NAME(set) open = NAME(minus)(&found, &dead);
        changed = 0;
        EACH_OF(node, &open) {
            NAME(set) left = NAME(meet)(&killers[node], &found);
            if (NAME(is_empty)(&left)) {
                NAME(drop)(&found, (int)node);
                changed = 1;
            }
        }
    }
    return found;
}

/* Take what is connected with a set out of the nodes that are left, and return it. */
static NAME(set) NAME(take)(const NAME(graph) *g, NAME(set) todo, NAME(set) *left) {
    NAME(set) found = todo;
    *left = NAME(minus)(left, &todo);
    while (!NAME(is_empty)(&todo)) {
        NAME(set) next = {{0}};
        EACH_OF(node, &todo) NAME(add_all)(&next, &g->links[node]);
        todo = NAME(meet)(&next, left);
        *left = NAME(minus)(left, &todo);
        NAME(add_all)(&found, &todo);
    }
    return found;
}

/* Move what a clique cuts off from the nodes to the set found. */
static void NAME(cut_off)(NAME(graph) *g, const NAME(set) *all_of_clique, NAME(set) *found) {
    NAME(set) clique = NAME(meet)(all_of_clique, &g->nodes), edge = {{0}}, at;
    NAME(set) left = NAME(minus)(&g->nodes, &clique), rest;
    int in_common = g->all, empty = NAME(is_empty)(&clique);
    if (!empty) {
        EACH_OF(node, &clique) {
            in_common &= g->has[node];
            NAME(add_all)(&edge, &g->links[node]);
        }
        if (in_common == g->all) return;
        /* Mostly all that lies next to the clique is connected, and so is what is left. */
        rest = NAME(meet)(&edge, &left);
        if (NAME(is_empty)(&rest)) return;
        memset(&at, 0, sizeof at);
        NAME(add)(&at, NAME(next)(&rest, -1));
        NAME(take)(g, at, &rest);
        if (NAME(is_empty)(&rest)) {
            int sides = 0;
            for (int side = 0; 1 << side <= g->all; side++) {
                rest = NAME(meet)(&left, &g->with_side[side]);
                sides |= !NAME(is_empty)(&rest) << side;
            }
            if (sides & ~in_common) return;
        }
    }
    while (!NAME(is_empty)(&left)) {
        NAME(set) part;
        int sides = 0;
        memset(&at, 0, sizeof at);
        NAME(add)(&at, NAME(next)(&left, -1));
        part = NAME(take)(g, at, &left);
        EACH_OF(node, &part) sides |= g->has[node];
        if (empty ? sides != g->all : (sides & ~in_common) == 0) {
            NAME(add_all)(found, &part);
            g->nodes = NAME(minus)(&g->nodes, &part);
        }
    }
}

static int NAME(fill)(const regions_board_t *board, uint8_t *stones, int colour, int cutsets) {
    NAME(graph) g;
    NAME(set) found;
    int count = 0;
    NAME(make_graph)(&g, board, stones, colour);
    found = NAME(captured)(&g);
    g.nodes = NAME(minus)(&g.nodes, &found);
    if (cutsets) {
        NAME(set) none = {{0}};
        NAME(cut_off)(&g, &none, &found);
        for (int chain = 0; chain < g.chains; chain++)
            NAME(cut_off)(&g, &g.liberties[chain], &found);
        for (int side = 0; side < board->sides; side++) {
            NAME(set) nodes = NAME(having_all_but)(&g, side);
            if (!NAME(is_empty)(&nodes)) NAME(cut_off)(&g, &nodes, &found);
        }
    }
    EACH_OF(cell, &found) {
        stones[cell] = (uint8_t)opponent(colour);
        count++;
    }
    return count;
}

#undef EACH
#undef EACH_OF
#undef WORDS
