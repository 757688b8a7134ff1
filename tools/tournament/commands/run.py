"""``trivalent tournament run``: play the missing games of a run."""

from __future__ import annotations

import signal
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from trivalent.tools.common.console import PipedConsole
from trivalent.tools.common.option_values import positive_int
from trivalent.tools.common.output_files import file_name
from trivalent.tools.tournament.commands.exit_codes import Exit
from trivalent.tools.tournament.plan.plan_model import dumps, loads
from trivalent.tools.tournament.plan.strict_toml import PlanError
from trivalent.tools.tournament.play.engine_programs import fingerprints, require_programs
from trivalent.tools.tournament.run.events import JsonLines, PlainLines
from trivalent.tools.tournament.run.live_ratings import Rater
from trivalent.tools.tournament.run.live_table import LiveTable
from trivalent.tools.tournament.run.open_run import read_plan
from trivalent.tools.tournament.run.runner import Reason, Runner
from trivalent.tools.tournament.run.store import Store, StoreError, locate
from trivalent.tools.tournament.run.workers import ForwardedEvent, LocalWorkers, WorkersError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from trivalent.tools.tournament.model import Game, Record
    from trivalent.tools.tournament.plan.plan_model import Plan
    from trivalent.tools.tournament.run.events import Consumer
    from trivalent.tools.tournament.run.workers import Workers

_CODES = {
    Reason.FINISHED: Exit.DONE,
    Reason.STOPPED: Exit.STOPPED,
    Reason.VOID: Exit.VOID,
    Reason.UNSAVED: Exit.FAILED,
    Reason.FAILED: Exit.FAILED,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``trivalent tournament run``."""
    parser.add_argument(
        "--store",
        type=file_name,
        metavar="FILE",
        help="database (default: league.db beside league.toml)",
    )
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="play on the Dask cluster with this scheduler address (such as tcp://host:8786)",
    )
    parser.add_argument(
        "--changed-programs",
        action="store_true",
        help="continue even if an engine's program has changed",
    )
    parser.add_argument(
        "--pin",
        type=positive_int,
        default=0,
        metavar="N",
        help="pin each game to its own N cores; use only on a dedicated machine",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print a line of JSON for every event")
    how.add_argument(
        "--plain",
        action="store_true",
        help="print plain lines of text instead of a live display, even on a terminal",
    )


def main(arguments: argparse.Namespace) -> int:
    """Play until all games are decided or the run stops early."""
    plan, path = _plan(arguments)
    if not arguments.cluster:
        require_programs(plan)
    with ExitStack() as stack:
        store = stack.enter_context(_open(path, plan, given=arguments.run))
        if not arguments.cluster:
            _require_same_programs(store, plan, changed=arguments.changed_programs)
        show: Consumer
        if arguments.json:
            show = JsonLines(sys.stdout)
        elif arguments.plain or not sys.stdout.isatty():
            show = PlainLines(sys.stdout)
        else:
            show = stack.enter_context(LiveTable(PipedConsole(highlight=False)))
        workers = _workers(plan, arguments)
        rater = Rater(plan, store, lambda event: workers.messages.put(ForwardedEvent(event)))
        runner = Runner(plan, store, workers, [show, rater])
        _listen_to_signals(runner)
        rater.start()
        stack.callback(rater.close)
        result = runner.run()
        finished = result.reason is Reason.FINISHED
        played = list(store.played()) if finished and not arguments.json else []
        versions = store.versions()
    if runner.output_failure:
        raise runner.output_failure
    if played:
        _show_result(plan, played, versions)
    trial = runner.schedule.trial
    if finished and trial and trial.decision != "H1":
        return Exit.NO
    return _CODES[result.reason]


def _show_result(
    plan: Plan, played: Sequence[tuple[Game, Record]], versions: Mapping[str, Sequence[str]]
) -> None:
    from trivalent.tools.tournament.commands.report import show_tables
    from trivalent.tools.tournament.report.summary import summary

    sys.stdout.write("\n")
    show_tables(summary(plan, played, versions))


def _plan(arguments: argparse.Namespace) -> tuple[Plan, Path]:
    """Return the plan and the path of the database."""
    path = Path(arguments.store) if arguments.store else locate(arguments.run)[1]
    return read_plan(arguments.run), path


def _open(path: Path, plan: Plan, given: str) -> Store:
    """Start the run, or continue it if its plan is the same."""
    if not path.exists():
        return Store.create(path, dumps(plan), plan.digest)
    store = Store.open(path)
    # Not the stored digest: it changes with the names of parameters, which differ in older plans.
    if loads(store.plan_text).digest != plan.digest:
        store.close()
        raise PlanError(
            f"{path} belongs to a different plan than {given}; `trivalent tournament extend` adds "
            "rounds and engines, --store FILE starts another run"
        )
    return store


def _require_same_programs(store: Store, plan: Plan, *, changed: bool) -> None:
    now = fingerprints(plan)
    before = store.fingerprints()
    for name, files in now.items():
        if not changed and before.get(name, files) != files:
            old = before[name]
            file = next(file for file in {**old, **files} if old.get(file) != files.get(file))
            raise StoreError(
                f"{name} has changed since it last played: {file}; to continue, give "
                "--changed-programs"
            )
    if now != before:
        store.set_fingerprints(now)


def _workers(plan: Plan, arguments: argparse.Namespace) -> Workers:
    if not arguments.cluster:
        return LocalWorkers(plan, cores=arguments.pin)
    try:
        from trivalent.tools.tournament.run.cluster import ClusterWorkers
    except ImportError as error:
        raise WorkersError(f"--cluster needs pip install 'trivalent[cluster]': {error}") from None
    return ClusterWorkers(plan, arguments.cluster)


def _listen_to_signals(runner: Runner) -> None:
    """Make signals stop the run: SIGUSR1 when running games have ended, all others at once.

    Ignored signals stay ignored.  Once running games are abandoned, the next signal kills the
    process as usual.
    """
    numbers = [
        number
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)
        if signal.getsignal(number) is not signal.SIG_IGN
    ]

    def hear(number: int, _: object) -> None:
        abandon = number != signal.SIGUSR1
        runner.stop(abandon=abandon)
        if abandon:
            for one in numbers:
                signal.signal(one, signal.SIG_DFL)

    for number in numbers:
        signal.signal(number, hear)
