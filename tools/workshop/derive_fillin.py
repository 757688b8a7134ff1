"""Derive the patterns of captured cells by exhaustive local search.

Run ``python -m trivalent.tools.workshop.derive_fillin``; it prints
bot/knowledge/_fillin_patterns.inc.h, and a test compares the two.

A connected set of empty cells (the carrier) is *captured* by a player who, by answering inside it
each time the opponent moves there, always reaches a filling that joins the stones around it no
worse than if all of it were his.  A single captured cell is *dead*: it doesn't matter whose it is.
The cells around the carrier (its ring) may hold his stones, the opponent's, or be unknown, which
stands for empty cells and anything else: a capture must hold for both colours of an unknown cell.

Of a filling it matters only which stones of the ring it joins, for either colour.  The sides of Hex
count as stones.  A side of Y belongs to both colours.  It may count as unknown, since a capture
that holds for both colours of a cell also holds for a cell that both own.  But more is captured
next to it, by patterns of its own; these are derived for a carrier below a side and rotated to the
three sides.

A cell is *permanently inferior* for the opponent if the player is no worse off without a stone on
it than with one: then it may be his [AHH], but unlike a captured cell only until somebody plays
next to it.  Nearly all such cells that aren't captured are corners of an empty rhombus with three
of his stones in a row behind them: all other carriers of up to four cells add no more than a tenth.

Only minimal contexts are kept, in which no stone is superfluous, and none in which a smaller
carrier is captured.
"""

from __future__ import annotations

import itertools
import sys
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from trivalent.bot.knowledge.captures import (
    LocalGames,
    Surroundings,
    is_captured,
    joins_as_much,
)
from trivalent.tools.common.endings import run_program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from trivalent.bot.knowledge.captures import Joins, Local

Cell = tuple[int, int]
"""Row and column relative to some cell."""
Literal = tuple[Cell, int]
"""A cell and what it holds: the player's stone, the opponent's, a side of both, no side."""
Shape = tuple[Cell, ...]
Patterns = dict[Shape, set[frozenset[Literal]]]
"""For each carrier, all contexts in which the player captures it."""
CellPatterns = dict[tuple[Shape, Cell], set[frozenset[Literal]]]
"""For a cell of each carrier, all contexts in which it may be the player's."""
Contexts: TypeAlias = "NDArray[np.bool_]"
"""Whether something holds in each context: an axis for each cell of the ring, in its order, with
what the cell holds, UNKNOWN, OWN or OPPONENT, as the index."""

MAX_CARRIER_CELLS = 4
"""Cells of the largest carrier."""
MAX_CARRIER_CELLS_BESIDE = 3
"""The same next to a side of Y; four cells would triple the code."""
MAX_CARRIER_CELLS_BETTER = 2
"""The same for carriers captured by one more stone, which show that moves are dominated."""

RHOMBUS: Shape = ((0, 0), (0, 1), (1, -1), (1, 0))
"""The first cell is next to all others."""

STEPS: tuple[Cell, ...] = ((-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1))
UNKNOWN, OWN, OPPONENT, SIDE, INSIDE = range(5)
SIDE_ABOVE = frozenset(
    (-1, column) for column in range(-2 * MAX_CARRIER_CELLS, 2 * MAX_CARRIER_CELLS)
)
Y_TURNS = (1, 3, 5)
"""Rotations of a side above the board to the three sides of Y, in Hex's rows and columns."""


def _add(a: Cell, b: Cell) -> Cell:
    return a[0] + b[0], a[1] + b[1]


def _neighbours(cell: Cell) -> list[Cell]:
    return [_add(cell, step) for step in STEPS]


def _turn(cell: Cell) -> Cell:
    """Rotate by 60 degrees about the origin."""
    return -cell[1], cell[0] + cell[1]


def _image(cell: Cell, *, mirrored: bool, turns: int) -> Cell:
    if mirrored:
        cell = cell[::-1]
    for _ in range(turns):
        cell = _turn(cell)
    return cell


def _symmetries() -> Iterator[Callable[[Cell], Cell]]:
    for mirrored, turns in itertools.product((False, True), range(6)):
        yield partial(_image, mirrored=mirrored, turns=turns)


NEAR = (*STEPS, *sorted({_add(a, b) for a in STEPS for b in STEPS} - {(0, 0), *STEPS}))
"""The neighbours of a cell, and theirs."""
SYMMETRIES = tuple(_symmetries())


