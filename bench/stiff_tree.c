#include "bench/stiff_tree.h"

#include "world/world.h"

const Tree *stiff_tree(const SnWorld *world, SnBodyId rod) {
    const Rod *found = sn__rods_find(&world->rods, rod);
    return found && found->kind == &sn__tree_kind ? found->body : NULL;
}
