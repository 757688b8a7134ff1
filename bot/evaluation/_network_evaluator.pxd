"""The network as the judge of a search's nodes."""
from trivalent.bot.evaluation._evaluator cimport Evaluator
from trivalent.bot.evaluation._network cimport Network


cdef class NetworkEvaluator(Evaluator):
    cdef Network network
    cdef float temperature
