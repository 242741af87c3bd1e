// Links: points of bodies tied to each other, to frames or to the world.
//
// With d the vector from b to a, G = Σ w²/m of both points and c = compliance/h²: a link of length 0
// is three constraints d = 0 at once, Δμ = −(d + c μ)/(G + c); one with a length is |d| = length
// along d. Its force is μ/h². Links are few: they are solved one after the other, before contacts.
#include <assert.h>
#include <string.h>

#include "base/null.h"
#include "world/world.h"

#define LINK_COOKIE 0x534e4c49u

SnLinkDef sn_default_link_def(void) { return (SnLinkDef){.cookie = LINK_COOKIE}; }

// Why there is no such link.
static SnResult missing(const SnWorld *world) {
    return world ? sn_error(SN_ERROR_STALE, "link: id is stale") : sn__null("link: world");
}

static Link *find(const SnWorld *world, SnLinkId id) {
    return world && sn__ids_valid(&world->link_ids, id.index, id.generation)
               ? &world->links[id.index - 1]
               : NULL;
}

static bool in_use(const SnWorld *world, uint32_t k) {
    assert(k < world->link_ids.slot_count);
    return (world->link_ids.slots[k].generation & 1) != 0;
}

static SnResult check_point(const SnWorld *world, const SnBodyPoint *p, const char *name) {
    const Body *body = sn__bodies_find(&world->bodies, p->body);
    if (body == NULL)
        return sn_error(SN_ERROR_STALE, "link: %s.body: id is stale", name);
    if (p->element < 0 || p->element >= body->elements)
        return sn_error(SN_ERROR_INVALID, "link: %s.element: %d is not in [0, %d)", name,
                        p->element, body->elements);
    if (!(p->t >= 0.0f && p->t <= 1.0f))
        return sn_error(SN_ERROR_INVALID, "link: %s.t: %g is not in [0, 1]", name, (double)p->t);
    return sn_ok();
}

// The point at this end of an element, −1 between its ends. What broke off has a point of its own.
static int point_at(const Body *body, const SnBodyPoint *p) {
    int ends[2];
    body->kind->ends(body, p->element, ends);
    return p->t == 0.0f ? ends[0] : p->t == 1.0f ? ends[1] : -1;
}

// Refuses what cannot move against itself.
static SnResult check_pair(const SnWorld *world, const SnBodyPoint *a, const SnBodyPoint *b) {
    const Body *body = sn__bodies_find(&world->bodies, a->body);
    if (a->body.index != b->body.index)
        return sn_ok();
    if (body->kind->turn)
        return sn_error(SN_ERROR_INVALID,
                        "link: a and b are points of the same %s, which cannot move against each "
                        "other",
                        body->kind->name);
    int point = point_at(body, a);
    if ((a->element == b->element && a->t == b->t) || (point >= 0 && point == point_at(body, b)))
        return sn_error(SN_ERROR_INVALID, "link: a and b are the same point of the same %s",
                        body->kind->name);
    return sn_ok();
}

