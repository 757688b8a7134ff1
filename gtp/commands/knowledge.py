"""Commands that show what is certain about a position without a search, in HexGui's formats.

They show fill-in, inferior cells, mustplay regions and virtual connections.  A *point* is a cell,
which stands for its whole chain if it has a stone, or a side: north, south, west, east.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trivalent.bot.knowledge.inferior_cells import fill_in, fill_in_more, inferior_cells
from trivalent.bot.knowledge.virtual_connections import SIDES, VirtualConnections
from trivalent.gtp.engine.arguments import GtpError
from trivalent.gtp.engine.command import Command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trivalent.bot.knowledge.inferior_cells import Fill, Inferior
    from trivalent.bot.knowledge.virtual_connections import Link
    from trivalent.core.board import Colour
    from trivalent.gtp.engine.arguments import Arguments
    from trivalent.gtp.engine.session import Session

_CODES = {"vulnerable": "iv", "reversible": "ir", "dominated": "id"}


def _side(session: Session, arguments: Arguments) -> Colour:
    arguments.expect_count(0, 1)
    return arguments.colour(0) if len(arguments) else session.position.to_play


def _drawn(session: Session, codes: dict[int, str]) -> str:
    return " ".join(f"{session.name(cell)} {codes[cell]}" for cell in sorted(codes))


def _filled(session: Session) -> tuple[bytes, dict[int, str]]:
    """Return the stones with the fill-in, and a code for each filled-in cell.

    The codes include the permanently inferior cells, which are filled in until the next move only
    and are not part of the stones.
    """
    board = session.position.board
    filled, fills = fill_in(board, session.position.stones)

    def code(fill: Fill) -> str:
        kind = "p" if fill.reason == "inferior" else "d" if fill.is_dead else "c"
        return f"f{kind}{str(fill.colour)[0]}"

    return filled, {fill.cell: code(fill) for fill in (*fills, *fill_in_more(board, filled))}


def _inferior(session: Session, filled: bytes, colour: Colour) -> dict[int, str]:
    def code(inferior: Inferior) -> str:
        return f"{_CODES[inferior.kind]}[{'-'.join(map(session.name, inferior.by))}]"

    found = inferior_cells(session.position.board, filled, colour)
    return {inferior.cell: code(inferior) for inferior in found}


def _compute_fillin(session: Session, arguments: Arguments) -> str:
    _side(session, arguments)  # checked only: the fill-in is the same for both colours
    return _drawn(session, _filled(session)[1])


def _compute(*kinds: str) -> Callable[[Session, Arguments], str]:
    """Make a handler that shows the inferior cells of the given kinds, and the fill-in."""

    def handler(session: Session, arguments: Arguments) -> str:
        colour = _side(session, arguments)
        filled, codes = _filled(session)
        found = _inferior(session, filled, colour)
        wanted = tuple(_CODES[kind] for kind in kinds)
        return _drawn(session, {c: t for c, t in found.items() if t.startswith(wanted)} | codes)

    return handler


def _connections(session: Session, stones: bytes, colour: Colour) -> VirtualConnections:
    try:
        return VirtualConnections(session.position.board, stones, colour)
    except ValueError as error:
        raise GtpError(str(error)) from None


def _outside_mustplay(session: Session, stones: bytes, colour: Colour) -> dict[int, str]:
    """Mark with x the empty cells outside the mustplay region of ``colour``."""
    mustplay = _connections(session, stones, colour.opponent).mustplay
    if mustplay is None:
        return {}
    return {cell: "x" for cell, stone in enumerate(stones) if not stone and cell not in mustplay}


def _mustplay(session: Session, arguments: Arguments) -> str:
    colour = _side(session, arguments)
    filled, codes = _filled(session)
    return _drawn(session, _outside_mustplay(session, filled, colour) | codes)


def _build(session: Session, arguments: Arguments) -> str:
    colour = _side(session, arguments)
    filled, codes = _filled(session)
    outside = _outside_mustplay(session, filled, colour)
    return _drawn(session, _inferior(session, filled, colour) | outside | codes)


def _points(
    session: Session, arguments: Arguments, count: int
) -> tuple[VirtualConnections, list[int]]:
    """Read COLOUR and ``count`` points; return the connections of the colour, and the points."""
    arguments.expect_count(count + 1)
    connections = _connections(session, session.position.stones, arguments.colour(0))
    points = []
    for index in range(1, count + 1):
        word = arguments.words[index]
        try:
            if word.lower() in SIDES.values():
                points.append(connections.side(word))
            else:
                points.append(connections.first(arguments.cell(index)))
        except GtpError:
            raise
        except ValueError as error:
            raise GtpError(str(error)) from None
    return connections, points


def _names(session: Session, cells: Iterable[int]) -> str:
    return " ".join(map(session.name, sorted(cells)))


def _point_name(session: Session, connections: VirtualConnections, point: int) -> str:
    if point >= len(session.position.board):
        return connections.name(point)
    return session.name(point)


def _line(session: Session, connections: VirtualConnections, ends: list[int], link: Link) -> str:
    """Return a connection as a line of HexGui's list of connections."""
    between = " ".join(_point_name(session, connections, end) for end in ends)
    carrier = f"[ {_names(session, link.carrier)} ]".replace("  ", " ")
    kind, key = ("full", "") if link.is_full else ("semi", f" {session.name(link.key)}")
    names = " ".join(_point_name(session, connections, stone) for stone in link.stepping_stones)
    stones = f"[ {names} ]".replace("  ", " ")
    return f"{connections.colour} {between} {kind} {link.rule} {carrier} {stones}{key}"


