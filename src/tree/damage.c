#include "tree/damage.h"

#include "sinew/world.h"

void sn__grove_set_rest(Grove *g, const Tree *t, const TreeJoint *j) {
    int places[2] = {t->place[j->a], t->place[j->b]};
    for (int k = 0; k < 2; ++k) {
        int row = places[k] / TREE_LANES, i = places[k] % TREE_LANES;
        if (row >= g->prop_begin || g->row[row].parent[i] != places[1 - k])
            continue;
        g->rest[row].ux[i] = j->rest.x;
        g->rest[row].uy[i] = j->rest.y;
        g->rest[row].uz[i] = j->rest.z;
        g->rest[row].uw[i] = j->rest.w;
    }
    for (int k = 0; k < g->loop_count; ++k)
        if (g->loops[k].place[0] == places[0] && g->loops[k].place[1] == places[1])
            g->loops[k].rest = j->rest;
}

// A joint under more stress than it bears stays bent, or breaks: its rest shape follows until the
// stress is what it can bear.
static void yield_joint(TreeGrove *grove, Tree *t, TreeJoint *j) {
    Quatd a = sn__tree_pose(t, j->a).q, b = sn__tree_pose(t, j->b).q;
    Quatd rel = mulqd(conjugated(mulqd(a, j->rest)), b);
    double side = rel.w < 0.0 ? -1.0 : 1.0;
    Vec3d strain = {2.0 * side * rel.x, 2.0 * side * rel.y, 2.0 * side * rel.z};
    Vec3d fibre = {j->stress[0] * strain.x, j->stress[1] * strain.y, j->stress[2] * strain.z};
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

void sn__grove_yield(TreeGrove *grove) {
    for (int k = 0; k < grove->tree_count; ++k) {
        Tree *t = grove->trees[k];
        for (int i = 0; i < t->joints; ++i)
            if (!t->joint[i].broken)
                yield_joint(grove, t, &t->joint[i]);
    }
}

static bool is_lost(const TreeState *s, const TreeMotion *m, int i, double most) {
    Vec3d by = {s->x[i] - m->bx[i], s->y[i] - m->by[i], s->z[i] - m->bz[i]};
    Vec3d w = {s->wx[i], s->wy[i], s->wz[i]};
    return !(dotd(by, by) <= most * most) || !(dotd(w, w) <= (double)SN_MAX_SPIN * SN_MAX_SPIN);
}

// Back to where the sub-step began, at rest.
static void put_back(Grove *g, const Tree *t) {
    for (int j = 0; j < t->segments; ++j) {
        int row = t->place[j] / TREE_LANES, i = t->place[j] % TREE_LANES;
        TreeState *s = &g->state[row];
        TreeMotion *m = &g->motion[row];
        s->x[i] = m->bx[i];
        s->y[i] = m->by[i];
        s->z[i] = m->bz[i];
        s->qx[i] = m->qx[i];
        s->qy[i] = m->qy[i];
        s->qz[i] = m->qz[i];
        s->qw[i] = m->qw[i];
        s->vx[i] = s->vy[i] = s->vz[i] = s->wx[i] = s->wy[i] = s->wz[i] = s->tension[i] = 0.0;
        TreeLanes *impulse = &m->px;
        for (int k = 0; k < 6; ++k)
            impulse[k][i] = 0.0;
        TreeLanes *pull = &m->cx;
        for (int k = 0; k < 6; ++k)
            pull[k][i] = 0.0;
    }
}

void sn__grove_recover(TreeGrove *grove, double h) {
    Grove *g = &grove->g;
    for (int k = 0; k < grove->tree_count; ++k) {
        const Tree *t = grove->trees[k];
        bool lost = false;
        for (int j = 0; j < t->segments && !lost; ++j) {
            int row = t->place[j] / TREE_LANES;
            lost = is_lost(&g->state[row], &g->motion[row], t->place[j] % TREE_LANES,
                           h * (double)SN_MAX_SPEED);
        }
        if (lost) {
            put_back(g, t);
            grove->step_bits |= SN_STEP_RECOVERED;
        }
    }
}
