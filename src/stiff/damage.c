#include "stiff/damage.h"

#include <assert.h>
#include <string.h>

#include "sinew/world.h"

void sn__grove_set_rest(Grove *g, const StiffRod *t, const StiffJoint *j) {
    int slots[2] = {t->slot[j->a], t->slot[j->b]};
    assert(slots[0] >= 0 && slots[1] >= 0);
    for (int k = 0; k < 2; ++k) {
        int row = slots[k] / STIFF_LANES, i = slots[k] % STIFF_LANES;
        if (row >= g->prop_begin || g->row[row].parent[i] != slots[1 - k])
            continue;
        g->rest[row].ux[i] = j->rest.x;
        g->rest[row].uy[i] = j->rest.y;
        g->rest[row].uz[i] = j->rest.z;
        g->rest[row].uw[i] = j->rest.w;
    }
    for (int k = 0; k < g->loop_count; ++k)
        if (g->loops[k].slot[0] == slots[0] && g->loops[k].slot[1] == slots[1])
            g->loops[k].rest = j->rest;
}

// A joint under more stress than it bears stays bent, or breaks: its rest shape follows until the
// stress is what it can bear.
static void yield_joint(StiffGrove *grove, StiffRod *t, StiffJoint *j) {
    assert(!j->broken);
    Quatd a = sn__stiff_pose(t, j->a).q, b = sn__stiff_pose(t, j->b).q;
    Quatd rel = mulqd(conjugated(mulqd(a, j->rest)), b);
    double side = rel.w < 0.0 ? -1.0 : 1.0;
    Vec3d strain = {2.0 * side * rel.x, 2.0 * side * rel.y, 2.0 * side * rel.z};
    double k[3];
    sn__stiff_joint_stiffness(t, j, k);
    Vec3d fibre = {j->stress[0] * k[0] / j->k[0] * strain.x,
                   j->stress[1] * k[1] / j->k[1] * strain.y,
                   j->stress[2] * k[2] / j->k[2] * strain.z};
    // Von Mises.
    double stress = sqrt(fibre.x * fibre.x + fibre.y * fibre.y + 3.0 * fibre.z * fibre.z);
    double yield = (double)t->material.yield, strength = (double)t->material.strength;
    if (strength > 0.0 && stress > strength) {
        j->broken = t->tears = true;
        t->broken += 1;
        grove->dirty = true;
        grove->breaks += 1;
    } else if (yield > 0.0 && stress > yield) {
        double share = 0.5 * (1.0 - yield / stress);
        Quatd by = {share * strain.x, share * strain.y, share * strain.z, 1.0};
        j->rest = normalisedq(mulqd(j->rest, normalisedq(by)));
        sn__grove_set_rest(&grove->g, t, j);
    }
}

void sn__grove_yield(StiffGrove *grove) {
    for (int k = 0; k < grove->rod_count; ++k) {
        StiffRod *t = grove->rods[k];
        for (int i = 0; i < t->joints; ++i)
            if (!t->joint[i].broken)
                yield_joint(grove, t, &t->joint[i]);
    }
}

// Whether the segment, one of its ends or its spin is beyond what is allowed, or not a number.
static bool is_lost(const StiffState *s, const StiffMotion *m, int i, double length, double h) {
    Vec3d by = {s->x[i] - m->bx[i], s->y[i] - m->by[i], s->z[i] - m->bz[i]};
    Vec3d v = {s->vx[i], s->vy[i], s->vz[i]}, w = {s->wx[i], s->wy[i], s->wz[i]};
    Vec3d axis = axis_z((Quatd){s->qx[i], s->qy[i], s->qz[i], s->qw[i]});
    Vec3d turn = crossd(w, scaled(axis, 0.5 * length));
    double most = (double)SN_MAX_SPEED;
    return !(lengthd(by) <= h * most) || !(lengthd(w) <= (double)SN_MAX_SPIN) ||
           !(lengthd(addd(v, turn)) <= most) || !(lengthd(subd(v, turn)) <= most);
}

// Back to where the sub-step began, at rest.
static void put_back(Grove *g, const StiffRod *t) {
    for (int j = 0; j < t->segments; ++j) {
        int row = t->slot[j] / STIFF_LANES, i = t->slot[j] % STIFF_LANES;
        StiffState *s = &g->state[row];
        StiffMotion *m = &g->motion[row];
        s->x[i] = m->bx[i];
        s->y[i] = m->by[i];
        s->z[i] = m->bz[i];
        s->qx[i] = m->qx[i];
        s->qy[i] = m->qy[i];
        s->qz[i] = m->qz[i];
        s->qw[i] = m->qw[i];
        s->vx[i] = s->vy[i] = s->vz[i] = s->wx[i] = s->wy[i] = s->wz[i] = s->tension[i] = 0.0;
        StiffLanes *remembered = &s->ax;
        for (int k = 0; k < 6; ++k)
            remembered[k][i] = 0.0;
        StiffLanes *impulse = &m->px;
        for (int k = 0; k < 9; ++k)
            impulse[k][i] = 0.0;
        StiffLanes *pull = &m->cx;
        for (int k = 0; k < 6; ++k)
            pull[k][i] = 0.0;
    }
}

// What contacts and rings know of a tree that was put back.
static void forget(Grove *g, StiffRod *t, int number) {
    for (int i = 0; i < t->points && t->press; ++i) {
        t->press[i] = (Vec3d){0};
        t->press_size[i] = 0.0;
        t->pushed[i] = (Vec3d){0};
    }
    t->pressed = 0;
    for (int k = 0; k < g->loop_count; ++k) {
        StiffLoop *loop = &g->loops[k];
        if (loop->rod != number)
            continue;
        loop->held = loop->strain = loop->force = loop->told = (Vec3d){0};
    }
}

static void clear_lane(StiffLanes *fields, size_t bytes, int lane) {
    for (size_t k = 0; k < bytes / sizeof(StiffLanes); ++k)
        fields[k][lane] = 0.0;
}

// Lanes that are not in use go along with those they would hang on, and get lost with them.
static void clear_unused(Grove *g) {
    for (int r = 0; r < g->rows; ++r)
        for (int i = g->row[r].count; i < STIFF_LANES; ++i) {
            clear_lane(&g->state[r].x, sizeof g->state[r], i);
            clear_lane(&g->motion[r].tx, sizeof g->motion[r], i);
            g->state[r].qw[i] = g->motion[r].qw[i] = 1.0;
        }
}

void sn__grove_recover(StiffGrove *grove, double h) {
    Grove *g = &grove->g;
    for (int k = 0; k < grove->rod_count; ++k) {
        StiffRod *t = grove->rods[k];
        bool lost = false;
        for (int j = 0; j < t->segments && !lost; ++j) {
            int row = t->slot[j] / STIFF_LANES;
            lost = is_lost(&g->state[row], &g->motion[row], t->slot[j] % STIFF_LANES,
                           t->segment[j].length, h);
        }
        if (lost) {
            put_back(g, t);
            forget(g, t, k);
            grove->step_bits |= SN_STEP_RECOVERED;
        }
    }
    clear_unused(g);
}
