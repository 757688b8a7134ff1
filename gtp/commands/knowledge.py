"""The commands that show what is known of the position without a search, in HexGui's forms.

Cells that are filled in, inferior moves, virtual connections.  Points are cells, which stand for
the chain of their stone, and sides: north, south, west, east.
"""

from __future__ import annotations

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
    arguments.expect(0, 1)
    return arguments.colour(0) if len(arguments) else session.position.to_play


def _drawn(session: Session, codes: dict[int, str]) -> str:
    return " ".join(f"{session.name(cell)} {codes[cell]}" for cell in sorted(codes))


def _filled(session: Session) -> tuple[bytes, dict[int, str]]:
    """Return the stones, filled in, and the codes of what is or may be until the next move."""
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
    _side(session, arguments)  # it is the same for both
    return _drawn(session, _filled(session)[1])


def _compute(*kinds: str) -> Callable[[Session, Arguments], str]:
    """Make a handler that shows inferior moves of those kinds, behind what is filled in."""

    def handler(session: Session, arguments: Arguments) -> str:
        colour = _side(session, arguments)
        filled, codes = _filled(session)
        found = _inferior(session, filled, colour)
        wanted = tuple(_CODES[kind] for kind in kinds)
        return _drawn(session, {c: t for c, t in found.items() if t.startswith(wanted)} | codes)

    return handler


def _web(session: Session, stones: bytes, colour: Colour) -> VirtualConnections:
    try:
        return VirtualConnections(session.position.board, stones, colour)
    except ValueError as error:
        raise GtpError(str(error)) from None


def _useless(session: Session, stones: bytes, colour: Colour) -> dict[int, str]:
    """Mark the empty cells by which a colour prevents no connection of the opponent's sides."""
    must = _web(session, stones, colour.opponent).mustplay
    if must is None:
        return {}
    return {cell: "x" for cell, stone in enumerate(stones) if not stone and cell not in must}


def _mustplay(session: Session, arguments: Arguments) -> str:
    colour = _side(session, arguments)
    filled, codes = _filled(session)
    return _drawn(session, _useless(session, filled, colour) | codes)


def _build(session: Session, arguments: Arguments) -> str:
    colour = _side(session, arguments)
    filled, codes = _filled(session)
    useless = _useless(session, filled, colour)
    return _drawn(session, _inferior(session, filled, colour) | useless | codes)


def _points(
    session: Session, arguments: Arguments, count: int
) -> tuple[VirtualConnections, list[int]]:
    """Read a colour and so many points; return the connections of the colour, and the points."""
    arguments.expect(count + 1)
    web = _web(session, session.position.stones, arguments.colour(0))
    points = []
    for index in range(1, count + 1):
        word = arguments.words[index]
        try:
            if word.lower() in SIDES.values():
                points.append(web.side(word))
            else:
                points.append(web.first(arguments.cell(index)))
        except GtpError:
            raise
        except ValueError as error:
            raise GtpError(str(error)) from None
    return web, points


def _names(session: Session, cells: Iterable[int]) -> str:
    return " ".join(map(session.name, sorted(cells)))


def _point_name(session: Session, web: VirtualConnections, point: int) -> str:
    if point >= len(session.position.board):
        return web.name(point)
    return session.name(point)


def _line(session: Session, web: VirtualConnections, ends: list[int], link: Link) -> str:
    """Return a connection in the form of HexGui's list."""
    between = " ".join(_point_name(session, web, end) for end in ends)
    carrier = f"[ {_names(session, link.carrier)} ]".replace("  ", " ")
    kind, key = ("full", "") if link.is_full else ("semi", f" {session.name(link.key)}")
    names = " ".join(_point_name(session, web, stone) for stone in link.stepping_stones)
    stones = f"[ {names} ]".replace("  ", " ")
    return f"{web.colour} {between} {kind} {link.rule} {carrier} {stones}{key}"


def _between(*, full: bool) -> Callable[[Session, Arguments], str]:
    def handler(session: Session, arguments: Arguments) -> str:
        web, (a, b) = _points(session, arguments, 2)
        lines = [_line(session, web, [a, b], link) for link in web.between(a, b, full=full)]
        return "\n".join(["", *lines]) if lines else ""

    return handler