def _anchored(cells: Iterable[Cell]) -> Shape:
    """Move a set of cells so that its first cell is the origin."""
    first, *_ = ordered = sorted(cells)
    return tuple((row - first[0], column - first[1]) for row, column in ordered)


def carriers(size: int) -> list[Shape]:
    """Return the connected sets of ``size`` cells, one of each set of images."""
    shapes: set[Shape] = {((0, 0),)}
    for _ in range(size - 1):
        shapes = {
            _anchored({*shape, _add(cell, step)})
            for shape in shapes
            for cell in shape
            for step in STEPS
            if _add(cell, step) not in shape
        }
    return sorted({min(_anchored(map(image, shape)) for image in SYMMETRIES) for shape in shapes})


def ring_of(carrier: Shape) -> Shape:
    """Return the cells next to a carrier."""
    return tuple(sorted({_add(c, step) for c in carrier for step in STEPS} - set(carrier)))


class Carrier:
    """A carrier, alone or near a side of both players, and when the player captures it."""

    def __init__(self, cells: Shape, side: frozenset[Cell] = frozenset()) -> None:
        self.cells = cells
        self.side = side
        around = ring_of(cells)
        self.ring = tuple(cell for cell in around if cell not in side)
        self._near = Surroundings(cells, around, _neighbours, side - {*around})
        ring = [self._near.bits[cell] for cell in self.ring]
        shared = self._near.bits_of(side)
        self._contexts = [
            tuple(
                shared + sum(bit for bit, holder in zip(ring, context, strict=True) if holder is h)
                for h in (OWN, OPPONENT)
            )
            for context in itertools.product((OWN, OPPONENT), repeat=len(ring))
        ]
        """What each player has, for each context without unknown cells."""

    def captures(self) -> Contexts:
        """Return in which contexts the carrier is captured."""
        good = self._with_unknown(
            np.array([self._near.fillings_as_good(*context) for context in self._contexts]),
            np.bitwise_and,
        )
        fillings, which = np.unique(good, return_inverse=True)
        captured = [is_captured(int(some), len(self.cells)) for some in fillings]
        return np.array(captured)[which.reshape(good.shape)]

    def inferior(self, cell: Cell) -> Contexts:
        """Return in which contexts a cell of the carrier may be the player's.

        It must also hold if other cells have become his, since several may be filled in at once.
        """
        at, contexts = self.cells.index(cell), 3 ** len(self.ring)
        games = LocalGames(contexts, self._compare)
        holds = (1 << contexts) - 1
        for his in itertools.product((0, 1), repeat=len(self.cells) - 1):
            holds &= games.at_least((*his[:at], 0, *his[at:]), (*his[:at], 1, *his[at:]))
        packed = np.frombuffer(holds.to_bytes(contexts // 8 + 1, "little"), np.uint8)
        bits = np.unpackbits(packed, count=contexts, bitorder="little")
        return bits.astype(bool).reshape((3,) * len(self.ring))

    def _compare(self, first: Local, second: Local) -> int:
        """Return in which contexts a filling joins at least as much as another for the player."""
        holds = self._with_unknown(
            np.fromiter(map(joins_as_much, self._joined(first), self._joined(second)), bool),
            np.logical_and,
        )
        return int.from_bytes(np.packbits(holds.ravel(), bitorder="little").tobytes(), "little")

    def _with_unknown(self, known: NDArray[Any], both: np.ufunc) -> NDArray[Any]:
        """Return what holds in all contexts, given what holds in those without unknown cells."""
        found = known.reshape((2,) * len(self.ring))
        for axis in range(len(self.ring)):
            found = np.concatenate([both.reduce(found, axis=axis, keepdims=True), found], axis=axis)
        return found

    @cache  # noqa: B019  lives as long as the derivation
    def _joined(self, filling: Local) -> list[Joins]:
        """Return, for each context without unknown cells, what a filling joins for each player."""
        mine, theirs = (
            self._near.bits_of(
                cell for cell, held in zip(self.cells, filling, strict=True) if held == stone
            )
            for stone in (1, -1)
        )
        return [
            (self._near.chains(own | mine), self._near.chains(opponent | theirs))
            for own, opponent in self._contexts
        ]


def derive(max_cells: int = MAX_CARRIER_CELLS) -> Patterns:
    """Return the patterns of carriers of up to ``max_cells`` cells, in all orientations."""
    patterns: Patterns = {}
    for size in range(1, max_cells + 1):
        found: Patterns = {}
        for shape in carriers(size):
            carrier = Carrier(shape)
            contexts = [
                literals
                for literals in _minimal(carrier, carrier.captures())
                if not _holds_smaller(shape, dict(literals), patterns)
            ]
            for image in SYMMETRIES if contexts else ():
                _add_image(found, shape, contexts, image)
        patterns |= found
    return patterns


def derive_above(interior: Patterns) -> Patterns:
    """Return the additional patterns of carriers that touch a side of both players above them."""
    base: Patterns = {}
    for size in range(1, MAX_CARRIER_CELLS_BESIDE + 1):
        found: Patterns = {}
        for shape in sorted({_anchored(map(f, s)) for s in carriers(size) for f in SYMMETRIES}):
            carrier = Carrier(shape, SIDE_ABOVE)
            for literals in _minimal(carrier, carrier.captures()):
                stones = dict(literals) | dict.fromkeys(SIDE_ABOVE, SIDE)
                if not _holds_smaller(shape, stones, interior | base):
                    found.setdefault(shape, set()).add(_beside(carrier, literals))
        base |= found
    return base


def derive_beside(above: Patterns) -> Patterns:
    """Return the patterns of carriers that touch a side of Y, for its three sides."""
    patterns: Patterns = {}
    for shape, contexts in above.items():
        for turns in Y_TURNS:
            _add_image(patterns, shape, contexts, partial(_image, mirrored=False, turns=turns))
    return patterns


def derive_inferior(interior: Patterns) -> CellPatterns:
    """Return the patterns of permanently inferior cells, in all orientations."""
    patterns: CellPatterns = {}
    carrier = Carrier(RHOMBUS)
    contexts = [
        literals
        for literals in _minimal(carrier, carrier.inferior(RHOMBUS[0]))
        if not _holds_smaller(RHOMBUS, dict(literals), interior)
    ]
    for image in SYMMETRIES:
        _add_cell_image(patterns, RHOMBUS, RHOMBUS[0], contexts, image)
    return patterns


def derive_inferior_beside(
    interior: Patterns, above: Patterns, inferior: CellPatterns
) -> CellPatterns:
    """Return the additional patterns of such cells next to the three sides of Y."""
    patterns: CellPatterns = {}
    for (shape, cell), known in inferior.items():
        carrier = Carrier(shape, SIDE_ABOVE)
        contexts = [
            _beside(carrier, literals)
            for literals in _minimal(carrier, carrier.inferior(cell))
            if not any(context <= literals for context in known)
            and not _holds_smaller(
                shape, dict(literals) | dict.fromkeys(SIDE_ABOVE, SIDE), interior | above
            )
        ]
        for turns in Y_TURNS if contexts else ():
            image = partial(_image, mirrored=False, turns=turns)
            _add_cell_image(patterns, shape, cell, contexts, image)
    return patterns


def _beside(carrier: Carrier, literals: frozenset[Literal]) -> frozenset[Literal]:
    """Return a context together with the side above the carrier."""
    touched = next(cell for cell in ring_of(carrier.cells) if cell in SIDE_ABOVE)
    # An own stone next to the side would be joined to it; another side wouldn't.
    open_ends = {
        (cell, INSIDE) for cell in carrier.ring if cell[0] == 0 and cell not in dict(literals)
    }
    return literals | open_ends | {(touched, SIDE)}


def _minimal(carrier: Carrier, captured: Contexts) -> Iterator[frozenset[Literal]]:
    """Yield the contexts that capture a carrier, and don't with any stone removed."""
    minimal = captured.copy()
    for axis in range(captured.ndim):
        without = np.moveaxis(captured, axis, 0)[UNKNOWN]
        for holder in (OWN, OPPONENT):
            np.moveaxis(minimal, axis, 0)[holder] &= ~without
    for context in np.argwhere(minimal).tolist():
        yield frozenset(
            (cell, holder)
            for cell, holder in zip(carrier.ring, context, strict=True)
            if holder != UNKNOWN
        )


def _add_image(
    patterns: Patterns,
    shape: Shape,
    contexts: Iterable[frozenset[Literal]],
    image: Callable[[Cell], Cell],
) -> None:
    cells = [image(cell) for cell in shape]
    row, column = min(cells)
    patterns.setdefault(_anchored(cells), set()).update(
        frozenset((_add(image(cell), (-row, -column)), holder) for cell, holder in context)
        for context in contexts
    )


def _add_cell_image(
    patterns: CellPatterns,
    shape: Shape,
    cell: Cell,
    contexts: Iterable[frozenset[Literal]],
    image: Callable[[Cell], Cell],
) -> None:
    images: Patterns = {}
    _add_image(images, shape, contexts, image)
    ((moved, terms),) = images.items()
    row, column = min(map(image, shape))
    patterns.setdefault((moved, _add(image(cell), (-row, -column))), set()).update(terms)


def _holds_smaller(shape: Shape, stones: dict[Cell, int], patterns: Patterns) -> bool:
    """Return whether a pattern captures a part of the shape for either player."""
    for part, contexts in patterns.items():
        for at in shape:
            if all(_add(at, cell) in shape for cell in part):
                for holders in ((OWN, OPPONENT, SIDE), (OPPONENT, OWN, SIDE)):
                    for context in contexts:
                        if all(
                            stones.get(_add(at, cell)) != SIDE
                            if holder is INSIDE
                            else stones.get(_add(at, cell)) == holders[holder - 1]
                            for cell, holder in context
                        ):
                            return True
    return False


PLANES = "xosn"
"""Planes in the code: the player's stones, the opponent's, sides of both, all but these."""


def _name(literal: Literal) -> str:
    (row, column), holder = literal
    signs = [f"m{-n}" if n < 0 else str(n) for n in (row, column)]
    return f"{PLANES[holder - 1]}_{'_'.join(signs)}"


def _at(plane: str, cell: Cell) -> str:
    """Return a plane shifted so that the bit of a cell is at the carrier's first cell."""
    row, column = cell
    shift = f" >> {column}" if column > 0 else f" << {-column}" if column < 0 else ""
    return f"ROWS({plane}, {row}){shift}"


def _formula(terms: list[frozenset[Literal]]) -> str:
    """Return a sum of products as an expression with common factors extracted."""
    uses: dict[Literal, int] = {}
    for term in terms:
        for literal in term:
            uses[literal] = uses.get(literal, 0) + 1
    common = max(sorted(uses), key=lambda literal: uses[literal])
    if uses[common] == 1:
        products = sorted(" & ".join(sorted(map(_name, term))) for term in terms)
        return " | ".join(f"({product})" for product in products)
    rests = [term - {common} for term in terms if common in term]
    others = [term for term in terms if common not in term]
    factored = _name(common)
    if all(rests):
        factored = f"({factored} & ({_formula(rests)}))"
    return f"{factored} | {_formula(others)}" if others else factored


def _dead(function: str, holders: Sequence[int], terms: set[frozenset[Literal]]) -> Iterator[str]:
    arguments = ", ".join(f"PART {_name((step, holder))}" for holder in holders for step in STEPS)
    yield f"static ALWAYS_INLINE PART NAME({function})({arguments}) {{"
    if SIDE in holders:
        yield from _declarations(
            [f"{_name((step, INSIDE))} = ~{_name((step, SIDE))}" for step in STEPS]
        )
    yield f"    return {_formula(sorted(terms, key=sorted))};"
    yield "}"


def _literals(patterns: Mapping[Any, set[frozenset[Literal]]]) -> Iterator[str]:
    """Yield the declarations that load all that patterns mention around each cell."""
    loads = []
    for literal in sorted({one for terms in patterns.values() for term in terms for one in term}):
        cell, holder = literal
        value = f"~({_at('s', cell)})" if holder is INSIDE else _at(PLANES[holder - 1], cell)
        loads.append(f"{_name(literal)} = {value}")
    yield from _declarations(loads)


def _declarations(loads: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a declaration of constants, as many on a line as fit."""
    line = "    const PART"
    for number, load in enumerate(loads, 1):
        word = f" {load}{';' if number == len(loads) else ','}"
        if len(line + word) > 100:
            yield line
            line = "       "
        line += word
    yield line


def _empty(shape: Shape) -> str:
    return " & ".join(f"({_at('e', cell)})" for cell in shape)


def _back(part: str, column: int) -> str:
    """Return a plane shifted back from the carrier's first cell to the cell in a column."""
    shift = f" << {column}" if column > 0 else f" >> {-column}" if column < 0 else ""
    return f"({part}{shift})"


def _captured(function: str, planes: str, patterns: Patterns) -> Iterator[str]:
    yield from _gains(function, planes, patterns, [(s, s, t) for s, t in patterns.items()])


def _inferior(function: str, planes: str, patterns: CellPatterns) -> Iterator[str]:
    yield from _gains(function, planes, patterns, [(s, (c,), t) for (s, c), t in patterns.items()])


def _gains(
    function: str,
    planes: str,
    patterns: Mapping[Any, set[frozenset[Literal]]],
    gained: list[tuple[Shape, Shape, set[frozenset[Literal]]]],
) -> Iterator[str]:
    """Yield the code that finds carriers and gives the player some of their cells."""
    arguments = ", ".join(f"const ROW *{plane}" for plane in planes)
    yield f"static ALWAYS_INLINE void NAME({function})({arguments}, ROW *gain) {{"
    yield from _literals(patterns)
    gains: dict[int, list[str]] = {}
    for number, (shape, cells, terms) in enumerate(sorted(gained)):
        yield f"    const PART c{number} = {_empty(shape)} &"
        yield f"        ({_formula(sorted(terms, key=sorted))});"
        for row, column in cells:
            gains.setdefault(row, []).append(_back(f"c{number}", column))
    for row, parts in gains.items():
        yield f"    ROWS_OF(gain, {row}) |= {' | '.join(parts)};"
    yield "}"


def _better(function: str, planes: str, patterns: Patterns) -> Iterator[str]:
    """Yield the code that finds what one more stone, in place of a pattern's, would capture.

    That stone is as good as one inside the carrier, because it brings that one as well.
    """
    arguments = ", ".join(f"const ROW *{plane}" for plane in planes)
    yield f"static ALWAYS_INLINE void NAME({function})({arguments}, ROW *const *worse, int row) {{"
    yield from _literals(patterns)
    found: dict[tuple[int, int], list[str]] = {}
    number = 0
    for shape, terms in sorted(patterns.items()):
        stones = {cell for term in terms for cell, holder in term if holder is OWN}
        for stone in sorted(stones):
            rests = [term - {(stone, OWN)} for term in terms if (stone, OWN) in term]
            yield f"    const PART d{number} = {_empty(shape)} & ({_at('m', stone)}) &"
            yield f"        ({_formula(sorted(rests, key=sorted))});"
            for row, column in shape:
                near = NEAR.index((stone[0] - row, stone[1] - column))
                found.setdefault((near, row), []).append(_back(f"d{number}", column))
            number += 1
    for (near, row), parts in sorted(found.items()):
        yield f"    ROWS_OF(worse[{near}], row + {row}) |= {' | '.join(parts)};"
    yield "}"


def header(max_cells: int = MAX_CARRIER_CELLS) -> str:
    """Return all patterns as C functions on planes of bits."""
    patterns = derive(max_cells)
    above = derive_above(patterns)
    beside = derive_beside(above)
    inferior = derive_inferior(patterns)
    inferior_beside = derive_inferior_beside(patterns, above, inferior)
    (single,) = carriers(1)
    larger, larger_beside = (
        {shape: terms for shape, terms in some.items() if shape != single}
        for some in (patterns, beside)
    )
    near, near_beside = (
        {shape: terms for shape, terms in some.items() if len(shape) <= MAX_CARRIER_CELLS_BETTER}
        for some in (patterns, beside)
    )
    return "\n".join(
        [
            "/* Generated by tools/workshop/derive_fillin.py: do not edit.",
            " *",
            " * x_R_C is the player's stones and o_R_C the opponent's, R rows below each cell and",
            " * C columns to its right (m: minus).  s is sides of both players, n everything else,",
            " * e empty cells, m cells where the player may put a stone.  gain gets the cells that",
            " * he captures, or those that are permanently inferior for the opponent; worse[i]",
            " * gets those that he would capture with a stone on near[i] of them. */",
            "#ifndef NEAR",
            f"#define NEAR {len(NEAR)}",
            "static const struct {",
            "    int8_t rows, columns;",
            f"}} near[NEAR] = {{{', '.join(f'{{{row}, {column}}}' for row, column in NEAR)}}};",
            "#endif",
            "#undef CARRIER",
            f"#define CARRIER {max(map(len, patterns))}",
            *_dead("dead", (OWN, OPPONENT), patterns[single]),
            "",
            *_dead("dead_beside", (OWN, OPPONENT, SIDE), beside[single]),
            "",
            *_captured("capture", "xoe", larger),
            "",
            *_captured("capture_beside", "xose", larger_beside),
            "",
            *_inferior("inferior", "xoe", inferior),
            "",
            *_inferior("inferior_beside", "xose", inferior_beside),
            "",
            *_better("better", "xoem", near),
            "",
            *_better("better_beside", "xosem", near_beside),
            "",
        ]
    )


def main() -> None:
    """Write the header to standard output."""
    sys.stdout.write(header(int(sys.argv[1]) if len(sys.argv) > 1 else MAX_CARRIER_CELLS))


if __name__ == "__main__":
    sys.exit(run_program(main))
