"""The network on one board: network_file.py defines it, _network_kernels.c computes it.

Threads that call `network_evaluate` without the GIL need scratch memory of their own.
"""
from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from trivalent.bot.evaluation.network_file import PLANES as _PLANES
from trivalent.bot.evaluation.network_file import TAPS as _TAPS
from trivalent.bot.evaluation.network_file import tensors as _tensors
from trivalent.core._isa import available as _available
from trivalent.core._isa import chosen as _chosen

cdef extern from "stdlib.h" nogil:
    void* aligned_alloc(size_t alignment, size_t size)

cdef enum:
    MAX_CELLS = 961
    ALIGNMENT = 64

VNNI = "x86-64-v4-vnni"
"""The kernels for AVX-512 with VNNI, an instruction set that only the network uses."""
MAX_SIDE = NETWORK_MAX_SIDE
"""The longest side of a board that a network can evaluate, in cells."""


def available_kernels():
    """Return the names of the kernels that this machine has, the plainest first."""
    names = _available()
    return (*names, VNNI) if len(names) == 3 and network_has_vnni() else names


def _chosen_kernels():
    """Return the name of the best kernels of the chosen instruction set."""
    return VNNI if _chosen() == "x86-64-v4" and network_has_vnni() else _chosen()


cdef int _lay_out(network_t* c, board) except -1:
    """Number the places: rows with margins, so that no tap of a computed place leaves the rows."""
    cdef int i, colour, margin = NETWORK_RINGS
    hex_ = board.game == "hex"
    c.stride = board.width + 2 * margin
    # Three more rows for a place to pad lists with, which no other place sees.
    c.places = c.stride * (board.height + 2 * margin + 3)
    spare = c.stride * (board.height + 2 * margin + 1) + 1
    # The rows of a Y board are shifted to the right: then its neighbours are those of Hex.
    cells = [(y, x if hex_ else x + board.height - 1 - y) for x, y in board.coordinates]
    around = dict.fromkeys((y + dy, x + dx) for y, x in cells for dy, dx in _TAPS)
    ring = [spot for spot in around if spot not in set(cells)]
    c.cells, c.ring = len(cells), len(ring)
    places = [(y + margin) * c.stride + x + margin for y, x in cells + ring]
    padding = [spare] * NETWORK_TILE
    for i, place in enumerate(places[: c.cells] + padding):
        c.board[i] = place
    for i, place in enumerate(places + padding):
        c.trunk[i] = place
    maps = [symmetry.cells for symmetry in board.symmetries if not symmetry.swaps_colours]
    c.symmetries = len(maps)
    for number, cell_map in enumerate(maps):
        for i in range(c.cells):
            c.place[number][i] = places[cell_map[i]]
    for colour in range(2):
        for i, (row, column) in enumerate(_TAPS):
            if hex_ and colour == 1:
                row, column = column, row
            c.taps[colour][i] = row * c.stride + column
    return 0


