#include "stiff/touch.h"

#include <assert.h>

#include "stiff/solve.h"

static int knot_count(const StiffRod *t) {
    int n = t->points > t->segments ? t->points : t->segments;
    return (n + KNOT_ROW - 1) / KNOT_ROW * KNOT_ROW;
}

bool sn__stiff_rods_number(void *system, KnotNumbers *numbers) {
    const StiffSystem *rods = system;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(rods->bodies, &sn__stiff_kind, &k)) != NULL; ++k) {
        StiffRod *t = stiff_of(body);
        if (!sn__stiff_tear(t))
            return false;
        bool needed = sn__body_needs_knots(body);
        t->knots = needed ? numbers->knots : 0;
        numbers->knots += needed ? knot_count(t) : 0;
    }
    return true;
}

static void own(const StiffRod *t, uint32_t slot, KnotOwner *owners) {
    assert(!t->tears);
    for (int j = 0; j < t->segments; ++j) {
        const int *ends = t->ends[j];
        owners[t->knots + j] = (KnotOwner){.body = slot,
                                           .element = j,
                                           .first = t->knots + ends[0],
                                           .second = t->knots + ends[1],
                                           .home = (uint8_t)((t->home[ends[0]] / 2 == j ? 1 : 0) |
                                                             (t->home[ends[1]] / 2 == j ? 2 : 0))};
    }
}

void sn__stiff_rods_own(const void *system, KnotOwner *owners) {
    const StiffSystem *rods = system;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(rods->bodies, &sn__stiff_kind, &k)) != NULL; ++k)
        if (stiff_of(body)->knots != 0 && sn__body_may_touch(body))
            own(stiff_of(body), body->slot, owners);
}

void sn__stiff_rods_add_velocity(const void *system, double sum[4]) {
    const StiffSystem *rods = system;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(rods->bodies, &sn__stiff_kind, &k)) != NULL; ++k) {
        const StiffRod *t = stiff_of(body);
        for (int j = 0; t->knots != 0 && j < t->segments; ++j) {
            StiffPose p = sn__stiff_pose(t, j);
            sum[0] += p.v.x;
            sum[1] += p.v.y;
            sum[2] += p.v.z;
            sum[3] += 1.0;
        }
    }
}

static void bound(const StiffRod *t, const TouchBounds *bounds, float thickness) {
    double dt = (double)bounds->dt;
    for (int i = 0; i < t->points; ++i) {
        Vec3d v, x = sn__stiff_vertex(t, i, &v);
        bounds->knots[t->knots + i] =
            (Knot){.start = {(float)x.x, (float)x.y, (float)x.z, t->radius[i]},
                   .motion = {(float)(dt * v.x), (float)(dt * v.y), (float)(dt * v.z)}};
    }
    for (int j = 0; j < t->segments; ++j)
        sn__touch_bound(bounds, t->knots + j, t->origin, thickness);
}

void sn__stiff_rods_bounds(void *system, const TouchBounds *bounds) {
    StiffSystem *rods = system;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(rods->bodies, &sn__stiff_kind, &k)) != NULL; ++k) {
        const StiffRod *t = stiff_of(body);
        if (t->knots == 0)
            continue;
        // Without memory, contacts feel every segment alone.
        sn__grove_reserve_response(&rods->allocator, &rods->groves[t->grove].g);
        sn__grove_reserve_compliance(&rods->allocator, &rods->groves[t->grove].g);
        bound(t, bounds, body->surface.thickness);
    }
}

int sn__stiff_knot(const Body *body, int point) {
    assert(point >= 0 && point < stiff_of(body)->points);
    return stiff_of(body)->knots + point;
}

const double *sn__stiff_knot_origin(const Body *body, int knot) {
    (void)knot;
    return stiff_of(body)->origin;
}

void sn__stiff_touch(Body *body) { stiff_of(body)->touched = true; }

