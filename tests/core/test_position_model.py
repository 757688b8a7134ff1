"""Positions against a plain model: any sequence of moves, setup, swaps and undo."""

from __future__ import annotations

from functools import partial

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from positions import unchanged_by
from slowness import repeats

from trivalent.core.board import BLACK, EMPTY, Board, Colour
from trivalent.core.connection.win_test import winner
from trivalent.core.games import hex_board, y_board
from trivalent.core.position import Kind, Move, Position


class Model:
    """A position, as plainly as possible: it keeps a whole copy for every undo step."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.stones = dict.fromkeys(board.names, EMPTY)
        self.to_play = BLACK
        self.swapped = False
        self.moves: list[Move] = []
        self.past: list[tuple[dict[str, int], Colour, bool]] = []

    def remember(self, move: Move) -> None:
        self.past.append((self.stones.copy(), self.to_play, self.swapped))
        self.moves.append(move)

    def undo(self) -> Move:
        self.stones, self.to_play, self.swapped = self.past.pop()
        return self.moves.pop()

    def may_swap(self) -> bool:
        return [move.kind for move in self.moves] == [Kind.PLAY]

    def swap_pieces(self) -> None:
        [(name, colour)] = [(name, Colour(c)) for name, c in self.stones.items() if c]
        self.remember(Move(Kind.SWAP_PIECES, colour.opponent, None))
        if self.board.game == "hex":
            letter, number = name[0], int(name[1:])
            name, old = f"{chr(96 + number)}{ord(letter) - 96}", name
            self.stones[old] = EMPTY
        self.stones[name] = colour.opponent
        self.to_play = colour


class PositionAgainstModel(RuleBasedStateMachine):
    """Any sequence of calls does the same to a position and to the model."""

    colours = st.sampled_from(Colour)
    numbers = st.integers(min_value=0, max_value=10**4)
    boards = st.sampled_from(
        [hex_board(1), hex_board(2), hex_board(4), hex_board(7), hex_board(2, 5), hex_board(16, 3),
         y_board(1), y_board(2), y_board(4), y_board(6), y_board(17)]
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.position = Position(hex_board(1))
        self.model = Model(hex_board(1))
        self.hashes: dict[tuple[bytes, Colour], int] = {}

    @initialize(board=boards)
    def start(self, board: Board) -> None:
        self.position = Position(board)
        self.model = Model(board)

    @rule(colour=colours, in_turn=st.booleans(), number=numbers)
    def play(self, colour: Colour, in_turn: bool, number: int) -> None:
        model = self.model
        if in_turn:
            colour = model.to_play
        cell = number % len(model.board)
        name = model.board.names[cell]
        if model.stones[name]:
            refused = partial(self.position.play, colour, cell)
            unchanged_by(self.position, refused, f"^{name} is occupied$")
            return
        self.position.play(colour, cell)
        model.remember(Move(Kind.PLAY, colour, cell))
        model.stones[name] = colour
        model.to_play = colour.opponent

    @rule(colour=st.none() | colours, number=numbers)
    def setup_cell(self, colour: Colour | None, number: int) -> None:
        cell = number % len(self.model.board)
        self.position.setup(cell, colour)
        self.model.remember(Move(Kind.SETUP, colour, cell))
        self.model.stones[self.model.board.names[cell]] = colour or EMPTY

    @rule()
    def swap_pieces(self) -> None:
        if self.model.may_swap() and self.model.board.swap_map:
            self.position.swap_pieces()
            self.model.swap_pieces()
        else:
            unchanged_by(self.position, self.position.swap_pieces, "^swap-pieces ")

    @rule()
    def swap_sides(self) -> None:
        model = self.model
        if model.may_swap():
            self.position.swap_sides()
            model.remember(Move(Kind.SWAP_SIDES, model.to_play, None))
            model.swapped = not model.swapped
        else:
            unchanged_by(self.position, self.position.swap_sides, "^swap-sides ")

    @rule(times=st.integers(min_value=1, max_value=4))
    def undo(self, times: int) -> None:
        for _ in range(times):
            if self.model.moves:
                assert self.position.undo() == self.model.undo()
            else:
                unchanged_by(self.position, self.position.undo, "^there is no move")

    @rule(colour=colours)
    def set_side_to_move(self, colour: Colour) -> None:
        self.position.to_play = self.model.to_play = colour

    @precondition(lambda self: len(self.model.moves) > 2)
    @rule()
    def go_on_with_a_copy(self) -> None:
        original, self.position = self.position, self.position.copy()
        while original.history:
            original.undo()

    @invariant()
    def is_as_the_model(self) -> None:
        position, model = self.position, self.model
        stones = bytes(model.stones.values())
        assert position.stones == stones
        assert position.to_play is model.to_play
        assert position.players_swapped == model.swapped
        assert position.history == tuple(model.moves)
        assert position.may_swap == model.may_swap()
        assert position.empty_cells == [cell for cell, content in enumerate(stones) if not content]
        assert position.winner is winner(model.board, stones, "path")
        assert position.legal_moves == ([] if position.winner else position.empty_cells)
        known = self.hashes.setdefault((stones, model.to_play), position.hash)
        assert known == position.hash
        assert len(set(self.hashes.values())) == len(self.hashes)


TestPositionAgainstModel = PositionAgainstModel.TestCase
TestPositionAgainstModel.settings = settings(
    max_examples=repeats(60), stateful_step_count=40, deadline=None, derandomize=True
)
