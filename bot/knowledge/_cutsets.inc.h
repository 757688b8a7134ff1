/* Clique-cutset fill-in for sets of WORDS words. _cutsets.c includes this header three times, once
 * per set size.
 *
 * A colour plays on a graph.  Its nodes are the empty cells.  Two nodes are *linked* if they are
 * neighbours or both touch the same chain of the colour.  A node *has* a side if it lies on that
 * side or touches a chain that does.  The colour wins if a connected set of its nodes together has
 * all sides.  Two nodes that both have all sides but the same one also count as linked: if stones
 * on both belong to different chains, neither of which wins, a chain that joins the two can only
 * win by bringing in the missing side itself.
 *
 * *A clique cuts off what lies behind it.* Let every two nodes of a set K be linked, and let D be a
 * set of nodes that are linked only to D and K and have only sides that every node of K has (not
 * all sides; K may be empty).  Then D is dead.  Proof: suppose the colour wins with stones on some
 * of D.  A winning chain can't lie inside D, which lacks a side, so it has stones in K, and these
 * have all the sides of D.  Remove the stones on D: what is left is still connected, because a path
 * through D enters and leaves it through nodes of K, which are linked.  (If these are linked only
 * because of their sides, several chains may be left.  Each contains a node of K, hence has the
 * sides of D, and any two of them share all sides but one.  If none had all sides, all would have
 * the same ones, and so would their union with D, which therefore did not win.)
 *
 * We try three kinds of K, which cover nearly all cutsets that occur in games: the links of one
 * node (the node is then called simplicial), the liberties of one chain, and the nodes that have
 * all sides but one, which in Hex are those of one side.
 *
 * *Killers.* Suppose the links of a node would be a clique but for one of them, its killer.  Then
 * the node is dead once the opponent has a stone on the killer.  Take any set of such nodes in
 * which every node has a killer that is in the set or dead.  The opponent captures the whole set:
 * when the colour plays on a node, he replies on its killer.  The stone is then dead, so it may
 * change colour, which in turn kills the nodes whose killer it is, and so on.  Following killers
 * leads into a cycle or to a dead node, so the whole set becomes dead or his, except what leads
 * into another cycle, where he replies in the same way.
 *
 * Stones of the opponent only remove nodes, and cliques remain cliques, so everything found can be
 * filled in together. */
#include "bot/knowledge/_bitset.inc.h"

typedef struct {
    int all;                        /* a bit for each side */
    NAME(set) nodes;
    NAME(set) links[MAX_CELLS];     /* per node: the nodes that it is linked to */
    uint8_t has[MAX_CELLS];         /* per node: a bit for each side that it has */
    NAME(set) with_side[CUTSET_SIDES];
    int chains;
    NAME(set) liberties[MAX_CELLS]; /* per chain: the empty cells next to it */
} NAME(graph);

#define EACH(i) for (int i = 0; i < WORDS; i++)
#define EACH_OF(cell, of)                                                                          \
    for (int w_ = 0; w_ < WORDS; w_++)                                                             \
        for (uint64_t left_ = (of)->word[w_], cell = 0;                                            \
             left_ && (cell = 64 * (unsigned)w_ + (unsigned)__builtin_ctzll(left_), 1);            \
             left_ &= left_ - 1)

/* Return the number of elements, but 2 for any number above 1. */
static inline int NAME(count_up_to_two)(const NAME(set) *a) {
    int words = 0;
    uint64_t more = 0;
    EACH(i) {
        words += a->word[i] != 0;
        more |= a->word[i] & (a->word[i] - 1);
    }
    return more || words > 1 ? 2 : words;
}

/* Link all nodes of a set with each other. */
static void NAME(link_all)(NAME(graph) *g, const NAME(set) *nodes) {
    EACH_OF(node, nodes) NAME(add_all)(&g->links[node], nodes);
}

/* Return the nodes that have all sides except, perhaps, `side`. */
static NAME(set) NAME(having_all_but)(const NAME(graph) *g, int side) {
    NAME(set) found = g->nodes;
    for (int other = 0; 1 << other <= g->all; other++)
        if (other != side) found = NAME(meet)(&found, &g->with_side[other]);
    return found;
}

