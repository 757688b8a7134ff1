"""Reviews in a terminal: the curve of the chances, the moves that cost something, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.text import Text

from trivalent.bot.review.judgement import Grade, Phase, accuracy
from trivalent.core.board import BLACK
from trivalent.tools.common.tables import new_table
from trivalent.tools.review.annotated_record import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, RenderableType
    from rich.table import Table

    from trivalent.bot.review.judgement import Verdict
    from trivalent.tools.review.annotated_record import ReviewedGame

_ROWS = 6
_EIGHTHS = " ▁▂▃▄▅▆▇█"
_STYLES = {
    Grade.PROVEN_LOSS: "bold red",
    Grade.BLUNDER: "red",
    Grade.MISTAKE: "yellow",
    Grade.INACCURACY: "cyan",
}


def show_review(console: Console, game: ReviewedGame) -> None:
    """Print a review."""
    first, second = game.players
    console.print(f"[bold]{escape(game.source)}[/]: {escape(first)} - {escape(second)}")
    for line in curve(game, console.width, unicode="utf" in console.encoding.lower()):
        console.print(line)
    console.print(_accuracy_table(game))
    console.print(_fault_table(game))
    for part in _turning_points(game):
        console.print(part)
    if game.review.line.note:
        console.print(game.review.line.note, markup=False)


def curve(game: ReviewedGame, width: int, *, unicode: bool = True) -> Iterator[Text]:
    """Yield the lines of a curve of Black's chances, with marks below the turning points."""
    stations = game.review.stations
    chances = [station.chance(BLACK) for station in stations]
    room = max(10, width - 8)
    stretch = -(-len(chances) // room)
    wide = max(1, min(3, room // len(chances)))
    columns = [chances[i : i + stretch] for i in range(0, len(chances), stretch)]
    heights = [round(8 * _ROWS * part[-1]) for part in columns]
    for row in range(_ROWS - 1, -1, -1):
        label = {_ROWS - 1: "100%", 0: "  0%", _ROWS // 2 - 1: " 50%"}.get(row, "    ")
        fills = (min(max(height - 8 * row, 0), 8) for height in heights)
        signs = (_EIGHTHS[fill] if unicode else "#" if fill > 3 else " " for fill in fills)
        yield Text(f"{label} " + "".join(sign * wide for sign in signs), style="dim", end="")
    marks = [" "] * len(columns)
    for index in game.review.turning_points:
        lost = index == game.review.losing_move
        column = min((index + 1) // stretch, len(columns) - 1)
        marks[column] = ("▲" if unicode else "^") if lost else ("△" if unicode else "'")
    yield Text("     " + "".join(mark.ljust(wide) for mark in marks), style="bold red")
    yield Text("     Black's chances after each move", style="dim")


def _accuracy_table(game: ReviewedGame) -> Table:
    table = new_table("Accuracy")
    table.add_column("player")
    for name in ("all", *(phase.value for phase in Phase)):
        table.add_column(name, justify="right")
    for grade in _STYLES:
        table.add_column(f"{grade.value}s".replace("losss", "losses").replace("ys", "ies"))
    verdicts = game.review.verdicts
    for person, name in enumerate(game.players):
        shares = [accuracy(verdicts, person, phase) for phase in (None, *Phase)]
        counts = [
            sum(v.grade is grade and v.step.person == person for v in verdicts) for grade in _STYLES
        ]
        table.add_row(
            escape(name),
            *("" if share is None else percent(share) for share in shares),
            *(str(count or "") for count in counts),
        )
    return table


def _fault_table(game: ReviewedGame) -> Table | str:
    faults = [verdict for verdict in game.review.verdicts if verdict.grade.is_fault]
    if not faults:
        return "No move cost much."
    table = new_table("Moves that cost something")
    for name in ("", "player", "move", "chances", "grade", "better", "sure", ""):
        table.add_column(name)
    losing = game.review.losing_move
    for verdict in faults:
        step = verdict.step
        mark = "turning point" if verdict.is_turning_point else ""
        if losing is not None and game.review.verdicts[losing] is verdict:
            mark = "lost here"
        table.add_row(
            str(step.number),
            escape(game.players[step.person]),
            game.move_name(step.turn),
            f"{percent(verdict.before)} to {percent(verdict.after)}",
            Text(verdict.grade.value, style=_STYLES[verdict.grade]),
            game.move_name(verdict.better),
            certainty(verdict),
            mark,
        )
    return table


def certainty(verdict: Verdict) -> str:
    """Return how sure it is that a move cost something."""
    return "proven" if verdict.is_proven else percent(verdict.certainty)


def _turning_points(game: ReviewedGame) -> Iterator[RenderableType]:
    for index in game.review.turning_points:
        verdict, reason = game.review.verdicts[index], game.review.reasons[index]
        step = verdict.step
        head = f"Move {step.number}, {game.move_name(step.turn)} ({certainty(verdict)}):"
        yield Text(head, style="bold")
        for sentence in reason.sentences:
            yield Text(f"  {sentence}")
        if link := game.link(verdict):
            yield Text(f"  {link}", style="dim", no_wrap=True, overflow="ignore")
