#include "bench/stiff_inside.h"

#include "body/world.h"
#include "stiff/stiff.h"

const StiffRod *stiff_inside(const SnWorld *world, SnBodyId rod) {
    const Body *found = sn__world_body(world, rod);
    return found && found->kind == &sn__stiff_kind ? stiff_of(found) : NULL;
}