def _between(*, full: bool) -> Callable[[Session, Arguments], str]:
    def handler(session: Session, arguments: Arguments) -> str:
        connections, (a, b) = _points(session, arguments, 2)
        lines = [
            _line(session, connections, [a, b], link)
            for link in connections.between(a, b, full=full)
        ]
        return "\n".join(["", *lines]) if lines else ""

    return handler


def _connected(*, full: bool) -> Callable[[Session, Arguments], str]:
    def handler(session: Session, arguments: Arguments) -> str:
        connections, (point,) = _points(session, arguments, 1)
        found = connections.connected(point, full=full)
        return _names(session, {cell for other in found for cell in connections.cells(other)})

    return handler


def _connected_to(session: Session, arguments: Arguments) -> str:
    """Answer as `vc-connected-to-full` or `-semi` in the form that older controllers send."""
    arguments.expect_count(3)
    point, colour, _ = arguments.words
    full = arguments.integer(2, 0, 1) == 0
    connections, (start,) = _points(session, arguments.part([colour, point]), 1)
    found = connections.connected(start, full=full)
    sides = [connections.name(other) for other in found if other >= len(session.position.board)]
    cells = {cell for other in found for cell in connections.cells(other)}
    return " ".join([*sides, _names(session, cells)]).strip()


def _carriers(
    combine: Callable[..., set[int]], *, full: bool
) -> Callable[[Session, Arguments], str]:
    """Make a handler that intersects or unites the carriers of the connections of two points."""

    def handler(session: Session, arguments: Arguments) -> str:
        connections, (a, b) = _points(session, arguments, 2)
        carriers = [set(link.carrier) for link in connections.between(a, b, full=full)]
        return _names(session, combine(*carriers) if carriers else ())

    return handler


_COLOUR = "[COLOUR]"
_TOO_LARGE = "the board has more than 256 cells"
_POINTS = f"a point is not on the board or belongs to the opponent, or {_TOO_LARGE}"


