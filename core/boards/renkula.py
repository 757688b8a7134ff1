"""Renkula!: connect any point of a sphere with the point opposite [RP].

The edges of an icosahedron are divided into n parts and its triangles into n^2; the 10 n^2 + 2
points of this geodesic sphere are its polygons, of which a stone takes one and, at the same time,
the opposite one.  So a *cell* of the board is a pair of antipodes, and there are 5 n^2 + 1 of them.
A chain that holds a polygon and its antipode wins; on a full board exactly one colour has one.

On the board of pairs, neighbours touch either as they are or across: the polygon of one cell that
gives it its name touches the other's antipode.  Such edges are *twisted*.  A chain wins if it holds
a closed path with an odd number of twists.

Polygons are named by the letter of their circle of latitude, a being the pole, and a number along
it; a cell has the name of its northern polygon, or on the equator the one with the lower number,
and answers to that of the antipode, too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import lru_cache, partial
from itertools import combinations, product
from math import atan2, cos, sin, sqrt, tau

from trivalent.core.board import Aim, Board, Symmetry, column_name
from trivalent.core.connection.incremental import chain_test

MIN_SIZE, MAX_SIZE = 1, 8  # 25 circles of latitude: a to y

_NORTH, _SOUTH = 0, 11
_UPPER, _LOWER = tuple(range(1, 6)), tuple(range(6, 11))
"""The corners of an icosahedron: upper and lower ones alternate in longitude."""

_FACES = tuple(
    frozenset(corners)
    for a in range(5)
    for b in ((a + 1) % 5,)
    for corners in (
        (_NORTH, _UPPER[a], _UPPER[b]),
        (_UPPER[a], _UPPER[b], _LOWER[a]),
        (_LOWER[a], _LOWER[b], _UPPER[b]),
        (_SOUTH, _LOWER[a], _LOWER[b]),
    )
)
_OPPOSITE = {
    _NORTH: _SOUTH,
    _SOUTH: _NORTH,
    **{_UPPER[a]: _LOWER[(a + 2) % 5] for a in range(5)},
    **{_LOWER[a]: _UPPER[(a + 3) % 5] for a in range(5)},
}

Polygon = frozenset[tuple[int, int]]
"""A point of the divided icosahedron: corners of one face with their weights, whose sum is n."""

Vector = tuple[float, float, float]


def renkula_board(size: int) -> Board:
    """Return the Renkula! board whose icosahedron has edges of that many parts.

    Sizes 1 to 8 have 12, 42, 92, 162, 252, 362, 492 and 642 polygons, two to a cell.  Raise
    ValueError unless the size is 1 to 8.
    """
    return _renkula_board(size)


@lru_cache(maxsize=8)
def _renkula_board(size: int) -> Board:
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise ValueError(f"size must be {MIN_SIZE} to {MAX_SIZE}, not {size}")
    places = _places(size)  # of all polygons
    named = sorted(places, key=places.__getitem__)
    cells: dict[Polygon, int] = {}
    for polygon in named:
        if _antipode(polygon) not in cells:
            cells[polygon] = len(cells)
    polygons = tuple(cells)
    cells |= {_antipode(polygon): cell for polygon, cell in cells.items()}
    coordinates = tuple(places[polygon] for polygon in polygons)
    neighbours, twisted = _graph(polygons, cells)
    identity = tuple(range(len(polygons)))
    return Board(
        game="renkula",
        title=f"Renkula! {size}",
        width=size,
        height=size,
        coordinates=coordinates,
        neighbours=neighbours,
        sides=(),
        goals=((), ()),
        symmetries=_symmetries(polygons, cells),
        swap_map=identity,
        framing=None,
        lattice=None,
        names=tuple(_name(place) for place in coordinates),
        aim=Aim.LOOP,
        twisted=twisted,
        layout=tuple((_vector(polygon), _vector(_antipode(polygon))) for polygon in polygons),
        _cells={_name(places[polygon]): cell for polygon, cell in cells.items()},
        _win_test=chain_test,
        _made_by=(renkula_board, (size,)),
    )


def _name(place: tuple[int, int]) -> str:
    return f"{column_name(place[0])}{place[1] + 1}"


def _antipode(polygon: Polygon) -> Polygon:
    return frozenset((_OPPOSITE[corner], weight) for corner, weight in polygon)


def _places(size: int) -> dict[Polygon, tuple[int, int]]:
    """Return the (circle of latitude, number along it) of every polygon.

    The numbers go eastwards from the meridian of the first upper corner.
    """
    circles = defaultdict(list)
    level = {_NORTH: 0, **dict.fromkeys(_UPPER, 1), **dict.fromkeys(_LOWER, 2), _SOUTH: 3}
    divided = {
        frozenset((c, w) for c, w in zip(sorted(face), weights, strict=True) if w)
        for face in _FACES
        for weights in product(range(size + 1), repeat=3)
        if sum(weights) == size
    }
    for polygon in divided:
        circles[sum(level[corner] * weight for corner, weight in polygon)].append(polygon)
    return {
        polygon: (circle, number)
        for circle, found in circles.items()
        for number, polygon in enumerate(sorted(found, key=_longitude))
    }


def _longitude(polygon: Polygon) -> float:
    x, y, _ = _vector(polygon)
    return (atan2(y, x) + 1e-9) % tau


def _vector(polygon: Polygon) -> Vector:
    """Return the point on the unit sphere; z points north, x to the first upper corner."""
    x, y, z = (
        sum(weight * _CORNERS[corner][axis] for corner, weight in polygon) for axis in range(3)
    )
    length = sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


def _corner(corner: int) -> Vector:
    if corner in (_NORTH, _SOUTH):
        return 0.0, 0.0, 1.0 if corner == _NORTH else -1.0
    upper = corner in _UPPER
    angle = (corner - _UPPER[0] if upper else corner - _LOWER[0] + 0.5) * tau / 5
    height = 1 / sqrt(5)
    radius = 2 * height
    return radius * cos(angle), radius * sin(angle), height if upper else -height


_CORNERS = {corner: _corner(corner) for corner in range(12)}


def _touching(polygon: Polygon) -> set[Polygon]:
    """Return the polygons next to one: a unit of weight goes from corner to corner of a face."""
    found = set()
    weights = dict(polygon)
    for face in _FACES:
        if face >= weights.keys():
            for one, other in combinations(face, 2):
                for gains, loses in ((one, other), (other, one)):
                    if weights.get(loses):
                        moved = Counter(weights)
                        moved[gains] += 1
                        moved[loses] -= 1
                        found.add(frozenset((+moved).items()))
    return found


def _graph(
    polygons: tuple[Polygon, ...], cells: dict[Polygon, int]
) -> tuple[tuple[tuple[int, ...], ...], frozenset[tuple[int, int]]]:
    """Return the neighbours of each cell, clockwise as seen from outside, and the twisted edges."""
    neighbours = []
    twisted = set()
    for cell, polygon in enumerate(polygons):
        around = sorted(_touching(polygon), key=partial(_bearing, polygon))
        neighbours.append(tuple(cells[other] for other in around))
        for other in around:
            if polygons[cells[other]] != other:
                twisted.add((cell, cells[other]))
    return tuple(neighbours), frozenset(twisted)


def _bearing(here: Polygon, there: Polygon) -> float:
    """Return the direction from one polygon to another, clockwise from the north."""
    (x, y, z), (a, b, c) = _vector(here), _vector(there)
    flat = sqrt(x * x + y * y)
    if flat < 1e-9:  # at a pole, from the meridian on
        return (-z * atan2(b, a) + 1e-9) % tau
    north = c * flat - z * (a * x + b * y) / flat
    east = (b * x - a * y) / flat
    return (atan2(east, north) + 1e-9) % tau


def _symmetries(polygons: tuple[Polygon, ...], cells: dict[Polygon, int]) -> tuple[Symmetry, ...]:
    """Return the symmetries of the icosahedron, as maps of the cells.

    Of the 120 symmetries each two that differ by the point reflection are the same map.
    """
    maps = {
        tuple(
            cells[frozenset((corners[corner], weight) for corner, weight in polygon)]
            for polygon in polygons
        )
        for corners in _icosahedral_group()
    }
    identity = tuple(range(len(polygons)))
    return tuple(
        Symmetry(images, swaps_colours=False)
        for images in sorted(maps, key=lambda images: (images != identity, images))
    )


@lru_cache(maxsize=1)
def _icosahedral_group() -> tuple[tuple[int, ...], ...]:
    """Return the 120 permutations of the corners that map faces to faces."""
    turned = (_NORTH, *_turned(_UPPER), *_turned(_LOWER), _SOUTH)
    # About the middle of the face of the north pole and the first two upper corners.
    tilted = _rotation({_NORTH: _UPPER[0], _UPPER[0]: _UPPER[1], _UPPER[1]: _NORTH})
    mirrored = tuple(_OPPOSITE[corner] for corner in range(12))
    found = {tuple(range(12))}
    fresh = list(found)
    while fresh:
        last = fresh.pop()
        for step in (turned, tilted, mirrored):
            image = tuple(step[corner] for corner in last)
            if image not in found:
                found.add(image)
                fresh.append(image)
    return tuple(found)


def _turned(ring: tuple[int, ...]) -> tuple[int, ...]:
    return ring[1:] + ring[:1]


def _rotation(known: dict[int, int]) -> tuple[int, ...]:
    """Return the permutation of the corners that maps those of one face as given.

    Each further corner completes, with two known ones, the other face at their edge.
    """
    known = dict(known)
    while len(known) < 12:
        for face in _FACES:
            missing = face - known.keys()
            if len(missing) == 1:
                (corner,) = missing
                images = frozenset(known[one] for one in face - missing)
                taken = set(known.values())
                (image,) = (f - images for f in _FACES if images < f and not f <= taken)
                known[corner] = next(iter(image))
    return tuple(known[corner] for corner in range(12))
