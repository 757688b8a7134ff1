"""Proofs: everything the prover writes is accepted, everything that doesn't hold is refuted.

Here, proofs are played out to decide what holds: the loser tries everything.
"""

from __future__ import annotations

import random
import re
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import pytest
from plain_solver import PlainSolver

from trivalent.bot.players.swap import distinct_openings
from trivalent.bot.solver.proof import Strategy, members
from trivalent.bot.solver.prover import Unproven, prove
from trivalent.bot.solver.solver import Solver
from trivalent.core.board import BLACK, WHITE, Board, Colour
from trivalent.core.games import hex_board, make_board, y_board
from trivalent.core.position import Position
from trivalent.tools.cli import main
from trivalent.tools.commands.verify import InvalidProofError, check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from trivalent.bot.solver.prover import Oracle

BOARDS = (hex_board(2), hex_board(3), hex_board(3, 4), hex_board(4, 3), hex_board(4), y_board(3),
          y_board(4))  # fmt: skip


def oracle_of(solver: Solver) -> Oracle:
    def oracle(position: Position) -> tuple[Colour | None, int | None]:
        solution = solver.solve(position)
        return solution.winner, solution.move

    return oracle


def positions(seed: int, count: int) -> Iterator[Position]:
    rng = random.Random(seed)
    for _ in range(count):
        board = rng.choice(BOARDS)
        position = Position(board)
        for cell in rng.sample(range(len(board)), rng.randint(len(board) // 4, len(board) // 2)):
            position.play(position.to_play, cell)
        position.to_play = rng.choice((BLACK, WHITE))
        yield position


# Playing proofs out shares no code with the prover and the verifier.


class Written(NamedTuple):
    """A proof as written."""

    board: Board
    stones: dict[str, Colour]
    to_play: Colour
    winner: Colour
    nodes: list[list[tuple[str, list[int]]]]
    """Per node its replies: the cell taken, and the nodes that hold then."""
    first: tuple[str, list[int]]


def read(text: str) -> Written:
    """Read a proof; raise some exception if that's impossible."""
    head, *lines = text.removesuffix("\n").split("\n")
    assert head == "trivalent proof 1"
    values = dict(line.split(":", 1) for line in lines[:5])
    game, size = values["board"].split()
    board = make_board(game, *map(int, size.split("x")))
    colours = {"black": BLACK, "white": WHITE}
    stones = {name: colours[key] for key in colours for name in values[key].split()}
    assert len(stones) == sum(len(values[key].split()) for key in colours)
    known = {*board.names, *(side.name for side in board.sides), "join", "with", "given"}
    nodes = []
    for number, line in enumerate(lines[5:-1], 1):
        join, _, replies = line.partition(":")[2].partition(":")
        assert line.startswith(f"{number}: join ")
        assert known.issuperset(re.split("[ -]", join.strip()))
        nodes.append([reply(text, board) for text in replies.split(";") if text])
        assert all(part < number - 1 for _, parts in nodes[-1] for part in parts)
    name, _, first = lines[-1].partition(":")
    assert name == "first"
    to_play, winner = (colours[values[key].strip()] for key in ("to play", "winner"))
    last = reply(first, board)
    assert all(part < len(nodes) for part in last[1])
    return Written(board, stones, to_play, winner, nodes, last)


def reply(text: str, board: Board) -> tuple[str, list[int]]:
    word, _, parts = text.strip().partition(" by ")
    assert word == "pass" or board.cell(word) >= 0
    numbers = [int(part) - 1 for part in parts.split()]
    assert all(number >= 0 for number in numbers)
    return word, numbers


class Playing:
    """The winner follows a proof, and the loser tries everything."""

    def __init__(self, proof: Written, flood_fill: Callable[[Board, bytes], int]) -> None:
        self.proof = proof
        self.flood_fill = flood_fill
        self.used = [set[str]() for _ in proof.nodes]
        for place, replies in enumerate(proof.nodes):
            for reply in replies:
                self.used[place] |= self.uses(reply)
        self.seen: dict[object, bool] = {}

    def uses(self, reply: tuple[str, list[int]]) -> set[str]:
        key, parts = reply
        return {key} - {"pass"} | {cell for part in parts for cell in self.used[part]}

    def holds(self) -> bool:
        _, stones, to_play, winner, _, (key, parts) = self.proof
        if key in stones or any(stones.get(c, winner) != winner for c in self.uses((key, parts))):
            return False
        mine = {name for name, colour in stones.items() if colour is winner}
        if key != "pass":
            if to_play is not winner:
                return False
            mine.add(key)
        lost = set(self.proof.board.names).difference(mine, *(self.used[part] for part in parts))
        return self.wins(self.open(parts), frozenset(mine), frozenset(lost))

    def open(self, numbers: list[int]) -> frozenset[int]:
        """Return the nodes in which something is left to do."""
        found: set[int] = set()
        for number in numbers:
            passes = [parts for key, parts in self.proof.nodes[number] if key == "pass"]
            left = {number} if self.proof.nodes[number] else set()
            found |= self.open(passes[0]) if passes else left
        return frozenset(found)

    def wins(self, active: frozenset[int], mine: frozenset[str], lost: frozenset[str]) -> bool:
        """Return whether the winner wins with the loser to move, who has all cells that no node
        uses.
        """
        question = active, mine, lost
        if question not in self.seen:
            moves = set().union(*(self.used[number] for number in active)) - mine - lost
            self.seen[question] = (
                all(self.answers(active, mine, lost, move) for move in moves)
                if active
                else self.is_won(mine)
            )
        return self.seen[question]

    def answers(
        self, active: frozenset[int], mine: frozenset[str], lost: frozenset[str], move: str
    ) -> bool:
        hit = {number for number in active if move in self.used[number]}
        for reply in self.proof.nodes[min(hit)]:
            if move not in self.uses(reply):
                key, parts = reply
                free = len(hit) == 1 and key not in lost  # a stone already there need not be played
                after = (active - hit) | self.open(parts)
                return free and self.wins(after, mine | {key}, lost | {move})
        return False

    def is_won(self, mine: frozenset[str]) -> bool:
        winner, names = self.proof.winner, self.proof.board.names
        stones = bytes(winner if name in mine else winner.opponent for name in names)
        return self.flood_fill(self.proof.board, stones) == winner


def holds(text: str, flood_fill: Callable[[Board, bytes], int]) -> bool:
    """Return whether the winner wins by a proof, whatever the loser does."""
    try:
        proof = read(text)
    except Exception:  # noqa: BLE001  any exception means unreadable
        return False
    return Playing(proof, flood_fill).holds()


def test_proofs_are_accepted_and_hold(flood_fill: Callable[[Board, bytes], int]) -> None:
    for position in positions(1, 150):
        solver = PlainSolver()
        proof = prove(position, solver)
        text = proof.text()
        proven, winner, nodes = check(text.splitlines())
        assert winner is proof.winner is solver(position)[0]
        assert (proven.board, proven.stones) == (position.board, position.stones)
        assert proven.to_play is position.to_play
        assert nodes == len(proof.nodes)
        assert holds(text, flood_fill)


def mutants(text: str, rng: random.Random, number: int) -> Iterator[str]:
    """Yield texts of a proof with one thing changed."""
    words = sorted({*re.findall(r"[a-z]\d|top|bottom|left|right|pass|black|white", text), "a1"})
    lines = text.splitlines(keepends=True)
    for _ in range(number):
        changed = lines.copy()
        at = rng.randrange(1, len(lines))
        kind = rng.randrange(6)
        if kind == 0:
            del changed[at]
        elif kind == 1:
            other = rng.randrange(1, len(lines))
            changed[at], changed[other] = changed[other], changed[at]
        elif kind == 2:  # remove a reply, a part or a stone
            pieces = re.findall(r"; [^;\n]*| \S+", changed[at])
            changed[at] = changed[at].replace(rng.choice([*pieces, "\n"]), "", 1)
        else:  # change a word or a number
            pieces = re.findall(r"\w+", changed[at])
            piece = rng.choice(pieces)
            new = str(rng.randint(0, len(lines))) if piece.isdigit() else rng.choice(words)
            changed[at] = re.sub(rf"\b{piece}\b", new, changed[at], count=1)
        if changed != lines:
            yield "".join(changed)


WITH_GIVEN_LINKS = (
    (hex_board(4, 5), "b2 c1 d2 d1 a4 d3"),
    (hex_board(5), "b2 a4 c5 b4 e4 a1 c4"),
    (hex_board(5), "b2 e4 c4 d5 e3 a4 b5"),
    (hex_board(5), "e4 b4 e2 d1 a3 d4 a5 b2"),
    (hex_board(5), "a4 c5 d4 c3 b3 d1"),
    (y_board(6), "a3 c4 b3 b2 c3 b5 a5"),
)
"""Positions whose proofs by the solver are short and take links as given: one in 3,000 has such."""


def proofs_with_given_links() -> Iterator[str]:
    """Yield short proofs with nodes that take links as given: from larger boards, by the solver."""
    for board, moves in WITH_GIVEN_LINKS:
        position = Position(board)
        for name in moves.split():
            position.play(position.to_play, board.cell(name))
        text = prove(position, oracle_of(Solver(board, memory=16))).text()
        assert " given " in text
        assert text.count("\n") < 25
        yield text


def test_proofs_that_do_not_hold_are_refuted(flood_fill: Callable[[Board, bytes], int]) -> None:
    rng = random.Random(2)
    texts = [prove(position, PlainSolver()).text() for position in positions(3, 50)]
    refuted = sound = 0
    for proof in (*texts, *proofs_with_given_links()):
        assert holds(proof, flood_fill)
        for text in mutants(proof, rng, 30):
            try:
                check(text.splitlines())
                accepted = True
            except InvalidProofError:
                accepted = False
            if holds(text, flood_fill):
                sound += accepted
            else:
                refuted += 1
                assert not accepted, text
    assert refuted >= 1000
    assert sound > 10


BRIDGES = """\
trivalent proof 1
board: hex 3x3
black: b2
white: a1
to play: white
winner: black
1: join top b2: b1; c1
2: join b2 bottom: a3; b3
3: join top bottom with b2: pass by 1 2
first: pass by 3
"""


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("proof 1", "proof 2", "line 1: expected 'trivalent proof 1'"),
        ("hex 3x3", "hex 3x64", "line 2: height must be 1 to 63, not 64"),
        ("white: a1", "white: b2", "line 4: two stones on b2"),
        ("white: a1", "white: d1", "line 4: a name is repeated or unknown"),
        ("black: b2", "black: c2", "line 10: the proof doesn't fit what is on b2"),
        ("white: a1", "white: c1", "line 10: the proof doesn't fit what is on c1"),
        ("b1; c1", "b1", "line 7: there is no reply to b1"),
        ("b1; c1", "b1; c1; a2", "line 7: a reply doesn't join the goal"),
        ("b1; c1", "b1 by 1; c1", "line 7: a reply relies on a node that doesn't come before it"),
        ("a3; b3", "a3; b3; b1", "line 8: a reply doesn't join the goal"),
        ("by 1 2", "by 1", "line 9: a reply doesn't join the goal"),
        ("with b2: ", "given b2-top: ", "line 9: a reply doesn't join the goal"),
        ("with b2: ", "given b2-top with b2: ", "line 10: a part relies on a connection that"),
        ("2: join", "4: join", "line 8: expected '2: join ...' or 'first: ...'"),
        ("a3; b3", "a3 by 1; b3 by 1", "line 8: there is no reply to b1"),
        ("a3; b3", "a3; b3?", "line 8: 'b3?' isn't a reply"),
        ("by 1 2", "by 1 2 2", "line 9: a3 is used twice"),
        ("first: pass by 3", "first: c2 by 3", "line 10: it isn't black's turn"),
        ("first: pass by 3", "first: pass by 3\n4: join top b2", "line 11: unexpected text"),
        ("first: pass by 3\n", "", "line 10: expected '4: join ...' or 'first: ...'"),
        ("3: join top bottom with b2: pass by 1 2\nfirst: pass by 3", "first: pass by 1",
         "line 9: a reply doesn't join the goal"),
    ],
)  # fmt: skip
def test_verify_names_the_first_wrong_line(
    old: str, new: str, reason: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "proof"
    path.write_text(BRIDGES)
    assert main(["verify", str(path)]) == 0
    out, err = capfd.readouterr()
    assert "2 . B .  2" in out
    assert out.endswith(f"{path}: proven in 3 steps: black wins 3x3 Hex with white to move\n")
    assert old in BRIDGES
    path.write_text(BRIDGES.replace(old, new, 1))
    assert main(["verify", str(path)]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith(f"{path}: refuted: {reason}")
    assert err.count("\n") == 1


def test_sides_of_y_do_not_join_chains() -> None:
    """One chain touches left and right, another left and bottom: nobody has won."""
    lines = ["trivalent proof 1", "board: y 3x3", "black: a1 a3", "white: b2 c3",
             "to play: white", "winner: black", "1: join left right bottom with a1 a3",
             "first: pass by 1"]  # fmt: skip
    with pytest.raises(InvalidProofError, match="line 7: a reply doesn't join the goal"):
        check(lines)
    lines[2] = "black: a1 a2 a3"
    check([*lines[:6], "1: join left right bottom with a1 a2 a3", lines[7]])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file or directory"),
        (b"\xff\0" * 999, "refuted: line 1: "),
        (b"", "refuted: "),
    ],
)
def test_files_without_a_proof_are_refused(
    content: bytes | None, reason: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "proof"
    if content is not None:
        path.write_bytes(content)
    assert main(["verify", str(path)]) == 1
    assert capfd.readouterr().err.startswith(f"{path}: {reason}")


def joins(board: Board, goal: set[int], stones: set[int], links: list[set[int]]) -> bool:
    """Return whether one chain of stones joins all points of a goal: flood fill, point by point."""
    for start in stones:
        chain, fresh = {start}, [start]
        while fresh:
            point = fresh.pop()
            near = {*board.neighbours[point]}
            near.update(len(board) + n for n, side in enumerate(board.sides) if point in side.cells)
            near.update(*(link for link in links if point in link))
            fresh += stones & near - chain
            chain |= near
        if goal <= chain:
            return True
    return any(goal <= link for link in links)


def test_nodes_take_the_fewest_stones_that_join_their_goals() -> None:
    rng = random.Random(5)
    found = set()
    for board in (hex_board(3, 4), y_board(4)) * 300:
        strategy = Strategy(board, BLACK)
        points = range(len(board) + len(board.sides))
        mine = set(rng.sample(range(len(board)), rng.randint(1, 7)))
        have = {cell for cell in mine if rng.random() < 0.3}
        links = [set(rng.sample(points, 2)) for _ in range(rng.randrange(3))]
        goal = set(rng.choice([rng.sample(points, 2), [*members(strategy.sides)]]))
        fewest = next(
            (
                number
                for number in range(len(mine - have) + 1)
                for more in combinations(mine - have, number)
                if joins(board, goal, have.union(more), links)
            ),
            None,
        )
        stones = strategy.join(
            *(bits(goal), [bits(link) for link in links], bits(have), bits(mine))
        )
        if stones is None:
            assert fewest is None
        else:
            assert stones.bit_count() == fewest
            assert joins(board, goal, have | {*members(stones)}, links)
        found.add(fewest)
    assert found >= {None, 0, 1, 2, 3}


def bits(points: set[int]) -> int:
    return sum(1 << point for point in points)


def test_there_is_no_proof_if_the_oracle_does_not_know() -> None:
    with pytest.raises(Unproven, match="winner of this position on 5x5 Hex is not known"):
        prove(Position(hex_board(5)), lambda _: (None, None))


@pytest.mark.soak
@pytest.mark.parametrize("board", [hex_board(5), hex_board(4, 5), hex_board(6), y_board(5)])
def test_proofs_of_all_openings(board: Board) -> None:
    oracle = oracle_of(Solver(board, memory=256))
    for cell in distinct_openings(board):
        position = Position(board)
        position.play(BLACK, cell)
        text = prove(position, oracle).text()
        _, winner, nodes = check(text.splitlines())
        assert winner is oracle(position)[0]
        print(board, board.names[cell], winner, nodes, len(text))  # noqa: T201  for -s
