"""The schedule: which games are to be played, as a pure function of the plan and of results.

Games have ids that depend on nothing but who plays what: the same plan has the same games in every
run, and a longer plan has those of a shorter one.
"""

from __future__ import annotations

from collections import OrderedDict
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING

from trivalent.tools.statistics.sprt import Sprt, Trial
from trivalent.tools.tournament.model import Game
from trivalent.tools.tournament.plan.plan_model import essence
from trivalent.tools.tournament.plan.strict_toml import PlanError
from trivalent.tools.tournament.run.tournament_formats import (
    Pair,
    Results,
    expected_games,
    pairings,
    stages,
)
from trivalent.tools.tournament.seeds import seed_for
from trivalent.tools.tournament.symmetry import game_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trivalent.tools.tournament.model import Record
    from trivalent.tools.tournament.plan.plan_model import Plan


class Schedule:
    """The games of a plan: those that may be played now, given what has been played.

    Of a game that is played, nothing is kept that no later game depends on.
    """

    def __init__(self, plan: Plan, records: Iterable[Record] = ()) -> None:
        """Go on from records in any order; void ones and a game's further ones change nothing."""
        self._plan = plan
        self._winners: dict[str, str] = {}
        """Of games that are not issued yet, or that the format looks at."""
        self._looks_back = plan.format == "sprt" or pairings(plan) is None
        self._stages = stages(plan, Results(self._winners))
        self._pairs: Iterator[Pair] = iter(())
        self._title = ""
        self._ended = False
        # In playing order; games leave at any place, mostly near the front.
        self._due: OrderedDict[str, Game] = OrderedDict()
        self._test = _Test(plan) if isinstance(plan.options, Sprt) else None
        for record in records:
            if record.winner and record.game not in self._winners:
                self._keep(record)
        self._played = len(self._winners)

    def add(self, record: Record) -> None:
        """Take note of what became of a game that is due; others, and void ones, change nothing."""
        if record.winner and record.game in self._due:
            del self._due[record.game]
            self._played += 1
            if self._looks_back:
                self._keep(record)

    def _keep(self, record: Record) -> None:
        self._winners[record.game] = record.winner
        if self._test is not None:
            self._test.note(record)

    def due(self, limit: int | None = None) -> list[Game]:
        """Return the games that may be played now, or the first of them, in playing order.

        Games stay due until there is a record of them, also while they are being played.
        """
        if self.decision:
            return []
        while not self._ended and (limit is None or len(self._due) < limit):
            pair = next(self._pairs, None)
            if pair is not None:
                self._issue(pair)
            elif self._due:
                break  # the next stage depends on them
            else:
                self._begin_stage()
        return list(islice(self._due.values(), limit))

    @property
    def done(self) -> bool:
        """Whether nothing is left to be played."""
        return not self.due(1)

    @property
    def total(self) -> int:
        """How many games there are.

        A test or a ladder may end earlier, the tie breaks of a knockout are not counted.
        """
        return expected_games(self._plan)

    @property
    def played(self) -> int:
        """How many games have been won and lost."""
        return self._played

    @property
    def trial(self) -> Trial | None:
        """The sequential test, of the first engine of the plan; None in other formats.

        It counts the pairs in the order of the schedule, as far as that is complete.  In the order
        of completion the quick games would come first, and another run would decide otherwise.
        Pairs of which both games repeat earlier ones, move by move up to symmetry, are left out.
        """
        if self._test is None:
            return None
        self._test.advance(Results(self._winners))
        return self._test.trial

    @property
    def decision(self) -> str:
        """What a sequential test has decided, a sentence; empty before, and in other formats."""
        trial = self.trial
        if trial is None or not trial.decision:
            return ""
        elo = trial.sprt.elo1 if trial.decision == "H1" else trial.sprt.elo0
        names = [engine.name for engine in self._plan.engines]
        return (
            f"{trial.decision} is accepted after {trial.pairs.total} pairs (LLR {trial.llr:.2f}): "
            f"{names[0]} against {names[1]} is worth {elo:g} Elo rather than "
            f"{trial.sprt.elo0 + trial.sprt.elo1 - elo:g}"
        )

    @property
    def state(self) -> str:
        """Where the format stands, in a few words."""
        self.due(1)
        return self.decision or self._title

    def _issue(self, pair: Pair) -> None:
        for game, black, white in zip(pair.games, (pair.a, pair.b), (pair.b, pair.a), strict=True):
            if game in self._winners:
                if not self._looks_back:
                    del self._winners[game]
            else:
                self._due[game] = Game(
                    id=game,
                    pair=pair.id,
                    round=pair.round,
                    black=black,
                    white=white,
                    opening=pair.opening,
                    seeds=(
                        seed_for(self._plan.seed, game, black),
                        seed_for(self._plan.seed, game, white),
                    ),
                )

    def _begin_stage(self) -> None:
        stage = next(self._stages, None)
        if stage is None:
            self._ended = True
        else:
            self._title = stage.title
            self._pairs = iter(stage.pairs)


