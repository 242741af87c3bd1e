// The public functions of rods.
#include "collide/surface.h"
#include "rod/access.h"
#include "rod/kind.h"
#include "world/world.h"

static SnResult stale(void) { return sn_error(SN_ERROR_STALE, "rod: id is stale"); }

// A rod that is about to be moved or changed; NULL if stale.
static Rod *awake(SnWorld *world, SnBodyId id) {
    Rod *rod = sn__rods_find(&world->rods, id);
    if (rod)
        sn_body_wake(world, id);
    return rod;
}

SnResult sn_rod_create(SnWorld *world, const SnRodDef *def, SnBodyId *out_rod) {
    SnBodyId id;
    bool stiff = def && def->stiff;
    if (def && !stiff && def->solver != SN_SOLVER_SWEEP && !sn__world_reserve_fronts(world))
        return sn_error(SN_ERROR_MEMORY, "rod: no memory to solve it directly");
    SnResult result =
        stiff ? sn__stiff_create(world, def, &id) : sn__rods_create(&world->rods, def, &id);
    if (result.code != SN_OK)
        return result;
    int shape =
        4 * (def->vertex_count + def->edge_count) + 2 * def->closed + (def->classic || def->stiff);
    if (sn_rod_solver(world, id) == SN_SOLVER_DIRECT)
        shape = -shape; // it lies in another kind of pack
    sn__world_changed(world, CREATE_ROD, id.index, id.generation, shape);
    if (out_rod)
        *out_rod = id;
    return result;
}

SnResult sn_body_destroy(SnWorld *world, SnBodyId id) {
    if (sn__rods_find(&world->rods, id) == NULL)
        return stale();
    sn__attachments_drop_rod(world, id);
    sn__links_drop_rod(world, id);
    sn__ignored_drop_rod(world, id);
    sn__skins_drop_rod(world, id);
    sn__rods_remove(&world->rods, id);
    sn__world_changed(world, DESTROY_ROD, id.index, id.generation, 0);
    return sn_ok();
}

bool sn_body_is_valid(const SnWorld *world, SnBodyId id) {
    return sn__rods_find(&world->rods, id) != NULL;
}

int sn_body_point_count(const SnWorld *world, SnBodyId id) {
    const Rod *rod = sn__rods_find(&world->rods, id);
    return rod ? rod->vertices : 0;
}

int sn_body_element_count(const SnWorld *world, SnBodyId id) {
    const Rod *rod = sn__rods_find(&world->rods, id);
    return rod ? rod->segments : 0;
}

void *sn_body_user_data(const SnWorld *world, SnBodyId id) {
    const Rod *rod = sn__rods_find(&world->rods, id);
    return rod ? rod->user_data : NULL;
}

SnRodSolver sn_rod_solver(const SnWorld *world, SnBodyId id) {
    const Rod *rod = sn__rods_find(&world->rods, id);
    bool direct = rod && (rod->kind || world->rods.packs[rod->pack]->aim != NULL);
    return direct ? SN_SOLVER_DIRECT : SN_SOLVER_SWEEP;
}

SnResult sn_body_read(const SnWorld *world, SnBodyId id, const SnBodyState *out_state) {
    const Rod *rod = sn__rods_find(&world->rods, id);
    if (rod == NULL)
        return stale();
    sn__rod_read(&world->rods, rod, out_state);
    return sn_ok();
}

SnResult sn_body_write(SnWorld *world, SnBodyId id, const SnBodyState *state) {
    const Rod *rod = awake(world, id);
    ++world->pose_stamp;
    return rod ? sn__rod_write(&world->rods, rod, state) : stale();
}

SnResult sn_body_add_force(SnWorld *world, SnBodyId id, int vertex, SnVec3 force) {
    const Rod *rod = awake(world, id);
    return rod ? sn__rod_add_force(&world->rods, rod, vertex, force, 0.0f) : stale();
}

SnResult sn_body_add_torque(SnWorld *world, SnBodyId id, int segment, SnVec3 torque) {
    const Rod *rod = awake(world, id);
    return rod ? sn__rod_add_torque(&world->rods, rod, segment, torque) : stale();
}

SnResult sn_rod_add_radial_force(SnWorld *world, SnBodyId id, int vertex, float gamma) {
    const Rod *rod = awake(world, id);
    return rod ? sn__rod_add_force(&world->rods, rod, vertex, sn_vec3(0.0f, 0.0f, 0.0f), gamma)
               : stale();
}

SnResult sn_body_add_impulse(SnWorld *world, SnBodyId id, int vertex, SnVec3 impulse) {
    const Rod *rod = awake(world, id);
    return rod ? sn__rod_add_impulse(&world->rods, rod, vertex, impulse) : stale();
}

SnResult sn_rod_set_length_scale(SnWorld *world, SnBodyId id, int first, int count,
                                 float length_scale) {
    const Rod *rod = awake(world, id);
    return rod ? sn__rod_set_length_scale(&world->rods, rod, first, count, length_scale) : stale();
}

SnResult sn_body_set_gravity_scale(SnWorld *world, SnBodyId id, float gravity_scale) {
    const Rod *rod = awake(world, id);
    return rod ? sn__rod_set_gravity_scale(&world->rods, rod, gravity_scale) : stale();
}

SnResult sn_body_set_surface(SnWorld *world, SnBodyId id, const SnSurface *surface) {
    Rod *rod = awake(world, id);
    if (rod == NULL)
        return stale();
    SnResult result = sn__surface_check(surface, "rod");
    if (result.code == SN_OK)
        rod->surface = *surface;
    return result;
}

SnResult sn_body_set_filter(SnWorld *world, SnBodyId id, SnFilter filter) {
    Rod *rod = awake(world, id);
    if (rod == NULL)
        return stale();
    rod->filter = filter;
    world->contacts.numbered = false;
    ++world->pose_stamp;
    return sn_ok();
}

SnResult sn_body_edges(const SnWorld *world, SnBodyId id, int *out_edges) {
    const Rod *rod = sn__rods_find(&world->rods, id);
    if (rod == NULL)
        return stale();
    for (int j = 0; j < rod->segments; ++j)
        sn__rod_edge(&world->rods, rod, j, out_edges + 2 * j);
    return sn_ok();
}

SnResult sn_rod_set_material(SnWorld *world, SnBodyId id, const SnRodMaterial *material) {
    Rod *rod = awake(world, id);
    if (rod == NULL)
        return stale();
    SnResult result = sn__rod_material_check(material, "rod");
    if (result.code == SN_OK && rod->kind)
        rod->kind->set_material(rod->body, material);
    else if (result.code == SN_OK)
        sn__rod_apply_material(&world->rods, rod, material);
    return result;
}