def _of_kind(*, full: bool) -> tuple[Command, ...]:
    """Return the commands that show full connections, or semi-connections."""
    kind, label = ("full", "Full") if full else ("semi", "Semi")
    connection = "full connection" if full else "semi-connection"
    points = "the intermediate points from which the rule built the connection"
    built = f"carrier, and {points}" if full else f"carrier, {points}, and the connection's key"
    return (
        Command(
            f"vc-between-cells-{kind}",
            _between(full=full),
            "COLOUR POINT POINT",
            f"Lists the {connection}s between two points, one per line: colour, endpoints, kind, "
            f"rule, {built}.",
            _POINTS,
            f"vc/VC {label} Between/vc-between-cells-{kind} %c %P",
        ),
        Command(
            f"vc-connected-to-{kind}",
            _connected(full=full),
            "COLOUR POINT",
            f"Lists the cells to which a point has a {connection}.",
            _POINTS,
            f"plist/VC {label} Connected/vc-connected-to-{kind} %c %p",
        ),
        Command(
            f"vc-intersection-{kind}",
            _carriers(set.intersection, full=full),
            "COLOUR POINT POINT",
            f"Lists the cells common to the carriers of all {connection}s between two points.",
            _POINTS,
            f"plist/VC {label} Intersection/vc-intersection-{kind} %c %P",
        ),
        Command(
            f"vc-union-{kind}",
            _carriers(set.union, full=full),
            "COLOUR POINT POINT",
            f"Lists the cells in the carrier of at least one {connection} between two points.",
            _POINTS,
            f"plist/VC {label} Union/vc-union-{kind} %c %P",
        ),
    )


_COMMANDS = (
    Command(
        "compute-fillin",
        _compute_fillin,
        _COLOUR,
        "Lists the cells that can be filled in, each with a code and the colour of the fill-in, b "
        "or w.  Codes: fd for dead or cut off, fc for captured, fp for permanently inferior (valid "
        "for this position only).",
        hexgui="inferior/Fill-In/compute-fillin %m",
    ),
    Command(
        "compute-inferior",
        _compute(*_CODES),
        _COLOUR,
        "Lists the fill-in as compute-fillin does, and the inferior moves.  Codes: iv for "
        "vulnerable, with the replies that make the stone dead; ir for reversible, with such a "
        "reply and the cells it captures; id for dominated, with the moves that are at least as "
        "good.",
        hexgui="inferior/Inferior Cells/compute-inferior %m",
    ),
    Command(
        "compute-vulnerable",
        _compute("vulnerable"),
        _COLOUR,
        "Like compute-inferior, but lists only vulnerable moves: those that a reply makes dead.",
        hexgui="inferior/Vulnerable Cells/compute-vulnerable %m",
    ),
    Command(
        "compute-reversible",
        _compute("reversible"),
        _COLOUR,
        "Like compute-inferior, but lists only reversible moves: those that a reply makes dead by "
        "capturing cells.",
        hexgui="inferior/Reversible Cells/compute-reversible %m",
    ),
    Command(
        "compute-dominated",
        _compute("dominated"),
        _COLOUR,
        "Like compute-inferior, but lists only dominated moves: those for which some other move is "
        "at least as good.",
        hexgui="inferior/Dominated Cells/compute-dominated %m",
    ),
    Command(
        "vc-build",
        _build,
        _COLOUR,
        "Like compute-inferior, but also marks with x the moves outside the mustplay region: those "
        "that do not stop the opponent from connecting.  HexGui's Hint button sends this command.",
        _TOO_LARGE,
        "inferior/VC Build/vc-build %m",
    ),
    Command(
        "vc-get-mustplay",
        _mustplay,
        _COLOUR,
        "Like compute-fillin, but also marks with x the moves outside the mustplay region: those "
        "that do not stop the opponent from connecting.",
        _TOO_LARGE,
        "inferior/Mustplay/vc-get-mustplay %m",
    ),
    *_of_kind(full=True),
    *_of_kind(full=False),
    Command(
        "vc-connected-to",
        _connected_to,
        "POINT COLOUR 0|1",
        "Lists the sides and cells to which a point has a full connection (0) or a semi-connection "
        "(1); benzene's regression tests use it.",
        _POINTS,
    ),
)
KNOWLEDGE = tuple(replace(command, reduced_only=True) for command in _COMMANDS)
"""The knowledge family."""