void sn__stiff_rods_untouch(void *system) {
    const StiffSystem *rods = system;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(rods->bodies, &sn__stiff_kind, &k)) != NULL; ++k)
        stiff_of(body)->touched = false;
}

// A segment in its row, now and at the start of the sub-step.
typedef struct Lane {
    StiffMotion *m;
    const StiffState *s;
    const StiffRest *r;
    int i;
} Lane;

static Lane lane_of(const StiffRod *t, int segment) {
    assert(t->fresh == NULL && t->slot[segment] >= 0);
    Grove *g = &t->system->groves[t->grove].g;
    int row = t->slot[segment] / STIFF_LANES;
    return (Lane){&g->motion[row], &g->state[row], &g->rest[row], t->slot[segment] % STIFF_LANES};
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

static bool is_still(const StiffRod *t, Lane l) { return t->asleep || !(l.r->mass[l.i] > 0.0); }

// A point that contacts cannot move.
static bool is_held(const StiffRod *t, Lane l, int point) {
    return is_still(t, l) || (point < t->vertices && t->vertex_lead[point] >= 0);
}

static void motion_of(Lane l, double end, float out[3]) {
    Vec3d by = subd(vertex_now(l, end), vertex_before(l, end));
    out[0] = (float)by.x;
    out[1] = (float)by.y;
    out[2] = (float)by.z;
}

void sn__stiff_turning(const Body *body, int segment, Quatd out[2]) {
    Lane l = lane_of(stiff_of(body), segment);
    out[0] = frame_before(l);
    out[1] = frame_now(l);
}

void sn__stiff_twist(Body *body, int segment, Vec3d torque) {
    const StiffRod *t = stiff_of(body);
    Lane l = lane_of(t, segment);
    if (is_still(t, l) || !(dotd(torque, torque) < 1e30))
        return;
    l.m->mx[l.i] += torque.x;
    l.m->my[l.i] += torque.y;
    l.m->mz[l.i] += torque.z;
}

void sn__stiff_stay(StiffRod *t) {
    for (int j = 0; j < t->segments; ++j) {
        Lane l = lane_of(t, j);
        StiffPose p = {.x = {l.m->bx[l.i], l.m->by[l.i], l.m->bz[l.i]}, .q = frame_before(l)};
        sn__stiff_set_pose(t, j, &p);
    }
}

void sn__stiff_press(Body *body, int knot, Vec3d impulse) {
    StiffRod *t = stiff_of(body);
    int point = knot - t->knots;
    assert(t->knots != 0 && point >= 0 && point < t->points);
    Vec3d *press = &t->press[point];
    t->pressed += !(dotd(*press, *press) > 0.0);
    *press = addd(*press, impulse);
    t->press_size[point] += lengthd(impulse);
}

void sn__stiff_rods_forget_press(void *system) {
    const StiffSystem *rods = system;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(rods->bodies, &sn__stiff_kind, &k)) != NULL; ++k) {
        StiffRod *t = stiff_of(body);
        for (int i = 0; i < t->points && t->pressed > 0; ++i) {
            t->press[i] = (Vec3d){0};
            t->press_size[i] = 0.0;
        }
        t->pressed = 0;
    }
}

double sn__stiff_compliance_along(const StiffRod *t, int segment, double end, Vec3d n) {
    const Grove *g = &t->system->groves[t->grove].g;
    if (g->compliance == NULL)
        return 4.0 / t->segment[segment].mass;
    Lane l = lane_of(t, segment);
    Vec3d arm = scaled(axis_z(frame_now(l)), end - l.r->end[l.i]), none = {0}, by, turn;
    sn__grove_answer(g, t->slot[segment], arm, n, none, &by, &turn);
    return dotd(n, by);
}

// A vertex between others that press from both sides has no direction to answer in.
#define ONE_SIDED 0.5
// Contacts of a knot do not know of each other's answers: each is told that the knot is so much lighter.
#define CAUTION 2.0
// Bound on an answer, relative to that of a segment alone.
#define ANSWER_MOST 4.0

