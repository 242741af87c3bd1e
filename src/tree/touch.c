#include "tree/touch.h"

#include "tree/solve.h"

// Part of the radius that a surface may move by beyond what its velocity tells.
#define SPARE 0.02f

int sn__tree_knot_count(const Tree *t) {
    int n = t->points > t->segments ? t->points : t->segments;
    return (n + KNOT_ROW - 1) / KNOT_ROW * KNOT_ROW;
}

void sn__tree_own(const Tree *t, uint32_t rod, KnotOwner *owners) {
    for (int j = 0; j < t->segments; ++j) {
        const int *ends = t->ends[j];
        owners[t->knots + j] = (KnotOwner){.body = rod,
                                           .element = j,
                                           .first = t->knots + ends[0],
                                           .second = t->knots + ends[1],
                                           .home = (uint8_t)((t->home[ends[0]] / 2 == j ? 1 : 0) |
                                                             (t->home[ends[1]] / 2 == j ? 2 : 0))};
    }
}

static GridBox box_around(const double origin[3], const Knot *a, const Knot *b,
                          const TouchBounds *bounds, float reach) {
    GridBox box;
    for (int c = 0; c < 3; ++c) {
        float seen = bounds->dt * bounds->velocity[c];
        float low = 1e30f, high = -1e30f;
        for (int k = 0; k < 2; ++k) {
            const Knot *knot = k == 0 ? a : b;
            float from = knot->place[c], to = from + knot->motion[c] - seen;
            float least = from < to ? from : to, most = from < to ? to : from;
            low = low < least - knot->place[3] ? low : least - knot->place[3];
            high = high > most + knot->place[3] ? high : most + knot->place[3];
        }
        double rounding = 2e-7 * fabs(origin[c]);
        box.low[c] = (float)(origin[c] + (double)(low - reach) - rounding);
        box.high[c] = (float)(origin[c] + (double)(high + reach) + rounding);
    }
    return box;
}

void sn__tree_bounds(const Tree *t, const TouchBounds *bounds, float thickness, Knot *knots,
                     GridBox *boxes, float *reach) {
    double dt = (double)bounds->dt;
    for (int i = 0; i < t->points; ++i) {
        Vec3d v, x = sn__tree_vertex(t, i, &v);
        knots[t->knots + i] =
            (Knot){.place = {(float)x.x, (float)x.y, (float)x.z, t->radius[i]},
                   .motion = {(float)(dt * v.x), (float)(dt * v.y), (float)(dt * v.z)}};
    }
    float fall = 0.5f * bounds->acceleration * bounds->dt * bounds->dt;
    for (int j = 0; j < t->segments; ++j) {
        const Knot *a = &knots[t->knots + t->ends[j][0]], *b = &knots[t->knots + t->ends[j][1]];
        float r = a->place[3] > b->place[3] ? a->place[3] : b->place[3];
        reach[t->knots + j] = fall + SPARE * r + thickness;
        boxes[t->knots + j] = box_around(t->origin, a, b, bounds, reach[t->knots + j]);
    }
}

// A segment in its row, now and at the start of the sub-step.
typedef struct Lane {
    TreeMotion *m;
    const TreeState *s;
    const TreeRest *r;
    int i;
} Lane;

static Lane lane_of(const Tree *t, int segment) {
    Grove *g = &t->system->groves[t->grove].g;
    int row = t->place[segment] / TREE_LANES;
    return (Lane){&g->motion[row], &g->state[row], &g->rest[row], t->place[segment] % TREE_LANES};
}

static Quatd frame_now(Lane l) {
    return (Quatd){l.s->qx[l.i], l.s->qy[l.i], l.s->qz[l.i], l.s->qw[l.i]};
}

static Quatd frame_before(Lane l) {
    return (Quatd){l.m->qx[l.i], l.m->qy[l.i], l.m->qz[l.i], l.m->qw[l.i]};
}

static Vec3d vertex_before(Lane l, double end) {
    return addd((Vec3d){l.m->bx[l.i], l.m->by[l.i], l.m->bz[l.i]},
                scaled(axis_z(frame_before(l)), end));
}

static Vec3d vertex_now(Lane l, double end) {
    return addd((Vec3d){l.s->x[l.i], l.s->y[l.i], l.s->z[l.i]}, scaled(axis_z(frame_now(l)), end));
}

static float roll_of(Lane l) {
    Quatd turn = mulqd(conjugated(frame_before(l)), frame_now(l));
    return (float)(2.0 * (turn.w < 0.0 ? -turn.z : turn.z));
}

static bool is_still(const Tree *t, Lane l) { return t->rest.asleep || !(l.r->mass[l.i] > 0.0); }

static void motion_of(Lane l, double end, float out[3]) {
    Vec3d by = subd(vertex_now(l, end), vertex_before(l, end));
    out[0] = (float)by.x;
    out[1] = (float)by.y;
    out[2] = (float)by.z;
}

