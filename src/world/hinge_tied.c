// Hinges of bodies that are solved as a whole, in turn with their links (link_tied.c).
//
// With K the 3 × 3 matrix by which a turns against b by a torque between them (BodyKind.answer), θ the angle about the
// axis n, and e = n_b × n_a how far the axes of both have come apart: the torque has two parts across n that bring e
// to 0, and one along n from its motor and its limits. With t a torque along n, and ⊥ for what is across,
//
//     T⊥ = −K⊥⊥⁻¹ (e + K⊥n t),   θ = θ₀ + (K_nn − K_n⊥ K⊥⊥⁻¹ K⊥n) t − K_n⊥ K⊥⊥⁻¹ e,
//
// so that motor and limits see a hinge of one freedom. A body that is a line of segments has no second point beside
// its axis that attachments or links could hold: so its hinges hold the axis themselves.
#include "world/hinge_sides.h"

#define RETURN_SPEED 1.0 // rad/s, of what is beyond a limit
#define ALIGN_SPEED                                                                                \
    5.0 // rad/s, of axes that are apart when a sub-step begins, because someone has put them so
// Axes are never quite held: by this part of how easily bodies turn at all. Where attachments hold them, too, the torque
// between both would be any number.
#define GIVE 1e-6

static Hinge *tied_at(SnWorld *world, uint32_t slot) {
    Hinge *hinge = &world->hinges.hinges[slot - 1];
    return sn__hinge_in_use(&world->hinges, slot) && sn__hinge_is_tied(hinge) ? hinge : NULL;
}

// A side that is awake, but has no room for its answers.
static bool is_lost(const Hinge *hinge) {
    for (int s = 0; s < 2; ++s) {
        const HingeSide *side = &hinge->side[s];
        if (sn__side_is_tied(side) && side->tie < 0 && !side->body->sleep.asleep)
            return true;
    }
    return false;
}

// Whether it does anything in this pass: not while both sleep, nor where something has just broken.
static bool is_at_work(const Hinge *hinge) {
    for (int s = 0; s < 2; ++s) {
        const HingeSide *side = &hinge->side[s];
        double own[3][3];
        if (sn__side_is_tied(side) &&
            (side->tie < 0 || !side->body->kind->answer(side->body, side->tie, side->tie, own)))
            return false;
    }
    return true;
}

// Of the axis, as a or b carries it.
static Vec3d carried(const Hinge *hinge, int side, Quatd q) {
    Vec3d axis = hinge->axis;
    return rotated(q, side == 0 ? rotated(conjugated(hinge->rest), axis) : axis);
}

static Vec3d apart(const Hinge *hinge, Quatd a, Quatd b) {
    return crossd(carried(hinge, 1, b), carried(hinge, 0, a));
}

static void begin_substep(const SnWorld *world, Hinge *hinge, const ContactPass *pass) {
    Quatd a = sn__hinge_began(world, hinge, 0, pass), b = sn__hinge_began(world, hinge, 1, pass);
    hinge->start = sn__hinge_angle_between(hinge, a, b, hinge->angle);
    Vec3d e = apart(hinge, a, b);
    double size = lengthd(e), left = size - ALIGN_SPEED * (double)pass->h;
    hinge->keeps = left > 0.0 ? scaled(e, left / size) : (Vec3d){0.0, 0.0, 0.0};
    double square = (double)(pass->h * pass->h);
    Vec3d n = carried(hinge, 1, b), across = subd(hinge->bears, scaled(n, dotd(n, hinge->bears)));
    hinge->motor = square * hinge->motor_bears;
    hinge->limit = square * hinge->limit_bears;
    hinge->torque = addd(scaled(n, hinge->motor + hinge->limit), scaled(across, square));
    hinge->told = (Vec3d){0.0, 0.0, 0.0};
}