def _connected(*, full: bool) -> Callable[[Session, Arguments], str]:
    def handler(session: Session, arguments: Arguments) -> str:
        web, (point,) = _points(session, arguments, 1)
        found = web.connected(point, full=full)
        return _names(session, {cell for other in found for cell in web.cells(other)})

    return handler


def _carriers(
    combine: Callable[..., set[int]], *, full: bool
) -> Callable[[Session, Arguments], str]:
    """Make a handler that combines the carriers of all connections between two points."""

    def handler(session: Session, arguments: Arguments) -> str:
        web, (a, b) = _points(session, arguments, 2)
        carriers = [set(link.carrier) for link in web.between(a, b, full=full)]
        return _names(session, combine(*carriers) if carriers else ())

    return handler


_COLOUR = "[COLOUR]"
_TOO_LARGE = "the board has more than 256 cells"
_POINTS = f"a point is not on the board or the opponent's, or {_TOO_LARGE}"


def _of_kind(*, full: bool) -> tuple[Command, ...]:
    """Return the commands that show full, or semi connections."""
    kind, label = ("full", "Full") if full else ("semi", "Semi")
    return (
        Command(
            f"vc-between-cells-{kind}",
            _between(full=full),
            "COLOUR POINT POINT",
            f"The {kind} connections between two points: colour, ends, kind, rule, carrier, "
            "stepping stones and of a semi its key, a line each.",
            _POINTS,
            f"vc/VC {label} Between/vc-between-cells-{kind} %c %P",
        ),
        Command(
            f"vc-connected-to-{kind}",
            _connected(full=full),
            "COLOUR POINT",
            f"The cells that a point has {kind} connections with.",
            _POINTS,
            f"plist/VC {label} Connected/vc-connected-to-{kind} %c %p",
        ),
        Command(
            f"vc-intersection-{kind}",
            _carriers(set.intersection, full=full),
            "COLOUR POINT POINT",
            f"The cells that all {kind} connections between two points need.",
            _POINTS,
            f"plist/VC {label} Intersection/vc-intersection-{kind} %c %P",
        ),
        Command(
            f"vc-union-{kind}",
            _carriers(set.union, full=full),
            "COLOUR POINT POINT",
            f"The cells that some {kind} connection between two points needs.",
            _POINTS,
            f"plist/VC {label} Union/vc-union-{kind} %c %P",
        ),
    )


KNOWLEDGE = (
    Command(
        "compute-fillin",
        _compute_fillin,
        _COLOUR,
        "The cells that may be given stones: fd is dead or cut off, fc captured, fp permanently "
        "inferior (until the next move), then b or w.",
        hexgui="inferior/Fill-In/compute-fillin %m",
    ),
    Command(
        "compute-inferior",
        _compute(*_CODES),
        _COLOUR,
        "As compute-fillin, then inferior moves: iv with the replies that make the stone dead, ir "
        "with a reply and what it captures to do so, id with the moves that are at least as good.",
        hexgui="inferior/Inferior Cells/compute-inferior %m",
    ),
    Command(
        "compute-vulnerable",
        _compute("vulnerable"),
        _COLOUR,
        "As compute-inferior, but of inferior moves those that some reply makes dead.",
        hexgui="inferior/Vulnerable Cells/compute-vulnerable %m",
    ),
    Command(
        "compute-reversible",
        _compute("reversible"),
        _COLOUR,
        "As compute-inferior, but of inferior moves those that some reply makes dead by captures.",
        hexgui="inferior/Reversible Cells/compute-reversible %m",
    ),
    Command(
        "compute-dominated",
        _compute("dominated"),
        _COLOUR,
        "As compute-inferior, but of inferior moves those that others are as good as.",
        hexgui="inferior/Dominated Cells/compute-dominated %m",
    ),
    Command(
        "vc-build",
        _build,
        _COLOUR,
        "As compute-inferior, then x for moves that do not prevent a connection of the opponent's "
        "sides.  HexGui's Hint button.",
        _TOO_LARGE,
        "inferior/VC Build/vc-build %m",
    ),
    Command(
        "vc-get-mustplay",
        _mustplay,
        _COLOUR,
        "As compute-fillin, then x for moves that do not prevent a connection of the opponent's "
        "sides.",
        _TOO_LARGE,
        "inferior/Mustplay/vc-get-mustplay %m",
    ),
    *_of_kind(full=True),
    *_of_kind(full=False),
)
"""The knowledge family."""
