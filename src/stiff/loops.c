#include "stiff/loops.h"

#include <assert.h>
#include <string.h>

#include "stiff/scheme.h"

// Strain that one solve settles at most, rad: as at other joints.
#define SETTLE_MAX 1.0

static double *lane(StiffLanes *field, int slot) { return &field[0][slot % STIFF_LANES]; }

static Vec3d read3(const StiffLanes *field, int slot) {
    int i = slot % STIFF_LANES;
    return (Vec3d){field[0][i], field[1][i], field[2][i]};
}

static void add3_to(StiffLanes *field, int slot, Vec3d v) {
    int i = slot % STIFF_LANES;
    field[0][i] += v.x;
    field[1][i] += v.y;
    field[2][i] += v.z;
}

static Quatd frame_of(const Grove *g, int slot) {
    const StiffState *s = &g->state[slot / STIFF_LANES];
    int i = slot % STIFF_LANES;
    return (Quatd){s->qx[i], s->qy[i], s->qz[i], s->qw[i]};
}

// The rotation of the joint from its rest, with w ≥ 0, and the frame that it is measured in.
static Quatd bent(const Grove *g, const StiffLoop *l, Quatd *out_stem) {
    *out_stem = mulqd(frame_of(g, l->slot[0]), l->rest);
    Quatd rel = mulqd(conjugated(*out_stem), frame_of(g, l->slot[1]));
    return rel.w < 0.0 ? (Quatd){-rel.x, -rel.y, -rel.z, -rel.w} : rel;
}

void sn__loops_begin(Grove *g, double h) {
    assert(h > 0.0);
    for (int k = 0; k < g->loop_count; ++k) {
        StiffLoop *l = &g->loops[k];
        Quatd stem, rel = bent(g, l, &stem);
        double share = 2.0 * l->damping / (l->damping + h);
        l->held = (Vec3d){share * rel.x, share * rel.y, share * rel.z};
    }
}

static double largest(Vec3d v) { return fmax(fmax(fabs(v.x), fabs(v.y)), fabs(v.z)); }

// A = (w − [v]×) Rᵀ, see stiff_solve_wide.c.
static void measure_turn(StiffLoop *l, Quatd stem, Quatd rel) {
    Vec3d x = rotated(stem, (Vec3d){1.0, 0.0, 0.0}), y = rotated(stem, (Vec3d){0.0, 1.0, 0.0});
    Vec3d z = rotated(stem, (Vec3d){0.0, 0.0, 1.0});
    l->turn[0] = addd(scaled(x, rel.w), subd(scaled(y, rel.z), scaled(z, rel.y)));
    l->turn[1] = addd(scaled(y, rel.w), subd(scaled(z, rel.x), scaled(x, rel.z)));
    l->turn[2] = addd(scaled(z, rel.w), subd(scaled(x, rel.y), scaled(y, rel.x)));
}

// Forces of earlier solves turn with the segments: what is new of their moments is told to them.
static void tell_moment(Grove *g, StiffLoop *l) {
    Vec3d moment = {0};
    const double strain[3] = {l->strain.x, l->strain.y, l->strain.z};
    for (int c = 0; c < 3; ++c)
        moment = subd(moment, scaled(l->turn[c], l->root[c + 1] * l->root[c + 1] * strain[c]));
    Vec3d change = subd(moment, l->told);
    l->told = moment;
    add3_to(&g->motion[l->slot[1] / STIFF_LANES].nx, l->slot[1], change);
    add3_to(&g->motion[l->slot[0] / STIFF_LANES].nx, l->slot[0], scaled(change, -1.0));
}

// The first solve of a sub-step starts where the last sub-step ended.
static void guess(StiffLoop *l) {
    assert(l->root[0] > 0.0);
    const double last[6] = {l->force.x,  l->force.y,  l->force.z,
                            l->strain.x, l->strain.y, l->strain.z};
    for (int c = 0; c < 6; ++c)
        l->sum[c] = c < 3 ? last[c] / l->root[0] : last[c] * l->root[c - 2];
    l->strain = l->force = l->told = (Vec3d){0};
}