double sn__hinges_begin_tied(SnWorld *world, const ContactPass *pass) {
    double open = 0.0;
    for (uint32_t slot = 1; slot <= world->hinges.ids.slot_count; ++slot) {
        Hinge *hinge = tied_at(world, slot);
        if (hinge == NULL)
            continue;
        if (pass->first)
            begin_substep(world, hinge, pass);
        for (int s = 0; s < 2; ++s) {
            HingeSide *side = &hinge->side[s];
            bool drifts = side->tie >= 0 && side->body->kind->drift;
            side->shift = drifts ? side->body->kind->drift(side->body, side->tie) : (Vec3d){0};
        }
        open = is_lost(hinge) ? 1.0 : open;
    }
    return open;
}

// The first pass of a sub-step starts with what the last one came to. It would come to the same without, but where
// many hinges carry each other, not in so few rounds.
static void start(SnWorld *world, Hinge *hinge) {
    if (is_at_work(hinge)) {
        sn__hinge_turn(world, hinge, hinge->torque);
    } else {
        hinge->motor = hinge->limit = 0.0;
        hinge->torque = (Vec3d){0.0, 0.0, 0.0};
    }
}

void sn__hinges_start_tied(SnWorld *world) {
    for (uint32_t slot = 1; slot <= world->hinges.ids.slot_count; ++slot) {
        Hinge *hinge = tied_at(world, slot);
        if (hinge)
            start(world, hinge);
    }
}

// The hinge as one that turns about its axis alone, with all that holds it there.
typedef struct Freedom {
    Vec3d n, u, v;    // the axis, and two across
    double k[2][2];   // K⊥⊥⁻¹
    double across[2]; // K⊥n
    double e[2];      // what is to be closed across
    double turned,
        easy; // rad, since the sub-step began if nothing else pulled along n, and by a torque along it
} Freedom;

static Vec3d times(const HingeMobility *K, Vec3d t) {
    return addd(addd(scaled(K->by[0], t.x), scaled(K->by[1], t.y)), scaled(K->by[2], t.z));
}

// The torques across n that close a gap there.
static void close_across(const Freedom *f, const double gap[2], double out[2]) {
    for (int i = 0; i < 2; ++i)
        out[i] = -(f->k[i][0] * gap[0] + f->k[i][1] * gap[1]);
}

// What torques across n turn about it.
static double turned_across(const Freedom *f, const double gap[2]) {
    double torque[2];
    close_across(f, gap, torque);
    return f->across[0] * torque[0] + f->across[1] * torque[1];
}

static void set_axes(const Hinge *hinge, Quatd b, Freedom *f) {
    f->n = carried(hinge, 1, b);
    Vec3d size = {fabs(f->n.x), fabs(f->n.y), fabs(f->n.z)}, least = {0.0, 0.0, 1.0};
    if (size.x <= size.y && size.x <= size.z)
        least = (Vec3d){1.0, 0.0, 0.0};
    else if (size.y <= size.z)
        least = (Vec3d){0.0, 1.0, 0.0};
    f->u = crossd(f->n, least);
    f->u = scaled(f->u, 1.0 / lengthd(f->u));
    f->v = crossd(f->n, f->u);
}

// False: nothing turns at all.
static bool find_freedom(const SnWorld *world, const Hinge *hinge, const ContactPass *pass,
                         Freedom *f) {
    Quatd a = sn__hinge_now(world, hinge, 0, pass), b = sn__hinge_now(world, hinge, 1, pass);
    HingeMobility K = sn__hinge_mobility(world, hinge);
    set_axes(hinge, b, f);
    Vec3d kn = times(&K, f->n), ku = times(&K, f->u), kv = times(&K, f->v);
    double own = dotd(f->n, kn), uu = dotd(f->u, ku), vv = dotd(f->v, kv), uv = dotd(f->u, kv);
    double give = GIVE * (fabs(own) + fabs(uu) + fabs(vv));
    uu += give;
    vv += give;
    double det = uu * vv - uv * uv;
    if (!(own > 0.0 && uu > 0.0 && det > 0.0))
        return false;
    f->k[0][0] = vv / det;
    f->k[1][1] = uu / det;
    f->k[0][1] = f->k[1][0] = -uv / det;
    f->across[0] = dotd(f->u, kn);
    f->across[1] = dotd(f->v, kn);
    Vec3d shift = subd(hinge->side[0].shift, hinge->side[1].shift);
    Vec3d e = subd(addd(apart(hinge, a, b), shift), hinge->keeps);
    f->e[0] = dotd(f->u, e);
    f->e[1] = dotd(f->v, e);
    double angle = sn__hinge_angle_between(hinge, a, b, hinge->start);
    f->turned = angle - hinge->start + dotd(f->n, shift) + turned_across(f, f->e);
    f->easy = own + turned_across(f, f->across);
    return f->easy > GIVE * own;
}