void sn__tree_press(Tree *t, int point, Vec3d impulse) {
    Vec3d *press = &t->press[point];
    t->pressed += !(dotd(*press, *press) > 0.0);
    *press = addd(*press, impulse);
    t->press_size[point] += lengthd(impulse);
}

void sn__tree_forget_press(Tree *t) {
    for (int i = 0; i < t->points && t->pressed > 0; ++i) {
        t->press[i] = (Vec3d){0};
        t->press_size[i] = 0.0;
    }
    t->pressed = 0;
}

double sn__tree_answer(const Tree *t, int segment, double end, Vec3d n) {
    const Grove *g = &t->system->groves[t->grove].g;
    if (g->give == NULL)
        return 4.0 / t->segment[segment].mass;
    Lane l = lane_of(t, segment);
    Vec3d arm = scaled(axis_z(frame_now(l)), end - l.r->end[l.i]), none = {0}, by, turn;
    sn__grove_answer(g, t->place[segment], arm, n, none, &by, &turn);
    return dotd(n, by);
}

// A vertex between others that press from both sides has no direction to answer in.
#define ONE_SIDED 0.5
// Contacts of a knot do not know of each other's answers: each is told that the knot is so much lighter.
#define CAUTION 2.0
// Bound on an answer, relative to that of a segment alone.
#define ANSWER_MOST 4.0

void sn__tree_ask(const Tree *t) {
    Grove *g = &t->system->groves[t->grove].g;
    for (int i = 0; i < t->points && t->pressed > 0; ++i) {
        Vec3d p = t->press[i];
        if (!(dotd(p, p) > 0.0))
            continue;
        int j;
        double end = sn__tree_point(t, i, &j);
        Lane l = lane_of(t, j);
        if (is_still(t, l))
            continue;
        TreeLanes *to = g->reply[t->place[j] / TREE_LANES].g;
        Vec3d m = scaled(crossd(axis_z(frame_now(l)), p), end - l.r->end[l.i]);
        const double all[6] = {p.x, p.y, p.z, m.x, m.y, m.z};
        for (int k = 0; k < 6; ++k)
            to[k][l.i] += all[k];
    }
}

// 1/mass of a knot for contacts: how far it would go if all vertices were pressed as they were in the
// last pass, with all of the tree behind them, per impulse on it; and no less than if it alone was.
static float knot_mobility(const Tree *t, int point, int segment, double end) {
    double alone = 1.0 / t->knot_mass[point];
    Vec3d press = t->press[point];
    double size = lengthd(press);
    const Grove *g = &t->system->groves[t->grove].g;
    if (!(size > ONE_SIDED * t->press_size[point]) || g->reply == NULL || g->give == NULL)
        return (float)alone;
    Lane l = lane_of(t, segment);
    const TreeReply *reply = &g->reply[t->place[segment] / TREE_LANES];
    Vec3d by = {reply->t[0][l.i], reply->t[1][l.i], reply->t[2][l.i]};
    Vec3d turn = {reply->r[0][l.i], reply->r[1][l.i], reply->r[2][l.i]};
    Vec3d arm = scaled(axis_z(frame_now(l)), end - l.r->end[l.i]);
    double answer = dotd(addd(by, crossd(turn, arm)), press) / (size * size);
    double own = sn__tree_answer(t, segment, end, scaled(press, 1.0 / size));
    return (float)fmin(CAUTION * fmax(answer, own), ANSWER_MOST * alone);
}