static SnResult check_def(const SnWorld *world, const SnLinkDef *def) {
    if (def == NULL || def->cookie != LINK_COOKIE)
        return sn_error(SN_ERROR_INVALID, "link: definition was not made by sn_default_link_def");
    SnResult result = check_point(world, &def->a, "a");
    if (result.code == SN_OK && def->b.body.index != 0)
        result = check_point(world, &def->b, "b");
    if (result.code == SN_OK && def->b.body.index != 0)
        result = check_pair(world, &def->a, &def->b);
    if (result.code != SN_OK)
        return result;
    if (def->frame.index != 0 &&
        !sn__ids_valid(&world->frame_ids, def->frame.index, def->frame.generation))
        return sn_error(SN_ERROR_STALE, "link: frame: id is stale");
    if (!sn__within3(def->target, SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "link: target must be within 1e9 m");
    const struct {
        const char *field;
        float value;
    } numbers[] = {
        {"length", def->length}, {"compliance", def->compliance}, {"max_force", def->max_force}};
    for (int i = 0; i < 3; ++i)
        if (!(numbers[i].value >= 0.0f && numbers[i].value <= 1e9f))
            return sn_error(SN_ERROR_INVALID, "link: %s: %g is not in [0, 1e9]", numbers[i].field,
                            (double)numbers[i].value);
    return result;
}

static void count_link(SnWorld *world, SnBodyId id, int by) {
    Body *body = sn__bodies_find(&world->bodies, id);
    if (body)
        body->links += by;
    assert(body == NULL || body->links >= 0);
}

SnResult sn_link_create(SnWorld *world, const SnLinkDef *def, SnLinkId *out_link) {
    if (world == NULL)
        return sn__null("link: world");
    SnResult result = check_def(world, def);
    if (result.code != SN_OK)
        return result;
    SnLinkId id;
    if (!sn__reserve(&world->allocator, (void **)&world->links, &world->link_capacity,
                     (int)world->link_ids.slot_count, sizeof(Link)) ||
        !sn__ids_acquire(&world->link_ids, &world->allocator, &id.index, &id.generation))
        return sn_error(SN_ERROR_MEMORY, "link: no memory");
    world->links[id.index - 1] = (Link){.a = def->a,
                                        .b = def->b,
                                        .frame = def->frame,
                                        .from = def->target,
                                        .to = def->target,
                                        .length = def->length,
                                        .rope = def->rope,
                                        .compliance = def->compliance,
                                        .max_force = def->max_force};
    count_link(world, def->a.body, 1);
    count_link(world, def->b.body, 1);
    sn__world_changed(world, CREATE_LINK, id.index, id.generation, 0);
    if (out_link)
        *out_link = id;
    return result;
}

SnResult sn_link_destroy(SnWorld *world, SnLinkId id) {
    Link *link = find(world, id);
    if (link == NULL)
        return missing(world);
    count_link(world, link->a.body, -1);
    count_link(world, link->b.body, -1);
    sn__ids_release(&world->link_ids, id.index, id.generation);
    sn__world_changed(world, DESTROY_LINK, id.index, id.generation, 0);
    return sn_ok();
}

void sn__links_drop_body(SnWorld *world, SnBodyId body) {
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        const Link *link = &world->links[k];
        if (in_use(world, k) &&
            (link->a.body.index == body.index || link->b.body.index == body.index))
            sn_link_destroy(world, (SnLinkId){k + 1, world->link_ids.slots[k].generation});
    }
}

