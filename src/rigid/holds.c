// What holds rigid bodies, and which freedom it leaves them.
#include <assert.h>

#include "rigid/rigid.h"

static Vec3d origin_of(const Rigid *r) { return (Vec3d){r->origin[0], r->origin[1], r->origin[2]}; }

// Whether three points, or two, are apart enough to tell an axis or a plane.
static bool is_apart(const Rigid *r, const int *held, int count) {
    assert(count == 2 || count == 3);
    const Vec3d *x = r->local;
    Vec3d d = subd(x[r->leads[held[1]].index], x[r->leads[held[0]].index]);
    if (count == 2)
        return lengthd(d) > 1e-6;
    Vec3d e = subd(x[r->leads[held[2]].index], x[r->leads[held[0]].index]);
    return lengthd(crossd(d, e)) > 1e-4 * lengthd(d) * lengthd(e);
}

void sn__rigid_find_freedom(Rigid *r) {
    int points = 0, frame = -1;
    for (int k = 0; k < r->lead_count; ++k) {
        if (r->leads[k].held == HELD_FRAME)
            frame = frame < 0 ? k : frame;
        else if (points < 3) {
            r->held[points++] = k;
            if (points > 1 && !is_apart(r, r->held, points))
                --points; // it says nothing that the others do not
        }
    }
    static const RigidFreedom by_points[4] = {RIGID_FREE, RIGID_PINNED, RIGID_HINGED, RIGID_FIXED};
    r->freedom = frame >= 0 ? (points > 0 ? RIGID_FIXED : RIGID_UPRIGHT) : by_points[points];
    for (int k = points; k < 3; ++k)
        r->held[k] = -1;
}

Vec3d sn__rigid_led_point(const Rigid *r, int k, double time) {
    assert(k >= 0 && k < 3 && r->held[k] >= 0 && r->held[k] < r->lead_count);
    return subd(sn__led_point(&r->leads[r->held[k]], time), origin_of(r));
}

// The frame of two directions: the first, and across both.
static Quatd frame_of(Vec3d d, Vec3d e) {
    Vec3d z = scaled(d, 1.0 / lengthd(d)), y = crossd(z, e);
    y = scaled(y, 1.0 / lengthd(y));
    Quatd q = rotation_between((Vec3d){0.0, 0.0, 1.0}, z);
    Vec3d now = rotated(q, (Vec3d){0.0, 1.0, 0.0});
    return normalisedq(mulqd(rotation_between(now, y), q));
}

// The rotation that three held points are led to.
static Quatd rotation_of_points(const Rigid *r, double time) {
    assert(r->freedom == RIGID_FIXED);
    Vec3d x[3], own[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = sn__rigid_led_point(r, k, time);
        own[k] = r->local[r->leads[r->held[k]].index];
    }
    Quatd to = frame_of(subd(x[1], x[0]), subd(x[2], x[0]));
    Quatd from = frame_of(subd(own[1], own[0]), subd(own[2], own[0]));
    return normalisedq(mulqd(to, conjugated(from)));
}

static int held_frame(const Rigid *r) {
    for (int k = 0; k < r->lead_count; ++k)
        if (r->leads[k].held == HELD_FRAME)
            return k;
    return -1;
}

RigidPose sn__rigid_led_pose(const Rigid *r, double time) {
    int frame = held_frame(r);
    RigidPose pose = r->pose;
    if (frame >= 0) {
        const BodyLead *l = &r->leads[frame];
        pose.q = normalisedq(mulqd(sn__led_turn(l, time), conjugated(r->frame[l->index])));
    } else {
        pose.q = rotation_of_points(r, time);
    }
    if (r->held[0] >= 0)
        pose.x = subd(sn__rigid_led_point(r, 0, time),
                      rotated(pose.q, r->local[r->leads[r->held[0]].index]));
    return pose;
}

// The scale of a rigid body is held by nature.
bool sn__rigid_is_held(const Body *body, int held, int index) {
    const Rigid *r = rigid_of(body);
    return held == HELD_SCALE || sn__find_lead(r->leads, r->lead_count, held, index) >= 0;
}

// Both of a point and of a part of this number, whichever is asked for.
HeldPose sn__rigid_held_pose(const Body *body, int index) {
    const Rigid *r = rigid_of(body);
    HeldPose pose = {.rotation = {0.0, 0.0, 0.0, 1.0}, .scale = 1.0f};
    if (index < r->points)
        pose.position = addd(origin_of(r), sn__rigid_point(r, &r->pose, index));
    if (index < r->parts)
        pose.rotation = mulqd(r->pose.q, r->frame[index]);
    return pose;
}

