"""The network's kernels: every one computes what plain numpy does, bit for bit, on every board."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from networks import Judged, judge

from trivalent.bot.evaluation import network_reference as reference
from trivalent.bot.evaluation._network import MAX_SIDE, Network, available_kernels
from trivalent.bot.evaluation.network_file import PLANES, Architecture
from trivalent.bot.evaluation.network_quantisation import random_network
from trivalent.bot.evaluation.network_reference import Sample, random_samples
from trivalent.core.games import REDUCED_GAMES, hex_board, make_board, y_board

if TYPE_CHECKING:
    from instruction_sets import InstructionSet

    from trivalent.bot.evaluation.network_file import NetworkFile
    from trivalent.core.board import Board

FEW_PLANES = ("own", "opponent", "last", "board", "rows")


@cache
def network_file(
    game: str,
    channels: int = 16,
    blocks: tuple[bool, ...] = (True,),
    *,
    planes: tuple[str, ...] = tuple(PLANES),
    head: int = 16,
    ownership: bool = True,
) -> NetworkFile:
    shape = Architecture(
        game=game,
        planes=planes,
        channels=channels,
        blocks=blocks,
        head=head,
        hidden=24,
        ownership=ownership,
    )
    return random_network(shape)


def assert_as_reference(file: NetworkFile, board: Board, seeds: range) -> None:
    networks = [Network(file, board, kernels) for kernels in available_kernels()]
    for seed in seeds:
        samples = random_samples(board, 2, seed)
        expected = reference.evaluate(file, samples)
        for (i, sample), network in product(enumerate(samples), networks):
            policy, value, ownership = judge(network, sample)
            assert np.array_equal(np.array(policy, np.float32), expected.policy[i]), network.kernels
            assert np.float32(value) == expected.value[i], network.kernels
            if expected.ownership is None:
                assert ownership is None
            else:
                assert np.array_equal(np.array(ownership, np.float32), expected.ownership[i])


@pytest.mark.parametrize("game", REDUCED_GAMES)
def test_every_size(game: str) -> None:
    for size in range(1, MAX_SIDE + 1):
        assert_as_reference(network_file(game), make_board(game, size), range(size, size + 2))


def test_oblong_boards() -> None:
    for width, height in ((1, 9), (9, 2), (3, 31), (31, 5), (7, 8), (13, 11)):
        assert_as_reference(network_file("hex"), hex_board(width, height), range(4))


@pytest.mark.parametrize("channels", range(16, 129, 16))
def test_every_number_of_channels(channels: int) -> None:
    file = network_file("hex", channels, (False, True), planes=FEW_PLANES, head=144 - channels)
    assert_as_reference(file, hex_board(6), range(2))


@pytest.mark.parametrize(
    "blocks", [(), (False,), (True,), (True, False, True, False, True)], ids=str
)
def test_blocks(blocks: tuple[bool, ...]) -> None:
    assert_as_reference(network_file("y", 32, blocks), y_board(7), range(2))


@pytest.mark.parametrize("planes", [("own",), ("opponent", "last-but-one"), FEW_PLANES], ids=len)
def test_planes(planes: tuple[str, ...]) -> None:
    file = network_file("hex", planes=planes, ownership=False)
    assert_as_reference(file, hex_board(5), range(3))


def test_what_is_evaluated_leaves_no_trace() -> None:
    board = hex_board(7, 4)
    network = Network(network_file("hex"), board)
    samples = [sample for seed in range(8) for sample in random_samples(board, 1, seed)]
    assert {sample.to_play for sample in samples} == {1, 2}
    fresh = [judge(Network(network_file("hex"), board), sample) for sample in samples]
    assert [judge(network, sample) for sample in samples] == fresh
    assert [judge(network, sample) for sample in reversed(samples)] == fresh[::-1]


def mapped(sample: Sample, cells: tuple[int, ...], board: Board, swap_colours: bool) -> Sample:
    """The same position on a board where cell c is called cells[c]."""

    def move(content: bytes) -> bytes:
        image = bytearray(len(content))
        for cell, to in enumerate(cells):
            image[to] = content[cell]
        return bytes(image)

    def stones(content: bytes) -> bytes:
        return move(bytes(3 - stone if stone and swap_colours else stone for stone in content))

    assert sample.filled is not None
    assert sample.pruned is not None
    return Sample(
        board,
        stones(sample.stones),
        3 - sample.to_play if swap_colours else sample.to_play,
        tuple(None if cell is None else cells[cell] for cell in sample.last),
        stones(sample.filled),
        move(sample.pruned),
        {name: move(content) for name, content in sample.given.items()},
    )


def moved(judged: Judged, cells: tuple[int, ...]) -> Judged:
    """What is said of cell c is said of cells[c]."""
    policy, value, ownership = judged
    assert ownership is not None
    order = sorted(range(len(cells)), key=cells.__getitem__)
    return [policy[cell] for cell in order], value, [ownership[cell] for cell in order]


@pytest.mark.parametrize("board", [hex_board(6), hex_board(4, 7), y_board(7)], ids=str)
def test_symmetries(board: Board) -> None:
    network = Network(network_file(board.game), board)
    maps = [symmetry.cells for symmetry in board.symmetries if not symmetry.swaps_colours]
    assert network.symmetries == len(maps) == (2 if board.game == "hex" else 6)
    for seed in range(4):
        (sample,) = random_samples(board, 1, seed)
        for number, cells in enumerate(maps):
            turned = mapped(sample, cells, board, swap_colours=False)
            assert moved(judge(network, sample, number), cells) == judge(network, turned)


@pytest.mark.parametrize("board", [hex_board(6), hex_board(4, 7), y_board(5)], ids=str)
def test_colours_are_treated_alike(board: Board) -> None:
    """In Hex the board mirrored in the long diagonal, in Y the same board."""
    other, cells = board, tuple(range(len(board)))
    if board.game == "hex":
        other = hex_board(board.height, board.width)
        cells = tuple(x * board.height + y for x, y in board.coordinates)
    here, there = (Network(network_file(board.game), b) for b in (board, other))
    for seed in range(6):
        (sample,) = random_samples(board, 1, seed)
        image = mapped(sample, cells, other, swap_colours=True)
        assert moved(judge(here, sample), cells) == judge(there, image)


def test_every_input_counts() -> None:
    board = hex_board(5)
    network = Network(network_file("hex"), board)
    (sample,) = random_samples(board, 1, 3)
    seen = [judge(network, sample)]
    seen.append(network.evaluate(sample.stones, 1))
    seen.append(network.evaluate(sample.stones, 2))
    seen.append(network.evaluate(sample.stones, 1, (3,)))
    seen.append(network.evaluate(sample.stones, 1, (None, 3)))
    seen.append(network.evaluate(sample.stones, 1, filled=sample.filled))
    seen.append(network.evaluate(sample.stones, 1, pruned=sample.pruned))
    seen += [
        network.evaluate(sample.stones, 1, given={name: content})
        for name, content in sample.given.items()
    ]
    assert len({tuple(policy) for policy, _, _ in seen}) == len(seen) == 10
    assert network.evaluate(sample.stones, 1, (None, None), filled=sample.stones) == seen[1]
    for policy, value, ownership in seen:
        assert len(policy) == len(board)
        assert ownership is not None
        assert all(0.0 <= chance <= 1.0 for chance in (value, *ownership))


def test_planes_by_hand() -> None:
    """3x2 Hex, White to play, as White sees it: own sides above and below."""
    shape = Architecture(game="hex", planes=("own", "opponent", "last"), channels=16, blocks=())
    board = hex_board(3, 2)
    stones = bytearray(6)
    stones[board.cell("c1")], stones[board.cell("a2")] = 1, 2
    sample = Sample(board, bytes(stones), 2, (board.cell("c1"),))
    own, opponent, last, padding = np.moveaxis(reference.draw_planes(shape, sample), -1, 0) // 127
    assert own.tolist() == [
        [1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 1, 1],
        [0, 0, 0, 1, 0, 0],
        [0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0],
        [1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 1, 1],
    ]
    assert opponent.tolist() == [
        [0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 1, 1],
        [1, 1, 0, 0, 1, 1],
        [1, 1, 1, 0, 1, 1],
        [0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0],
    ]
    assert np.argwhere(last).tolist() == [[4, 2]]
    assert not padding.any()


def test_refusals() -> None:
    board = hex_board(4)
    file = network_file("hex")
    with pytest.raises(ValueError, match="a network for Hex cannot evaluate Y 4"):
        Network(file, y_board(4))
    with pytest.raises(ValueError, match="up to 31 cells a side, not 5x32 Hex"):
        Network(file, hex_board(5, 32))
    with pytest.raises(ValueError, match="no kernels 'abacus'; this machine has baseline"):
        Network(file, board, "abacus")
    network = Network(file, board)
    with pytest.raises(ValueError, match="stones must have 16 bytes, not 15"):
        network.evaluate(bytes(15), 1)
    with pytest.raises(ValueError, match="pruned must have 16 bytes, not 17"):
        network.evaluate(bytes(16), 1, pruned=bytes(17))
    with pytest.raises(ValueError, match="side to move must be 1 or 2, not 0"):
        network.evaluate(bytes(16), 0)
    with pytest.raises(ValueError, match="no cell number 16 on 4x4 Hex"):
        network.evaluate(bytes(16), 1, (16,))
    with pytest.raises(ValueError, match="symmetry must be below 2, not 2"):
        network.evaluate(bytes(16), 1, symmetry=2)
    with pytest.raises(ValueError, match="no playout plane 'own'"):
        network.evaluate(bytes(16), 1, given={"own": bytes(16)})


def test_kernels_follow_the_instruction_set(isa: InstructionSet) -> None:
    """And what evaluates a network does not load numpy."""
    program = (
        "import sys\n"
        "from trivalent.bot.evaluation._network import Network\n"
        "from trivalent.bot.evaluation.network_file import parse_network\n"
        "from trivalent.core.games import hex_board\n"
        "network = Network(parse_network(sys.stdin.buffer.read()), hex_board(9))\n"
        "print(network.kernels, network.evaluate(bytes(81), 1)[1], 'numpy' in sys.modules)\n"
    )
    file = network_file("hex")
    kernels, value, numpy = isa.run("-c", program, given=file.to_bytes()).split()
    best = [name for name in available_kernels() if name.startswith(isa.name)][-1]
    assert (kernels, numpy) == (best, "False")
    assert float(value) == Network(file, hex_board(9)).evaluate(bytes(81), 1)[1]
