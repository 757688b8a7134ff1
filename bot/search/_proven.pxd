"""Proven distances: who is proven to win a position, and how far off the end of the game is.

A distance counts plies from the position to the end: positive if the side to move wins, negative if
it loses, 0 if nothing is proven.  What knows the winner but not the length of the game enters one
of the values below.  They rank proofs: the winner prefers the shortest win, so one that it sees on
the board to one that it has yet to work out, and the loser prefers the longest loss.

Distances of moves are those of the side to move, too: a move that wins at once has distance 1.  At
the root a win by virtual connections counts the cells that its carrier still needs, and a win by
the background solver those of its carrier.
"""
cdef enum:
    UNPROVEN = 0
    WON_IN_ONE = 1      # one stone joins the sides
    LOST_IN_TWO = -2    # whatever the side to move does, the opponent's next stone joins the sides
    FILLED_IN_WIN = 3   # the stones and cells filled in join the sides
    CONNECTED_WIN = 5   # a virtual connection joins the sides
    # Not a distance but a flag, the sign bit alone: the move needn't be tried, as its cell has been
    # filled in since the node was made.  Like a loss it is negative, so selection passes it by.
    PRUNED = -32768


cdef inline int loss_to(int win) noexcept nogil:
    """The distance of a position after which the opponent is to move and has this win."""
    return -win - 1


cdef inline int distance_before(int distance) noexcept nogil:
    """The distance of a move that leads to a position with this distance."""
    return -distance - 1 if distance > 0 else 1 - distance if distance < 0 else 0