// How far it may turn in the sub-step. What is beyond its limits comes back.
static void limits_of(const Hinge *hinge, const ContactPass *pass, double *low, double *high) {
    double back = RETURN_SPEED * (double)pass->h;
    bool limited = hinge->def.limited;
    *high = limited ? fmax((double)hinge->def.high - hinge->start, -back) : 1e30;
    *low = limited ? fmin((double)hinge->def.low - hinge->start, back) : -1e30;
}

// The motor has what it takes to its speed; where a limit stops the hinge short of that, it has all it may, and the
// limit bears that, too.
static void drive(Hinge *hinge, const ContactPass *pass, const Freedom *f) {
    double h = (double)pass->h, most = (double)hinge->def.max_torque * h * h;
    double wanted = (double)hinge->def.speed * h, low, high;
    double alone = f->turned - f->easy * (hinge->motor + hinge->limit);
    hinge->motor = fmin(fmax((wanted - alone) / f->easy, -most), most);
    hinge->limit = 0.0;
    limits_of(hinge, pass, &low, &high);
    double driven = alone + f->easy * hinge->motor, stopped = fmin(fmax(driven, low), high);
    if (stopped == driven)
        return;
    hinge->motor = stopped < wanted ? most : stopped > wanted ? -most : hinge->motor;
    hinge->limit = (stopped - alone) / f->easy - hinge->motor;
}

// Returns how far it was turned, rad.
static double solve(SnWorld *world, Hinge *hinge, const ContactPass *pass) {
    Freedom f;
    if (!is_at_work(hinge) || !find_freedom(world, hinge, pass, &f))
        return 0.0;
    double before = hinge->motor + hinge->limit, across[2];
    drive(hinge, pass, &f);
    double along = hinge->motor + hinge->limit - before;
    const double gap[2] = {f.e[0] + f.across[0] * along, f.e[1] + f.across[1] * along};
    close_across(&f, gap, across);
    Vec3d torque = addd(scaled(f.n, along), addd(scaled(f.u, across[0]), scaled(f.v, across[1])));
    hinge->torque = addd(hinge->torque, torque);
    sn__hinge_turn(world, hinge, torque);
    return fabs(f.easy * along) + fabs(f.e[0]) + fabs(f.e[1]);
}

double sn__hinges_solve_tied(SnWorld *world, const ContactPass *pass) {
    double change = 0.0;
    for (uint32_t slot = 1; slot <= world->hinges.ids.slot_count; ++slot) {
        Hinge *hinge = tied_at(world, slot);
        if (hinge)
            change = fmax(change, solve(world, hinge, pass));
    }
    return change;
}

void sn__hinges_tell(SnWorld *world) {
    for (uint32_t slot = 1; slot <= world->hinges.ids.slot_count; ++slot) {
        Hinge *hinge = tied_at(world, slot);
        if (hinge == NULL)
            continue;
        Vec3d by = subd(hinge->torque, hinge->told);
        hinge->told = hinge->torque;
        for (int s = 0; s < 2; ++s) {
            const HingeSide *side = &hinge->side[s];
            if (side->tie >= 0)
                side->body->kind->twist(side->body, side->element, s == 0 ? by : scaled(by, -1.0));
        }
    }
}

double sn__hinge_turned_tied(const SnWorld *world, const Hinge *hinge, const ContactPass *pass) {
    Quatd a = sn__hinge_now(world, hinge, 0, pass), b = sn__hinge_now(world, hinge, 1, pass);
    Vec3d shift = subd(hinge->side[0].shift, hinge->side[1].shift);
    return sn__hinge_angle_between(hinge, a, b, hinge->start) - hinge->start +
           dotd(carried(hinge, 1, b), shift);
}
