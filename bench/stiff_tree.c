#include "bench/stiff_tree.h"

#include "body/world.h"
#include "tree/tree.h"

const Tree *stiff_tree(const SnWorld *world, SnBodyId rod) {
    const Body *found = sn__world_body(world, rod);
    return found && found->kind == &sn__tree_kind ? tree_of(found) : NULL;
}
