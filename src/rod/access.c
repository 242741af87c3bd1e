#include "rod/access.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "rod/sweep_error.h"

// In sub-steps of microseconds, spins may be beyond what can be written.
static float within_spin(float speed) { return fmaxf(fminf(speed, SN_MAX_SPIN), -SN_MAX_SPIN); }

static void read_vertex(RodAddress at, int i, const SnBodyState *out) {
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
        out->scale_velocities[i] = within_spin(s->vs[k]);
}

// Frames are normalised when a sub-step begins, so after a violent one they may be off by a little.
static SnQuat frame_at(const RodState *s, int k) {
    return quatf(normalisedq(
        (Quatd){(double)s->qx[k], (double)s->qy[k], (double)s->qz[k], (double)s->qw[k]}));
}

void sn__rod_ends(const Body *body, int segment, int out[2]) {
    sn__rod_edge(rods_of(body), rod_of(body), segment, out);
}

Vec3d sn__rod_vertex(const Body *body, int vertex, double *out_radius) {
    RodAddress at = sn__rod_address(rods_of(body), rod_of(body), vertex);
    const RodState *s = at.pack->state + at.row;
    const double *o = at.pack->lane[at.lane].origin;
    int k = at.lane;
    if (out_radius)
        *out_radius = (double)s->s[k] * (double)at.pack->rest[at.row].radius[k];
    return (Vec3d){o[0] + (double)s->x[k], o[1] + (double)s->y[k], o[2] + (double)s->z[k]};
}

float sn__rod_rest_radius(const Body *body, int vertex) {
    RodAddress at = sn__rod_address(rods_of(body), rod_of(body), vertex);
    return at.pack->rest[at.row].radius[at.lane];
}

void sn__rod_read(const Body *body, const SnBodyState *out) {
    const RodSystem *rods = rods_of(body);
    const Rod *rod = rod_of(body);
    for (int i = 0; i < rod->vertices; ++i)
        read_vertex(sn__rod_address(rods, rod, i), i, out);
    for (int j = 0; j < rod->segments; ++j) {
        RodAddress at = sn__rod_address(rods, rod, j);
        const RodState *s = at.pack->state + at.row;
        int k = at.lane;
        if (out->frames)
            out->frames[j] = frame_at(s, k);
        if (out->angular_velocities)
            out->angular_velocities[j] =
                sn_vec3(within_spin(s->wx[k]), within_spin(s->wy[k]), within_spin(s->wz[k]));
    }
}

void sn__rod_origin(const Body *body, double out[3]) {
    const Rod *rod = rod_of(body);
    memcpy(out, rods_of(body)->packs[rod->pack]->lane[rod->lane].origin, 3 * sizeof out[0]);
}

static void write_vertex(RodAddress at, int i, const SnBodyState *in) {
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
    sn__row_forget(s, k);
}

static void write_segment(RodAddress at, int j, const SnBodyState *in) {
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
    sn__row_forget(s, k);
}

void sn__rod_write(Body *body, const SnBodyState *state) {
    const RodSystem *rods = rods_of(body);
    const Rod *rod = rod_of(body);
    for (int i = 0; i < rod->vertices; ++i)
        write_vertex(sn__rod_address(rods, rod, i), i, state);
    for (int j = 0; j < rod->segments; ++j)
        write_segment(sn__rod_address(rods, rod, j), j, state);
}

// The loads of an element, with room made for them; NULL without memory.
static RodLoads *loads_of(const Body *body, int index, int *out_lane) {
    RodAddress at = sn__rod_address(rods_of(body), rod_of(body), index);
    if (!sn__pack_reserve_loads(&rods_of(body)->allocator, at.pack))
        return NULL;
    at.pack->loaded = true;
    *out_lane = at.lane;
    return at.pack->loads + at.row;
}

bool sn__rod_add_force(Body *body, int vertex, SnVec3 force) {
    int lane;
    RodLoads *loads = loads_of(body, vertex, &lane);
    if (loads == NULL)
        return false;
    loads->fx[lane] += force.x;
    loads->fy[lane] += force.y;
    loads->fz[lane] += force.z;
    return true;
}

bool sn__rod_add_radial_force(Body *body, int vertex, float gamma) {
    int lane;
    RodLoads *loads = loads_of(body, vertex, &lane);
    if (loads)
        loads->gamma[lane] += gamma;
    return loads != NULL;
}

