// What the supports of a rod do to it: part of the row of rods, as body/kind.h has it.
#pragma once

#include "rod/rods.h"

bool sn__rod_reaction(const Body *body, const HeldQuestion *question, HeldReaction *out);
