#include "rod/access.h"

#include <math.h>

#include "base/hash.h"
#include "rod/kind.h"

static void read_vertex(RodPlace at, int i, const SnBodyState *out) {
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

// Frames are normalised when a sub-step begins, so after a violent one they may be off by a little.
static SnQuat frame_at(const RodState *s, int k) {
    return quatf(normalisedq(
        (Quatd){(double)s->qx[k], (double)s->qy[k], (double)s->qz[k], (double)s->qw[k]}));
}

void sn__rod_read(const RodSystem *rods, const Rod *rod, const SnBodyState *out) {
    if (rod->kind) {
        rod->kind->read(rod->body, out);
        return;
    }
    for (int i = 0; i < rod->vertices; ++i)
        read_vertex(sn__rod_place(rods, rod, i), i, out);
    for (int j = 0; j < rod->segments; ++j) {
        RodPlace at = sn__rod_place(rods, rod, j);
        const RodState *s = at.pack->state + at.row;
        int k = at.lane;
        if (out->frames)
            out->frames[j] = frame_at(s, k);
        if (out->angular_velocities)
            out->angular_velocities[j] = sn_vec3(s->wx[k], s->wy[k], s->wz[k]);
    }
}

static SnResult check_state(const Rod *rod, const SnBodyState *state) {
    for (int i = 0; i < rod->vertices; ++i) {
        if (state->positions && !sn__within3(state->positions[i], SN_MAX_POSITION))
            return sn_error(SN_ERROR_INVALID, "rod: positions[%d] is not within %g m", i,
                            (double)SN_MAX_POSITION);
        if (state->velocities && !sn__within3(state->velocities[i], SN_MAX_SPEED))
            return sn_error(SN_ERROR_INVALID, "rod: velocities[%d] is not within %g m/s", i,
                            (double)SN_MAX_SPEED);
        if (state->scales && !(state->scales[i] >= 0.1f && state->scales[i] <= 10.0f))
            return sn_error(SN_ERROR_INVALID, "rod: scales[%d]: %g is not in [0.1, 10]", i,
                            (double)state->scales[i]);
        if (state->scale_velocities && !(fabsf(state->scale_velocities[i]) <= SN_MAX_SPIN))
            return sn_error(SN_ERROR_INVALID, "rod: scale_velocities[%d] is not within %g 1/s", i,
                            (double)SN_MAX_SPIN);
    }
    for (int j = 0; j < rod->segments; ++j) {
        if (state->angular_velocities && !sn__within3(state->angular_velocities[j], SN_MAX_SPIN))
            return sn_error(SN_ERROR_INVALID, "rod: angular_velocities[%d] is not within %g rad/s",
                            j, (double)SN_MAX_SPIN);
        if (state->frames == NULL)
            continue;
        Quatd q = quatd(state->frames[j]);
        double n = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        if (!(n > 0.5 && n < 2.0))
            return sn_error(SN_ERROR_INVALID, "rod: frames[%d]: norm %g is not 1", j, sqrt(n));
    }
    return sn_ok();
}

static void write_vertex(RodPlace at, int i, const SnBodyState *in) {
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

static void write_segment(RodPlace at, int j, const SnBodyState *in) {
    RodState *s = at.pack->state + at.row;
    int k = at.lane;
    if (in->frames) {
        SnQuat q = quatf(normalisedq(quatd(in->frames[j])));
        s->qx[k] = q.x;
        s->qy[k] = q.y;
        s->qz[k] = q.z;
        s->qw[k] = q.w;
    }
    if (in->angular_velocities) {
        s->wx[k] = in->angular_velocities[j].x;
        s->wy[k] = in->angular_velocities[j].y;
        s->wz[k] = in->angular_velocities[j].z;
    }
}

SnResult sn__rod_write(RodSystem *rods, const Rod *rod, const SnBodyState *state) {
    SnResult result = check_state(rod, state);
    if (rod->kind && result.code == SN_OK)
        rod->kind->write(rod->body, state);
    if (rod->kind)
        return result;
    for (int i = 0; i < rod->vertices && result.code == SN_OK; ++i)
        write_vertex(sn__rod_place(rods, rod, i), i, state);
    for (int j = 0; j < rod->segments && result.code == SN_OK; ++j)
        write_segment(sn__rod_place(rods, rod, j), j, state);
    return result;
}

// The loads of an element, with room made for them.
static SnResult loads_of(RodSystem *rods, const Rod *rod, int index, bool segment, bool finite,
                         RodPlace *out_at) {
    const char *kind = segment ? "segment" : "vertex";
    int count = segment ? rod->segments : rod->vertices;
    if (index < 0 || index >= count)
        return sn_error(SN_ERROR_INVALID, "rod: %s %d is not in [0, %d)", kind, index, count);
    if (!finite)
        return sn_error(SN_ERROR_INVALID, "rod: load on %s %d is not finite", kind, index);
    if (rod->kind)
        return sn_ok();
    *out_at = sn__rod_place(rods, rod, index);
    if (!sn__pack_reserve_loads(&rods->allocator, out_at->pack))
        return sn_error(SN_ERROR_MEMORY, "rod: no memory for loads");
    out_at->pack->loaded = true;
    return sn_ok();
}

SnResult sn__rod_add_force(RodSystem *rods, const Rod *rod, int vertex, SnVec3 force, float gamma) {
    RodPlace at = {0};
    bool finite = sn__finite3(force) && isfinite(gamma);
    SnResult result = loads_of(rods, rod, vertex, false, finite, &at);
    if (result.code == SN_OK && rod->kind)
        rod->kind->add_force(rod->body, vertex, force);
    if (result.code != SN_OK || rod->kind)
        return result;
    RodLoads *loads = at.pack->loads + at.row;
    loads->fx[at.lane] += force.x;
    loads->fy[at.lane] += force.y;
    loads->fz[at.lane] += force.z;
    loads->gamma[at.lane] += gamma;
    return result;
}

SnResult sn__rod_add_torque(RodSystem *rods, const Rod *rod, int segment, SnVec3 torque) {
    RodPlace at = {0};
    SnResult result = loads_of(rods, rod, segment, true, sn__finite3(torque), &at);
    if (result.code == SN_OK && rod->kind)
        rod->kind->add_torque(rod->body, segment, torque);
    if (result.code != SN_OK || rod->kind)
        return result;
    RodLoads *loads = at.pack->loads + at.row;
    loads->tx[at.lane] += torque.x;
    loads->ty[at.lane] += torque.y;
    loads->tz[at.lane] += torque.z;
    return result;
}

static float within_speed(float v) { return fminf(fmaxf(v, -SN_MAX_SPEED), SN_MAX_SPEED); }

SnResult sn__rod_add_impulse(RodSystem *rods, const Rod *rod, int vertex, SnVec3 impulse) {
    if (vertex < 0 || vertex >= rod->vertices)
        return sn_error(SN_ERROR_INVALID, "rod: vertex %d is not in [0, %d)", vertex,
                        rod->vertices);
    if (!sn__finite3(impulse))
        return sn_error(SN_ERROR_INVALID, "rod: impulse on vertex %d is not finite", vertex);
    if (rod->kind) {
        rod->kind->add_impulse(rod->body, vertex, impulse);
        return sn_ok();
    }
    RodPlace at = sn__rod_place(rods, rod, vertex);
    if (at.pack->held[at.row][at.lane] & HELD_VERTEX)
        return sn_ok();
    RodState *s = at.pack->state + at.row;
    float m = 1.0f / at.pack->rest[at.row].mass[at.lane];
    s->vx[at.lane] = within_speed(s->vx[at.lane] + m * impulse.x);
    s->vy[at.lane] = within_speed(s->vy[at.lane] + m * impulse.y);
    s->vz[at.lane] = within_speed(s->vz[at.lane] + m * impulse.z);
    return sn_ok();
}

SnResult sn__rod_set_length_scale(RodSystem *rods, const Rod *rod, int first, int count,
                                  float length_scale) {
    if (first < 0 || count < 0 || first > rod->segments - count)
        return sn_error(SN_ERROR_INVALID, "rod: segments [%d, %d + %d) are not within [0, %d)",
                        first, first, count, rod->segments);
    if (!(length_scale >= 0.1f && length_scale <= 10.0f))
        return sn_error(SN_ERROR_INVALID, "rod: length_scale: %g is not in [0.1, 10]",
                        (double)length_scale);
    if (rod->kind)
        return sn_error(SN_ERROR_INVALID, "rod: length_scale: a stiff rod keeps its length");
    for (int j = first; j < first + count; ++j) {
        RodPlace at = sn__rod_place(rods, rod, j);
        float *value = &at.pack->state[at.row].length_scale[at.lane];
        at.pack->dirty |= *value != length_scale;
        *value = length_scale;
    }
    return sn_ok();
}

SnResult sn__rod_set_gravity_scale(RodSystem *rods, const Rod *rod, float gravity_scale) {
    if (!(fabsf(gravity_scale) <= MAX_GRAVITY_SCALE))
        return sn_error(SN_ERROR_INVALID, "rod: gravity_scale: %g is not within %g",
                        (double)gravity_scale, (double)MAX_GRAVITY_SCALE);
    if (rod->kind)
        rod->kind->set_gravity_scale(rod->body, gravity_scale);
    for (int p = 0; p < rod->pieces; ++p)
        rods->packs[rod->pack]->gravity_scale[rod->lane + p] = gravity_scale;
    return sn_ok();
}

void sn__rod_copy_pose(const RodSystem *rods, const Rod *rod, const RodPoseArrays *to) {
    if (rod->kind) {
        SnBodyState state = {.positions = (SnVec3 *)to->positions,
                             .radii = to->radii,
                             .scales = to->scales,
                             .frames = (SnQuat *)to->frames};
        rod->kind->read(rod->body, &state);
        return;
    }
    for (int i = 0; i < rod->vertices; ++i) {
        RodPlace at = sn__rod_place(rods, rod, i);
        const RodState *s = at.pack->state + at.row;
        const double *o = at.pack->lane[at.lane].origin;
        float *x = to->positions + 3 * (size_t)i;
        x[0] = (float)(o[0] + (double)s->x[at.lane]);
        x[1] = (float)(o[1] + (double)s->y[at.lane]);
        x[2] = (float)(o[2] + (double)s->z[at.lane]);
        to->scales[i] = s->s[at.lane];
        to->radii[i] = s->s[at.lane] * at.pack->rest[at.row].radius[at.lane];
    }
    for (int j = 0; j < rod->segments; ++j) {
        RodPlace at = sn__rod_place(rods, rod, j);
        const RodState *s = at.pack->state + at.row;
        float *q = to->frames + 4 * (size_t)j;
        SnQuat frame = frame_at(s, at.lane);
        q[0] = frame.x;
        q[1] = frame.y;
        q[2] = frame.z;
        q[3] = frame.w;
    }
}

// Only what belongs to the rod: unused lanes may hold anything.
uint64_t sn__rod_hash(const RodSystem *rods, const Rod *rod, uint64_t hash) {
    if (rod->kind)
        return rod->kind->hash(rod->body, hash);
    const double *origin = rods->packs[rod->pack]->lane[rod->lane].origin;
    hash = sn__hash_bytes(hash, origin, 3 * sizeof origin[0]);
    for (int i = 0; i < rod->vertices; ++i) {
        RodPlace at = sn__rod_place(rods, rod, i);
        const RodState *s = at.pack->state + at.row;
        int k = at.lane;
        float values[] = {s->x[k],  s->y[k],  s->z[k],  s->s[k],
                          s->vx[k], s->vy[k], s->vz[k], s->vs[k]};
        hash = sn__hash_bytes(hash, values, sizeof values);
    }
    for (int j = 0; j < rod->segments; ++j) {
        RodPlace at = sn__rod_place(rods, rod, j);
        const RodState *s = at.pack->state + at.row;
        int k = at.lane;
        float values[] = {s->qx[k], s->qy[k], s->qz[k], s->qw[k],
                          s->wx[k], s->wy[k], s->wz[k], s->length_scale[k]};
        hash = sn__hash_bytes(hash, values, sizeof values);
    }
    return hash;
}

static void visit_pack(const RodPack *pack, RodVisit *visit, void *context) {
    visit(context, (void *)pack->lane, sizeof pack->lane);
    if (pack->state == NULL)
        return;
    visit(context, pack->state, ((size_t)pack->rows + 1) * sizeof(RodState));
    visit(context, pack->leads, (size_t)pack->lead_count * sizeof(RodLead));
    visit(context, (void *)pack->rest_time, sizeof pack->rest_time);
    visit(context, (void *)pack->asleep, sizeof pack->asleep);
}

void sn__rods_visit(const RodSystem *rods, RodVisit *visit, void *context) {
    for (int k = 0; k < rods->pack_count; ++k)
        visit_pack(rods->packs[k], visit, context);
}

void sn__rods_restored(RodSystem *rods) {
    for (int k = 0; k < rods->pack_count; ++k) {
        RodPack *pack = rods->packs[k];
        pack->dirty = true; // activations may differ
        sn__pack_clear_loads(pack);
    }
}