static double measure(Grove *g, StiffLoop *l, double h) {
    Vec3d point[2];
    for (int e = 0; e < 2; ++e) {
        Vec3d axis = axis_z(frame_of(g, l->slot[e]));
        int row = l->slot[e] / STIFF_LANES;
        point[e] = addd(read3(&g->state[row].x, l->slot[e]), scaled(axis, l->end[e]));
        l->arm[e] = scaled(axis, l->end[e] - *lane(&g->rest[row].end, l->slot[e]));
    }
    Quatd stem, rel = bent(g, l, &stem);
    measure_turn(l, stem, rel);
    double share = l->second ? 1.0 - SECOND_SHARE : 1.0;
    double firm = share * l->hold * h * h, hold = fmin(fmax(firm, l->least), l->most),
           gain = share * h * (h + l->damping);
    l->root[0] = sqrt(hold);
    for (int c = 0; c < 3; ++c)
        l->root[c + 1] = sqrt(gain * l->k[c]);
    if (g->correct)
        tell_moment(g, l);
    else
        guess(l);

    // Where the bound is all that holds, the force so far has no part in what is left.
    bool bounded = firm > l->most || firm < l->least;
    Vec3d gap = subd(subd(point[0], point[1]), bounded ? (Vec3d){0} : scaled(l->force, 1.0 / hold));
    Vec3d left = {2.0 * rel.x, 2.0 * rel.y, 2.0 * rel.z};
    left = subd(subd(left, l->strain), l->held);
    left = scaled(left, 1.0 / fmax(lengthd(left) / SETTLE_MAX, 1.0));
    bool hinge = !(l->k[0] + l->k[1] + l->k[2] > 0.0);
    const double settle[6] = {gap.x, gap.y, gap.z, left.x, left.y, left.z};
    for (int c = 0; c < 6; ++c)
        l->left[c] = settle[c] * l->root[c < 3 ? 0 : c - 2];
    return fmax(largest(gap), hinge ? 0.0 : largest(left));
}

double sn__loops_measure(Grove *g, double h) {
    double worst = 0.0;
    for (int k = 0; k < g->loop_count; ++k)
        worst = fmax(worst, measure(g, &g->loops[k], h));
    return worst;
}

// p = Eᵀ y on b, and the opposite on a, where sn__grove_response finds it.
void sn__loop_press(Grove *g, const StiffLoop *l, const double y[6]) {
    Vec3d force = scaled((Vec3d){y[0], y[1], y[2]}, l->root[0]), moment = {0};
    for (int c = 0; c < 3; ++c)
        moment = subd(moment, scaled(l->turn[c], l->root[c + 1] * y[c + 3]));
    for (int e = 0; e < 2; ++e) {
        double sign = e == 0 ? -1.0 : 1.0;
        StiffLanes *to = g->response[l->slot[e] / STIFF_LANES].g;
        add3_to(to, l->slot[e], scaled(force, sign));
        add3_to(to + 3, l->slot[e], scaled(addd(moment, crossd(l->arm[e], force)), sign));
    }
}

// E u, of the motion of b's point against a's and of its turn.
void sn__loop_gradient(const StiffLoop *l, Vec3d by, Vec3d turn, double out[6]) {
    out[0] = l->root[0] * by.x;
    out[1] = l->root[0] * by.y;
    out[2] = l->root[0] * by.z;
    for (int c = 0; c < 3; ++c)
        out[c + 3] = -l->root[c + 1] * dotd(l->turn[c], turn);
}

// The same of the motion that the last way down has left in Grove.reply.
void sn__loop_feel(const Grove *g, const StiffLoop *l, double out[6]) {
    Vec3d by[2], turn[2];
    for (int e = 0; e < 2; ++e) {
        const StiffResponse *r = &g->response[l->slot[e] / STIFF_LANES];
        turn[e] = read3(r->r, l->slot[e]);
        by[e] = addd(read3(r->t, l->slot[e]), crossd(turn[e], l->arm[e]));
    }
    sn__loop_gradient(l, subd(by[1], by[0]), subd(turn[1], turn[0]), out);
}