SnResult sn_link_set_target(SnWorld *world, SnLinkId id, SnVec3 target) {
    Link *link = find(world, id);
    if (link == NULL)
        return missing(world);
    if (!sn__within3(target, SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "link: target must be within 1e9 m");
    link->to = target;
    sn_body_wake(world, link->a.body);
    return sn_ok();
}

SnResult sn_link_force(const SnWorld *world, SnLinkId id, SnVec3 *out_force) {
    const Link *link = find(world, id);
    if (link == NULL)
        return missing(world);
    if (out_force == NULL)
        return sn__null("link: out_force");
    *out_force = link->force;
    return sn_ok();
}

// What links move.
typedef struct Touched {
    Knot *knots;
    KnotTurn *turns;
} Touched;

static void bind(SnWorld *world, const SnBodyPoint *p, LinkSide *side) {
    Body *body = sn__bodies_find(&world->bodies, p->body);
    int ends[2];
    // What hangs on a body goes with it.
    assert(body && sn__body_needs_knots(body) && p->element < body->elements);
    body->kind->ends(body, p->element, ends);
    side->t = p->t;
    side->turn = body->kind->turn ? body->kind->turn(body) : 0;
    for (int v = 0; v < 2; ++v) {
        side->between[v] = body->kind->knot(body, ends[v]);
        side->knot[v] = side->turn != 0 ? body->kind->hub(body) : side->between[v];
        side->weight[v] = v == 0 ? 1.0f - p->t : p->t;
        memcpy(side->origin[v], body->kind->knot_origin(body, side->knot[v]),
               sizeof side->origin[v]);
    }
    body->kind->touch(body);
}

static Vec3d target_at(const SnWorld *world, const Link *link, bool end) {
    SnPose frame = sn__frame_pose_or_identity(world, link->frame, end);
    Vec3d local = vec3d(end ? link->to : link->from);
    return addd(vec3d(frame.position), rotated(quatd(frame.rotation), local));
}

static Vec3d vec(const float v[3]) { return (Vec3d){(double)v[0], (double)v[1], (double)v[2]}; }

// From the knot that the body turns about to the end of the link, at the start of the sub-step.
static Vec3d arm_of(const Touched *to, const LinkSide *side) {
    Vec3d a = vec(to->knots[side->between[0]].start), b = vec(to->knots[side->between[1]].start);
    Vec3d at = addd(scaled(a, 1.0 - (double)side->t), scaled(b, (double)side->t));
    return subd(at, vec(to->knots[side->knot[0]].start));
}

// Where a side was when the sub-step began.
static Vec3d side_start(const Touched *to, const LinkSide *side) {
    Vec3d at = side->turn != 0 ? arm_of(to, side) : (Vec3d){0};
    for (int v = 0; v < 2; ++v) {
        const Knot *k = &to->knots[side->knot[v]];
        double w = (double)side->weight[v];
        at.x += w * (side->origin[v][0] + (double)k->start[0]);
        at.y += w * (side->origin[v][1] + (double)k->start[1]);
        at.z += w * (side->origin[v][2] + (double)k->start[2]);
    }
    return at;
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
    if (side->turn == 0)
        return at;
    // A turn is twice the vector part of its quaternion: arms keep their length.
    Vec3d half = scaled(vec(to->turns[side->turn].turn), 0.5);
    Quatd q = {half.x, half.y, half.z, sqrt(fmax(1.0 - dotd(half, half), 0.0))};
    return addd(at, rotated(q, arm_of(to, side)));
}

// How easily a side moves along d by its knots, and by turning.
static double mobility_of(const Touched *to, const LinkSide *side, Vec3d d) {
    float line = 0.0f;
    if (side->turn != 0) {
        Vec3d about = crossd(arm_of(to, side), d);
        return (double)to->knots[side->knot[0]].mobility +
               dotd(about, sn__turned_by(&to->turns[side->turn], about));
    }
    for (int v = 0; v < 2; ++v)
        line += side->weight[v] * side->weight[v] * to->knots[side->knot[v]].mobility;
    return (double)line;
}

static void move_side(const Touched *to, const LinkSide *side, const float impulse[3], float sign) {
    for (int v = 0; v < 2; ++v) {
        Knot *k = &to->knots[side->knot[v]];
        for (int c = 0; c < 3; ++c)
            k->motion[c] += sign * side->weight[v] * k->mobility * impulse[c];
    }
    if (side->turn == 0)
        return;
    KnotTurn *turn = &to->turns[side->turn];
    Vec3d by = sn__turned_by(turn, crossd(arm_of(to, side), scaled(vec(impulse), (double)sign)));
    turn->turn[0] += (float)by.x;
    turn->turn[1] += (float)by.y;
    turn->turn[2] += (float)by.z;
}

// Keeps a multiplier within what the force may be.
static void bound_force(const Link *link, float h, float mu[3]) {
    float size = sqrtf(mu[0] * mu[0] + mu[1] * mu[1] + mu[2] * mu[2]);
    float most = link->max_force * h * h;
    for (int c = 0; c < 3 && most > 0.0f && size > most; ++c)
        mu[c] *= most / size;
}

// A rigid link that is too long when a sub-step begins, because it was made so or torn, is drawn in
// at this speed, m/s. At once, it would be a shot.
#define PULL_SPEED 5.0f

static float length_now(Link *link, const Touched *to, const ContactPass *pass) {
    if (link->compliance > 0.0f)
        return link->length;
    if (pass->first) {
        bool pair = link->b.body.index != 0;
        double time = pass->time - (double)pass->share;
        Vec3d b = pair ? side_start(to, &link->side[1])
                       : addd(link->start, scaled(subd(link->end, link->start), time));
        float distance = (float)lengthd(subd(side_start(to, &link->side[0]), b));
        link->drawn = fmaxf(link->length, distance - PULL_SPEED * pass->h);
    }
    return link->drawn;
}

// Both points of a link, and what is between them.
typedef struct LinkGap {
    Vec3d d;      // from b to a
    Vec3d along;  // its direction
    float gap[3]; // what is to be closed
} LinkGap;

static LinkGap gap_of(Link *link, const Touched *to, const ContactPass *pass) {
    LinkGap g;
    Vec3d b = link->b.body.index != 0
                  ? side_at(to, &link->side[1])
                  : addd(link->start, scaled(subd(link->end, link->start), pass->time));
    g.d = subd(side_at(to, &link->side[0]), b);
    double distance = lengthd(g.d), inv = distance > 0.0 ? 1.0 / distance : 0.0;
    g.along = scaled(g.d, inv);
    float along[3] = {(float)g.along.x, (float)g.along.y, (float)g.along.z};
    float length = length_now(link, to, pass);
    g.gap[0] = (float)g.d.x - along[0] * length;
    g.gap[1] = (float)g.d.y - along[1] * length;
    g.gap[2] = (float)g.d.z - along[2] * length;
    if (link->rope && distance < (double)link->length)
        g.gap[0] = g.gap[1] = g.gap[2] = 0.0f;
    return g;
}

// How easily the points move against each other along d.
static float mobility_along(const Link *link, const Touched *to, Vec3d d) {
    double G = mobility_of(to, &link->side[0], d);
    return (float)(link->b.body.index != 0 ? G + mobility_of(to, &link->side[1], d) : G);
}

static void move(Link *link, const Touched *to, const float mu[3]) {
    float impulse[3];
    for (int c = 0; c < 3; ++c) {
        impulse[c] = mu[c] - link->mu[c];
        link->mu[c] = mu[c];
    }
    move_side(to, &link->side[0], impulse, 1.0f);
    if (link->b.body.index != 0)
        move_side(to, &link->side[1], impulse, -1.0f);
}

// With a length there is one direction. At length 0, bodies that turn answer differently along each
// axis: the gap is closed axis by axis, and again for what one axis does to the others.
#define AXIS_ROUNDS 4

static void solve_turning(Link *link, const Touched *to, const ContactPass *pass, float soft) {
    for (int k = 0; k < (link->length > 0.0f ? 1 : 3 * AXIS_ROUNDS); ++k) {
        LinkGap g = gap_of(link, to, pass);
        const Vec3d axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
        Vec3d axis = link->length > 0.0f ? g.along : axes[k % 3];
        double gap = dotd(axis, vec(g.gap)) + (double)soft * dotd(axis, vec(link->mu));
        double by = -gap / ((double)mobility_along(link, to, axis) + (double)soft + 1e-30);
        float mu[3] = {link->mu[0] + (float)(by * axis.x), link->mu[1] + (float)(by * axis.y),
                       link->mu[2] + (float)(by * axis.z)};
        bound_force(link, pass->h, mu);
        move(link, to, mu);
    }
}

static void solve(Link *link, const Touched *to, const ContactPass *pass) {
    assert(pass->h > 0.0f && link->side[0].knot[0] > 0 && link->side[0].knot[1] > 0);
    float soft = link->compliance / (pass->h * pass->h);
    if (pass->first)
        link->mu[0] = link->mu[1] = link->mu[2] = 0.0f;
    if (link->side[0].turn != 0 || (link->b.body.index != 0 && link->side[1].turn != 0)) {
        solve_turning(link, to, pass, soft);
        return;
    }
    LinkGap g = gap_of(link, to, pass);
    float mu[3], G = mobility_along(link, to, g.along);
    for (int c = 0; c < 3; ++c)
        mu[c] = link->mu[c] - (g.gap[c] + soft * link->mu[c]) / (G + soft + 1e-30f);
    bound_force(link, pass->h, mu);
    move(link, to, mu);
}

void sn__links_solve(SnWorld *world, const ContactPass *pass) {
    Touched to = {world->contacts.knots, world->contacts.turns};
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k)
        if (in_use(world, k))
            solve(&world->links[k], &to, pass);
}

