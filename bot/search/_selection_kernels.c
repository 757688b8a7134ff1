/* The kernels of selection, compiled once for each instruction set; see core/_isa.h. */
#include "bot/search/_selection.h"
#include "core/_vectors.h"

#include "bot/search/_selection.inc.h"

const selection_t ISA_TABLE(selection_kernels) = {choose, sample};
