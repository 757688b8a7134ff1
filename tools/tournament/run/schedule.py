"""The schedule: the games to play, as a pure function of the plan and the results so far.

The id of a game depends only on who plays what.  The same plan has the same games in every run, and
a longer plan contains the games of a shorter one.
"""

from __future__ import annotations

from collections import OrderedDict
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING

from trivalent.tools.statistics.sprt import Sprt, Trial
from trivalent.tools.tournament.model import Game
from trivalent.tools.tournament.plan.plan_model import game_essentials
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
    """The games of a plan that can be played now, given the games that have been played.

    Of a played game, only what later games depend on is kept.
    """

    def __init__(self, plan: Plan, records: Iterable[Record] = ()) -> None:
        """Continue from records in any order; void and surplus records are ignored."""
        self._plan = plan
        self._winners: dict[str, str] = {}
        """By game: those that haven't been issued yet, and all if the format looks at results."""
        self._looks_back = plan.format == "sprt" or pairings(plan) is None
        self._stages = stages(plan, Results(self._winners))
        self._pairs: Iterator[Pair] = iter(())
        self._title = ""
        self._ended = False
        # In playing order; games are removed anywhere, but mostly near the front.
        self._due: OrderedDict[str, Game] = OrderedDict()
        self._test = _Test(plan) if isinstance(plan.options, Sprt) else None
        for record in records:
            if record.winner and record.game not in self._winners:
                self._keep(record)
        self._played = len(self._winners)

    def add(self, record: Record) -> None:
        """Count the record of a game that is due; other records and void ones are ignored."""
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
        """Return the games that can be played now in playing order, or the first `limit` of them.

        A game stays due until it has a record, even while it's being played.
        """
        if self.decision:
            return []
        while not self._ended and (limit is None or len(self._due) < limit):
            pair = next(self._pairs, None)
            if pair is not None:
                self._issue(pair)
            elif self._due:
                break  # the next stage depends on these games
            else:
                self._begin_stage()
        return list(islice(self._due.values(), limit))

    @property
    def done(self) -> bool:
        """Whether no games are left to play."""
        return not self.due(1)

    @property
    def total(self) -> int:
        """Number of games in the plan.

        A sequential test or a ladder may end sooner; tie breaks of a knockout aren't counted.
        """
        return expected_games(self._plan)

    @property
    def played(self) -> int:
        """Number of decided games."""
        return self._played

    @property
    def trial(self) -> Trial | None:
        """The sequential test from the view of the first engine; None in other formats.

        It counts the pairs in schedule order, up to the first gap.  In order of completion, short
        games would come first and another run would decide differently.  Pairs whose two games both
        repeat earlier ones, move by move up to symmetry, are left out.
        """
        if self._test is None:
            return None
        self._test.advance(Results(self._winners))
        return self._test.trial

    @property
    def decision(self) -> str:
        """Decision of a sequential test as a sentence; empty until then and in other formats."""
        trial = self.trial
        if trial is None or not trial.decision:
            return ""
        elo = trial.sprt.elo1 if trial.decision == "H1" else trial.sprt.elo0
        names = [engine.name for engine in self._plan.engines]
        return (
            f"{trial.decision} is accepted after {trial.pairs.total} pairs (LLR {trial.llr:z.2f}): "
            f"{names[0]} is {elo:g} Elo stronger than {names[1]}, rather than "
            f"{trial.sprt.elo0 + trial.sprt.elo1 - elo:g}"
        )

    @property
    def state(self) -> str:
        """The current state of the format, in a few words."""
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
    """Feeds the pairs of a plan to a sequential test, in schedule order."""

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
        """Remember what identifies repetitions of this game."""
        if record.moves:
            side = record.game[-1]
            text = f"{side} {record.winner} {game_key(self._board, record.moves)}"
            self._keys[record.game] = sha256(text.encode()).digest()[:16]

    def advance(self, results: Results) -> None:
        """Add all pairs that are complete by now."""
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
    """Raise PlanError unless a run of the old plan can continue as a run of the new one.

    Formats that don't look at results accept more rounds, engines and openings.  A sequential test
    accepts more rounds, and formats with stages accept more stages.  All games played so far are
    then part of the new plan.
    """
    growing = _GROWING.get(old.format, ("options",))
    before, after = game_essentials(old), game_essentials(new)
    for key, value in before.items():
        if after[key] != value and key not in growing:
            raise PlanError(f'{key}: can\'t be changed during a run with format = "{old.format}"')
    if new.rounds < old.rounds:
        raise PlanError(f"rounds: can only grow ({old.rounds} before, {new.rounds} now)")
    for key in ("engines", "openings"):
        for item in before[key]:
            if item not in after[key]:
                raise PlanError(f"{key}: {item['name']} can't be changed or removed")
    who, kept = pairings(old), {frozenset(pairing) for pairing in pairings(new) or ()}
    for one, other in who or ():
        if frozenset((one, other)) not in kept:
            raise PlanError(
                f"{one} and {other} have played each other, and the new plan doesn't pair them"
            )
    if who is None:
        _require_more_stages(old, new)


def _require_more_stages(old: Plan, new: Plan) -> None:
    before, after = game_essentials(old)["options"], game_essentials(new)["options"]
    for key, value in before.items():
        if key not in _STAGES and after[key] != value:
            raise PlanError(f"{old.format}.{key}: can't be changed during a run")
        if after[key] < value:
            raise PlanError(f"{old.format}.{key}: can only grow ({value} before, {after[key]} now)")


_GROWING = {
    "round-robin": ("rounds", "engines", "openings"),
    "gauntlet": ("rounds", "engines", "openings", "options"),
    "matches": ("rounds", "engines", "openings", "options"),
    "sprt": ("rounds",),
    "knockout": (),
}
"""Keys that may grow during a run; in all other formats, only the options."""
_STAGES = ("rounds", "passes", "pairs")
"""Options whose growth appends stages to the existing ones."""