bool sn__rod_add_torque(Body *body, int segment, SnVec3 torque) {
    int lane;
    RodLoads *loads = loads_of(body, segment, &lane);
    if (loads == NULL)
        return false;
    loads->tx[lane] += torque.x;
    loads->ty[lane] += torque.y;
    loads->tz[lane] += torque.z;
    return true;
}

// A rod that is solved directly gets it as a force over the next step. If a vertex had its velocity at once, an
// iteration would start from where that takes it alone, which for stiff rods is another rod altogether.
static bool add_blow(const Body *body, int vertex, Vec3d impulse, double most) {
    int lane;
    RodLoads *loads = loads_of(body, vertex, &lane);
    if (loads == NULL)
        return false;
    Vec3d sum = {(double)loads->px[lane], (double)loads->py[lane], (double)loads->pz[lane]};
    sum = shortened(addd(sum, impulse), most);
    loads->px[lane] = (float)sum.x;
    loads->py[lane] = (float)sum.y;
    loads->pz[lane] = (float)sum.z;
    rods_of(body)->packs[rod_of(body)->pack]->struck = true;
    return true;
}

void sn__rod_add_impulse(Body *body, int vertex, SnVec3 impulse) {
    RodAddress at = sn__rod_address(rods_of(body), rod_of(body), vertex);
    if (at.pack->held[at.row][at.lane] & HELD_VERTEX)
        return;
    RodState *s = at.pack->state + at.row;
    double mass = (double)at.pack->rest[at.row].mass[at.lane];
    assert(mass > 0.0);
    if (at.pack->aim && add_blow(body, vertex, vec3d(impulse), mass * (double)SN_MAX_SPEED))
        return;
    Vec3d v = {(double)s->vx[at.lane], (double)s->vy[at.lane], (double)s->vz[at.lane]};
    v = shortened(addd(v, scaled(vec3d(impulse), 1.0 / mass)), (double)SN_MAX_SPEED);
    s->vx[at.lane] = (float)v.x;
    s->vy[at.lane] = (float)v.y;
    s->vz[at.lane] = (float)v.z;
}

void sn__rod_set_length_scale(Body *body, int first, int count, float length_scale) {
    assert(first >= 0 && count >= 0 && first + count <= rod_of(body)->segments);
    assert(length_scale > 0.0f);
    for (int j = first; j < first + count; ++j) {
        RodAddress at = sn__rod_address(rods_of(body), rod_of(body), j);
        float *value = &at.pack->state[at.row].length_scale[at.lane];
        at.pack->dirty |= *value != length_scale;
        *value = length_scale;
    }
}

void sn__rod_set_pull(Body *body, int segment, RodPull pull) {
    RodAddress at = sn__rod_address(rods_of(body), rod_of(body), segment);
    RodState *state = at.pack->state + at.row;
    const float values[3] = {pull.force, pull.viscous[0], pull.viscous[1]};
    float *const rows[3] = {state->pull, state->viscous[0], state->viscous[1]};
    for (int n = 0; n < 3; ++n) {
        at.pack->dirty |= rows[n][at.lane] != values[n];
        rows[n][at.lane] = values[n];
    }
}

bool sn__rod_is_sliced(const Body *body) {
    return rods_of(body)->packs[rod_of(body)->pack]->slice != NULL;
}

float sn__rod_length_scale(const Body *body, int segment) {
    RodAddress at = sn__rod_address(rods_of(body), rod_of(body), segment);
    return at.pack->state[at.row].length_scale[at.lane];
}

const SnRodMaterial *sn__rod_material(const Body *body) { return &rod_of(body)->material; }

void sn__rod_gravity_scale_changed(Body *body) {
    const Rod *rod = rod_of(body);
    for (int p = 0; p < rod->pieces; ++p)
        rods_of(body)->packs[rod->pack]->gravity_scale[rod->lane + p] = body->gravity_scale;
}

void sn__rod_set_material(Body *body, const SnRodMaterial *material) {
    sn__rod_apply_material(rods_of(body), rod_of(body), material);
    sn__rod_note_sweeps(rods_of(body), rod_of(body));
}

void sn__rod_sleep_changed(Body *body) {
    const Rod *rod = rod_of(body);
    RodPack *pack = rods_of(body)->packs[rod->pack];
    bool asleep = body->sleep.asleep;
    for (int lane = rod->lane; lane < rod->lane + rod->pieces; ++lane) {
        if (pack->asleep[lane] == asleep)
            continue;
        pack->asleep[lane] = asleep;
        pack->dirty = true;
        for (int j = 0; asleep && j <= pack->rows; ++j) {
            RodState *s = pack->state + j;
            s->vx[lane] = s->vy[lane] = s->vz[lane] = s->vs[lane] = 0.0f;
            s->wx[lane] = s->wy[lane] = s->wz[lane] = 0.0f;
        }
    }
}