class _Test:
    """Feeds a sequential test with the pairs of a plan, in the order of the schedule."""

    def __init__(self, plan: Plan) -> None:
        assert isinstance(plan.options, Sprt)
        self.trial = Trial(plan.options)
        self._board = plan.board
        self._first = plan.engines[0].name
        self._pairs = iter(next(stages(plan, Results({}))).pairs)
        self._next = next(self._pairs, None)
        self._keys: dict[str, bytes] = {}
        self._seen: set[bytes] = set()

    def note(self, record: Record) -> None:
        """Keep what tells whether a game repeats another."""
        if record.moves:
            side = record.game[-1]
            text = f"{side} {record.winner} {game_key(self._board, record.moves)}"
            self._keys[record.game] = sha256(text.encode()).digest()[:16]

    def advance(self, results: Results) -> None:
        """Go on with the pairs that are complete."""
        wins = []
        while self._next is not None and results.played(self._next):
            keys = {self._keys.pop(game, game.encode()) for game in self._next.games}
            if not keys <= self._seen:
                won = results.wins(self._next)
                wins.append(won if self._next.a == self._first else 2 - won)
            self._seen |= keys
            self._next = next(self._pairs, None)
        if wins:
            self.trial.extend(wins)


def require_extension(old: Plan, new: Plan) -> None:
    """Raise PlanError unless a run of the old plan can go on as one of the new plan.

    Rounds, engines and openings may be added where the format does not look at results; a
    sequential test may be given more rounds, and what goes from stage to stage more of these.  All
    that has been played is then part of the new plan.
    """
    growing = _GROWING.get(old.format, ("options",))
    before, after = essence(old), essence(new)
    for key, value in before.items():
        if after[key] != value and key not in growing:
            raise PlanError(f"{key} cannot be changed in a run of the format {old.format}")
    if new.rounds < old.rounds:
        raise PlanError(f"rounds can only grow: there were {old.rounds}, not {new.rounds}")
    for key in ("engines", "openings"):
        for item in before[key]:
            if item not in after[key]:
                raise PlanError(f"{key}: {item['name']} cannot be changed or left out")
    who, kept = pairings(old), {frozenset(pairing) for pairing in pairings(new) or ()}
    for one, other in who or ():
        if frozenset((one, other)) not in kept:
            raise PlanError(f"{one} has played {other}, which cannot be left out")
    if who is None:
        _require_more_stages(old, new)


def _require_more_stages(old: Plan, new: Plan) -> None:
    before, after = essence(old)["options"], essence(new)["options"]
    for key, value in before.items():
        if key not in _STAGES and after[key] != value:
            raise PlanError(f"{old.format}.{key} cannot be changed in a run")
        if after[key] < value:
            raise PlanError(f"{old.format}.{key} can only grow: {value}, not {after[key]}")


_GROWING = {
    "round-robin": ("rounds", "engines", "openings"),
    "gauntlet": ("rounds", "engines", "openings", "options"),
    "matches": ("rounds", "engines", "openings", "options"),
    "sprt": ("rounds",),
    "knockout": (),
}
"""What may grow in a run; the options alone in all other formats."""
_STAGES = ("rounds", "passes", "pairs")
"""Options of which more are more stages, behind those that there were."""
