"""``trivalent explain``: in words, why a cell need not be played and why points are connected."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from trivalent.bot.knowledge.captures import answers
from trivalent.bot.knowledge.inferior_cells import fill_in, fill_in_more, inferior_cells
from trivalent.bot.knowledge.virtual_connections import SIDES, VirtualConnections
from trivalent.core.board import BLACK, WHITE
from trivalent.core.records.record import RecordError
from trivalent.gtp.engine.diagram import draw
from trivalent.tools.common import record_source as source

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

    from trivalent.bot.knowledge.inferior_cells import Fill, Inferior
    from trivalent.bot.knowledge.virtual_connections import Link
    from trivalent.core.board import Board, Colour
    from trivalent.core.position import Position

ZIGGURAT = 8
"""Cells of the template of a stone on the third row."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent explain``."""
    source.add_arguments(parser)
    parser.add_argument(
        "points",
        nargs="*",
        metavar="POINT",
        help="a cell to explain, or two points: cells, which stand for their chains, or sides "
        f"({', '.join(SIDES.values())}); none for all that there is to say",
    )
    parser.add_argument(
        "--colour", choices=("black", "white"), help="whose moves or connections (default: to move)"
    )
    parser.add_argument(
        "--depth",
        type=int,
        default=2,
        metavar="N",
        help="how far to take connections apart (default: 2)",
    )


def main(arguments: argparse.Namespace) -> int:
    """Explain; return 1, and say why, if that is impossible."""
    if len(arguments.points) > 2:
        arguments.fail(f"one point or two, not {len(arguments.points)}")
    try:
        reading, _ = source.read_game(arguments)
        position = reading.record.position()
        colour = {None: position.to_play, "black": BLACK, "white": WHITE}[arguments.colour]
        if len(arguments.points) == 2:
            lines = list(connection(position, colour, arguments.points, arguments.depth))
        elif arguments.points:
            lines = [cell(position, colour, arguments.points[0])]
        else:
            lines = [draw(position), *everything(position, colour)]
    except (RecordError, ValueError) as error:
        sys.stderr.write(f"trivalent explain: {error}\n")
        return 1
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


_UNTIL = " (until the next move)"
"""What is said of what depends on permanently inferior cells."""


def everything(position: Position, colour: Colour) -> Iterator[str]:
    """Yield what is known of a position without a search: the moves are those of a colour."""
    board = position.board
    filled, fills = fill_in(board, position.stones)
    said: set[tuple[int, ...]] = set()
    more = fill_in_more(board, filled)
    for fill in (*fills, *more):
        if fill.carrier not in said or fill.reason == "inferior":
            said.add(fill.carrier)
            yield filling(board, fill) + (_UNTIL if fill in more else "")
    for inferior in inferior_cells(board, filled, colour):
        if inferior.cell not in {fill.cell for fill in more}:
            yield inferiority(board, inferior, colour)
    for mover in (colour, colour.opponent):
        yield from _result(VirtualConnections(board, filled, mover), mover is colour)


def _result(web: VirtualConnections, moves: bool) -> Iterator[str]:  # noqa: FBT001
    """Yield what the connections of a colour's sides tell of the result."""
    colour = web.colour
    if web.winner == 2:
        yield f"{colour} has connected all sides, whoever moves"
    elif web.winner and moves:
        keys = sorted({link.key for link in web.wins(full=False)})
        yield f"{colour} connects all sides by {_names(web.board, keys, 'or')}"
    elif web.mustplay is not None and not moves:
        cells = _names(web.board, web.mustplay, "or")
        yield (
            f"{colour} threatens to connect all sides; apart from what is filled in, only {cells} "
            "can prevent it"
        )


def cell(position: Position, colour: Colour, name: str) -> str:
    """Say why a cell need not be played by a colour.  Raise ValueError for no cell."""
    board = position.board
    at = board.cell(name)
    if (stone := position.stone(at)) is not None:
        return f"{name} has a stone of {stone}'s"
    filled, fills = fill_in(board, position.stones)
    more = fill_in_more(board, filled)
    for fill in (*fills, *more):
        if fill.cell == at:
            return filling(board, fill) + (_UNTIL if fill in more else "")
    for inferior in inferior_cells(board, filled, colour):
        if inferior.cell == at:
            return inferiority(board, inferior, colour)
    return f"nothing is known against {name} for {colour}"


def filling(board: Board, fill: Fill) -> str:
    """Say why a cell is filled in."""
    colour = fill.colour
    names = _names(board, fill.carrier)
    if fill.reason == "inferior":
        others = _names(board, [cell for cell in fill.carrier if cell != fill.cell])
        return (
            f"{board.names[fill.cell]} is permanently inferior for {colour.opponent}, and may be "
            f"{colour}'s, while {others} are empty"
        )
    if fill.reason != "pattern":
        return _for_all_of_the_board(board, fill)
    if fill.is_dead:
        around = {
            holder: [c for c in board.neighbours[fill.cell] if fill.stones[c] == holder]
            for holder in (BLACK, WHITE)
        }
        known = [
            f"{_names(board, cells)} {'is' if len(cells) == 1 else 'are'} {holder}"
            for holder, cells in around.items()
            if cells
        ]
        if not board.shares_sides:
            known += [
                f"{SIDES[board.sides[side].name]} is {holder}'s"
                for holder in (BLACK, WHITE)
                for side in board.goal(holder)
                if fill.cell in board.sides[side].cells
            ]
        reasons = " and ".join(known)
        return f"{board.names[fill.cell]} is dead: a stone there joins nothing new, as {reasons}"
    if len(fill.carrier) == 2:
        return f"{names} are captured by {colour}, who takes what is left"
    replies = answers(board, fill.stones, fill.carrier, colour)
    text = ", ".join(
        f"{board.names[reply]} if {colour.opponent} takes {board.names[move]}"
        for move, reply in replies.items()
    )
    return f"{names} are captured by {colour}, who replies {text}"


