// How hinges of rigid bodies are solved, in every pass, beside links and contacts.
//
// With δ = n·(turn of a − turn of b) what the bodies turn against each other about the axis n in a sub-step
// of h, and G = n·(W_a + W_b) n, W their inverse inertias (KnotTurn): the motor is the constraint
// δ = speed·h with a multiplier |μ| ≤ max_torque·h², a limit is θ + δ ≤ high with μ ≤ 0, or θ + δ ≥ low
// with μ ≥ 0. Each is solved by Δμ = −C/G, in rad and kg·m²; its torque is μ/h².
#include <assert.h>

#include "world/hinge_sides.h"

#define PI 3.14159265358979323846
#define RETURN_SPEED 1.0 // rad/s, of what is beyond a limit

// 4 atan(c), |c| ≤ 1: halved twice, then by its series, as a step has the same bits everywhere.
static double four_atan(double c) {
    for (int i = 0; i < 2; ++i)
        c = c / (1.0 + sqrt(1.0 + c * c));
    double square = c * c, sum = 0.0;
    for (int k = 10; k >= 0; --k)
        sum = 1.0 / (double)(2 * k + 1) - square * sum;
    return 16.0 * c * sum;
}

// The angle of a turn about a unit axis, within ±π, whatever it turns about others.
static double twist_angle(Quatd q, Vec3d axis) {
    double s = q.x * axis.x + q.y * axis.y + q.z * axis.z, w = q.w;
    double length = sqrt(s * s + w * w);
    if (!(length > 1e-12))
        return 0.0;
    double sign = w < 0.0 ? -1.0 : 1.0;
    return four_atan(sign * s / (length + fabs(w)));
}

static Quatd rotation_of(const SnWorld *world, SnBodyId id, int element) {
    const Body *body = sn__bodies_find(&world->bodies, id);
    return body->kind->held_pose(body, element).rotation;
}

static Quatd base_rotation(const SnWorld *world, const Hinge *hinge) {
    if (hinge->def.b.index != 0)
        return rotation_of(world, hinge->def.b, hinge->def.element_b);
    return quatd(sn__frame_pose_or_identity(world, hinge->def.frame, false).rotation);
}

double sn__hinge_angle_between(const Hinge *hinge, Quatd a, Quatd b, double near) {
    Quatd turn = mulqd(mulqd(conjugated(b), a), conjugated(hinge->rest));
    double angle = twist_angle(turn, hinge->axis);
    return angle + 2.0 * PI * floor((near - angle) / (2.0 * PI) + 0.5);
}

// With b turned like this.
static double angle_against(const SnWorld *world, const Hinge *hinge, Quatd b, double near) {
    Quatd a = rotation_of(world, hinge->def.a, hinge->def.element_a);
    return sn__hinge_angle_between(hinge, a, b, near);
}

double sn__hinge_angle(const SnWorld *world, const Hinge *hinge, double near) {
    return angle_against(world, hinge, base_rotation(world, hinge), near);
}

Vec3d sn__hinge_axis(const SnWorld *world, const Hinge *hinge) {
    return rotated(base_rotation(world, hinge), hinge->axis);
}

void sn__hinges_begin_step(SnWorld *world) {
    for (uint32_t slot = 1; slot <= world->hinges.ids.slot_count; ++slot) {
        Hinge *hinge = &world->hinges.hinges[slot - 1];
        if (!sn__hinge_in_use(&world->hinges, slot))
            continue;
        sn__hinge_bind(world, hinge->def.a, hinge->def.element_a, &hinge->side[0]);
        sn__hinge_bind(world, hinge->def.b, hinge->def.element_b, &hinge->side[1]);
        hinge->motor_torque = hinge->limit_torque = 0.0f;
        hinge->frame_turn = 0.0;
        if (hinge->def.b.index != 0)
            continue;
        Quatd from = quatd(sn__frame_pose_or_identity(world, hinge->def.frame, false).rotation);
        Quatd to = quatd(sn__frame_pose_or_identity(world, hinge->def.frame, true).rotation);
        hinge->frame_turn = twist_angle(mulqd(conjugated(from), to), hinge->axis);
    }
}