cdef uint8_t* _load(network_t* c, file, board) except NULL:
    """Return aligned memory with the tensors and, behind them, the planes of the empty board."""
    shape = file.architecture
    cdef size_t size = 0, start, empty_size
    cdef int i, colour
    starts = {}
    for tensor in _tensors(shape):
        starts[tensor.name] = size
        size += -(-tensor.size // ALIGNMENT) * ALIGNMENT
    c.channels, c.planes, c.plane_stride = shape.channels, len(shape.planes), shape.inputs
    empty_size = c.places * c.plane_stride
    cdef uint8_t* memory = <uint8_t*> aligned_alloc(
        ALIGNMENT, (size + 2 * empty_size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    )
    if not memory:
        raise MemoryError
    cdef const uint8_t[::1] content
    for name in starts:
        content = memoryview(file.tensors[name]).cast("B")
        start = starts[name]
        memcpy(memory + start, &content[0], len(content))
    kinds = list(_PLANES)
    for i, plane in enumerate(shape.planes):
        c.plane[i] = kinds.index(plane)
    for colour in range(2):
        c.empty[colour] = memory + size + colour * empty_size
        _draw_empty(c, memory + size + colour * empty_size, shape.planes, board, colour)
    _connect(c, memory, starts, shape)
    return memory


cdef int _connect(network_t* c, uint8_t* memory, dict starts, shape) except -1:
    """Set the layers' pointers to their tensors."""
    c.block_count, c.has_ownership = len(shape.blocks), shape.ownership
    c.input = _convolution(memory, starts, "input", shape.inputs, shape.channels)
    for i, pools in enumerate(shape.blocks):
        block = f"blocks/{i}"
        c.block[i].activation = <const float*> (memory + <size_t> starts[f"{block}/activation"])
        c.block[i].first = _convolution(
            memory, starts, f"{block}/first", shape.channels, shape.channels
        )
        c.block[i].second = _convolution(
            memory, starts, f"{block}/second", shape.channels, shape.channels
        )
        if pools:
            c.block[i].pool = _dense(
                memory, starts, f"{block}/pool", 2 * shape.channels, shape.channels
            )
    c.activation = <const float*> (memory + <size_t> starts["head/activation"])
    c.head = _convolution(memory, starts, "head", shape.channels, shape.head)
    c.head_pool = _dense(memory, starts, "head/pool", 2 * shape.channels, shape.head)
    c.outputs = _convolution(memory, starts, "outputs", shape.head, NETWORK_GROUP)
    c.hidden = _dense(memory, starts, "hidden", 2 * shape.head, shape.hidden)
    c.value = _dense(memory, starts, "value", shape.hidden, 1)
    return 0


cdef convolution_t _convolution(
    uint8_t* memory, dict starts, name, int inputs, int outputs
) except *:
    cdef convolution_t layer
    layer.inputs, layer.outputs = inputs, outputs
    layer.taps = 1 if name in ("head", "outputs") else NETWORK_TAPS
    layer.weights = <const int8_t*> (memory + <size_t> starts[f"{name}/weights"])
    layer.bias = <const int32_t*> (memory + <size_t> starts[f"{name}/bias"])
    layer.scale = <const float*> (memory + <size_t> starts[f"{name}/scale"])
    return layer


cdef dense_t _dense(uint8_t* memory, dict starts, name, int inputs, int outputs) except *:
    cdef dense_t layer
    layer.inputs, layer.outputs = inputs, outputs
    layer.weights = <const int16_t*> (memory + <size_t> starts[f"{name}/weights"])
    layer.scale = <const float*> (memory + <size_t> starts[f"{name}/scale"])
    layer.bias = NULL
    if f"{name}/bias" in starts:
        layer.bias = <const int32_t*> (memory + <size_t> starts[f"{name}/bias"])
    return layer


cdef int _draw_empty(
    const network_t* c, uint8_t* planes, tuple names, board, int colour
) except -1:
    """Draw the planes of the empty board as a colour sees it: sides and constants."""
    hex_ = board.game == "hex"
    mirrored = hex_ and colour == 1
    rows, columns = board.height, board.width
    if mirrored:
        rows, columns = columns, rows
    constant = {"board": NETWORK_ONE, "rows": 4 * rows, "columns": 4 * columns}
    inside = {c.board[i] for i in range(c.cells)}
    memset(planes, 0, c.places * c.plane_stride)
    for place in range(c.places):
        row, column = divmod(place, c.stride)
        above = not NETWORK_RINGS <= row < board.height + NETWORK_RINGS
        beside = not NETWORK_RINGS <= column < board.width + NETWORK_RINGS
        own = beside if mirrored else above  # in the corners, too
        sides = {"own": own or not hex_, "opponent": not (own and hex_)}
        for i, name in enumerate(names):
            planes[place * c.plane_stride + i] = (
                constant.get(name, 0) if place in inside else NETWORK_ONE * sides.get(name, False)
            )
    return 0


cdef const uint8_t* _bytes(Network network, name, content) except? NULL:
    """Return a pointer to one byte per cell; the caller keeps them alive."""
    if content is None:
        return NULL
    cdef const uint8_t[::1] view = content
    if len(view) != network.c.cells:
        raise ValueError(f"{name} must have {network.c.cells} bytes, not {len(view)}")
    return &view[0]


cdef network_scratch_t* new_scratch(const network_t* network) noexcept nogil:
    """Return scratch memory for evaluations by one thread at a time, NULL if there is none left."""
    return network_scratch_new(network)


cdef void free_scratch(network_scratch_t* scratch) noexcept nogil:
    network_scratch_free(scratch)


cdef class Network:
    """A network on one board.

    Raise ValueError if the network is for another game, a side has more than `MAX_SIDE` cells, or
    this machine doesn't have the kernels (by default the best ones of the instruction set in use).
    """

    def __cinit__(self, file not None, board not None, kernels=None):
        shape = file.architecture
        if shape.game != board.game:
            raise ValueError(f"a network for {shape.game.capitalize()} cannot evaluate {board}")
        if max(board.width, board.height) > NETWORK_MAX_SIDE:
            raise ValueError(
                f"a network evaluates boards of up to {NETWORK_MAX_SIDE} cells a side, not {board}"
            )
        self.file, self.board = file, board
        self.kernels = kernels or _chosen_kernels()
        names = available_kernels()
        if self.kernels not in names:
            raise ValueError(f"no kernels {kernels!r}; this machine has {', '.join(names)}")
        self.c.kernels = network_kernels_at(names.index(self.kernels))
        _lay_out(&self.c, board)
        self.memory = _load(&self.c, file, board)
        self.scratch = network_scratch_new(&self.c)
        if not self.scratch:
            raise MemoryError

    def __dealloc__(self):
        network_scratch_free(self.scratch)
        free(self.memory)

    @property
    def symmetries(self):
        """The number of the board's symmetries that keep the colours: 2 in Hex, 6 in Y."""
        return self.c.symmetries

    def evaluate(
        self, const uint8_t[::1] stones not None, int to_play, last=(), *, filled=None,
        pruned=None, given=None, int symmetry=0
    ):
        """Evaluate a position from the point of view of the side to move.

        `stones` has a byte per cell: 0 or a colour.  `last` are the cells of the last one or two
        moves, the latest first; None is a move without a cell.  `filled` are the stones after
        fill-in.  `pruned` has a byte per cell that isn't 0 if the cell need not be tried.  `given`
        maps names of playout planes to a byte of 0 to 127 per cell.  Missing planes are 0; planes
        that the network doesn't have are ignored.  `symmetry` is the number of the symmetry by
        which the board is mapped before the evaluation (and the result mapped back).

        Return the logits of all cells, the probability to win, and the probabilities to own each
        cell in the end (None if the network has no such output).  Raise ValueError for invalid
        arguments.
        """
        cdef network_position_t position
        cdef float policy[MAX_CELLS]
        cdef float ownership[MAX_CELLS]
        cdef float value
        cdef int i, cells = self.c.cells
        memset(&position, 0, sizeof(position))
        if to_play not in (1, 2):
            raise ValueError(f"the side to move must be 1 or 2, not {to_play}")
        if not 0 <= symmetry < self.c.symmetries:
            raise ValueError(f"the symmetry must be below {self.c.symmetries}, not {symmetry}")
        position.to_play, position.symmetry = to_play, symmetry
        position.stones = _bytes(self, "stones", stones)
        position.filled = _bytes(self, "filled", filled)
        position.pruned = _bytes(self, "pruned", pruned)
        names = list(_PLANES)[PLANE_GIVEN:]
        for name, content in (given or {}).items():
            if name not in names:
                raise ValueError(f"no playout plane {name!r} (there are {', '.join(names)})")
            position.given[names.index(name)] = _bytes(self, name, content)
        for i in range(2):
            cell = last[i] if i < len(last) else None
            if cell is not None and not 0 <= cell < cells:
                raise ValueError(f"no cell number {cell} on {self.board}")
            position.last[i] = -1 if cell is None else cell
        network_evaluate(
            &self.c, self.scratch, &position, policy, &value,
            ownership if self.c.has_ownership else NULL,
        )
        return (
            [policy[i] for i in range(cells)],
            value,
            [ownership[i] for i in range(cells)] if self.c.has_ownership else None,
        )
