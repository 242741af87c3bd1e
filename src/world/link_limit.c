// What hangs together by links that could not be solved.
//
// Where something very heavy jerks at something very light, passes may lead ever farther astray, and
// would make any energy. So in a sub-step in which a link is left wide open, what hangs together with
// it gets no faster than
//
//     v = max(v₀, v₁ √(1 − m/M)) + g dt,
//
// v₀ being how fast anything of it was when the step began, v₁ what closing a link may take, and m/M
// the part of all its mass that the body has. A body that got faster is left where the sub-step began,
// and the links start the next one with the forces that this one has started with.
#include <math.h>

#include "world/link_sides.h"

// Left open by this part of a segment, links were not solved. A blow opens them by less, for a moment.
#define WIDE_OPEN 0.5
#define CLOSING (double)PULL_SPEED

static Link *first_of(SnWorld *world, const Link *link) { return &world->links[link->group - 1]; }

// How fast the target of a link and its length go, m a step.
static double led_by(const Link *link) {
    return lengthd(subd(link->end, link->start)) +
           fabs((double)(link->length_to - link->length_from));
}

void sn__links_note_speeds(SnWorld *world) {
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k)
        world->links[k].fastest = 0.0;
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        const Link *link = &world->links[k];
        if (!sn__link_in_use(world, k) || !is_tied(link))
            continue;
        Link *first = first_of(world, link);
        for (int s = 0; s < (is_pair(link) ? 2 : 1); ++s) {
            const Body *body = link->side[s].body;
            first->fastest = fmax(first->fastest, (double)body->kind->speed(body));
        }
    }
}

static double mass_of(const SnWorld *world, const Body *body) {
    BodySums sums = {0};
    body->kind->measure(body, world->gravity, &sums);
    return sums.m.mass;
}

static void limit(SnWorld *world, const Link *link, double dt) {
    double fastest = first_of(world, link)->fastest + led_by(link) / dt;
    double fall = dt * lengthd(vec3d(world->gravity));
    for (int s = 0; s < (is_pair(link) ? 2 : 1); ++s) {
        Body *body = (Body *)link->side[s].body;
        double light = fmax(1.0 - mass_of(world, body) / link->group_mass, 0.0);
        if (body->kind->limit)
            body->kind->limit(body, fmax(fastest, CLOSING * sqrt(light)) + fall);
    }
}

void sn__links_limit_speeds(SnWorld *world, const ContactPass *pass) {
    bool any = false;
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k)
        world->links[k].lost = false;
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        const Link *link = &world->links[k];
        if (!sn__link_in_use(world, k) || !is_tied(link) || link->open <= WIDE_OPEN)
            continue;
        any = first_of(world, link)->lost = true;
    }
    for (uint32_t k = 0; any && k < world->link_ids.slot_count; ++k) {
        const Link *link = &world->links[k];
        if (sn__link_in_use(world, k) && is_tied(link) && first_of(world, link)->lost)
            limit(world, link, (double)pass->h / (double)pass->share);
    }
}
