// What the supports of a stiff rod do to it: part of the row of stiff rods, as body/kind.h has it.
#pragma once

#include "stiff/stiff.h"

bool sn__stiff_reaction(const Body *body, const HeldQuestion *question, HeldReaction *out);
