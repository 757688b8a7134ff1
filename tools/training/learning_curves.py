"""The learning curves of a run as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trivalent.core.files import write_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_PANELS = (
    ("top1", "search's move guessed (share of held-out positions)"),
    ("cross_entropy", "cross entropy of the policy (nats)"),
    ("value_error", "mean squared error of the value"),
)


def draw_curves(
    log: Sequence[Mapping[str, Any]], curves: Sequence[Sequence[Mapping[str, float]]], path: Path
) -> bool:
    """Draw the log's figures and the losses of each generation into a PNG.

    Return False if matplotlib is missing.  Raise OSError if the file can't be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure((12, 7), layout="constrained")
    axes = figure.subplots(2, 2).flat
    for panel, (name, title) in zip(axes, _PANELS, strict=False):
        for who, marker in (("quantised", "o-"), ("float", "x--"), ("patterns", ":")):
            found = [
                (entry["positions"], entry["held_out"][who][name])
                for entry in log
                if name in entry["held_out"][who]
            ]
            if found:
                panel.plot(*zip(*found, strict=True), marker, label=who)
        panel.set_title(title, fontsize=10)
        panel.set_xlabel("training positions")
        panel.legend(fontsize=8)
    last = figure.axes[3]
    offset = 0.0
    for number, curve in enumerate(curves):
        for index, name in enumerate(("policy", "value", "ownership")):
            last.plot(
                [offset + entry["step"] for entry in curve],
                [entry[name] for entry in curve],
                color=f"C{index}",
                linewidth=0.8,
                label=None if number else name,
            )
        offset += curve[-1]["step"] if curve else 0
    last.set_title("training losses", fontsize=10)
    last.set_xlabel("steps")
    last.legend(fontsize=8)
    write_file(path, lambda temporary: figure.savefig(temporary, format="png", dpi=90))
    return True
