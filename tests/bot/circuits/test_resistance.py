"""Networks of resistors: by hand, and by a dense solver of linear equations."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from trivalent.bot.circuits._circuit import solve_network

Resistor = tuple[int, int, float]


def inverse(points: int, resistors: list[Resistor]) -> np.ndarray:
    """Return what maps currents into points to their voltages, by numpy."""
    laplacian = np.zeros((points, points))
    for a, b, conductance in resistors:
        laplacian[[a, b], [b, a]] -= conductance
        laplacian[[a, b], [a, b]] += conductance
    found: np.ndarray = np.linalg.pinv(laplacian, hermitian=True)
    return found


def voltages(mapping: np.ndarray, start: int, ground: int) -> np.ndarray:
    """Return the voltages at a current of 1 between two points."""
    volts: np.ndarray = mapping[:, start] - mapping[:, ground]
    return volts - volts[ground]


def flows(points: int, resistors: list[Resistor], volts: np.ndarray) -> np.ndarray:
    """Return for each point the sum of the currents in its resistors."""
    total = np.zeros(points)
    for a, b, conductance in resistors:
        total[[a, b]] += abs(conductance * (volts[a] - volts[b]))
    return total


BY_HAND: list[tuple[str, int, list[Resistor], float]] = [
    ("one", 2, [(0, 1, 4.0)], 1 / 4),
    ("in parallel", 2, [(0, 1, 4.0), (0, 1, 1.0)], 1 / 5),
    ("in series", 4, [(0, 2, 1.0), (2, 3, 0.5), (3, 1, 1.0)], 4.0),
    ("a balanced bridge", 4, [(0, 2, 1), (0, 3, 1), (2, 1, 1), (3, 1, 1), (2, 3, 9)], 1.0),
    ("a bridge", 4, [(0, 2, 1), (0, 3, 0.5), (2, 1, 0.5), (3, 1, 1), (2, 3, 1)], 7 / 5),
    ("a dead end", 3, [(0, 1, 1.0), (0, 2, 5.0)], 1.0),
    ("an island", 4, [(0, 1, 2.0), (2, 3, 1.0)], 0.5),
    ("nothing", 4, [(0, 2, 1.0), (3, 1, 1.0)], math.inf),
]


@pytest.mark.parametrize(("name", "points", "resistors", "resistance"), BY_HAND)
def test_networks_by_hand(
    name: str, points: int, resistors: list[Resistor], resistance: float
) -> None:
    assert solve_network(points, resistors)[0] == pytest.approx(resistance, rel=1e-12), name


def test_the_diagonal_of_a_cube() -> None:
    """Five sixths, with a third, a sixth and a third of the current in the edges on the way."""
    order = [0, 7, 1, 2, 3, 4, 5, 6]  # opposite corners are the sides
    place = {corner: order.index(corner) for corner in range(8)}
    corners = combinations(range(8), 2)
    edges = [(place[a], place[b], 1.0) for a, b in corners if (a ^ b) in (1, 2, 4)]
    resistance, volts, through = solve_network(8, edges)
    assert resistance == pytest.approx(5 / 6, rel=1e-12)
    assert sorted(volts) == pytest.approx([0, *[1 / 3] * 3, *[1 / 2] * 3, 5 / 6])
    assert through == pytest.approx([1, 1, *[1 / 3] * 6])


def test_networks_by_a_dense_solver() -> None:
    rng = np.random.default_rng(4)
    for points in (2, 3, 5, 20, 66, 259):
        resistors = [(point - 1, point, 1.0) for point in range(1, points)]
        ends = rng.integers(points, size=(2 * points, 2))
        resistors += [(int(a), int(b), float(rng.uniform(0.05, 2))) for a, b in ends if a != b]
        resistance, volts, through = solve_network(points, resistors)
        expected = voltages(inverse(points, resistors), 0, 1)
        assert volts == pytest.approx(expected, abs=1e-9)
        assert resistance == pytest.approx(expected[0], rel=1e-9)
        total = flows(points, resistors, expected)
        total[[0, 1]] += 1  # what enters and leaves
        assert through == pytest.approx(total / 2, abs=1e-9)


def test_without_a_connection_nothing_flows() -> None:
    for resistors in ([], [(2, 3, 1.0)], [(0, 2, 1.0)]):
        assert solve_network(4, resistors) == (math.inf, [0.0] * 4, [0.0] * 4)


def test_three_sides_meet_where_it_is_easiest() -> None:
    """By hand: a star of resistances 1, 2 and 3, and a worse one; sides conduct nothing."""
    star = [(3, 0, 1.0), (3, 1, 1 / 2), (3, 2, 1 / 3)]
    assert solve_network(4, star, 3)[0] == pytest.approx(6)
    worse = [(4, 0, 0.1), (4, 1, 0.1), (4, 2, 0.1)]
    resistance, _, through = solve_network(5, star + worse, 3)
    assert resistance == pytest.approx(6)
    assert through == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1, 0])
    # Point 3 reaches side 2 over sides 0 and 1 only, which join nothing.
    assert solve_network(5, [(3, 0, 1), (3, 1, 1), (4, 0, 1), (4, 2, 1)], 3)[0] == math.inf


def test_three_sides_by_a_dense_solver() -> None:
    rng = np.random.default_rng(5)
    for points in (4, 6, 30, 60):
        resistors = [(point - 1, point, 1.0) for point in range(4, points)]
        resistors += [(side, int(rng.integers(3, points)), 0.5) for side in (0, 0, 1, 1, 2, 2)]
        ends = rng.integers(3, points, size=(points, 2))
        resistors += [(int(a), int(b), float(rng.uniform(0.05, 2))) for a, b in ends if a != b]
        sums = np.zeros(points)
        currents: list[np.ndarray] = []
        for side in range(3):
            kept = [r for r in resistors if all(end > 2 or end == side for end in r[:2])]
            mapping = inverse(points, kept)
            volts = [voltages(mapping, point, side) for point in range(points)]
            sums += [v[point] for point, v in enumerate(volts)]
            currents.append(np.array([flows(points, kept, v) / 2 for v in volts]))
        best = 3 + int(np.argmin(sums[3:]))
        resistance, _, through = solve_network(points, resistors, 3)
        assert resistance == pytest.approx(sums[best], rel=1e-8)
        expected = sum(current[best] for current in currents) / 3
        expected[best] += 1 / 2
        expected[:3] += 1 / 6
        assert through == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(
    ("points", "resistors", "sides"),
    [(1, [], 2), (260, [], 2), (4, [], 4), (3, [(0, 3, 1)], 2), (3, [(1, 1, 1)], 2),
     (3, [(0, 1, 0)], 2), (3, [(0, 1, 1)] * 16385, 2)],
)  # fmt: skip
def test_what_is_no_network(points: int, resistors: list[Resistor], sides: int) -> None:
    with pytest.raises(ValueError, match=r"there can't be|not a resistor|too many"):
        solve_network(points, resistors, sides)
