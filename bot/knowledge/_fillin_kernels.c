/* The kernels of fill-in.  The build compiles this file once per instruction set: see core/_isa.h.
 */
#include "bot/knowledge/_fillin.h"
#include "core/_colours.h"
#include "core/_vectors.h"

#define BITS 16
#define VECTOR NARROW
#include "bot/knowledge/_fillin.inc.h"

#define BITS 32
#define VECTOR WIDTH
#include "bot/knowledge/_fillin.inc.h"

#define BITS 64
#define VECTOR WIDTH
#include "bot/knowledge/_fillin.inc.h"

const fillin_kernels_t ISA_TABLE(fillin_kernels) = {{
    {fill_in_16, reverse_16, reversible_16, dominated_16},
    {fill_in_32, reverse_32, reversible_32, dominated_32},
    {fill_in_64, reverse_64, reversible_64, dominated_64},
}};
