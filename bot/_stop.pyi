from typing import final

@final
class Stop:
    def set(self) -> None: ...
    @property
    def is_set(self) -> bool: ...