static bool is_pinned(const Rigid *r) {
    return r->freedom == RIGID_PINNED || r->freedom == RIGID_HINGED;
}

// Goes where it is held, at once.
static void put_in_place(Rigid *r) {
    Vec3d hub = is_pinned(r) ? r->local[r->leads[r->held[0]].index] : (Vec3d){0};
    if (r->freedom == RIGID_FIXED || r->freedom == RIGID_UPRIGHT)
        r->pose = sn__rigid_led_pose(r, 0.0);
    if (r->freedom == RIGID_HINGED) {
        Vec3d own = subd(r->local[r->leads[r->held[1]].index], hub);
        Vec3d led = subd(sn__rigid_led_point(r, 1, 0.0), sn__rigid_led_point(r, 0, 0.0));
        Vec3d now = rotated(r->pose.q, scaled(own, 1.0 / lengthd(own)));
        if (lengthd(led) > 1e-12)
            r->pose.q = normalisedq(
                mulqd(rotation_between(now, scaled(led, 1.0 / lengthd(led))), r->pose.q));
    }
    if (is_pinned(r))
        r->pose.x = subd(sn__rigid_led_point(r, 0, 0.0), rotated(r->pose.q, hub));
}

// As a blow of what holds it would leave it, with the hub at rest: what can still move goes on.
static void keep_freedom(Rigid *r) {
    KnotTurn turn;
    float mobility;
    sn__rigid_response(r, turn.inverse, &mobility);
    Vec3d hub = is_pinned(r) ? r->local[r->leads[r->held[0]].index] : (Vec3d){0};
    Vec3d arm = rotated(r->pose.q, scaled(hub, -1.0));
    Vec3d L = addd(r->L, crossd(arm, scaled(r->v, r->mass)));
    Vec3d spin = sn__turned_by(&turn, L);
    r->v = is_pinned(r) ? crossd(spin, arm) : (mobility > 0.0f ? r->v : (Vec3d){0});
    sn__rigid_set_spin(r, spin);
}

void sn__rigid_obey_holds(Rigid *r) {
    if (r->freedom == RIGID_FREE)
        return;
    put_in_place(r);
    keep_freedom(r);
}

void sn__rigid_jump(Body *body, int index, int lead, const HeldPose *pose) {
    (void)index;
    Rigid *r = rigid_of(body);
    BodyLead *l = &r->leads[lead];
    assert(lead >= 0 && lead < r->lead_count);
    l->x_from = l->x_to = pose->position;
    l->q_from = l->q_to = normalisedq(pose->rotation);
    l->curved = false;
    sn__rigid_obey_holds(r);
}

int sn__rigid_hold(Body *body, int held, int index, uint32_t owner, const HeldPose *pose) {
    Rigid *r = rigid_of(body);
    if (!sn__reserve(&r->system->allocator, (void **)&r->leads, &r->lead_capacity, r->lead_count,
                     sizeof(BodyLead)))
        return -1;
    assert((held == HELD_VERTEX || held == HELD_FRAME) &&
           sn__find_lead(r->leads, r->lead_count, held, index) < 0);
    int number = r->lead_count++;
    r->leads[number] = (BodyLead){.index = index, .held = held, .owner = owner};
    sn__rigid_find_freedom(r);
    sn__rigid_jump(body, index, number, pose);
    return number;
}

uint32_t sn__rigid_release(Body *body, int held, int index, int lead) {
    (void)held;
    (void)index;
    Rigid *r = rigid_of(body);
    assert(lead >= 0 && lead < r->lead_count);
    const BodyLead *last = &r->leads[--r->lead_count];
    uint32_t owner = last->owner;
    r->leads[lead] = *last;
    sn__rigid_find_freedom(r);
    return owner;
}

void sn__rigid_lead(Body *body, int index, int lead, const HeldPath *path) {
    assert(lead >= 0 && lead < rigid_of(body)->lead_count);
    (void)index;
    sn__lead_along(&rigid_of(body)->leads[lead], path);
}

void sn__rigid_settle(Body *body, int lead) {
    assert(lead >= 0 && lead < rigid_of(body)->lead_count);
    sn__lead_settle(&rigid_of(body)->leads[lead]);
}

uint32_t sn__rigid_lead_owner(const Body *body, int lead) {
    const Rigid *r = rigid_of(body);
    return lead < r->lead_count ? r->leads[lead].owner : 0;
}