static float length_of(const float v[3]) { return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

void sn__tree_to_knots(const Tree *t, Knot *knots, KnotWays ways, bool first, bool alone) {
    for (int i = 0; i < t->points; ++i) {
        int j;
        double end = sn__tree_point(t, i, &j);
        Lane l = lane_of(t, j);
        Knot *k = &knots[t->knots + i];
        Vec3d at = vertex_before(l, end);
        k->place[0] = (float)at.x;
        k->place[1] = (float)at.y;
        k->place[2] = (float)at.z;
        k->place[3] = t->radius[i];
        motion_of(l, end, k->motion);
        ways.ahead[t->knots + i] = ways.gone[t->knots + i] + length_of(k->motion);
        k->motion[3] = k->radial = 0.0f;
        bool held = is_still(t, l) || (i < t->vertices && t->vertex_lead[i] >= 0);
        k->mobility = held    ? 0.0f
                      : alone ? (float)(1.0 / t->knot_mass[i])
                              : knot_mobility(t, i, j, end);
        if (first)
            k->push[0] = k->push[1] = k->push[2] = 0.0f;
    }
    for (int j = 0; j < t->segments; ++j) {
        Lane l = lane_of(t, j);
        Knot *k = &knots[t->knots + j];
        k->roll = k->rolled = roll_of(l);
        k->spin = is_still(t, l) ? 0.0f : (float)(1.0 / t->segment[j].inertia[2]);
    }
}

// An impulse × h at a point `end` along the axis from the centre, and a turn about the axis.
static void push_segment(Lane l, double end, Vec3d p, double roll) {
    Vec3d axis = axis_z(frame_now(l));
    Vec3d turn = addd(scaled(crossd(axis, p), end - l.r->end[l.i]), scaled(axis, roll));
    l.m->px[l.i] += p.x;
    l.m->py[l.i] += p.y;
    l.m->pz[l.i] += p.z;
    l.m->mx[l.i] += turn.x;
    l.m->my[l.i] += turn.y;
    l.m->mz[l.i] += turn.z;
}

static bool is_sane(Vec3d p) { return dotd(p, p) < 1e30; }

void sn__tree_from_knots(Tree *t, const Knot *knots) {
    for (int i = 0; i < t->points; ++i) {
        int j;
        double end = sn__tree_point(t, i, &j);
        Lane l = lane_of(t, j);
        const Knot *k = &knots[t->knots + i];
        float sent[3];
        motion_of(l, end, sent);
        Vec3d p = {(double)(k->motion[0] - sent[0]), (double)(k->motion[1] - sent[1]),
                   (double)(k->motion[2] - sent[2])};
        if (k->mobility > 0.0f && is_sane(p))
            push_segment(l, end, scaled(p, 1.0 / (double)k->mobility), 0.0);
    }
    for (int j = 0; j < t->segments; ++j) {
        Lane l = lane_of(t, j);
        const Knot *k = &knots[t->knots + j];
        double roll = (double)(k->roll - k->rolled) * t->segment[j].inertia[2];
        if (!is_still(t, l) && fabs(roll) < 1e15)
            push_segment(l, 0.0, (Vec3d){0}, roll);
    }
}

static Vec3d moved_by(const Tree *t, const Knot *knots, int point) {
    int j;
    double end = sn__tree_point(t, point, &j);
    float sent[3];
    motion_of(lane_of(t, j), end, sent);
    const Knot *k = &knots[t->knots + point];
    return (Vec3d){(double)(k->motion[0] - sent[0]), (double)(k->motion[1] - sent[1]),
                   (double)(k->motion[2] - sent[2])};
}

// A segment whose ends move by a and b, and which rolls about its axis.
static void move_ends(Tree *t, int j, Vec3d a, Vec3d b, double roll) {
    Lane l = lane_of(t, j);
    if (is_still(t, l) || !is_sane(a) || !is_sane(b) || !(fabs(roll) < 1e6))
        return;
    TreePose p = sn__tree_pose(t, j);
    Vec3d axis = axis_z(p.q);
    Vec3d turn =
        addd(scaled(crossd(axis, subd(b, a)), 1.0 / t->segment[j].length), scaled(axis, roll));
    p.x = addd(p.x, scaled(addd(a, b), 0.5));
    p.q = normalisedq(mulqd((Quatd){0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z, 1.0}, p.q));
    sn__tree_set_pose(t, j, &p);
}

void sn__tree_follow_knots(Tree *t, const Knot *knots, KnotWays ways) {
    // All of them before any segment moves.
    for (int i = 0; i < t->points; ++i) {
        const Knot *k = &knots[t->knots + i];
        t->moved[i] = moved_by(t, knots, i);
        ways.gone[t->knots + i] += length_of(k->motion) + length_of(k->push);
    }
    for (int j = 0; j < t->segments; ++j) {
        const Knot *k = &knots[t->knots + j];
        move_ends(t, j, t->moved[t->ends[j][0]], t->moved[t->ends[j][1]],
                  (double)(k->roll - k->rolled));
    }
}

static Vec3d push_of(const Knot *k) {
    return (Vec3d){(double)k->push[0], (double)k->push[1], (double)k->push[2]};
}

void sn__tree_push(Tree *t, const Knot *knots) {
    for (int j = 0; j < t->segments; ++j) {
        Vec3d a = push_of(&knots[t->knots + t->ends[j][0]]);
        Vec3d b = push_of(&knots[t->knots + t->ends[j][1]]);
        if (dotd(a, a) + dotd(b, b) > 0.0)
            move_ends(t, j, a, b, 0.0);
    }
}

void sn__tree_take_loads(Tree *t, ContactLoad *loads) {
    for (int k = 0; k < sn__tree_knot_count(t); ++k) {
        ContactLoad *load = &loads[t->knots + k];
        Vec3d p = {(double)load->force[0], (double)load->force[1], (double)load->force[2]};
        if (k < t->points && dotd(p, p) > 0.0) {
            int j;
            double end = sn__tree_point(t, k, &j);
            Lane l = lane_of(t, j);
            if (!is_still(t, l))
                push_segment(l, end, p, 0.0);
        }
        if (k < t->segments && load->roll != 0.0f) {
            Lane l = lane_of(t, k);
            if (!is_still(t, l))
                push_segment(l, 0.0, (Vec3d){0}, (double)load->roll);
        }
        *load = (ContactLoad){0};
    }
}
