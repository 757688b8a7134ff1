"""Figures of ``trivalent bench --plot``: figures 9 to 12 of [BT] with our measurements added."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import product
from typing import TYPE_CHECKING

from trivalent.core.games import REDUCED_GAMES
from trivalent.tools.benchmarks.measure_connection import METHODS, MODES, PAPER, PAPER_SIZES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from trivalent.tools.benchmarks.measure_connection import ConnectionRow

SUFFIXES = (".pdf", ".png", ".svg")
"""File types that can be drawn."""

STYLES = {
    "uf": ("tab:gray", "v"),
    "wqhuf": ("black", "o"),
    "path": ("tab:brown", "s"),
    "bfs": ("tab:olive", "D"),
    "bpr-printed": ("tab:purple", "P"),
    "bpr": ("tab:blue", "^"),
    "bpr-registers": ("tab:green", "<"),
    "bpr+": ("tab:red", "X"),
    "bpr-sliced": ("tab:orange", "*"),
}
"""Colour and marker of each method."""

PAPER_LINES = ("wqhuf", "bpr", "bpr+")
"""Methods whose figures in the paper are drawn as dashed lines."""

PAPER_ENDING = " in the paper"


def missing() -> str | None:
    """Return an error message if figures can't be drawn, else None."""
    if find_spec("matplotlib") is None:
        return "--plot needs matplotlib: pip install 'trivalent[plot]'"
    return None


def draw(rows: Sequence[ConnectionRow], path: Path, kind: str) -> None:
    """Draw four panels (Hex and Y, per game and per move) to a file of the given type."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 10), layout="constrained")
    lines: dict[str, Line2D] = {}
    for number, (mode, game) in enumerate(product(MODES, REDUCED_GAMES)):
        axes = figure.add_subplot(2, 2, number + 1)
        of_panel = [row for row in rows if (row.game, row.mode) == (game, mode)]
        lines |= _panel(axes, game, mode, of_panel)
        axes.set_title(f"{game.capitalize()}, {MODES[mode]} (figure {number + 9} of the paper)")
    isa = rows[0].isa
    figure.suptitle(f"Connection tests, milliseconds per 10,000 games ({isa}, one core)")
    names = sorted(lines, key=lambda name: name.endswith(PAPER_ENDING))  # ours first
    figure.legend([lines[name] for name in names], names, loc="outside lower center", ncols=6)
    figure.savefig(path, format=kind.lstrip("."), dpi=120)


def _panel(axes: Axes, game: str, mode: str, rows: Sequence[ConnectionRow]) -> dict[str, Line2D]:
    """Draw a line for each method, and return the lines by name."""
    lines: dict[str, Line2D] = {}
    for method, (colour, marker) in STYLES.items():
        # The mean of a few sets can be negative, which a logarithmic axis can't show.
        ours = [row for row in rows if row.method == method and row.ms_per_10k > 0]
        if ours:
            drawn = axes.errorbar(
                [row.size for row in ours],
                [row.ms_per_10k for row in ours],
                yerr=[row.ci95 for row in ours],
                color=colour,
                marker=marker,
                capsize=2,
            )
            lines[METHODS[method]] = drawn.lines[0]
        paper = PAPER.get((mode, game, method))
        if paper and method in PAPER_LINES:
            (line,) = axes.plot(PAPER_SIZES, paper, color=colour, linestyle="--")
            lines[METHODS[method] + PAPER_ENDING] = line
    axes.set_yscale("log")
    axes.set_xticks(sorted({row.size for row in rows} | set(PAPER_SIZES)))
    axes.set_xlabel("board size (cells per side)")
    axes.set_ylabel("ms per 10,000 games")
    axes.grid(visible=True, alpha=0.3)
    return lines
