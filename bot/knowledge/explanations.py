"""What is known about a position, in words: why cells are filled in or inferior, points connected.

Every sentence is one line of plain English without a full stop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trivalent.bot.knowledge.captures import answers
from trivalent.bot.knowledge.inferior_cells import (
    fill_in,
    fill_in_more,
    inferior_cells,
    moves_to_consider,
)
from trivalent.bot.knowledge.virtual_connections import SIDES, VirtualConnections
from trivalent.core.board import BLACK, WHITE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trivalent.bot.knowledge.inferior_cells import Fill, Inferior
    from trivalent.bot.knowledge.virtual_connections import Link
    from trivalent.core.board import Board, Colour
    from trivalent.core.position import Position

ZIGGURAT = 8
"""Number of cells in the ziggurat, the template of a stone on the third row."""

_UNTIL = " (until the next move)"
"""Added to whatever depends on permanently inferior cells."""


def everything(position: Position, colour: Colour) -> Iterator[str]:
    """Yield what is known of a position without a search, if it is a colour's turn."""
    board = position.board
    filled, fills = fill_in(board, position.stones)
    said: set[int] = set()
    more = fill_in_more(board, filled)
    groups = [f.carrier for f in (*fills, *more) if f.reason != "inferior" and len(f.carrier) > 1]
    grouped = {cell for group in groups for cell in group}
    for fill in (*fills, *more):
        if fill.cell in said or (len(fill.carrier) == 1 and fill.cell in grouped):
            continue  # it is named with others
        said.update([fill.cell] if fill.reason == "inferior" else fill.carrier)
        yield filling(board, fill) + (_UNTIL if fill in more else "")
    for inferior in inferior_cells(board, filled, colour):
        if inferior.cell not in {fill.cell for fill in more}:
            yield inferiority(board, inferior, colour)
    found = {mover: VirtualConnections(board, filled, mover) for mover in (BLACK, WHITE)}
    for mover in (colour, colour.opponent):
        yield from _result(found[mover], mover is colour)
    winner, moves = moves_to_consider(board, filled, colour)
    mustplay = found[colour.opponent].mustplay
    if mustplay is None or len(moves) == len(mustplay):
        return  # nothing that hasn't been said
    if moves and winner is None:
        names = list_names(board, moves, "or")
        yield f"the others are inferior: {colour} need only consider {names}"
    elif winner is colour.opponent and found[winner].winner < 2:
        yield f"these are inferior: {winner} wins"


def _result(connections: VirtualConnections, moves: bool) -> Iterator[str]:  # noqa: FBT001
    """Yield what the connections between a colour's sides say about the result."""
    colour = connections.colour
    if connections.winner == 2:
        yield f"{colour}'s sides are connected, whoever moves"
    elif connections.winner and moves:
        keys = sorted({link.key for link in connections.wins(full=False)})
        yield f"{colour} connects its sides by playing {list_names(connections.board, keys, 'or')}"
    elif connections.mustplay is not None and not moves:
        cells = list_names(connections.board, connections.mustplay, "or")
        yield (
            f"{colour} threatens to connect its sides; apart from filled-in cells, only {cells} "
            "can prevent it"
        )


def cell(position: Position, colour: Colour, name: str) -> str:
    """Explain why a colour need not play a cell.  Raise ValueError for an invalid cell."""
    board = position.board
    at = board.cell(name)
    if (stone := position.stone(at)) is not None:
        return f"{name} is occupied by {stone}"
    filled, fills = fill_in(board, position.stones)
    more = fill_in_more(board, filled)
    for fill in (*fills, *more):
        if fill.cell == at:
            return filling(board, fill) + (_UNTIL if fill in more else "")
    for inferior in inferior_cells(board, filled, colour):
        if inferior.cell == at:
            return inferiority(board, inferior, colour)
    return f"nothing is known against {colour} playing {name}"


def filling(board: Board, fill: Fill) -> str:
    """Explain why a cell is filled in."""
    colour = fill.colour
    names = list_names(board, fill.carrier)
    if fill.reason == "inferior":
        others = list_names(board, [cell for cell in fill.carrier if cell != fill.cell])
        return (
            f"{board.names[fill.cell]} is permanently inferior for {colour.opponent} and counts as "
            f"{colour} as long as {others} are empty"
        )
    if fill.reason != "pattern":
        return _global_fill(board, fill)
    if fill.is_dead:
        around = {
            holder: [c for c in board.neighbours[fill.cell] if fill.stones[c] == holder]
            for holder in (BLACK, WHITE)
        }
        known = [
            f"{list_names(board, cells)} {'is' if len(cells) == 1 else 'are'} {holder}"
            for holder, cells in around.items()
            if cells
        ]
        known += _sides_at(board, fill.cell)
        reasons = " and ".join(known)
        return (
            f"{board.names[fill.cell]} is dead: a stone there connects nothing new, since {reasons}"
        )
    if len(fill.carrier) == 2:
        return f"{names} are captured by {colour}, who takes whichever is left"
    moves: dict[int, list[int]] = {}
    for move, reply in answers(board, fill.stones, fill.carrier, colour).items():
        moves.setdefault(reply, []).append(move)
    text = " and ".join(
        f"{board.names[reply]} if {colour.opponent} takes {list_names(board, taken, 'or')}"
        for reply, taken in moves.items()
    )
    return f"{names} are captured by {colour}, who replies {text}"


def _sides_at(board: Board, cell: int) -> Iterator[str]:
    """Yield whose each side at a cell is."""
    for number, side in enumerate(board.sides):
        if cell in side.cells:
            holders = [holder for holder in (BLACK, WHITE) if number in board.goal(holder)]
            name = SIDES[side.name]
            yield f"{name} is {holders[0]}'s" if len(holders) == 1 else f"{name} is both players'"


