// Which trees are of second order in time (scheme.h).
#include "stiff/scheme.h"

#include "stiff/stiff.h"

// A tree is rough where its last solve turned a segment by more than the first, or all solves of the
// sub-step together by more than the second, rad.
#define FAR_AT_LAST 0.01
#define FAR_IN_ALL 0.05

static void set_second(const StiffRod *t, double second) {
    Grove *g = &t->system->groves[t->grove].g;
    for (int j = 0; j < t->segments; ++j)
        if (!sn__stiff_is_fixed(t, j))
            g->rest[t->slot[j] / STIFF_LANES].second[t->slot[j] % STIFF_LANES] = second;
}

void sn__grove_choose_schemes(StiffGrove *grove) {
    Grove *g = &grove->g;
    g->turn = 0.0;
    for (int k = 0; k < grove->rod_count; ++k) {
        StiffRod *t = grove->rods[k];
        bool second = !t->touched && !t->rough;
        if (second != t->second)
            set_second(t, second ? 1.0 : 0.0);
        t->second = second;
    }
    for (int k = 0; k < grove->hold_count; ++k) {
        int row = grove->holds[k].slot / STIFF_LANES, i = grove->holds[k].slot % STIFF_LANES;
        if (row < g->still_begin)
            g->rest[row].second[i] = grove->holds[k].rod->second ? 1.0 : 0.0;
    }
    for (int k = 0; k < g->loop_count; ++k)
        g->loops[k].second = grove->rods[g->loops[k].rod]->second;
}

static bool is_rough(const Grove *g, const StiffRod *t, int j) {
    const StiffMotion *m = &g->motion[t->slot[j] / STIFF_LANES];
    const StiffState *s = &g->state[t->slot[j] / STIFF_LANES];
    int i = t->slot[j] % STIFF_LANES;
    double last = m->rx[i] * m->rx[i] + m->ry[i] * m->ry[i] + m->rz[i] * m->rz[i];
    Quatd predicted = {m->gx[i], m->gy[i], m->gz[i], m->gw[i]};
    Quatd by = mulqd((Quatd){s->qx[i], s->qy[i], s->qz[i], s->qw[i]}, conjugated(predicted));
    double in_all = 4.0 * (by.x * by.x + by.y * by.y + by.z * by.z);
    return !(last <= FAR_AT_LAST * FAR_AT_LAST && in_all <= FAR_IN_ALL * FAR_IN_ALL);
}

void sn__grove_find_rough(StiffGrove *grove) {
    bool any = !(grove->g.turn <= FAR_AT_LAST * FAR_AT_LAST);
    for (int k = 0; k < grove->rod_count; ++k) {
        StiffRod *t = grove->rods[k];
        t->rough = false;
        for (int j = 0; j < t->segments && any && !t->rough; ++j)
            t->rough = !sn__stiff_is_fixed(t, j) && is_rough(&grove->g, t, j);
        if (t->rough && t->second)
            set_second(t, ROUGH);
    }
}

void sn__grove_leave_rough(StiffGrove *grove) {
    for (int k = 0; k < grove->rod_count; ++k) {
        StiffRod *t = grove->rods[k];
        if (!t->rough || !t->second)
            continue;
        set_second(t, 0.0);
        t->second = false;
    }
}