/* Remove one chain from the stones and link its liberties with each other. */
static void NAME(add_chain)(NAME(graph) *g, const cutset_board_t *board, const uint8_t *along,
                            NAME(set) *stones) {
    NAME(set) todo = {{0}}, liberties = {{0}};
    int sides = 0;
    NAME(add)(&todo, NAME(next)(stones, -1));
    while (!NAME(is_empty)(&todo)) {
        NAME(set) next = {{0}};
        *stones = NAME(minus)(stones, &todo);
        EACH_OF(stone, &todo) {
            sides |= along[stone];
            EACH(i) next.word[i] |= board->around[stone].word[i];
        }
        todo = NAME(meet)(&next, stones);
        next = NAME(meet)(&next, &g->nodes);
        NAME(add_all)(&liberties, &next);
    }
    EACH_OF(node, &liberties) g->has[node] |= (uint8_t)sides;
    NAME(link_all)(g, &liberties);
    g->liberties[g->chains++] = liberties;
}

static void NAME(make_graph)(NAME(graph) *g, const cutset_board_t *board, const uint8_t *stones,
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
        EACH(i) g->links[node].word[i] = board->around[node].word[i] & g->nodes.word[i];
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

/* Find the killers of a node.  Return whether it is dead already. */
static int NAME(killers)(const NAME(graph) *g, int node, NAME(set) *killers) {
    const NAME(set) *links = &g->links[node];
    int dead = 1;
    memset(killers, 0, sizeof *killers);
    if (g->has[node] == g->all) return 0;
    EACH_OF(at, links) {
        NAME(set) missing = NAME(minus)(links, &g->links[at]);
        int lacks = (g->has[node] & ~g->has[at]) != 0, count;
        NAME(drop)(&missing, (int)at);
        count = NAME(count_up_to_two)(&missing);
        if (count == 0 && !lacks) continue;
        /* Every pair of links that are not linked with each other contains the killer. */
        if (lacks || count > 1) memset(&missing, 0, sizeof missing);
        NAME(add)(&missing, (int)at);
        *killers = dead ? missing : NAME(meet)(killers, &missing);
        dead = 0;
        if (NAME(is_empty)(killers)) return 0;
    }
    return dead;
}

/* Return the dead nodes and those captured by killers. */
static NAME(set) NAME(captured)(const NAME(graph) *g) {
    NAME(set) dead = {{0}}, found = {{0}}, killers[MAX_CELLS];
    EACH_OF(node, &g->nodes) {
        if (NAME(killers)(g, (int)node, &killers[node])) {
            NAME(add)(&dead, (int)node);
            NAME(add)(&found, (int)node);
        } else if (!NAME(is_empty)(&killers[node])) {
            NAME(add)(&found, (int)node);
        }
    }
    for (int changed = 1; changed;) { /* the largest set in which every node has a killer */
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

/* Return the nodes connected with `todo` within `left`, and remove them from `left`. */
static NAME(set) NAME(flood)(const NAME(graph) *g, NAME(set) todo, NAME(set) *left) {
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

/* Move what a clique cuts off from the nodes of the graph to `found`. */
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
        /* The usual case, decided quickly: everything next to the clique is connected, so the
         * clique separates nothing. */
        rest = NAME(meet)(&edge, &left);
        if (NAME(is_empty)(&rest)) return;
        memset(&at, 0, sizeof at);
        NAME(add)(&at, NAME(next)(&rest, -1));
        NAME(flood)(g, at, &rest);
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
        part = NAME(flood)(g, at, &left);
        EACH_OF(node, &part) sides |= g->has[node];
        if (empty ? sides != g->all : (sides & ~in_common) == 0) {
            NAME(add_all)(found, &part);
            g->nodes = NAME(minus)(&g->nodes, &part);
        }
    }
}

/* Fill in stones of the opponent of `colour`; return the number of cells. */
static int NAME(fill)(const cutset_board_t *board, uint8_t *stones, int colour, int cutsets) {
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
