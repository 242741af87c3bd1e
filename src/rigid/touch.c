// Rigid bodies as the collision phase sees them: a knot for every point, so that it knows where they
// are, and the hub and the turn, which are what it moves.
#include <assert.h>

#include "rigid/rigid.h"

// rad in a sub-step that contacts leave a held body with at most. They know the lever that it has when the sub-step
// begins, which says nothing any more after such a turn: who comes fast, close by the point that holds it, would spin
// it without end.
#define HELD_TURN_MAX 1.0

static int knot_count(const Rigid *r) { return sn__rigid_hub(r) - r->knots + KNOT_ROW; }

bool sn__rigids_number(void *system, KnotNumbers *numbers) {
    assert(numbers->knots % KNOT_ROW == 0 && numbers->turns > 0);
    const RigidSystem *rigids = system;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(rigids->bodies, &sn__rigid_kind, &k)) != NULL; ++k) {
        Rigid *r = rigid_of(body);
        bool needed = sn__body_needs_knots(body);
        r->knots = needed ? numbers->knots : 0;
        r->turn = needed ? numbers->turns++ : 0;
        numbers->knots += needed ? knot_count(r) : 0;
    }
    return true;
}

void sn__rigids_own(const void *system, KnotOwner *owners) {
    const RigidSystem *rigids = system;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(rigids->bodies, &sn__rigid_kind, &k)) != NULL; ++k) {
        const Rigid *r = rigid_of(body);
        for (int j = 0; r->knots != 0 && sn__body_may_touch(body) && j < r->parts; ++j)
            owners[r->knots + j] = (KnotOwner){.body = body->slot,
                                               .element = j,
                                               .first = r->knots + r->edge[j][0],
                                               .second = r->knots + r->edge[j][1],
                                               .home = 3,
                                               .hub = sn__rigid_hub(r),
                                               .turn = r->turn};
    }
}

void sn__rigids_add_velocity(const void *system, double sum[4]) {
    const RigidSystem *rigids = system;
    for (int k = 0; k < rigids->count; ++k) {
        const Rigid *r = rigids->list[k];
        if (r->knots == 0)
            continue;
        sum[0] += r->v.x;
        sum[1] += r->v.y;
        sum[2] += r->v.z;
        sum[3] += 1.0;
    }
}

static void store3(float out[3], Vec3d v) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

void sn__rigids_bounds(void *system, const TouchBounds *bounds) {
    const RigidSystem *rigids = system;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(rigids->bodies, &sn__rigid_kind, &k)) != NULL; ++k) {
        const Rigid *r = rigid_of(body);
        if (r->knots == 0)
            continue;
        Vec3d spin = sn__rigid_spin(r);
        for (int i = 0; i < r->points; ++i) {
            Vec3d x = sn__rigid_point(r, &r->pose, i);
            Vec3d v = addd(r->v, crossd(spin, subd(x, r->pose.x)));
            Knot *knot = &bounds->knots[r->knots + i];
            *knot = (Knot){.start = {0.0f, 0.0f, 0.0f, r->radius[i]}};
            store3(knot->start, x);
            store3(knot->motion, scaled(v, (double)bounds->dt));
        }
        // Until it says otherwise, contacts cannot move it.
        bounds->knots[sn__rigid_hub(r)] = (Knot){0};
        store3(bounds->knots[sn__rigid_hub(r)].start, r->pose.x);
        bounds->turns[r->turn] = (KnotTurn){0};
        for (int j = 0; j < r->parts; ++j)
            sn__touch_bound(bounds, r->knots + j, r->origin, body->surface.thickness);
    }
}

void sn__rigid_to_knots(Rigid *r, const TouchArrays *touch) {
    assert(r->knots > 0 && r->turn > 0);
    for (int i = 0; i < r->points; ++i) {
        Knot *knot = &touch->knots[r->knots + i];
        Vec3d x = sn__rigid_point(r, &r->start, i);
        store3(knot->start, x);
        store3(knot->motion, subd(sn__rigid_point(r, &r->ahead, i), x));
    }
    Knot *hub = &touch->knots[sn__rigid_hub(r)];
    KnotTurn *turn = &touch->turns[r->turn];
    *hub = (Knot){0};
    *turn = (KnotTurn){0};
    sn__rigid_response(r, turn->inverse, &hub->mobility);
    hub->mobility *= (float)r->left;
    for (int c = 0; c < 6; ++c)
        turn->inverse[c] *= (float)r->left_turn;
    Quatd d = mulqd(r->ahead.q, conjugated(r->start.q));
    double sign = d.w < 0.0 ? -2.0 : 2.0;
    store3(hub->start, r->hub_start);
    store3(r->sent, subd(r->hub_ahead, r->hub_start));
    store3(r->turned, (Vec3d){sign * d.x, sign * d.y, sign * d.z});
    for (int c = 0; c < 3; ++c) {
        hub->motion[c] = r->sent[c];
        turn->turn[c] = r->turned[c];
    }
}

void sn__rigid_paces(const Rigid *r, double h, KnotPace *paces) {
    Vec3d spin = sn__rigid_spin(r);
    for (int i = 0; i < r->points; ++i) {
        Vec3d arm = subd(sn__rigid_point(r, &r->pose, i), r->pose.x);
        KnotPace *pace = &paces[r->knots + i];
        store3(pace->by, scaled(addd(r->v, crossd(spin, arm)), h));
        pace->gains = 1.0f;
    }
}

static Vec3d difference(const float a[3], const float b[3]) {
    return (Vec3d){(double)(a[0] - b[0]), (double)(a[1] - b[1]), (double)(a[2] - b[2])};
}

// What contacts added to the turn of a body.
static Vec3d added_turn(const Rigid *r, const KnotTurn *turn) {
    static const float none[3] = {0.0f, 0.0f, 0.0f};
    Vec3d added = difference(turn->turn, r->turned), all = difference(turn->turn, none);
    double angle = lengthd(all);
    bool held = r->freedom == RIGID_PINNED || r->freedom == RIGID_HINGED;
    if (!held || !(dotd(added, added) > 0.0) || angle < HELD_TURN_MAX ||
        !(angle < (double)LARGEST_NUMBER))
        return added;
    return addd(added, scaled(all, HELD_TURN_MAX / angle - 1.0));
}

void sn__rigid_from_knots(Rigid *r, const TouchArrays *touch, double h) {
    static const float none[3] = {0.0f, 0.0f, 0.0f};
    const Knot *hub = &touch->knots[sn__rigid_hub(r)];
    const KnotTurn *turn = &touch->turns[r->turn];
    sn__rigid_end_substep(r, h, difference(hub->motion, r->sent), added_turn(r, turn));
    sn__rigid_push(r, difference(hub->push, none), difference(turn->push, none));
}
