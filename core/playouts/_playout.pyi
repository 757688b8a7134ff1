from trivalent.core._random import Random
from trivalent.core.connection._triangle import Triangle

def fill(tri: Triangle, stones: bytes | bytearray, to_play: int, random: Random) -> bytes: ...
def count_wins(
    tri: Triangle, stones: bytes | bytearray, to_play: int, count: int, random: Random
) -> int: ...
