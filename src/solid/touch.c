// Solids as the collision phase sees them: every particle is a knot with a turn of its own, and an element.
#include "solid/solid.h"

static int knot_count(const Solid *s) { return (s->count + KNOT_ROW - 1) / KNOT_ROW * KNOT_ROW; }

bool sn__solids_number(void *system, KnotNumbers *numbers) {
    assert(numbers->knots % KNOT_ROW == 0 && numbers->turns > 0);
    const SolidSystem *solids = system;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(solids->bodies, &sn__solid_kind, &k)) != NULL; ++k) {
        Solid *s = solid_of(body);
        bool needed = sn__body_needs_knots(body);
        s->knots = needed ? numbers->knots : 0;
        s->turns = needed ? numbers->turns : 0;
        numbers->knots += needed ? knot_count(s) : 0;
        numbers->turns += needed ? s->count : 0;
    }
    return true;
}

void sn__solids_own(const void *system, KnotOwner *owners) {
    const SolidSystem *solids = system;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(solids->bodies, &sn__solid_kind, &k)) != NULL; ++k) {
        const Solid *s = solid_of(body);
        for (int i = 0; s->knots != 0 && sn__body_may_touch(body) && i < s->count; ++i)
            owners[s->knots + i] = (KnotOwner){.body = body->slot,
                                               .element = i,
                                               .first = s->knots + i,
                                               .second = s->knots + i,
                                               .home = 3,
                                               .hub = s->knots + i,
                                               .turn = s->turns + i,
                                               .whole = true};
    }
}

void sn__solids_add_velocity(const void *system, double sum[4]) {
    const SolidSystem *solids = system;
    for (int k = 0; k < solids->count; ++k) {
        const Solid *s = solids->list[k];
        for (int i = 0; s->knots != 0 && i < s->count; ++i) {
            sum[0] += s->v[i].x;
            sum[1] += s->v[i].y;
            sum[2] += s->v[i].z;
            sum[3] += 1.0;
        }
    }
}

static void store3(float out[3], Vec3d v) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

// The ellipsoid of a particle that is turned like this.
static void shape_of(const SolidParticle *p, Quatd q, float out[6]) {
    Sym3 own = {p->radii.x * p->radii.x, p->radii.y * p->radii.y, p->radii.z * p->radii.z, 0, 0, 0};
    Mat3 R = mat_of(normalisedq(mulqd(q, p->frame)));
    Sym3 S = sym_turned(&R, &own);
    const double all[6] = {S.xx, S.yy, S.zz, S.xy, S.xz, S.yz};
    for (int k = 0; k < 6; ++k)
        out[k] = (float)all[k];
}

typedef struct BoundsTask {
    const SolidSystem *solids;
    const TouchBounds *bounds;
} BoundsTask;

static void bound_solids(int begin, int end, int worker, void *context) {
    (void)worker;
    const BoundsTask *task = context;
    const TouchBounds *bounds = task->bounds;
    for (int k = begin; k < end; ++k) {
        const Solid *s = task->solids->list[k];
        for (int i = 0; s->knots != 0 && i < s->count; ++i) {
            int at = s->knots + i;
            uint32_t slot = bounds->owners[at].body;
            Knot *knot = &bounds->knots[at];
            *knot = (Knot){.start = {0.0f, 0.0f, 0.0f, (float)s->particles[i].reach}};
            store3(knot->start, s->x[i]);
            store3(knot->motion, scaled(s->v[i], (double)bounds->dt));
            // Until it says otherwise, contacts cannot move it.
            bounds->turns[s->turns + i] = (KnotTurn){0};
            shape_of(&s->particles[i], s->q[i], bounds->turns[s->turns + i].shape);
            float thickness =
                slot ? sn__body_at(task->solids->bodies, slot)->surface.thickness : 0.0f;
            sn__touch_bound(bounds, at, s->origin, thickness);
        }
    }
}

void sn__solids_bounds(void *system, const TouchBounds *bounds) {
    BoundsTask task = {system, bounds};
    if (task.solids->count > 0)
        bounds->tasks->parallel_for(task.solids->count, 4, bound_solids, &task,
                                    bounds->tasks->context);
}

void sn__solid_paces(const Solid *s, double h, KnotPace *paces) {
    for (int i = 0; i < s->count; ++i) {
        store3(paces[s->knots + i].by, scaled(s->v[i], h));
        paces[s->knots + i].gains = 1.0f;
    }
}

// Of the size, or rad: what contacts did to a particle is worth another solve within the sub-step.
#define FELT 1e-4

bool sn__solid_is_moved(const Solid *s, const SolidStep *o, const TouchArrays *touch) {
    double squares[2];
    o->lanes->heard(s, touch, squares);
    return squares[0] > FELT * FELT * s->size * s->size || squares[1] > FELT * FELT;
}

void sn__solid_from_knots(Solid *s, const SolidStep *o, const TouchArrays *touch) {
    o->lanes->hear(s, touch, false);
}

bool sn__solid_begin_push(Solid *s, const SolidStep *o, const TouchArrays *touch) {
    for (int i = 0; i < s->count; ++i) {
        s->work[i].moved_u = s->work[i].u;
        s->work[i].moved_q = s->q[i];
    }
    return o->lanes->hear(s, touch, true) > 0.0;
}

// A contact asks for a push as if the particle were alone, and the body shares it with all of itself: a stiff one gives
// way by a small part of it. As pushes are small, and responses to them linear, the response is taken so often that the
// first of the pushes is answered in full, but farther than twice the largest of them nothing goes. What lies at rest
// overlaps by less than a hundredth and is left in peace.
#define MOST_OFTEN 50.0
#define CALM_PUSH 0.002 // of a radius: the push of an overlap of a hundredth
#define FULL_PUSH 0.006 // and of three

static double often(const Solid *s, const TouchArrays *touch) {
    double by = MOST_OFTEN, largest = 0.0, farthest = 0.0, deepest = 0.0;
    for (int i = 0; i < s->count; ++i) {
        const float *p = touch->knots[s->knots + i].push;
        Vec3d push = {(double)p[0], (double)p[1], (double)p[2]};
        Vec3d came = subd(s->work[i].u, s->work[i].moved_u);
        double wanted = dotd(push, push), done = dotd(push, came);
        largest = fmax(largest, wanted);
        deepest = fmax(deepest, sqrt(wanted) / s->particles[i].radius);
        farthest = fmax(farthest, dotd(came, came));
        if (done > 0.0)
            by = fmin(by, wanted / done);
    }
    if (by * by * farthest > 4.0 * largest)
        by = sqrt(4.0 * largest / farthest);
    double part = fmin((deepest - CALM_PUSH) / (FULL_PUSH - CALM_PUSH), 1.0);
    return 1.0 + fmax(part, 0.0) * fmax(by - 1.0, 0.0);
}

void sn__solid_repeat_push(Solid *s, const TouchArrays *touch) {
    double by = often(s, touch);
    for (int i = 0; i < s->count && by > 1.0; ++i) {
        SolidWork *w = &s->work[i];
        Vec3d tau = scaled(sn__solid_tau(w->moved_q, s->q[i]), by);
        w->u = addd(w->moved_u, scaled(subd(w->u, w->moved_u), by));
        s->q[i] = normalisedq(mulqd(turn_by(tau), w->moved_q));
    }
}
