// How links are solved, in every pass, beside the contacts.
//
// With d the vector from b to a, G = Σ w²/m of both points and c = compliance/h²: a link of length 0 is three
// constraints d = 0 at once, Δμ = −(d + c μ)/(G + c); one with a length is |d| = length along d. Its force is
// μ/h². Those of bodies that move as a whole are in link_tied.c.
#include <assert.h>

#include "world/link_sides.h"

// How easily the points move against each other.
static float mobility_of(const Link *link, const Touched *to) {
    double G = sn__side_mobility(to, &link->side[0]);
    return (float)(is_pair(link) ? G + sn__side_mobility(to, &link->side[1]) : G);
}

static void move(Link *link, const Touched *to, const float mu[3]) {
    float impulse[3];
    for (int c = 0; c < 3; ++c) {
        impulse[c] = mu[c] - link->mu[c];
        link->mu[c] = mu[c];
    }
    sn__side_move(to, &link->side[0], impulse, 1.0f);
    if (is_pair(link))
        sn__side_move(to, &link->side[1], impulse, -1.0f);
}

static void solve(Link *link, const Touched *to, const ContactPass *pass) {
    assert(pass->h > 0.0f && link->side[0].knot[0] > 0 && link->side[0].knot[1] > 0);
    float soft = link->compliance / (pass->h * pass->h);
    if (pass->first)
        link->mu[0] = link->mu[1] = link->mu[2] = 0.0f;
    LinkGap g = sn__link_gap(link, to, pass);
    float mu[3], G = mobility_of(link, to);
    for (int c = 0; c < 3; ++c)
        mu[c] = link->mu[c] - (g.gap[c] + soft * link->mu[c]) / (G + soft + 1e-30f);
    sn__link_bound(link, pass->h, mu);
    move(link, to, mu);
}

void sn__links_solve(SnWorld *world, const ContactPass *pass) {
    const Touched to = sn__touched(world);
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k)
        if (sn__link_in_use(world, k) && !is_tied(&world->links[k]))
            solve(&world->links[k], &to, pass);
}

void sn__side_load(SnWorld *world, const LinkSide *side, Vec3d impulse) {
    const ContactSystem *s = &world->contacts;
    const Touched to = sn__touched(world);
    for (int v = 0; v < 2; ++v) {
        float *force = s->loads[side->knot[v]].force, weight = side->weight[v];
        force[0] += weight * (float)impulse.x;
        force[1] += weight * (float)impulse.y;
        force[2] += weight * (float)impulse.z;
    }
    if (side->turn == 0)
        return;
    // Of the arm as it is now, at the end of the sub-step: with the one before, a thin body that swings would be turned
    // about itself.
    Vec3d torque = crossd(sn__side_arm_now(&to, side), impulse);
    float *load = s->turns[side->turn].load;
    load[0] += (float)torque.x;
    load[1] += (float)torque.y;
    load[2] += (float)torque.z;
}

// The next sub-step starts with the force of this one.
static void load_tied(SnWorld *world, const Link *link, Vec3d pull, float h) {
    Vec3d impulse = scaled(pull, (double)(h * h));
    sn__side_load(world, &link->side[0], impulse);
    if (is_pair(link))
        sn__side_load(world, &link->side[1], scaled(impulse, -1.0));
}

// Where a body was lost in the step, nothing is known.
static SnVec3 or_none(SnVec3 force) {
    return sn__within3(force, LARGEST_NUMBER) ? force : sn_vec3(0.0f, 0.0f, 0.0f);
}

// A jerk ends with its sub-step: the next one starts with no more than what there was in both, and along the
// link as it was in the last pass. That is of what it would bear without contacts at its ends: what it takes of theirs
// is known of the next sub-step, too.
static void remember(Link *link, SnVec3 force, double h) {
    double by = 1.0 / (h * h);
    Vec3d pressed = vec3d(link->pressed), last = addd(vec3d(link->last), pressed);
    Vec3d pull = addd(addd(vec3d(force), pressed), scaled(link->taken, by));
    if (!link->point)
        pull = scaled(link->along, dotd(link->along, pull));
    double now = lengthd(pull), before = lengthd(last);
    if (now > before)
        pull = scaled(pull, before / now);
    if (!starts_warm(link))
        pull = (Vec3d){0};
    link->last = or_none(force);
    link->pressed = or_none(vec3f(scaled(link->shared, by)));
    link->pull = or_none(vec3f(subd(pull, vec3d(link->pressed))));
}

// A body that has more links than it can answer for answers to none of them: those that know of all of it and those
// that see a vertex would not agree.
static void untie_with(const SnWorld *world, const LinkSide *side) {
    if (side->body == NULL || side->tie >= 0 || side->body->kind->tie == NULL)
        return;
    for (uint32_t n = side->body->first_link; n != 0; n = *sn__link_after(world, n))
        sn__link_side(world, n)->tie = -1;
}

void sn__links_begin_step(SnWorld *world, float h) {
    sn__links_weigh(world);
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        Link *link = &world->links[k];
        if (!sn__link_in_use(world, k))
            continue;
        link->side[1] = (LinkSide){.tie = -1};
        sn__side_bind(world, &link->a, &link->side[0]);
        if (is_pair(link))
            sn__side_bind(world, &link->b, &link->side[1]);
        link->force = sn_vec3(0.0f, 0.0f, 0.0f);
        link->start = sn__link_target(world, link, false);
        link->end = sn__link_target(world, link, true);
        sn__link_bend(world, link);
        link->off = sn__link_off(world, link, link->start);
    }
    for (uint32_t k = 0; k < 2 * world->link_ids.slot_count; ++k)
        if (sn__link_in_use(world, k / 2))
            untie_with(world, sn__link_side(world, k + 1));
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        Link *link = &world->links[k];
        if (sn__link_in_use(world, k) && is_tied(link))
            load_tied(world, link, vec3d(link->pull), h);
        else
            link->last = link->pull = link->pressed = sn_vec3(0.0f, 0.0f, 0.0f);
    }
    sn__links_note_speeds(world);
}

void sn__links_end_substep(SnWorld *world, const ContactPass *pass) {
    float h = pass->h, share = pass->share;
    assert(h > 0.0f && share > 0.0f && share <= 1.0f);
    sn__links_share_loads(world);
    sn__links_limit_speeds(world, pass);
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        Link *link = &world->links[k];
        if (!sn__link_in_use(world, k))
            continue;
        float by = 1.0f / (h * h);
        SnVec3 pull = {by * link->mu[0], by * link->mu[1], by * link->mu[2]};
        link->force.x += share * pull.x;
        link->force.y += share * pull.y;
        link->force.z += share * pull.z;
        if (!is_tied(link))
            continue;
        if (!world->links[link->group - 1].lost)
            remember(link, pull, (double)h);
        load_tied(world, link, addd(vec3d(link->pull), vec3d(link->pressed)), h);
    }
}