// How far a body has turned about the axis in the sub-step, rad. Its turn is twice the vector part of a
// quaternion: 2 asin(x/2), by its series.
static double turned(const SnWorld *world, const Hinge *hinge, int side) {
    const KnotTurn *turn = &world->contacts.turns[hinge->side[side].turn];
    double x = hinge->now.x * (double)turn->turn[0] + hinge->now.y * (double)turn->turn[1] +
               hinge->now.z * (double)turn->turn[2];
    double square = x * x;
    return x * (1.0 + square * (1.0 / 24.0 + square * (3.0 / 640.0)));
}

static double turned_apart(const SnWorld *world, const Hinge *hinge, const ContactPass *pass) {
    double b = hinge->side[1].turn != 0 ? turned(world, hinge, 1)
                                        : hinge->frame_turn * (double)pass->share;
    return turned(world, hinge, 0) - b;
}

static double pushed(const SnWorld *world, const Hinge *hinge, int side) {
    const float *push = world->contacts.turns[hinge->side[side].turn].push;
    return hinge->now.x * (double)push[0] + hinge->now.y * (double)push[1] +
           hinge->now.z * (double)push[2];
}

// Turn 0 is nobody's, and is not pushed.
static double pushed_apart(const SnWorld *world, const Hinge *hinge) {
    return pushed(world, hinge, 0) - pushed(world, hinge, 1);
}

static double mobility(const SnWorld *world, const Hinge *hinge) {
    const KnotTurn *turns = world->contacts.turns;
    double G = dotd(hinge->now, sn__turned_by(&turns[hinge->side[0].turn], hinge->now));
    return hinge->side[1].turn == 0
               ? G
               : G + dotd(hinge->now, sn__turned_by(&turns[hinge->side[1].turn], hinge->now));
}

// What a multiplier does to both; as a push, it is no velocity.
static void turn_by(SnWorld *world, const Hinge *hinge, double mu, bool push) {
    for (int side = 0; side < 2; ++side) {
        if (hinge->side[side].turn == 0)
            continue;
        KnotTurn *turn = &world->contacts.turns[hinge->side[side].turn];
        Vec3d by = sn__turned_by(turn, scaled(hinge->now, side == 0 ? mu : -mu));
        float *to = push ? turn->push : turn->turn;
        to[0] += (float)by.x;
        to[1] += (float)by.y;
        to[2] += (float)by.z;
    }
}

// What is beyond a limit when the sub-step begins is pushed back.
static void push_back(SnWorld *world, const Hinge *hinge, const ContactPass *pass, double G) {
    double most = RETURN_SPEED * (double)pass->h;
    double above = fmax(hinge->start - (double)hinge->def.high, 0.0);
    double below = fmax((double)hinge->def.low - hinge->start, 0.0);
    turn_by(world, hinge, (fmin(below, most) - fmin(above, most)) / G, true);
}

// When the sub-step begins: b is where it is then, and so is a frame.
static void begin_substep(SnWorld *world, Hinge *hinge, const ContactPass *pass) {
    Quatd b = base_rotation(world, hinge);
    if (hinge->def.b.index == 0) {
        double angle = 0.5 * hinge->frame_turn * (pass->time - (double)pass->share);
        Quatd half = {angle * hinge->axis.x, angle * hinge->axis.y, angle * hinge->axis.z, 1.0};
        b = normalisedq(mulqd(b, half));
    }
    hinge->now = rotated(b, hinge->axis);
    hinge->start = angle_against(world, hinge, b, hinge->angle);
    hinge->motor = hinge->limit = 0.0;
}

