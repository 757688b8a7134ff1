"""Many reviews: a line for each, and how the players and the openings did."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING

from rich.markup import escape

from trivalent.bot.review.judgement import accuracy
from trivalent.tools.common.tables import new_table
from trivalent.tools.review.annotated_record import percent
from trivalent.tools.review.review_tables import certainty

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table

    from trivalent.tools.review.annotated_record import ReviewedGame


def show_line(console: Console, game: ReviewedGame) -> None:
    """Print a game's players with their accuracies, its opening, and how it was lost."""
    shares = (accuracy(game.review.verdicts, person) for person in (0, 1))
    players = " - ".join(
        f"{name} {'?' if share is None else percent(share)}"
        for name, share in zip(game.players, shares, strict=True)
    )
    line = f"{game.source}: {players}, opening {opening(game)}"
    losing = game.review.losing_move
    if losing is not None:
        verdict = game.review.verdicts[losing]
        move = game.move_name(verdict.step.turn)
        line += (
            f", {game.players[verdict.step.person]} lost with {verdict.step.number}. {move} "
            f"({certainty(verdict)})"
        )
    console.print(line, markup=False, soft_wrap=True)


def show_summary(console: Console, games: Sequence[ReviewedGame]) -> None:
    """Print the players and the openings of many reviews."""
    console.print(_players(games))
    console.print(_openings(games))


def opening(game: ReviewedGame) -> str:
    """Return the opening of a game: its first move, and a swap."""
    steps = game.review.line.steps[:2]
    names = [game.move_name(step.turn) for step in steps]
    return " ".join(name for i, name in enumerate(names) if i == 0 or name.startswith("swap"))


def _players(games: Sequence[ReviewedGame]) -> Table:
    table = new_table("Players")
    for name in ("player", "games", "won", "accuracy", "turning points"):
        table.add_column(name, justify="left" if name == "player" else "right")
    rows: dict[str, list[tuple[ReviewedGame, int]]] = defaultdict(list)
    for game in games:
        for person, name in enumerate(game.players):
            rows[name].append((game, person))
    for name, seats in sorted(rows.items()):
        shares = [accuracy(game.review.verdicts, person) for game, person in seats]
        known = [share for share in shares if share is not None]
        decided = [(game, person) for game, person in seats if game.review.loser is not None]
        won = sum(game.review.loser != person for game, person in decided)
        turns = sum(
            verdict.is_turning_point and verdict.step.person == person
            for game, person in seats
            for verdict in game.review.verdicts
        )
        table.add_row(
            escape(name),
            str(len(seats)),
            f"{won} of {len(decided)}",
            percent(fmean(known)) if known else "",
            str(turns),
        )
    return table


def _openings(games: Sequence[ReviewedGame]) -> Table:
    table = new_table("Openings")
    for name in ("opening", "games", "first player won", "chance after it"):
        table.add_column(name, justify="left" if name == "opening" else "right")
    rows: dict[str, list[ReviewedGame]] = defaultdict(list)
    for game in games:
        rows[f"{game.record.board} {opening(game)}"].append(game)
    for name, found in sorted(rows.items(), key=lambda row: -len(row[1])):
        decided = [game for game in found if game.review.loser is not None]
        won = sum(game.review.loser == 1 for game in decided)
        chances = [game.review.verdicts[0].after for game in found]
        table.add_row(name, str(len(found)), f"{won} of {len(decided)}", percent(fmean(chances)))
    return table