// An impulse × h on a point, where sn__grove_response finds it.
static void load_point(const StiffRod *t, int point, Vec3d p) {
    int j;
    double end = sn__stiff_point(t, point, &j);
    Lane l = lane_of(t, j);
    if (is_held(t, l, point))
        return;
    Grove *g = &t->system->groves[t->grove].g;
    StiffLanes *to = g->response[t->slot[j] / STIFF_LANES].g;
    Vec3d m = scaled(crossd(axis_z(frame_now(l)), p), end - l.r->end[l.i]);
    const double all[6] = {p.x, p.y, p.z, m.x, m.y, m.z};
    for (int k = 0; k < 6; ++k)
        to[k][l.i] += all[k];
}

void sn__stiff_load_response(const StiffRod *t) {
    for (int i = 0; i < t->points && t->pressed > 0; ++i)
        if (dotd(t->press[i], t->press[i]) > 0.0)
            load_point(t, i, t->press[i]);
}

// How far a point would go, as the last response says.
static Vec3d answer_at(const StiffRod *t, int segment, double end) {
    const Grove *g = &t->system->groves[t->grove].g;
    Lane l = lane_of(t, segment);
    const StiffResponse *response = &g->response[t->slot[segment] / STIFF_LANES];
    Vec3d by = {response->t[0][l.i], response->t[1][l.i], response->t[2][l.i]};
    Vec3d turn = {response->r[0][l.i], response->r[1][l.i], response->r[2][l.i]};
    return addd(by, crossd(turn, scaled(axis_z(frame_now(l)), end - l.r->end[l.i])));
}

bool sn__stiff_load_pushes(const StiffRod *t) {
    bool any = false;
    for (int i = 0; i < t->points && t->lead_count > 0; ++i) {
        if (!(dotd(t->pushed[i], t->pushed[i]) > 0.0))
            continue;
        load_point(t, i, scaled(t->pushed[i], t->knot_mass[i]));
        any = true;
    }
    return any;
}

// A rod that is held in something stays in it where it is too stiff to evade: bent out of it by force, it
// would press so hard on what it touches that contacts and solves no longer agree. This is how much of
// what contacts want it must be able to go.
#define EVADES_LEAST 0.5
// With all of itself behind its points it goes no farther than they would alone. Σ m |way|² beyond so many times that is
// an answer of a solve that has failed, as of nets whose stiffnesses are 10¹³ apart.
#define EVADES_MOST 4.0

void sn__stiff_see_pushes(StiffRod *t, bool asked) {
    double wanted = 0.0, gone = 0.0, went = 0.0;
    for (int i = 0; i < t->points; ++i) {
        int j;
        double end = sn__stiff_point(t, i, &j);
        t->evades[i] = asked ? answer_at(t, j, end) : t->pushed[i];
        wanted += t->knot_mass[i] * dotd(t->pushed[i], t->pushed[i]);
        gone += t->knot_mass[i] * dotd(t->pushed[i], t->evades[i]);
        went += t->knot_mass[i] * dotd(t->evades[i], t->evades[i]);
    }
    bool evades = gone > EVADES_LEAST * wanted && went <= EVADES_MOST * wanted;
    for (int i = 0; i < t->points && !evades; ++i)
        t->evades[i] = (Vec3d){0};
}

// How far it would go by an impulse along the axis in which it is easiest to move, and no less than alone. What is tied
// is solved once more after the last contacts: who would be told of less would push it too far.
static double easiest(const StiffRod *t, int segment, double end, double alone) {
    const Vec3d axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int k = 0; k < 3; ++k)
        alone = fmax(alone, sn__stiff_compliance_along(t, segment, end, axes[k]));
    return alone;
}

