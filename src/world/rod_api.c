// The public functions of rods.
#include <math.h>

#include "base/result.h"
#include "world/world.h"

static SnResult stale(void) { return sn__error(SN_ERROR_STALE, "rod: id is stale"); }

SnResult sn_rod_create(SnWorld *world, const SnRodDef *def, SnRodId *out_rod) {
    SnRodId id;
    SnResult result = sn__rods_create(&world->rods, def, &id);
    if (result.code != SN_OK)
        return result;
    world->revision += 1;
    if (out_rod)
        *out_rod = id;
    return result;
}

SnResult sn_rod_destroy(SnWorld *world, SnRodId id) {
    if (sn__rods_find(&world->rods, id) == NULL)
        return stale();
    sn__attachments_drop_rod(world, id);
    sn__rods_remove(&world->rods, id);
    world->revision += 1;
    return sn__ok();
}

bool sn_rod_is_valid(const SnWorld *world, SnRodId id) {
    return sn__rods_find(&world->rods, id) != NULL;
}

int sn_rod_vertex_count(const SnWorld *world, SnRodId id) {
    const Rod *rod = sn__rods_find(&world->rods, id);
    return rod ? rod->vertices : 0;
}

int sn_rod_segment_count(const SnWorld *world, SnRodId id) {
    const Rod *rod = sn__rods_find(&world->rods, id);
    return rod ? rod->segments : 0;
}

void *sn_rod_user_data(const SnWorld *world, SnRodId id) {
    const Rod *rod = sn__rods_find(&world->rods, id);
    return rod ? rod->user_data : NULL;
}

static void read_vertex(RodPlace at, int i, const SnRodState *out) {
    const RodState *s = at.pack->state + at.row;
    const double *o = at.pack->lane[at.lane].origin;
    int k = at.lane;
    if (out->positions)
        out->positions[i] =
            sn_vec3((float)(o[0] + (double)s->x[k]), (float)(o[1] + (double)s->y[k]),
                    (float)(o[2] + (double)s->z[k]));
    if (out->scales)
        out->scales[i] = s->s[k];
    if (out->radii)
        out->radii[i] = s->s[k] * at.pack->rest[at.row].radius[k];
    if (out->velocities)
        out->velocities[i] = sn_vec3(s->vx[k], s->vy[k], s->vz[k]);
    if (out->scale_velocities)
        out->scale_velocities[i] = s->vs[k];
}

SnResult sn_rod_read(const SnWorld *world, SnRodId id, const SnRodState *out) {
    const Rod *rod = sn__rods_find(&world->rods, id);
    if (rod == NULL)
        return stale();
    for (int i = 0; i < rod->vertices; ++i)
        read_vertex(sn__rod_place(&world->rods, rod, i), i, out);
    for (int j = 0; j < rod->segments; ++j) {
        RodPlace at = sn__rod_place(&world->rods, rod, j);
        const RodState *s = at.pack->state + at.row;
        int k = at.lane;
        if (out->frames)
            out->frames[j] = (SnQuat){s->qx[k], s->qy[k], s->qz[k], s->qw[k]};
        if (out->angular_velocities)
            out->angular_velocities[j] = sn_vec3(s->wx[k], s->wy[k], s->wz[k]);
    }
    return sn__ok();
}

static SnResult check_state(const Rod *rod, const SnRodState *state) {
    for (int i = 0; i < rod->vertices; ++i) {
        if (state->positions && !sn__finite3(state->positions[i]))
            return sn__error(SN_ERROR_INVALID, "rod: positions[%d] is not finite", i);
        if (state->velocities && !sn__finite3(state->velocities[i]))
            return sn__error(SN_ERROR_INVALID, "rod: velocities[%d] is not finite", i);
        if (state->scales && !(state->scales[i] >= 0.1f && state->scales[i] <= 10.0f))
            return sn__error(SN_ERROR_INVALID, "rod: scales[%d]: %g is not in [0.1, 10]", i,
                             (double)state->scales[i]);
        if (state->scale_velocities && !isfinite(state->scale_velocities[i]))
            return sn__error(SN_ERROR_INVALID, "rod: scale_velocities[%d] is not finite", i);
    }
    for (int j = 0; j < rod->segments; ++j) {
        if (state->angular_velocities && !sn__finite3(state->angular_velocities[j]))
            return sn__error(SN_ERROR_INVALID, "rod: angular_velocities[%d] is not finite", j);
        if (state->frames == NULL)
            continue;
        Quatd q = quatd(state->frames[j]);
        double n = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        if (!(n > 0.5 && n < 2.0))
            return sn__error(SN_ERROR_INVALID, "rod: frames[%d]: norm %g is not 1", j, sqrt(n));
    }
    return sn__ok();
}

static void write_vertex(RodPlace at, int i, const SnRodState *in) {
    RodState *s = at.pack->state + at.row;
    const double *o = at.pack->lane[at.lane].origin;
    int k = at.lane;
    if (in->positions) {
        s->x[k] = (float)((double)in->positions[i].x - o[0]);
        s->y[k] = (float)((double)in->positions[i].y - o[1]);
        s->z[k] = (float)((double)in->positions[i].z - o[2]);
    }
    if (in->velocities) {
        s->vx[k] = in->velocities[i].x;
        s->vy[k] = in->velocities[i].y;
        s->vz[k] = in->velocities[i].z;
    }
    if (in->scales && !at.pack->classic)
        s->s[k] = in->scales[i];
    if (in->scale_velocities && !at.pack->classic)
        s->vs[k] = in->scale_velocities[i];
}