void sn__links_begin_step(SnWorld *world) {
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        Link *link = &world->links[k];
        if (!in_use(world, k))
            continue;
        bind(world, &link->a, &link->side[0]);
        if (link->b.body.index != 0)
            bind(world, &link->b, &link->side[1]);
        link->force = sn_vec3(0.0f, 0.0f, 0.0f);
        link->start = target_at(world, link, false);
        link->end = target_at(world, link, true);
    }
}

void sn__links_end_substep(SnWorld *world, float h, float share) {
    assert(h > 0.0f && share > 0.0f && share <= 1.0f);
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        Link *link = &world->links[k];
        if (!in_use(world, k))
            continue;
        float by = share / (h * h);
        link->force.x += by * link->mu[0];
        link->force.y += by * link->mu[1];
        link->force.z += by * link->mu[2];
    }
}

void sn__links_drop_frame(SnWorld *world, SnFrameId frame) {
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        Link *link = &world->links[k];
        if (!in_use(world, k) || link->frame.index != frame.index)
            continue;
        Vec3d at = target_at(world, link, false);
        link->from = link->to = sn_vec3((float)at.x, (float)at.y, (float)at.z);
        link->frame = (SnFrameId){0};
    }
}

void sn__links_end_step(SnWorld *world) {
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        Link *link = &world->links[k];
        link->from = link->to;
        if (!sn__within3(link->force, LARGEST_NUMBER)) // a body was lost in the step
            link->force = sn_vec3(0.0f, 0.0f, 0.0f);
    }
}