// 1/mass of a knot for contacts: how far it would go if all vertices were pressed as they were in the
// last pass, with all of the tree behind them, per impulse on it; and no less than if it alone was.
static float knot_mobility(const StiffRod *t, int point, int segment, double end) {
    assert(t->knot_mass[point] > 0.0);
    double alone = 1.0 / t->knot_mass[point];
    Vec3d press = t->press[point];
    double size = lengthd(press);
    const Grove *g = &t->system->groves[t->grove].g;
    if (g->response == NULL || g->compliance == NULL)
        return (float)alone;
    if (t->system->groves[t->grove].tie_count > 0)
        return (float)(CAUTION * easiest(t, segment, end, alone));
    if (!(size > ONE_SIDED * t->press_size[point]))
        return (float)alone;
    double answer = dotd(answer_at(t, segment, end), press) / (size * size);
    double own = sn__stiff_compliance_along(t, segment, end, scaled(press, 1.0 / size));
    return (float)fmin(CAUTION * fmax(answer, own), ANSWER_MOST * alone);
}

void sn__stiff_paces(const StiffRod *t, double h, KnotPace *paces) {
    for (int i = 0; i < t->points; ++i) {
        Vec3d v;
        sn__stiff_vertex(t, i, &v);
        paces[t->knots + i] =
            (KnotPace){{(float)(h * v.x), (float)(h * v.y), (float)(h * v.z)}, 2.0f};
    }
}

void sn__stiff_forget_blows(StiffRod *t, const uint8_t *struck) {
    for (int i = 0; i < t->points; ++i) {
        int j;
        sn__stiff_point(t, i, &j);
        if (!struck[t->knots + i])
            continue;
        StiffState *s = &t->system->groves[t->grove].g.state[t->slot[j] / STIFF_LANES];
        int lane = t->slot[j] % STIFF_LANES;
        s->ax[lane] = s->ay[lane] = s->az[lane] = 0.0;
        s->bx[lane] = s->by[lane] = s->bz[lane] = 0.0;
    }
}