def _for_all_of_the_board(board: Board, fill: Fill) -> str:
    """Say why cells are filled in for which there is no pattern."""
    names, verb = _names(board, fill.carrier), "is" if len(fill.carrier) == 1 else "are"
    colour, other = fill.colour, fill.colour.opponent
    if fill.reason == "cut off":
        return f"{names} {verb} cut off: all that {other} would join there is linked without"
    if fill.reason == "divided":
        return f"{names} {verb} captured by {colour}, whose connection there divides a region"
    if fill.is_dead:
        return f"{names} is dead: all that {other} would join there is linked anyway"
    return (
        f"{names} are captured by {colour}, after whose replies all that {other} would join there "
        "is linked anyway"
    )


def inferiority(board: Board, inferior: Inferior, colour: Colour) -> str:
    """Say why a move of a colour is inferior."""
    name, others = board.names[inferior.cell], _names(board, inferior.by, "or")
    if inferior.kind == "vulnerable":
        return f"{name} is vulnerable: the reply {others} of {colour.opponent}'s makes it dead"
    if inferior.kind == "reversible":
        reply, *captured = inferior.by
        return (
            f"{name} is reversible: the reply {board.names[reply]} of {colour.opponent}'s captures "
            f"{_names(board, captured)}, which makes it dead"
        )
    return f"{name} is dominated: {colour} at {others} would have it as well"


def connection(position: Position, colour: Colour, points: list[str], depth: int) -> Iterator[str]:
    """Yield why two points of a colour are connected.  Raise ValueError for no point."""
    web = VirtualConnections(position.board, position.stones, colour)
    a, b = (
        web.side(p) if p.lower() in SIDES.values() else web.first(web.board.cell(p)) for p in points
    )
    names = f"{web.name(a)} and {web.name(b)}"
    if a == b:
        yield f"{names} belong to one chain"
        return
    for full, how in ((True, f"whatever {colour.opponent} does"), (False, f"if {colour} moves")):
        if links := web.between(a, b, full=full):
            yield f"{names} are connected, {how}, by {kind(web, links[0])}"
            found_in = web if web.is_chain(a) or web.is_chain(b) else web.with_stone(a)
            yield from parts(found_in, links[0], depth, "  ")
            return
    yield f"no connection of {names} is known"


def kind(web: VirtualConnections, link: Link) -> str:
    """Name a connection."""
    board = web.board
    if link.rule == "base":
        return "lying next to each other"
    if link.is_full and link.rule == "or" and len(link.carrier) == 2:
        return f"a bridge: {_names(board, link.carrier, 'or')} is left"
    sides = [end - len(board) for end in link.ends if end >= len(board)]
    if link.is_full and link.rule == "or" and len(sides) == 1:
        row = min(_row(board, end, sides[0]) for end in _cells_of(web, link.ends))
        template = f"a template on row {row} from {web.name(len(board) + sides[0])}"
        if row == 3 and len(link.carrier) == ZIGGURAT:
            template = f"the ziggurat on {web.name(len(board) + sides[0])}"
        return f"{template}: {_names(board, link.carrier)}"
    carrier = _names(board, link.carrier)
    if link.rule == "cross":
        return f"a braid: {board.names[link.key]}, with {carrier}"
    if not link.is_full:
        return f"{board.names[link.key]}, with {carrier}"
    ways = {"and": "both of two connections", "or": "one of several moves", "tripod": "a tripod"}
    return f"{ways[link.rule]} in {carrier}"


def parts(web: VirtualConnections, link: Link, depth: int, indent: str) -> Iterator[str]:
    """Yield what a connection is made of, so many levels deep."""
    if depth <= 0 or link.rule == "base" or (link.is_full and len(link.carrier) <= 2):
        return
    for number in link.parts:
        if number < 0:
            yield f"{indent}{_step(web, link)}"
            continue
        part = web.link(number)
        ends = " and ".join(web.name(end) for end in part.ends)
        yield f"{indent}{'or' if link.rule == 'or' else 'and'} {ends} by {kind(web, part)}"
        yield from parts(web, part, depth - 1, indent + "  ")


def _step(web: VirtualConnections, link: Link) -> str:
    """Say how the key of a semi connection reaches the end that is an empty cell."""
    end = next(end for end in reversed(link.ends) if end < len(web.board))
    names = f"{web.name(link.key)} and {web.name(end)}"
    if end in web.board.neighbours[link.key]:
        return f"and {names} by lying next to each other"
    return f"and {names} by a bridge"


def _cells_of(web: VirtualConnections, ends: Iterable[int]) -> list[int]:
    return [cell for end in ends if end < len(web.board) for cell in web.cells(end)]


def _row(board: Board, cell: int, side: int) -> int:
    """Return how far a cell is from a side of the board, 1 on it."""
    reached, distance = set(board.sides[side].cells), 1
    while cell not in reached:
        reached |= {neighbour for at in reached for neighbour in board.neighbours[at]}
        distance += 1
    return distance


def _names(board: Board, cells: Iterable[int], last: str = "and") -> str:
    names = [board.names[cell] for cell in cells]
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"
