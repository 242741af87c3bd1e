#include "world/link_sides.h"

#include <string.h>

void sn__side_bind(SnWorld *world, const SnBodyPoint *p, LinkSide *side) {
    Body *body = sn__bodies_find(&world->bodies, p->body);
    int ends[2];
    // What hangs on a body goes with it.
    assert(body && sn__body_needs_knots(body) && p->element < body->elements);
    body->kind->ends(body, p->element, ends);
    // A sphere has one point for both ends, which is to count once.
    float t = ends[0] == ends[1] ? 0.0f : p->t;
    side->t = t;
    side->turn = body->kind->turn ? body->kind->turn(body) : 0;
    for (int v = 0; v < 2; ++v) {
        side->between[v] = body->kind->knot(body, ends[v]);
        side->knot[v] = side->turn != 0 ? body->kind->hub(body) : side->between[v];
        side->weight[v] = v == 0 ? 1.0f - t : t;
        memcpy(side->origin[v], body->kind->knot_origin(body, side->knot[v]),
               sizeof side->origin[v]);
    }
    body->kind->touch(body);
    side->body = body;
    side->tie = body->kind->tie ? body->kind->tie(body, p->element, p->t) : -1;
    side->sectioned = body->kind->sectioned && body->kind->sectioned(body);
    side->stretch = body->kind->stretch ? body->kind->stretch(body, p->element) : 0.0;
}

Vec3d sn__side_arm(const Touched *to, const LinkSide *side) {
    Vec3d a = vec(to->knots[side->between[0]].start), b = vec(to->knots[side->between[1]].start);
    Vec3d at = addd(scaled(a, 1.0 - (double)side->t), scaled(b, (double)side->t));
    return subd(at, vec(to->knots[side->knot[0]].start));
}

// Where a side was when the sub-step began.
static Vec3d side_start(const Touched *to, const LinkSide *side) {
    Vec3d at = side->turn != 0 ? sn__side_arm(to, side) : (Vec3d){0};
    for (int v = 0; v < 2; ++v) {
        const Knot *k = &to->knots[side->knot[v]];
        double w = (double)side->weight[v];
        at.x += w * (side->origin[v][0] + (double)k->start[0]);
        at.y += w * (side->origin[v][1] + (double)k->start[1]);
        at.z += w * (side->origin[v][2] + (double)k->start[2]);
    }
    return at;
}

// A turn is twice the vector part of its quaternion: arms keep their length.
Vec3d sn__side_arm_now(const Touched *to, const LinkSide *side) {
    Vec3d half = scaled(vec(to->turns[side->turn].turn), 0.5);
    Quatd q = {half.x, half.y, half.z, sqrt(fmax(1.0 - dotd(half, half), 0.0))};
    return rotated(q, sn__side_arm(to, side));
}

// Where a side is now.
static Vec3d side_at(const Touched *to, const LinkSide *side) {
    Vec3d at = {0};
    for (int v = 0; v < 2; ++v) {
        const Knot *k = &to->knots[side->knot[v]];
        double w = (double)side->weight[v];
        at.x += w * (side->origin[v][0] + (double)k->start[0] + (double)k->motion[0]);
        at.y += w * (side->origin[v][1] + (double)k->start[1] + (double)k->motion[1]);
        at.z += w * (side->origin[v][2] + (double)k->start[2] + (double)k->motion[2]);
    }
    if (side->tie >= 0)
        return addd(at, side->shift);
    return side->turn == 0 ? at : addd(at, sn__side_arm_now(to, side));
}

double sn__side_mobility(const Touched *to, const LinkSide *side) {
    float line = 0.0f;
    for (int v = 0; v < 2; ++v)
        line += side->weight[v] * side->weight[v] * to->knots[side->knot[v]].mobility;
    return (double)line;
}

// What a force along an axis on `pulled` does to another point of the same body, whose points move for themselves or
// which turns as a whole.
static Vec3d moved_alone(const Touched *to, const LinkSide *pulled, const LinkSide *side,
                         Vec3d axis) {
    if (side->turn != 0) {
        Vec3d turn = sn__turned_by(&to->turns[side->turn], crossd(sn__side_arm(to, pulled), axis));
        return addd(scaled(axis, (double)to->knots[side->knot[0]].mobility),
                    crossd(turn, sn__side_arm(to, side)));
    }
    double line = 0.0;
    for (int v = 0; v < 4; ++v)
        if (pulled->knot[v / 2] == side->knot[v % 2])
            line += (double)(pulled->weight[v / 2] * side->weight[v % 2] *
                             to->knots[side->knot[v % 2]].mobility);
    return scaled(axis, line);
}

