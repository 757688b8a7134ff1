"""Tables of ``trivalent bench``, and the notes below them."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from trivalent.core.games import GAMES, REDUCED_GAMES, make_board
from trivalent.tools.benchmarks import onnx_network
from trivalent.tools.benchmarks.measure_connection import METHODS, MODES, YARDSTICK, has_fast_kernel
from trivalent.tools.benchmarks.measure_knowledge import FILLINGS, SEARCHES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table

    from trivalent.tools.benchmarks.measure_connection import ConnectionPlan, ConnectionRow
    from trivalent.tools.benchmarks.measure_knowledge import KnowledgePlan, KnowledgeRow
    from trivalent.tools.benchmarks.measure_network import NetworkPlan, NetworkRow
    from trivalent.tools.benchmarks.measure_playouts import PlayoutPlan, PlayoutRow
    from trivalent.tools.benchmarks.measure_search import SearchPlan, SearchRow
    from trivalent.tools.benchmarks.measure_sprt import SprtPlan, SprtRow
    from trivalent.tools.benchmarks.measure_strength import StrengthPlan, StrengthRow

NETWORKS_PER_TABLE = 5
"""As many columns as fit into 100 characters."""
SIZES_PER_TABLE = 7
"""As many columns as in [BT], which fit into 100 characters."""
LEFT_ALIGNED = {"game", "method", "fill", "± 95 %", "engine", "opponent", "what", "how"}
"""The left-aligned columns: names, and intervals that follow a number."""


def show_connection_tests(rows: Sequence[ConnectionRow], console: Console) -> None:
    """Print a table per game and mode: one size in full, or several side by side as in [BT]."""
    sizes = list(dict.fromkeys(row.size for row in rows))
    for game in REDUCED_GAMES:
        for mode, title in MODES.items():
            chosen = [row for row in rows if (row.game, row.mode) == (game, mode)]
            if len(sizes) == 1:
                console.print(_one_size(f"{make_board(game, sizes[0])}, {title}", chosen), "")
                continue
            for i in range(0, len(sizes), SIZES_PER_TABLE):
                some = sizes[i : i + SIZES_PER_TABLE]
                console.print(_side_by_side(f"{game.capitalize()}, {title}", chosen, some), "")


def show_playouts(rows: Sequence[PlayoutRow], console: Console) -> None:
    """Print the table of playouts."""
    threads = list(dict.fromkeys(row.threads for row in rows))
    named = ["1 thread" if n == 1 else f"{n} threads" for n in threads]
    table = _table("Random playouts per second", "game", "size", "empty", "fill", *named)
    for (game, size, empties), of_position in groupby(
        rows, lambda row: (row.game, row.size, row.empties)
    ):
        group = list(of_position)
        fills = list(dict.fromkeys(row.fill for row in group))
        for fill in fills:
            title = GAMES[game].title
            first = (title, str(size), str(empties)) if fill == fills[0] else ("",) * 3
            figures = [figure(row.playouts_per_second) for row in group if row.fill == fill]
            table.add_row(*first, fill, *figures, end_section=fill == fills[-1])
    console.print(table, "")


def playout_notes(plan: PlayoutPlan) -> list[str]:
    """Return notes on the table of playouts, one line each."""
    return [
        f"Processor time, from the least disturbed of {plan.sets} sets; total of all threads.",
        "uniform: one board at a time.  All others: bit-sliced, with counts for every empty cell.",
        "repair: broken bridges are repaired after the board is filled.",
        "in-turn: cell by cell, with an immediate reply to every intrusion into a bridge.",
    ]


def show_searches(rows: Sequence[SearchRow], console: Console) -> None:
    """Print the table of searches."""
    threads = list(dict.fromkeys(row.threads for row in rows))
    named = [
        f"{what}, {n} {'thread' if n == 1 else 'threads'}"
        for n in threads
        for what in ("leaves", "nodes")
    ]
    table = _table("Tree search, per second", "game", "size", "net", *named)
    for (game, size, net), of_player in groupby(rows, lambda row: (row.game, row.size, row.net)):
        figures = [
            figure(value)
            for row in of_player
            for value in (row.leaves_per_second, row.nodes_per_second)
        ]
        table.add_row(game.capitalize(), str(size), net, *figures)
    console.print(table, "")


def search_notes(plan: SearchPlan) -> list[str]:
    """Return notes on the table of searches, one line each."""
    leaves = "/".join(f"{plan.leaves_per_set(size):,}" for size in plan.sizes)
    return [
        f"Processor time, from the least disturbed of {plan.sets} sets; total of all threads.",
        f"A set: {leaves} leaves of mcts from the empty board, each a batch of 512 playouts.",
        "nodes: expanded nodes, whose moves are in the tree.",
        "net: none, or shipped: the network of the game judges every leaf.",
    ]


def show_networks(rows: Sequence[NetworkRow], console: Console) -> None:
    """Print a table per game: an engine per row, a board size and network per column."""
    for game, of_game in groupby(rows, lambda row: row.game):
        found = {
            (row.engine, row.batch, (row.size, row.channels, row.layers)): row for row in of_game
        }
        networks = list(dict.fromkeys(network for _, _, network in found))
        for i in range(0, len(networks), NETWORKS_PER_TABLE):
            some = networks[i : i + NETWORKS_PER_TABLE]
            named = [f"{size}: {channels} x {layers}" for size, channels, layers in some]
            title = f"Network, {game.capitalize()}, microseconds per position"
            table = _table(title, "engine", "batch", *named)
            for engine, batch in dict.fromkeys((engine, batch) for engine, batch, _ in found):
                times = [found[engine, batch, network].microseconds for network in some]
                table.add_row(engine, str(batch), *(f"{time:,.1f}" for time in times))
            console.print(table, "")


def network_notes(plan: NetworkPlan) -> list[str]:
    """Return notes on the tables of networks, one line each."""
    notes = [
        f"Processor time on one core, from the least disturbed of {plan.sets} sets.",
        "11: 32 x 6 is a network of 32 channels with 6 convolutions in residual blocks, on 11x11.",
    ]
    if absent := onnx_network.missing():
        notes.append(f"Not installed, hence not measured: {', '.join(absent)}.")
    return notes


def show_knowledge(rows: Sequence[KnowledgeRow], console: Console) -> None:
    """Print a table per board."""
    columns = ("what", "how", "per second", "ratio", "found", "full", "semi")
    for (game, size), of_board in groupby(rows, lambda row: (row.game, row.size)):
        table = _table(f"Knowledge of positions, {make_board(game, size)}", *columns)
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
    """Return notes on the tables of knowledge, one line each."""
    return [
        f"Processor time of one thread, from the least disturbed of {plan.sets} sets.",
        f"Positions: from {plan.games} self-play games of mcts, the board 1/12 to 4/12 full.",
        *(f"{way}: {meaning}." for way, meaning in FILLINGS.items()),
        "Virtual connections of one colour, from scratch or updated after a move:",
        *(f"{kind}: the limits of {who}." for kind, who in SEARCHES.items()),
        "ratio: speed relative to the first row of the group.",
        "found: mean number of cells filled in or pruned, or of connections.",
        "full: share of positions whose sides a full connection joins; semi: a full or a semi one.",
    ]


def show_strength(rows: Sequence[StrengthRow], console: Console) -> None:
    """Print a table for each study and game."""
    from trivalent.tools.statistics.elo import signed, span

    columns = ("engine", "s/move", "opponent", "s/move", "WW", "split", "LL", "Elo", "95 %")
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
    """Return notes on the tables of strength, one line each."""
    return [
        f"{plan.sets} game pairs per match: openings of one move, each played with both colours.",
        "WW, split, LL: pairs won, split and lost.",
        f"For details run trivalent tournament report on the databases in {plan.folder}.",
    ]


def show_sprt(rows: Sequence[SprtRow], console: Console) -> None:
    """Print the table of error rates of the SPRT."""
    columns = ("opening bias", "split", "true", "H1 accepted", "± 95 %", "pairs", "expected")
    table = _table("SPRT", *columns)
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


def sprt_notes(plan: SprtPlan) -> list[str]:
    """Return notes on the table of the SPRT, one line each."""
    sprt = plan.sprt
    hypotheses = f"{sprt.elo0:g} Elo (H0) against {sprt.elo1:g} (H1)"
    return [
        f"{plan.sets * plan.tests:,} simulated tests per row: {hypotheses}.",
        f"Nominal error rates: alpha {sprt.alpha:g}, beta {sprt.beta:g}.",
        "opening bias: standard deviation of the openings' bias, in log odds.",
        "pairs: mean number until the decision; expected: Wald's approximation.",
    ]


def connection_notes(plan: ConnectionPlan) -> list[str]:
    """Return notes on the tables of connection tests, one line each."""
    counts = " and ".join(
        f"{'/'.join(f'{plan.games_per_set(size, mode):,}' for size in plan.sizes)} games ({mode})"
        for mode in MODES
    )
    unit = METHODS[YARDSTICK]
    meaning = f"time of {unit} divided by that of the method; 2 is twice as fast"
    lines = [
        "ms: time of the tests of 10,000 games, mean and 95 % interval over the sets.",
        f"Here: {plan.sets} sets of {counts}.",
        f"{unit} ÷: {meaning}."
        if len(plan.sizes) == 1
        else f"Third line: {meaning}; here|in the paper.",
        "Ratios and ns are from the least disturbed sets.",
        "Paper: Browne & Tavener, tables 2 and 3; all variants of BPR are compared with their BPR.",
    ]
    boards = [make_board(game, size) for game in REDUCED_GAMES for size in plan.sizes]
    slow = ", ".join(str(board) for board in boards if not has_fast_kernel(board))
    if slow:
        why = "columns of more than 32 bits need a 64-bit lane each"
        lines.append(f"No fast kernel: {slow} ({why}).")
    return lines


def _table(title: str, *columns: str) -> Table:
    """Return an empty table."""
    from trivalent.tools.common.tables import new_table

    table = new_table(title)
    for column in columns:
        table.add_column(
            column, justify="left" if column in LEFT_ALIGNED else "right", no_wrap=True
        )
    return table


def _one_size(title: str, rows: Sequence[ConnectionRow]) -> Table:
    per_game = rows[0].mode == "per-game"
    each, unit = "ns/game" if per_game else "ns/move", METHODS[YARDSTICK]
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


def _side_by_side(title: str, rows: Sequence[ConnectionRow], sizes: Sequence[int]) -> Table:
    """Return a table as in [BT], with the interval and both ratios below each figure."""
    table = _table(title, "method", *map(str, sizes))
    for method in dict.fromkeys(row.method for row in rows):
        found = {row.size: row for row in rows if row.method == method}
        table.add_row(METHODS[method], *(_cell(found[size]) for size in sizes), end_section=True)
    return table


def _cell(row: ConnectionRow) -> str:
    ratios = "|".join(ratio(value) or "-" for value in (row.speedup, row.paper_speedup))
    return f"{figure(row.ms_per_10k)}\n±{figure(row.ci95)}\n{ratios}"


def figure(value: float | None) -> str:
    """Format a number with its significant digits; None becomes an empty string."""
    if value is None:
        return ""
    size = abs(value)
    places = 0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 1 else 3
    return f"{value:,.{places}f}"


def ratio(value: float | None) -> str:
    """Format a ratio in five characters at most; None becomes an empty string."""
    if value is None:
        return ""
    return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f}"
