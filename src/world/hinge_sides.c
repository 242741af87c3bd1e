#include "world/hinge_sides.h"

#include <assert.h>

void sn__hinge_bind(SnWorld *world, SnBodyId id, int element, HingeSide *side) {
    Body *body = id.index == 0 ? NULL : sn__body_at(&world->bodies, id.index);
    *side = (HingeSide){.body = body, .element = element, .tie = -1};
    if (body == NULL)
        return;
    assert(body->hinges > 0);
    body->kind->touch(body);
    if (body->kind->turn)
        side->turn = body->kind->turn(body);
    else if (!body->sleep.asleep)
        side->tie = body->kind->tie_turn(body, element);
}

// Frames turn as what is attached to them does.
static Quatd frame_at(const SnWorld *world, SnFrameId id, double time) {
    Quatd a = quatd(sn__frame_pose_or_identity(world, id, false).rotation);
    Quatd b = bend_sign(quatd(sn__frame_pose_or_identity(world, id, true).rotation), a);
    const FrameVia *via = sn__frame_via(world, id);
    Quatd q = {a.x + time * (b.x - a.x), a.y + time * (b.y - a.y), a.z + time * (b.z - a.z),
               a.w + time * (b.w - a.w)};
    if (via) {
        Bend4 bend =
            bend_of_turns(a, quatd(via->pose[0].rotation), quatd(via->pose[1].rotation), b);
        q = bend_turn(&bend, q, time);
    }
    return normalisedq(q);
}

Quatd sn__hinge_began(const SnWorld *world, const Hinge *hinge, int s, const ContactPass *pass) {
    const HingeSide *side = &hinge->side[s];
    if (side->body == NULL)
        return frame_at(world, hinge->def.frame, pass->time - (double)pass->share);
    if (!sn__side_is_tied(side))
        return side->body->kind->held_pose(side->body, side->element).rotation;
    Quatd frames[2];
    side->body->kind->turning(side->body, side->element, frames);
    return frames[0];
}

Quatd sn__hinge_now(const SnWorld *world, const Hinge *hinge, int s, const ContactPass *pass) {
    const HingeSide *side = &hinge->side[s];
    if (side->body == NULL)
        return frame_at(world, hinge->def.frame, pass->time);
    if (sn__side_is_tied(side)) {
        Quatd frames[2];
        side->body->kind->turning(side->body, side->element, frames);
        return side->body->sleep.asleep ? frames[0] : frames[1];
    }
    // A turn is twice the vector part of its quaternion.
    const float *turn = world->contacts.turns[side->turn].turn;
    Vec3d half = {0.5 * (double)turn[0], 0.5 * (double)turn[1], 0.5 * (double)turn[2]};
    Quatd by = {half.x, half.y, half.z, sqrt(fmax(1.0 - dotd(half, half), 0.0))};
    return normalisedq(mulqd(by, sn__hinge_began(world, hinge, s, pass)));
}

static Vec3d answer_of(const Body *body, int pulled, int tie, Vec3d by) {
    double m[3][3];
    body->kind->answer(body, pulled, tie, m);
    return (Vec3d){m[0][0] * by.x + m[0][1] * by.y + m[0][2] * by.z,
                   m[1][0] * by.x + m[1][1] * by.y + m[1][2] * by.z,
                   m[2][0] * by.x + m[2][1] * by.y + m[2][2] * by.z};
}

// What a torque on one side does to another one, or to itself.
static Vec3d turned_by(const SnWorld *world, const HingeSide *pulled, const HingeSide *side,
                       Vec3d torque) {
    if (pulled->body != side->body || side->body == NULL)
        return (Vec3d){0.0, 0.0, 0.0};
    if (!sn__side_is_tied(side))
        return sn__turned_by(&world->contacts.turns[side->turn], torque);
    return answer_of(side->body, pulled->tie, side->tie, torque);
}

HingeMobility sn__hinge_mobility(const SnWorld *world, const Hinge *hinge) {
    const Vec3d axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const HingeSide *a = &hinge->side[0], *b = &hinge->side[1];
    HingeMobility sum;
    for (int k = 0; k < 3; ++k) {
        Vec3d own = addd(turned_by(world, a, a, axes[k]), turned_by(world, b, b, axes[k]));
        Vec3d each = addd(turned_by(world, a, b, axes[k]), turned_by(world, b, a, axes[k]));
        sum.by[k] = subd(own, each);
    }
    return sum;
}

static void turn_side(SnWorld *world, const HingeSide *side, Vec3d torque) {
    if (side->tie >= 0) {
        sn__tie_pulled(world, side->body, side->tie, torque);
    } else if (side->turn != 0) {
        KnotTurn *turn = &world->contacts.turns[side->turn];
        Vec3d by = sn__turned_by(turn, torque);
        turn->turn[0] += (float)by.x;
        turn->turn[1] += (float)by.y;
        turn->turn[2] += (float)by.z;
    }
}

void sn__hinge_turn(SnWorld *world, const Hinge *hinge, Vec3d torque) {
    turn_side(world, &hinge->side[0], torque);
    turn_side(world, &hinge->side[1], scaled(torque, -1.0));
}

// What is solved as a whole finds out itself where that goes (sn__links_tell, sn__hinges_tell).
void sn__tie_pulled(SnWorld *world, const Body *body, int tie, Vec3d impulse) {
    for (uint32_t n = body->first_link; n != 0; n = *sn__link_after(world, n)) {
        LinkSide *other = sn__link_side(world, n);
        if (other->tie >= 0)
            other->shift = addd(other->shift, answer_of(body, tie, other->tie, impulse));
    }
    if (body->hinges == 0)
        return;
    for (uint32_t slot = 1; slot <= world->hinges.ids.slot_count; ++slot)
        for (int s = 0; s < 2 && sn__hinge_in_use(&world->hinges, slot); ++s) {
            HingeSide *other = &world->hinges.hinges[slot - 1].side[s];
            if (other->body == body && other->tie >= 0)
                other->shift = addd(other->shift, answer_of(body, tie, other->tie, impulse));
        }
}