static float length_of(const float v[3]) { return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

void sn__stiff_to_knots(const StiffRod *t, Knot *knots, KnotWays ways, bool first, bool alone) {
    assert(t->knots != 0);
    for (int i = 0; i < t->points; ++i) {
        int j;
        double end = sn__stiff_point(t, i, &j);
        Lane l = lane_of(t, j);
        Knot *k = &knots[t->knots + i];
        Vec3d at = vertex_before(l, end);
        k->start[0] = (float)at.x;
        k->start[1] = (float)at.y;
        k->start[2] = (float)at.z;
        k->start[3] = t->radius[i];
        if (t->asleep)
            k->motion[0] = k->motion[1] = k->motion[2] = 0.0f;
        else
            motion_of(l, end, k->motion);
        ways.ahead[t->knots + i] = ways.gone[t->knots + i] + length_of(k->motion);
        k->motion[3] = k->radial = 0.0f;
        k->mobility = is_held(t, l, i) ? 0.0f
                      : alone          ? (float)(1.0 / t->knot_mass[i])
                                       : knot_mobility(t, i, j, end);
        if (first)
            k->push[0] = k->push[1] = k->push[2] = 0.0f;
    }
    for (int j = 0; j < t->segments; ++j) {
        Lane l = lane_of(t, j);
        Knot *k = &knots[t->knots + j];
        k->roll = k->rolled = t->asleep ? 0.0f : roll_of(l);
        k->spin = is_still(t, l) ? 0.0f : (float)(1.0 / t->segment[j].inertia[2]);
    }
}

// An impulse × h at a point `end` along the axis from the centre, and a turn about the axis.
static void push_segment(Lane l, double end, Vec3d p, double roll) {
    Vec3d axis = axis_z(frame_now(l));
    double from_joint = end - l.r->end[l.i];
    l.m->px[l.i] += p.x;
    l.m->py[l.i] += p.y;
    l.m->pz[l.i] += p.z;
    l.m->ex[l.i] += from_joint * p.x;
    l.m->ey[l.i] += from_joint * p.y;
    l.m->ez[l.i] += from_joint * p.z;
    l.m->mx[l.i] += roll * axis.x;
    l.m->my[l.i] += roll * axis.y;
    l.m->mz[l.i] += roll * axis.z;
}

static bool is_sane(Vec3d p) { return dotd(p, p) < 1e30; }

void sn__stiff_from_knots(StiffRod *t, const Knot *knots) {
    for (int i = 0; i < t->points; ++i) {
        int j;
        double end = sn__stiff_point(t, i, &j);
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

static Vec3d moved_by(const StiffRod *t, const Knot *knots, int point) {
    int j;
    double end = sn__stiff_point(t, point, &j);
    float sent[3];
    motion_of(lane_of(t, j), end, sent);
    const Knot *k = &knots[t->knots + point];
    return (Vec3d){(double)(k->motion[0] - sent[0]), (double)(k->motion[1] - sent[1]),
                   (double)(k->motion[2] - sent[2])};
}

// A segment whose ends move by a and b, and which rolls about its axis.
static void move_ends(StiffRod *t, int j, Vec3d a, Vec3d b, double roll) {
    Lane l = lane_of(t, j);
    if (is_still(t, l) || !is_sane(a) || !is_sane(b) || !(fabs(roll) < 1e6))
        return;
    StiffPose p = sn__stiff_pose(t, j);
    Vec3d axis = axis_z(p.q);
    Vec3d turn =
        addd(scaled(crossd(axis, subd(b, a)), 1.0 / t->segment[j].length), scaled(axis, roll));
    p.x = addd(p.x, scaled(addd(a, b), 0.5));
    p.q = normalisedq(mulqd((Quatd){0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z, 1.0}, p.q));
    sn__stiff_set_pose(t, j, &p);
}

void sn__stiff_count_ways(const StiffRod *t, const Knot *knots, KnotWays ways) {
    for (int i = t->knots; i < t->knots + t->points; ++i)
        ways.gone[i] += length_of(knots[i].motion) + length_of(knots[i].push);
}

void sn__stiff_follow_knots(StiffRod *t, const Knot *knots, KnotWays ways) {
    sn__stiff_count_ways(t, knots, ways);
    // All of them before any segment moves.
    for (int i = 0; i < t->points; ++i)
        t->moved[i] = moved_by(t, knots, i);
    for (int j = 0; j < t->segments; ++j) {
        const Knot *k = &knots[t->knots + j];
        move_ends(t, j, t->moved[t->ends[j][0]], t->moved[t->ends[j][1]],
                  (double)(k->roll - k->rolled));
    }
}

static Vec3d push_of(const StiffRod *t, int point) {
    return t->lead_count > 0 ? t->evades[point] : t->pushed[point];
}

void sn__stiff_push(StiffRod *t, const Knot *knots) {
    for (int i = 0; i < t->points; ++i) {
        const Knot *k = &knots[t->knots + i];
        t->pushed[i] = (Vec3d){(double)k->push[0], (double)k->push[1], (double)k->push[2]};
    }
    for (int j = 0; j < t->segments; ++j) {
        Vec3d a = push_of(t, t->ends[j][0]), b = push_of(t, t->ends[j][1]);
        if (dotd(a, a) + dotd(b, b) > 0.0)
            move_ends(t, j, a, b, 0.0);
    }
}

void sn__stiff_take_loads(StiffRod *t, ContactLoad *loads) {
    for (int k = 0; k < knot_count(t); ++k) {
        ContactLoad *load = &loads[t->knots + k];
        Vec3d p = {(double)load->force[0], (double)load->force[1], (double)load->force[2]};
        if (k < t->points && dotd(p, p) > 0.0) {
            int j;
            double end = sn__stiff_point(t, k, &j);
            Lane l = lane_of(t, j);
            if (!is_held(t, l, k))
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
