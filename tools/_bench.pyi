from trivalent.core._playout import Random
from trivalent.core._references import Graph
from trivalent.core._triangle import Triangle

def orders(cells: int, games: int, random: Random) -> bytearray: ...
def time_set(
    triangle: Triangle, graph: Graph, method: str, every_move: bool, orders: bytes | bytearray
) -> tuple[float, float, int, int]: ...
