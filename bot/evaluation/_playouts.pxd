"""Leaves judged by a batch of playouts."""
from trivalent.bot.evaluation._evaluator cimport Evaluator
from trivalent.bot.evaluation._pattern_policy cimport Policy
from trivalent.core.connection._sliced cimport Slices
from trivalent.core.playouts._batch cimport fill_t


cdef class PlayoutEvaluator(Evaluator):
    cdef Slices slices
    cdef fill_t how
    cdef int words
    cdef Policy policy
    cdef float strength