static void drive(SnWorld *world, Hinge *hinge, const ContactPass *pass, double G) {
    double h = (double)pass->h, most = (double)hinge->def.max_torque * h * h;
    double off = turned_apart(world, hinge, pass) - (double)hinge->def.speed * h;
    double mu = fmin(fmax(hinge->motor - off / G, -most), most);
    turn_by(world, hinge, mu - hinge->motor, false);
    hinge->motor = mu;
}

static void stop(SnWorld *world, Hinge *hinge, const ContactPass *pass, double G) {
    double high = fmax((double)hinge->def.high, hinge->start);
    double low = fmin((double)hinge->def.low, hinge->start);
    double angle = hinge->start + turned_apart(world, hinge, pass);
    double above = hinge->limit - (angle - high) / G, below = hinge->limit - (angle - low) / G;
    double mu = above < 0.0 ? above : below > 0.0 ? below : 0.0;
    turn_by(world, hinge, mu - hinge->limit, false);
    hinge->limit = mu;
    // Contacts push what they overlap, and not beyond a limit either.
    angle = hinge->start + turned_apart(world, hinge, pass) + pushed_apart(world, hinge);
    double beyond = fmax(angle - high, 0.0) + fmin(angle - low, 0.0);
    if (beyond != 0.0)
        turn_by(world, hinge, -beyond / G, true);
}

void sn__hinges_solve(SnWorld *world, const ContactPass *pass) {
    for (uint32_t slot = 1; slot <= world->hinges.ids.slot_count; ++slot) {
        Hinge *hinge = &world->hinges.hinges[slot - 1];
        if (!sn__hinge_in_use(&world->hinges, slot) || sn__hinge_is_tied(hinge))
            continue;
        if (pass->first)
            begin_substep(world, hinge, pass);
        double G = mobility(world, hinge);
        if (pass->first && G > 0.0 && hinge->def.limited)
            push_back(world, hinge, pass, G);
        if (G > 0.0 && hinge->def.max_torque > 0.0f)
            drive(world, hinge, pass, G);
    }
    sn__hinges_stop(world, pass);
}

void sn__hinges_stop(SnWorld *world, const ContactPass *pass) {
    for (uint32_t slot = 1; slot <= world->hinges.ids.slot_count; ++slot) {
        Hinge *hinge = &world->hinges.hinges[slot - 1];
        if (!sn__hinge_in_use(&world->hinges, slot) || !hinge->def.limited ||
            sn__hinge_is_tied(hinge))
            continue;
        double G = mobility(world, hinge);
        if (G > 0.0)
            stop(world, hinge, pass, G);
    }
}

// Where a body was lost in the step, nothing is known.
static double or_none(double value) { return fabs(value) < (double)LARGEST_NUMBER ? value : 0.0; }

void sn__hinges_end_substep(SnWorld *world, const ContactPass *pass) {
    double h = (double)pass->h, by = (double)pass->share / (h * h);
    for (uint32_t slot = 1; slot <= world->hinges.ids.slot_count; ++slot) {
        Hinge *hinge = &world->hinges.hinges[slot - 1];
        if (!sn__hinge_in_use(&world->hinges, slot))
            continue;
        double turn = or_none(sn__hinge_is_tied(hinge) ? sn__hinge_turned_tied(world, hinge, pass)
                                                       : turned_apart(world, hinge, pass));
        hinge->speed = turn / h;
        hinge->angle = or_none(hinge->start + turn);
        Vec3d bears = scaled(hinge->torque, 1.0 / (h * h));
        hinge->bears = (Vec3d){or_none(bears.x), or_none(bears.y), or_none(bears.z)};
        hinge->motor_bears = or_none(hinge->motor / (h * h));
        hinge->limit_bears = or_none(hinge->limit / (h * h));
        hinge->motor_torque += (float)or_none(by * hinge->motor);
        hinge->limit_torque += (float)or_none(by * hinge->limit);
    }
}