float sn__rod_speed(const Body *body) {
    const Rod *rod = rod_of(body);
    const RodPack *pack = rods_of(body)->packs[rod->pack];
    float most = 0.0f;
    for (int i = rod->lane; i < rod->lane + rod->pieces; ++i)
        for (int j = 0; j <= pack->rows; ++j) {
            const RodState *s = pack->state + j;
            float r = pack->rest[j].radius[i];
            float v2 = s->vx[i] * s->vx[i] + s->vy[i] * s->vy[i] + s->vz[i] * s->vz[i];
            float w2 = s->wx[i] * s->wx[i] + s->wy[i] * s->wy[i] + s->wz[i] * s->wz[i];
            most = fmaxf(most, fmaxf(v2, r * r * fmaxf(w2, s->vs[i] * s->vs[i])));
        }
    return sqrtf(most);
}

// Only what belongs to the rod: unused lanes may hold anything.
uint64_t sn__rod_hash(const Body *body, uint64_t hash) {
    const RodSystem *rods = rods_of(body);
    const Rod *rod = rod_of(body);
    const double *origin = rods->packs[rod->pack]->lane[rod->lane].origin;
    hash = sn__hash_bytes(hash, origin, 3 * sizeof origin[0]);
    hash = sn__hash_bytes(hash, &rod->material, sizeof rod->material);
    for (int i = 0; i < rod->vertices; ++i) {
        RodAddress at = sn__rod_address(rods, rod, i);
        const RodState *s = at.pack->state + at.row;
        int k = at.lane;
        float values[] = {s->x[k],  s->y[k],  s->z[k],  s->s[k],  s->vx[k], s->vy[k],
                          s->vz[k], s->vs[k], s->ax[k], s->ay[k], s->az[k], s->as[k]};
        hash = sn__hash_bytes(hash, values, sizeof values);
    }
    for (int j = 0; j < rod->segments; ++j) {
        RodAddress at = sn__rod_address(rods, rod, j);
        const RodState *s = at.pack->state + at.row;
        int k = at.lane;
        float values[] = {s->qx[k], s->qy[k], s->qz[k], s->qw[k], s->wx[k],          s->wy[k],
                          s->wz[k], s->bx[k], s->by[k], s->bz[k], s->length_scale[k]};
        hash = sn__hash_bytes(hash, values, sizeof values);
    }
    return hash;
}

// Only numbers are state: where rods lie and what leads there are follows from the calls that made
// them.
static void visit_pack(RodPack *pack, BodyVisit *visit, void *context) {
    for (int i = 0; i < PACK_LANES; ++i)
        visit(context, BLOCK_DOUBLES, pack->lane[i].origin, sizeof pack->lane[i].origin);
    if (pack->state == NULL)
        return;
    visit(context, BLOCK_FLOATS, pack->state, ((size_t)pack->rows + 1) * sizeof(RodState));
    visit(context, BLOCK_FLOATS, pack->newton_late, sizeof pack->newton_late);
    for (int k = 0; k < pack->lead_count; ++k) {
        visit(context, BLOCK_FLOATS, pack->leads[k].from, sizeof pack->leads[k].from);
        visit(context, BLOCK_FLOATS, pack->leads[k].to, sizeof pack->leads[k].to);
    }
}

void sn__rods_visit(void *system, BodyVisit *visit, void *context) {
    const RodSystem *rods = system;
    for (int k = 0; k < rods->pack_count; ++k)
        visit_pack(rods->packs[k], visit, context);
}

void sn__rods_restored(void *system) {
    const RodSystem *rods = system;
    for (int k = 0; k < rods->pack_count; ++k) {
        RodPack *pack = rods->packs[k];
        pack->dirty = true; // activations may differ
        sn__pack_clear_loads(pack);
        for (int i = 0; i < PACK_LANES && pack->state; ++i)
            if (pack->lane[i].body != 0)
                pack->asleep[i] = sn__body_at(rods->bodies, pack->lane[i].body)->sleep.asleep;
            else // nobody knows what came into them
                sn__pack_clear_lane(pack, i);
    }
}
