"""Positions drawn as SVG: files of their own, in light and dark colours."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from trivalent.core.board import Colour
from trivalent.tools.pictures.board_pictures import picture

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trivalent.core.position import Position
    from trivalent.tools.pictures.curved_pictures import Point

_STONE, _LATEST = 7.2, 3.4  # radii
_STYLE = """
svg { background: #9ba6b0; }
.cell { fill: #e2dccd; stroke: #8d8673; stroke-width: .7; }
.edge { fill: none; stroke-width: 4; stroke-linecap: round; }
.edge.black, .stone.black { stroke: #141516; }
.edge.white { stroke: #fdfdfb; }
.edge.both { stroke: #5b6672; stroke-width: 2.5; }
.stone { stroke-width: .8; }
.stone.black { fill: #141516; }
.stone.white { fill: #fdfdfb; stroke: #77736a; }
.latest { fill: none; stroke: #d5382c; stroke-width: 1.8; }
text { font: 8.5px sans-serif; fill: #1c2126; text-anchor: middle; dominant-baseline: central; }
text.inside { font-size: 5px; fill: #6b6453; }
@media (prefers-color-scheme: dark) {
  svg { background: #59646e; }
  .cell { fill: #b5ad9a; stroke: #7d7665; }
  text { fill: #f2f3f5; }
  text.inside { fill: #4c4739; }
}
"""


def svg(position: Position) -> str:
    """Return the drawing of a position as an SVG file; a ring marks the latest stone.

    In Renkula! both points of a cell are drawn, and those on the equator on both hemispheres.
    """
    return "\n".join(_elements(position)) + "\n"


def _elements(position: Position) -> Iterator[str]:
    board = position.board
    drawn = picture(board)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {drawn.width:.1f} '
        f'{drawn.height:.1f}" role="img">'
    )
    yield f"<title>{escape(str(board))}</title>"
    yield f"<style>{_STYLE}</style>"
    for cell, outline in enumerate(drawn.outlines):
        yield f'<path class="cell" d="{outline}"><title>{board.names[cell]}</title></path>'
    for owner, path in drawn.edges:
        yield f'<path class="edge {owner}" d="{path}"/>'
    for x, y, text in drawn.labels:
        yield f'<text x="{x:.1f}" y="{y:.1f}">{text}</text>'
    for x, y, text in drawn.names:
        yield f'<text class="inside" x="{x:.1f}" y="{y:.1f}">{text}</text>'
    last = position.last_move
    for cell, content in enumerate(position.stones):
        if content:
            latest = last is not None and last.cell == cell
            yield from _stones(drawn.centres[cell], Colour(content), latest=latest)
    yield "</svg>"


def _stones(centres: tuple[Point, ...], colour: Colour, *, latest: bool) -> Iterator[str]:
    for x, y in centres:
        yield f'<circle class="stone {colour}" cx="{x:.1f}" cy="{y:.1f}" r="{_STONE}"/>'
        if latest:
            yield f'<circle class="latest" cx="{x:.1f}" cy="{y:.1f}" r="{_LATEST}"/>'
