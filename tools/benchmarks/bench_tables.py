"""The tables of ``trivalent bench``: one size in full, or all sizes side by side as in [BT]."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from trivalent.core.board import GAMES, make_board
from trivalent.tools.benchmarks.measure_connection import METHODS, MODES, YARDSTICK, has_fast_class
from trivalent.tools.benchmarks.measure_knowledge import FILLINGS, SEARCHES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table

    from trivalent.tools.benchmarks.measure_connection import Plan, Row
    from trivalent.tools.benchmarks.measure_knowledge import KnowledgePlan, KnowledgeRow
    from trivalent.tools.benchmarks.measure_playouts import PlayoutPlan, PlayoutRow
    from trivalent.tools.benchmarks.measure_search import SearchPlan, SearchRow
    from trivalent.tools.benchmarks.measure_sprt import SprtPlan, SprtRow
    from trivalent.tools.benchmarks.measure_strength import StrengthPlan, StrengthRow

SIZES_A_TABLE = 7
"""As many columns as the paper has, and as many as fit 100 characters."""
LEFT = {"game", "method", "fill", "± 95 %", "engine", "against", "kind", "way"}
"""The columns set to the left: names, and intervals that follow a number."""


def show_tests(rows: Sequence[Row], console: Console) -> None:
    """Print a table for each game and mode; several for many sizes."""
    sizes = list(dict.fromkeys(row.size for row in rows))
    for game in GAMES:
        for mode, title in MODES.items():
            chosen = [row for row in rows if (row.game, row.mode) == (game, mode)]
            if len(sizes) == 1:
                console.print(_one_size(f"{make_board(game, sizes[0])}, {title}", chosen), "")
                continue
            for i in range(0, len(sizes), SIZES_A_TABLE):
                some = sizes[i : i + SIZES_A_TABLE]
                console.print(_side_by_side(f"{game.capitalize()}, {title}", chosen, some), "")


def show_playouts(rows: Sequence[PlayoutRow], console: Console) -> None:
    """Print a table of all playouts."""
    threads = list(dict.fromkeys(row.threads for row in rows))
    named = ["1 thread" if n == 1 else f"{n} threads" for n in threads]
    table = _table("Random playouts a second", "game", "size", "empty", "fill", *named)
    for (game, size, empties), of_position in groupby(
        rows, lambda row: (row.game, row.size, row.empties)
    ):
        group = list(of_position)
        fills = list(dict.fromkeys(row.fill for row in group))
        for fill in fills:
            first = (game.capitalize(), str(size), str(empties)) if fill == fills[0] else ("",) * 3
            figures = [figure(row.playouts_per_second) for row in group if row.fill == fill]
            table.add_row(*first, fill, *figures, end_section=fill == fills[-1])
    console.print(table, "")


def playout_notes(plan: PlayoutPlan) -> list[str]:
    """Return what has to be known of the figures of playouts, a line each."""
    return [
        f"In processor time, from the least disturbed of {plan.sets} sets; threads added up.",
        "uniform: board by board.  All others: bit-sliced, with counts for every empty cell.",
        "repair: every bridge that arises in the filling and is broken is mended.",
        "in-turn: cell by cell, and whoever enters a bridge is answered at once.",
    ]


def show_searches(rows: Sequence[SearchRow], console: Console) -> None:
    """Print a table of all searches."""
    threads = list(dict.fromkeys(row.threads for row in rows))
    named = [
        f"{what}, {n} {'thread' if n == 1 else 'threads'}"
        for n in threads
        for what in ("leaves", "nodes")
    ]
    table = _table("Tree search, a second", "game", "size", *named)
    for (game, size), of_board in groupby(rows, lambda row: (row.game, row.size)):
        figures = [
            figure(value)
            for row in of_board
            for value in (row.leaves_per_second, row.nodes_per_second)
        ]
        table.add_row(game.capitalize(), str(size), *figures)
    console.print(table, "")


def search_notes(plan: SearchPlan) -> list[str]:
    """Return what has to be known of the figures of searches, a line each."""
    leaves = "/".join(f"{plan.leaves_a_set(size):,}" for size in plan.sizes)
    return [
        f"In processor time, from the least disturbed of {plan.sets} sets; threads added up.",
        f"A set: {leaves} leaves of mcts from the empty board, each a batch of 512 playouts.",
        "nodes: positions whose moves enter the tree.",
    ]


def show_knowledge(rows: Sequence[KnowledgeRow], console: Console) -> None:
    """Print a table for each board."""
    columns = ("kind", "way", "a second", "ratio", "found", "full", "semi")
    for (game, size), of_board in groupby(rows, lambda row: (row.game, row.size)):
        table = _table(f"What is known of positions, {make_board(game, size)}", *columns)
        for kind, of_kind in groupby(of_board, lambda row: row.kind):
            group = list(of_kind)
            for row in group:
                table.add_row(
                    kind if row is group[0] else "",
                    row.way,
                    figure(row.per_second),
                    ratio(row.ratio),
                    figure(row.found),
                    *("" if share is None else f"{share:.0%}" for share in (row.full, row.semi)),
                    end_section=row is group[-1],
                )
        console.print(table, "")


def knowledge_notes(plan: KnowledgePlan) -> list[str]:
    """Return what has to be known of the figures of knowledge, a line each."""
    return [
        f"In processor time, from the least disturbed of {plan.sets} sets, by one thread.",
        f"Positions: of {plan.games} games of mcts against itself, 1/12 to 4/12 of the board full.",
        *(f"{way}: {meaning}." for way, meaning in FILLINGS.items()),
        "Connections, of one colour at a time, from scratch or from those before a move:",
        *(f"{kind}: by the limits of {who}." for kind, who in SEARCHES.items()),
        "ratio: to the first row of a kind.",
        "found, on average: cells that are filled in or need not be tried, or connections.",
        "full: how often a full connection joins the sides; semi: a full or a semi connection.",
    ]


def show_strength(rows: Sequence[StrengthRow], console: Console) -> None:
    """Print a table for each study and game."""
    from trivalent.tools.tournament.report.terminal_tables import signed, span

    columns = ("engine", "s/move", "against", "s/move", "won", "split", "lost", "Elo", "95 %")
    for (_, study), of_study in groupby(rows, lambda row: (row.board, row.study)):
        group = list(of_study)
        table = _table(f"{group[0].board}, {study}", *columns)
        for row in group:
            one, other = (f"{seconds:.2g}" for seconds in row.seconds)
            pairs = map(str, (row.won, row.split, row.lost))
            elo = (signed(row.elo), span(row.low, row.high))
            table.add_row(row.engine, one, row.opponent, other, *pairs, *elo)
        console.print(table, "")


def strength_notes(plan: StrengthPlan) -> list[str]:
    """Return what has to be known of the figures of strength, a line each."""
    return [
        f"{plan.sets} pairs of games each: an opening of one move, played with both colours.",
        f"The tournaments are in {plan.folder}, for trivalent tournament report.",
    ]


def show_sequential_tests(rows: Sequence[SprtRow], console: Console) -> None:
    """Print a table of the errors of the sequential test."""
    columns = ("opening bias", "split", "true", "H1 accepted", "± 95 %", "pairs", "expected")
    table = _table("The sequential test", *columns)
    for row in rows:
        share = row.accepted_h1
        table.add_row(
            f"{row.bias:.1f}",
            f"{row.split:.3f}",
            row.truth,
            f"{share:.4f}",
            f"± {1.96 * (share * (1.0 - share) / row.tests) ** 0.5:.4f}",
            figure(row.mean_pairs),
            figure(row.expected_pairs),
            end_section=row.truth == "H1",
        )
    console.print(table, "")


def sequential_notes(plan: SprtPlan) -> list[str]:
    """Return what has to be known of the figures of the sequential test, a line each."""
    sprt = plan.sprt
    hypotheses = f"{sprt.elo0:g} Elo (H0) against {sprt.elo1:g} (H1)"
    return [
        f"{plan.sets * plan.tests:,} simulated tests a row: {hypotheses}.",
        f"Promised: alpha {sprt.alpha:g}, beta {sprt.beta:g}.",
        "Opening bias: standard deviation of what an opening is worth, in log odds.",
        "pairs: on average until the decision; expected: by Wald's approximation.",
    ]


def notes(plan: Plan) -> list[str]:
    """Return what has to be known of the figures of connection tests, a line each."""
    counts = " and ".join(
        f"{'/'.join(f'{plan.games_a_set(size, mode):,}' for size in plan.sizes)} games ({mode})"
        for mode in MODES
    )
    unit = METHODS[YARDSTICK]
    meaning = f"{unit}'s time over that of the method: 2 is twice as fast"
    lines = [
        "ms: tests of 10,000 games without the moves, mean and 95 % interval of the sets.",
        f"Here: {plan.sets} sets of {counts}.",
        f"{unit} ÷: {meaning}."
        if len(plan.sizes) == 1
        else f"Third line: {meaning}; here|in the paper.",
        "Such ratios, and ns, are from the least disturbed sets.",
        "Paper: Browne & Tavener, tables 2 and 3.  Their one BPR stands beside each of ours.",
    ]
    boards = [make_board(game, size) for game in GAMES for size in plan.sizes]
    slow = ", ".join(str(board) for board in boards if not has_fast_class(board))
    if slow:
        why = "columns of more than 32 bits fall back on a 64-bit lane each"
        lines.append(f"No fast class: {slow} ({why}).")
    return lines


def _table(title: str, *columns: str) -> Table:
    """Return an empty table."""
    from trivalent.tools.common.tables import new_table

    table = new_table(title)
    for column in columns:
        table.add_column(column, justify="left" if column in LEFT else "right", no_wrap=True)
    return table


def _one_size(title: str, rows: Sequence[Row]) -> Table:
    per_game = rows[0].mode == "per-game"
    each, unit = "ns a game" if per_game else "ns a move", METHODS[YARDSTICK]
    names = ("method", "ms", "± 95 %", each, f"{unit} ÷", "paper ms", "paper ÷")
    table = _table(title, *names)
    fastest = min(rows, key=lambda row: row.ms_per_10k)
    for row in rows:
        table.add_row(
            METHODS[row.method],
            figure(row.ms_per_10k),
            f"± {figure(row.ci95)}",
            figure(row.ns_per_move * (row.moves_per_game if per_game else 1)),
            ratio(row.speedup),
            figure(row.paper_ms_per_10k),
            ratio(row.paper_speedup),
            style="green" if row is fastest else None,
        )
    return table


def _side_by_side(title: str, rows: Sequence[Row], sizes: Sequence[int]) -> Table:
    """Return a table as the paper has it: under each figure its interval, then both ratios."""
    table = _table(title, "method", *map(str, sizes))
    for method in dict.fromkeys(row.method for row in rows):
        found = {row.size: row for row in rows if row.method == method}
        table.add_row(METHODS[method], *(_cell(found[size]) for size in sizes), end_section=True)
    return table


def _cell(row: Row) -> str:
    ratios = "|".join(ratio(value) or "-" for value in (row.speedup, row.paper_speedup))
    return f"{figure(row.ms_per_10k)}\n±{figure(row.ci95)}\n{ratios}"


def figure(value: float | None) -> str:
    """Return a number with as many digits as mean something, or nothing for None."""
    if value is None:
        return ""
    size = abs(value)
    places = 0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 1 else 3
    return f"{value:,.{places}f}"


def ratio(value: float | None) -> str:
    """Return a ratio in five characters at most, or nothing for None."""
    if value is None:
        return ""
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f}"
