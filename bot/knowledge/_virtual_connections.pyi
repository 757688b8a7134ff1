from typing import final

from trivalent.core.board import Board

@final
class Connections:
    def __new__(
        cls,
        board: Board,
        *,
        max_fulls: int = ...,
        max_semis: int = ...,
        max_ors: int = ...,
        max_size: int = ...,
        max_between: int = ...,
        greedy_fulls: int = ...,
        max_equal_fulls: int = ...,
        and_over_edge: int = ...,
        max_extension: int = ...,
        share_captured: int = ...,
        crossing_rounds: int = ...,
        key_probes: int = ...,
    ) -> Connections: ...
    @property
    def colour(self) -> int: ...
    def follow(self, stones: bytes | bytearray, after: Connections) -> None: ...
    @property
    def chains(self) -> int: ...
    def build(self, stones: bytes | bytearray, colour: int) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def winner(self) -> int: ...
    @property
    def mustplay(self) -> list[int] | None: ...
    @property
    def points(self) -> list[int]: ...
    def links(self, first: int, last: int, full: bool) -> list[int]: ...
    def link(self, number: int) -> tuple[int, int, list[int], int, str, list[int]]: ...
    def all(self) -> list[tuple[bool, int, int, list[int], int]]: ...

RULES: dict[int, str]

def can_connect(board: Board) -> bool: ...