Block sn__side_answer(const Touched *to, const LinkSide *pulled, const LinkSide *side) {
    Block a;
    assert(pulled->body == side->body);
    if (side->tie >= 0 && pulled->tie >= 0) {
        side->body->kind->answer(side->body, pulled->tie, side->tie, a.m);
        return a;
    }
    for (int k = 0; k < 3; ++k) {
        Vec3d by = moved_alone(to, pulled, side, axis_of(k));
        a.m[0][k] = by.x;
        a.m[1][k] = by.y;
        a.m[2][k] = by.z;
    }
    return a;
}

void sn__side_move(const Touched *to, const LinkSide *side, const float impulse[3], float sign) {
    for (int v = 0; v < 2; ++v) {
        Knot *k = &to->knots[side->knot[v]];
        for (int c = 0; c < 3; ++c)
            k->motion[c] += sign * side->weight[v] * k->mobility * impulse[c];
    }
    if (side->turn == 0)
        return;
    KnotTurn *turn = &to->turns[side->turn];
    Vec3d by =
        sn__turned_by(turn, crossd(sn__side_arm(to, side), scaled(vec(impulse), (double)sign)));
    turn->turn[0] += (float)by.x;
    turn->turn[1] += (float)by.y;
    turn->turn[2] += (float)by.z;
}

void sn__link_bound(const Link *link, float h, float mu[3]) {
    float size = sqrtf(mu[0] * mu[0] + mu[1] * mu[1] + mu[2] * mu[2]);
    float most = link->max_force * h * h;
    for (int c = 0; c < 3 && most > 0.0f && size > most; ++c)
        mu[c] *= most / size;
}

static Vec3d target_at(const Link *link, double time) {
    Vec3d straight = addd(link->start, scaled(subd(link->end, link->start), time));
    return link->curved ? addd(straight, bend_point(&link->bend, time)) : straight;
}

// It gets longer or shorter evenly over the step. All of it in the first sub-step would be a jerk: a winch of
// 5 cm/s would throw what it lifts.
static float length_now(Link *link, const Touched *to, const ContactPass *pass) {
    if (pass->first)
        link->length =
            link->length_from + (float)pass->time * (link->length_to - link->length_from);
    if (link->compliance > 0.0f)
        return link->length;
    if (pass->first) {
        bool pair = is_pair(link);
        double time = pass->time - (double)pass->share;
        Vec3d b = pair ? side_start(to, &link->side[1]) : target_at(link, time);
        float distance = (float)lengthd(subd(side_start(to, &link->side[0]), b));
        float by = PULL_SPEED * pass->h;
        link->away = sn__link_off_length(link, distance);
        link->drawn = fmaxf(link->length, distance - by);
        if (!link->rope)
            link->drawn = fminf(link->drawn, distance + by);
    }
    return link->drawn;
}

LinkGap sn__link_gap(Link *link, const Touched *to, const ContactPass *pass) {
    LinkGap g;
    Vec3d b = is_pair(link) ? side_at(to, &link->side[1]) : target_at(link, pass->time);
    Vec3d d = subd(side_at(to, &link->side[0]), b);
    double distance = lengthd(d), inv = distance > 0.0 ? 1.0 / distance : 0.0;
    g.along = scaled(d, inv);
    float along[3] = {(float)g.along.x, (float)g.along.y, (float)g.along.z};
    float length = length_now(link, to, pass);
    g.open = distance - (double)length;
    g.off = subd(d, scaled(g.along, (double)length));
    g.gap[0] = (float)d.x - along[0] * length;
    g.gap[1] = (float)d.y - along[1] * length;
    g.gap[2] = (float)d.z - along[2] * length;
    if (link->rope && distance < (double)link->length)
        g.gap[0] = g.gap[1] = g.gap[2] = 0.0f;
    return g;
}