SnResult sn_rod_write(SnWorld *world, SnRodId id, const SnRodState *state) {
    const Rod *rod = sn__rods_find(&world->rods, id);
    if (rod == NULL)
        return stale();
    SnResult result = check_state(rod, state);
    if (result.code != SN_OK)
        return result;
    for (int i = 0; i < rod->vertices; ++i)
        write_vertex(sn__rod_place(&world->rods, rod, i), i, state);
    for (int j = 0; j < rod->segments; ++j) {
        RodPlace at = sn__rod_place(&world->rods, rod, j);
        RodState *s = at.pack->state + at.row;
        int k = at.lane;
        if (state->frames) {
            SnQuat q = quatf(normalisedq(quatd(state->frames[j])));
            s->qx[k] = q.x;
            s->qy[k] = q.y;
            s->qz[k] = q.z;
            s->qw[k] = q.w;
        }
        if (state->angular_velocities) {
            s->wx[k] = state->angular_velocities[j].x;
            s->wy[k] = state->angular_velocities[j].y;
            s->wz[k] = state->angular_velocities[j].z;
        }
    }
    return result;
}

// The place of an element that a load acts on, with room for loads.
static SnResult find_loaded(SnWorld *world, SnRodId id, int index, bool segment, bool finite,
                            RodPlace *out_at) {
    const Rod *rod = sn__rods_find(&world->rods, id);
    if (rod == NULL)
        return stale();
    int count = segment ? rod->segments : rod->vertices;
    if (index < 0 || index >= count)
        return sn__error(SN_ERROR_INVALID, "rod: %s %d is not in [0, %d)",
                         segment ? "segment" : "vertex", index, count);
    if (!finite)
        return sn__error(SN_ERROR_INVALID, "rod: load on %s %d is not finite",
                         segment ? "segment" : "vertex", index);
    *out_at = sn__rod_place(&world->rods, rod, index);
    if (!sn__pack_reserve_loads(&world->allocator, out_at->pack))
        return sn__error(SN_ERROR_MEMORY, "rod: no memory for loads");
    return sn__ok();
}

SnResult sn_rod_add_force(SnWorld *world, SnRodId id, int vertex, SnVec3 force) {
    RodPlace at = {0};
    SnResult result = find_loaded(world, id, vertex, false, sn__finite3(force), &at);
    if (result.code == SN_OK) {
        at.pack->loads[at.row].fx[at.lane] += force.x;
        at.pack->loads[at.row].fy[at.lane] += force.y;
        at.pack->loads[at.row].fz[at.lane] += force.z;
        at.pack->loaded = true;
    }
    return result;
}

SnResult sn_rod_add_torque(SnWorld *world, SnRodId id, int segment, SnVec3 torque) {
    RodPlace at = {0};
    SnResult result = find_loaded(world, id, segment, true, sn__finite3(torque), &at);
    if (result.code == SN_OK) {
        at.pack->loads[at.row].tx[at.lane] += torque.x;
        at.pack->loads[at.row].ty[at.lane] += torque.y;
        at.pack->loads[at.row].tz[at.lane] += torque.z;
        at.pack->loaded = true;
    }
    return result;
}

SnResult sn_rod_add_radial_force(SnWorld *world, SnRodId id, int vertex, float gamma) {
    RodPlace at = {0};
    SnResult result = find_loaded(world, id, vertex, false, isfinite(gamma), &at);
    if (result.code == SN_OK) {
        at.pack->loads[at.row].gamma[at.lane] += gamma;
        at.pack->loaded = true;
    }
    return result;
}

SnResult sn_rod_add_impulse(SnWorld *world, SnRodId id, int vertex, SnVec3 impulse) {
    const Rod *rod = sn__rods_find(&world->rods, id);
    if (rod == NULL)
        return stale();
    if (vertex < 0 || vertex >= rod->vertices || !sn__finite3(impulse))
        return sn__error(SN_ERROR_INVALID,
                         "rod: impulse: vertex %d is not in [0, %d), or the impulse is not finite",
                         vertex, rod->vertices);
    RodPlace at = sn__rod_place(&world->rods, rod, vertex);
    if (at.pack->held[at.row][at.lane] & SN_HELD_VERTEX)
        return sn__ok();
    float m = 1.0f / at.pack->rest[at.row].mass[at.lane];
    at.pack->state[at.row].vx[at.lane] += m * impulse.x;
    at.pack->state[at.row].vy[at.lane] += m * impulse.y;
    at.pack->state[at.row].vz[at.lane] += m * impulse.z;
    return sn__ok();
}

SnResult sn_rod_set_length_scale(SnWorld *world, SnRodId id, int first, int count,
                                 float length_scale) {
    const Rod *rod = sn__rods_find(&world->rods, id);
    if (rod == NULL)
        return stale();
    if (first < 0 || count < 0 || first > rod->segments - count)
        return sn__error(SN_ERROR_INVALID, "rod: segments [%d, %d + %d) are not within [0, %d)",
                         first, first, count, rod->segments);
    if (!(length_scale >= 0.1f && length_scale <= 10.0f))
        return sn__error(SN_ERROR_INVALID, "rod: length_scale: %g is not in [0.1, 10]",
                         (double)length_scale);
    for (int j = first; j < first + count; ++j) {
        RodPlace at = sn__rod_place(&world->rods, rod, j);
        float *value = &at.pack->state[at.row].length_scale[at.lane];
        at.pack->dirty |= *value != length_scale;
        *value = length_scale;
    }
    return sn__ok();
}

SnResult sn_rod_set_material(SnWorld *world, SnRodId id, const SnRodMaterial *material) {
    Rod *rod = sn__rods_find(&world->rods, id);
    if (rod == NULL)
        return stale();
    SnResult result = sn__rod_material_check(material, "rod");
    if (result.code == SN_OK)
        sn__rod_apply_material(&world->rods, rod, material);
    return result;
}
