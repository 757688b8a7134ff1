from trivalent.core.connection._sliced import Slices

def statistics(
    board: Slices,
    stones: bytes | bytearray,
    to_play: int,
    last: int,
    count: int,
    seed: int,
    in_turn: bool,
    balanced: bool,
    bridges: bool,
    repair: int,
    words: int = ...,
    weights: bytes | None = ...,
    templates: bool = ...,
) -> tuple[int, list[int], list[int]]: ...
