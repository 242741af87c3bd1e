// The kinds of bodies that there are, in the order in which they are stepped.
#include "rigid/rigid.h"
#include "rod/rods.h"
#include "solid/solid.h"
#include "stiff/stiff.h"
#include "world/world.h"

const BodyKind *const sn__body_kinds[BODY_KINDS] = {
    &sn__rod_kind,
    &sn__stiff_kind,
    &sn__rigid_kind,
    &sn__solid_kind,
};
