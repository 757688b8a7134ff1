from typing import final

from trivalent.bot.evaluation._evaluator import Evaluator
from trivalent.bot.evaluation._network import Network

@final
class NetworkEvaluator(Evaluator):
    def __new__(cls, network: Network, *, temperature: float = 1.0) -> NetworkEvaluator: ...
