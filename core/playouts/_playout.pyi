from trivalent.core._random import Random
from trivalent.core.connection._arbiter import Arbiter

def fill(stones: bytes | bytearray, to_play: int, random: Random) -> bytes: ...
def count_wins(
    of_board: Arbiter, stones: bytes | bytearray, to_play: int, count: int, random: Random
) -> int: ...