// The multipliers y of this solve, for the segments and for the next one.
static void keep(Grove *g, StiffLoop *l, const double y[6]) {
    Vec3d force = scaled((Vec3d){y[0], y[1], y[2]}, l->root[0]);
    double strain[3];
    for (int c = 0; c < 3; ++c)
        strain[c] = l->root[c + 1] > 0.0 ? y[c + 3] / l->root[c + 1] : 0.0;
    l->force = addd(l->force, force);
    l->strain = addd(l->strain, (Vec3d){strain[0], strain[1], strain[2]});
    for (int e = 0; e < 2; ++e) {
        StiffMotion *m = &g->motion[l->slot[e] / STIFF_LANES];
        double sign = e == 0 ? -1.0 : 1.0;
        double mass = *lane(&g->rest[l->slot[e] / STIFF_LANES].mass, l->slot[e]);
        add3_to(&m->fx, l->slot[e], scaled(force, mass > 0.0 ? sign / mass : 0.0));
        add3_to(&m->lx, l->slot[e], scaled(force, -sign * l->end[e]));
    }
}

// What is left when the segments have moved as Grove.response says.
static void take_motion(Grove *g, bool alone) {
    for (int k = 0; k < g->loop_count; ++k) {
        double by[6];
        if (alone && g->loops[k].alone)
            continue;
        sn__loop_feel(g, &g->loops[k], by);
        for (int c = 0; c < 6; ++c)
            g->loops[k].left[c] -= by[c];
    }
}

// y = r − E A⁻¹ Eᵀ r of the loops of nets, of what is in `left`, in its place.
static void settle(Grove *g, const StiffKernels *kernels, const SnTaskSystem *tasks) {
    for (int k = 0; k < g->loop_count; ++k)
        if (!g->loops[k].alone)
            sn__loop_press(g, &g->loops[k], g->loops[k].left);
    sn__grove_response(g, kernels, tasks);
    take_motion(g, true);
}

// y is a small difference of large numbers: once more, with what (1 + E G Eᵀ) y is short of the right side.
static void refine(Grove *g, const StiffKernels *kernels, const SnTaskSystem *tasks) {
    for (int k = 0; k < g->loop_count; ++k)
        if (!g->loops[k].alone)
            sn__loop_press(g, &g->loops[k], g->loops[k].left);
    sn__grove_response_of_trees(g, kernels, tasks);
    for (int k = 0; k < g->loop_count; ++k) {
        StiffLoop *l = &g->loops[k];
        double by[6];
        sn__loop_feel(g, l, by);
        for (int c = 0; c < 6 && !l->alone; ++c) {
            l->sum[c] = l->left[c];
            l->left[c] = l->right[c] - l->sum[c] - by[c];
        }
    }
    settle(g, kernels, tasks);
    for (int k = 0; k < g->loop_count; ++k)
        for (int c = 0; c < 6 && !g->loops[k].alone; ++c)
            g->loops[k].sum[c] += g->loops[k].left[c];
}

static void solve_nets(Grove *g, const StiffKernels *kernels, const SnTaskSystem *tasks) {
    kernels->fronts_factor(g);
    for (int k = 0; k < g->loop_count; ++k)
        memcpy(g->loops[k].right, g->loops[k].left, sizeof g->loops[k].left);
    settle(g, kernels, tasks);
    refine(g, kernels, tasks);
}

void sn__loops_solve(Grove *g, const StiffKernels *kernels, const SnTaskSystem *tasks) {
    assert(g->loop_count > 0 && g->response);
    sn__grove_peek(g, kernels, tasks);
    take_motion(g, false);
    if (g->fronts)
        solve_nets(g, kernels, tasks);
    sn__rings_solve(g, kernels, tasks);
    for (int k = 0; k < g->loop_count; ++k) {
        sn__loop_press(g, &g->loops[k], g->loops[k].sum);
        keep(g, &g->loops[k], g->loops[k].sum);
    }
    sn__grove_add_impulses(g, kernels, tasks);
}

void sn__loops_end(Grove *g) {
    for (int k = 0; k < g->loop_count; ++k)
        for (int e = 0; e < 2; ++e) {
            int slot = g->loops[k].slot[e];
            StiffMotion *m = &g->motion[slot / STIFF_LANES];
            *lane(&m->lx, slot) = *lane(&m->ly, slot) = *lane(&m->lz, slot) = 0.0;
        }
}
