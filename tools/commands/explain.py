"""``trivalent explain``: say in words why a cell is dead or inferior, or two points connected."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from trivalent.bot.knowledge.explanations import cell, connection, everything
from trivalent.bot.knowledge.virtual_connections import SIDES
from trivalent.core.board import BLACK, WHITE
from trivalent.core.records.record import RecordError
from trivalent.gtp.engine.diagram import draw
from trivalent.tools.common import record_source

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent explain``."""
    record_source.add_arguments(parser)
    parser.add_argument(
        "points",
        nargs="*",
        metavar="POINT",
        help="one cell: explain this cell; two points: explain how they are connected.  A point is "
        f"a cell (standing for its chain) or a side ({', '.join(SIDES.values())}).  Without "
        "points, explain the whole position",
    )
    parser.add_argument(
        "--colour",
        choices=("black", "white"),
        help="the player whose moves or connections are explained (default: the side to move)",
    )
    parser.add_argument(
        "--depth",
        type=int,
        default=2,
        metavar="N",
        help="break connections down into their parts, N levels deep (default: 2)",
    )


def main(arguments: argparse.Namespace) -> int:
    """Run ``trivalent explain``; return 1 and report the reason if the request is invalid."""
    if len(arguments.points) > 2:
        arguments.fail(f"expected at most two points, not {len(arguments.points)}")
    try:
        reading, _ = record_source.read_game(arguments)
        position = reading.record.position()
        record_source.require_reduced(position.board, "explanations")
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