def _global_fill(board: Board, fill: Fill) -> str:
    """Explain a fill that rests on the whole board instead of a local pattern."""
    names, verb = list_names(board, fill.carrier), "is" if len(fill.carrier) == 1 else "are"
    colour, other = fill.colour, fill.colour.opponent
    if fill.reason == "cut off":
        return (
            f"{names} {verb} cut off: whatever {other} could connect there is connected without it"
        )
    if fill.reason == "divided":
        return f"{names} {verb} captured by {colour}, whose connection there divides a region"
    if fill.is_dead:
        return f"{names} is dead: whatever {other} could connect there is connected anyway"
    return (
        f"{names} are captured by {colour}: after {colour}'s replies, whatever {other} could "
        "connect there is connected anyway"
    )


def inferiority(board: Board, inferior: Inferior, colour: Colour) -> str:
    """Explain why a move of a colour is inferior."""
    name, others = board.names[inferior.cell], list_names(board, inferior.by, "or")
    if inferior.kind == "vulnerable":
        return f"{name} is vulnerable: {colour.opponent}'s reply {others} makes it dead"
    if inferior.kind == "reversible":
        reply, *captured = inferior.by
        return (
            f"{name} is reversible: {colour.opponent}'s reply {board.names[reply]} captures "
            f"{list_names(board, captured)}, which makes it dead"
        )
    return f"{name} is dominated: {colour} at {others} is at least as good"


def connection(position: Position, colour: Colour, points: list[str], depth: int) -> Iterator[str]:
    """Explain why two points of a colour are connected.  Raise ValueError for an invalid point."""
    connections = VirtualConnections(position.board, position.stones, colour)
    a, b = (
        connections.side(p)
        if p.lower() in SIDES.values()
        else connections.first(connections.board.cell(p))
        for p in points
    )
    if a == b:
        first, last = (point.lower() for point in points)
        same = f"{first} is" if first == last else f"{first} and {last} are"
        yield f"{same} on one chain"
        return
    names = f"{connections.name(a)} and {connections.name(b)}"
    for full, how in ((True, f"whatever {colour.opponent} does"), (False, f"if {colour} moves")):
        if links := connections.between(a, b, full=full):
            yield f"{names} are connected, {how}, by {kind(connections, links[0])}"
            found_in = (
                connections
                if connections.is_chain(a) or connections.is_chain(b)
                else connections.with_stone(a)
            )
            yield from parts(found_in, links[0], depth, "  ")
            return
    yield f"no connection between {names} is known"


def kind(connections: VirtualConnections, link: Link) -> str:
    """Describe a connection."""
    board = connections.board
    if link.rule == "base":
        return "adjacency"
    if link.is_full and link.rule == "or" and len(link.carrier) == 2:
        return f"a bridge: {list_names(board, link.carrier, 'or')} remains"
    sides = [end - len(board) for end in link.ends if end >= len(board)]
    if link.is_full and link.rule == "or" and len(sides) == 1:
        row = min(_row(board, end, sides[0]) for end in _cells_of(connections, link.ends))
        template = f"a template on row {row} from {connections.name(len(board) + sides[0])}"
        if row == 3 and len(link.carrier) == ZIGGURAT:
            template = f"the ziggurat on {connections.name(len(board) + sides[0])}"
        return f"{template}: {list_names(board, link.carrier)}"
    if not link.is_full:
        others = list_names(board, [cell for cell in link.carrier if cell != link.key])
        move = f"{board.names[link.key]}, with {others}" if others else board.names[link.key]
        return f"a braid: {move}" if link.rule == "cross" else move
    rules = {"and": "both of two connections", "or": "one of several moves", "tripod": "a tripod"}
    return f"{rules[link.rule]} in {list_names(board, link.carrier)}"


def parts(connections: VirtualConnections, link: Link, depth: int, indent: str) -> Iterator[str]:
    """Yield the parts of a connection, to a depth in levels."""
    if depth <= 0 or link.rule == "base" or (link.is_full and len(link.carrier) <= 2):
        return
    for number in link.parts:
        if number < 0:
            yield f"{indent}{_step(connections, link)}"
            continue
        part = connections.link(number)
        ends = " and ".join(connections.name(end) for end in part.ends)
        yield f"{indent}{'or' if link.rule == 'or' else 'and'} {ends} by {kind(connections, part)}"
        yield from parts(connections, part, depth - 1, indent + "  ")


def _step(connections: VirtualConnections, link: Link) -> str:
    """Describe how the key of a semi connection reaches its end, an empty cell."""
    end = next(end for end in reversed(link.ends) if end < len(connections.board))
    names = f"{connections.name(link.key)} and {connections.name(end)}"
    if end in connections.board.neighbours[link.key]:
        return f"and {names} by adjacency"
    return f"and {names} by a bridge"


def _cells_of(connections: VirtualConnections, ends: Iterable[int]) -> list[int]:
    return [cell for end in ends if end < len(connections.board) for cell in connections.cells(end)]


def _row(board: Board, cell: int, side: int) -> int:
    """Return the row of a cell counted from a side of the board, 1 at the side."""
    reached, distance = set(board.sides[side].cells), 1
    while cell not in reached:
        reached |= {neighbour for at in reached for neighbour in board.neighbours[at]}
        distance += 1
    return distance


def list_names(board: Board, cells: Iterable[int], last: str = "and") -> str:
    """Return the names of cells as an enumeration."""
    names = [board.names[cell] for cell in cells]
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"
