// Links: points of bodies tied to each other, to frames or to the world. How they are solved is in link_solve.c.
#include <assert.h>
#include <string.h>

#include "base/null.h"
#include "world/link_sides.h"

#define LINK_COOKIE 0x534e4c49u

// Points that are nearer than this are one up to rounding, m.
#define SAME_POINT 1.0e-5f
#define LARGEST 1e9f // m, m/N, N

SnLinkDef sn_default_link_def(void) {
    return (SnLinkDef){.cookie = LINK_COOKIE, .length = SN_LINK_KEEP};
}

// Why there is no such link.
static SnResult missing(const SnWorld *world) {
    return world ? sn_error(SN_ERROR_STALE, "link: id is stale") : sn__null("link: world");
}

static Link *find(const SnWorld *world, SnLinkId id) {
    return world && sn__ids_valid(&world->link_ids, id.index, id.generation)
               ? &world->links[id.index - 1]
               : NULL;
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

static SnResult check_length(float length) {
    if (length == SN_LINK_KEEP || (length >= 0.0f && length <= LARGEST))
        return sn_ok();
    return sn_error(SN_ERROR_INVALID, "link: length: %g is not in [0, 1e9]", (double)length);
}

// As far as its points are apart; 0 if that is rounding.
static float kept_length(const SnWorld *world, Link *link) {
    Link bare = *link;
    bare.length = 0.0f;
    bare.rope = false;
    float apart = sn__link_off(world, &bare, sn__link_target(world, &bare, false));
    return apart > SAME_POINT ? apart : 0.0f;
}

static SnResult check_def(const SnWorld *world, const SnLinkDef *def) {
    if (def == NULL || def->cookie != LINK_COOKIE)
        return sn__no_def(def, "link", "sn_default_link_def");
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
    } numbers[] = {{"compliance", def->compliance}, {"max_force", def->max_force}};
    for (int i = 0; i < 2; ++i)
        if (!(numbers[i].value >= 0.0f && numbers[i].value <= LARGEST))
            return sn_error(SN_ERROR_INVALID, "link: %s: %g is not in [0, 1e9]", numbers[i].field,
                            (double)numbers[i].value);
    return check_length(def->length);
}

static void join_list(SnWorld *world, SnBodyId id, uint32_t number) {
    Body *body = sn__bodies_find(&world->bodies, id);
    if (body == NULL)
        return;
    *sn__link_after(world, number) = body->first_link;
    body->first_link = number;
}

static void leave_list(SnWorld *world, SnBodyId id, uint32_t number) {
    Body *body = sn__bodies_find(&world->bodies, id);
    if (body == NULL)
        return;
    uint32_t *at = &body->first_link;
    while (*at != number) {
        assert(*at != 0);
        at = sn__link_after(world, *at);
    }
    *at = *sn__link_after(world, number);
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
    Link *link = &world->links[id.index - 1];
    *link = (Link){.a = def->a,
                   .b = def->b,
                   .frame = def->frame,
                   .from = def->target,
                   .to = def->target,
                   .length = def->length == SN_LINK_KEEP ? 0.0f : def->length,
                   .compliance = def->compliance,
                   .max_force = def->max_force};
    if (def->length == SN_LINK_KEEP)
        link->length = kept_length(world, link);
    link->made_length = link->length_from = link->length_to = link->length;
    link->rope = def->rope;
    link->ignore = def->ignore;
    link->user_data = def->user_data;
    join_list(world, def->a.body, 2 * id.index - 1);
    join_list(world, def->b.body, 2 * id.index);
    sn__world_changed(world, CREATE_LINK, id.index, id.generation, 0);
    if (out_link)
        *out_link = id;
    return result;
}

SnResult sn_link_destroy(SnWorld *world, SnLinkId id) {
    Link *link = find(world, id);
    if (link == NULL)
        return missing(world);
    leave_list(world, link->a.body, 2 * id.index - 1);
    leave_list(world, link->b.body, 2 * id.index);
    sn__ids_release(&world->link_ids, id.index, id.generation);
    sn__world_changed(world, DESTROY_LINK, id.index, id.generation, 0);
    return sn_ok();
}

void sn__links_drop_body(SnWorld *world, SnBodyId body) {
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        const Link *link = &world->links[k];
        if (sn__link_in_use(world, k) &&
            (link->a.body.index == body.index || link->b.body.index == body.index))
            sn_link_destroy(world, (SnLinkId){k + 1, world->link_ids.slots[k].generation});
    }
}

static float radius_at(const Body *body, const SnBodyPoint *p) {
    int ends[2];
    body->kind->edge(body, p->element, ends);
    float first = body->kind->rest_radius(body, ends[0]);
    return first + p->t * (body->kind->rest_radius(body, ends[1]) - first);
}

static bool is_near(const Body *body, int i, int j) {
    return i == j || body->kind->are_neighbours(body, i, j);
}

static Vec3d point_of(const Body *body, const SnBodyPoint *p) {
    int ends[2];
    body->kind->ends(body, p->element, ends);
    Vec3d first = body->kind->point(body, ends[0], NULL);
    Vec3d second = body->kind->point(body, ends[1], NULL);
    return addd(first, scaled(subd(second, first), (double)p->t));
}

// A rigid link that holds the body near this element at a point of the world or of a frame.
static bool hangs_by(const Link *link, const Body *body, int element) {
    return link->b.body.index == 0 && !(link->compliance > 0.0f) && !(link->length > 0.0f) &&
           is_near(body, element, link->a.element);
}

// Both hang by such links, closer to each other than their radii.
static bool hang_together(const SnWorld *world, const Body *a, int i, const Body *b, int j) {
    for (uint32_t n = a->first_link; n != 0; n = *sn__link_after(world, n)) {
        const Link *link = &world->links[(n - 1) / 2];
        for (uint32_t k = hangs_by(link, a, i) ? b->first_link : 0; k != 0;
             k = *sn__link_after(world, k)) {
            const Link *other = &world->links[(k - 1) / 2];
            if (other == link || !hangs_by(other, b, j))
                continue;
            double apart = lengthd(subd(point_of(a, &link->a), point_of(b, &other->a)));
            if (apart < (double)(radius_at(a, &link->a) + radius_at(b, &other->a)))
                return true;
        }
    }
    return false;
}

bool sn__links_join(const SnWorld *world, const Body *a, int i, const Body *b, int j) {
    if (b->first_link != 0 && hang_together(world, a, i, b, j))
        return true;
    for (uint32_t n = b->first_link == 0 ? 0 : a->first_link; n != 0;
         n = *sn__link_after(world, n)) {
        const Link *link = &world->links[(n - 1) / 2];
        const SnBodyPoint *p = n % 2 == 1 ? &link->a : &link->b;
        const SnBodyPoint *q = n % 2 == 1 ? &link->b : &link->a;
        if (q->body.index != b->slot)
            continue;
        if (link->ignore && a != b)
            return true;
        if (!(link->compliance > 0.0f) && is_near(a, i, p->element) && is_near(b, j, q->element) &&
            link->length < radius_at(a, p) + radius_at(b, q))
            return true;
    }
    return false;
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

SnResult sn_link_set_length(SnWorld *world, SnLinkId id, float length) {
    Link *link = find(world, id);
    if (link == NULL)
        return missing(world);
    SnResult result = check_length(length);
    if (result.code != SN_OK)
        return result;
    link->length_to = length;
    if (length == SN_LINK_KEEP) // at once: nothing is to move
        link->length = link->length_from = link->length_to = kept_length(world, link);
    sn_body_wake(world, link->a.body);
    if (is_pair(link))
        sn_body_wake(world, link->b.body);
    return result;
}

void *sn_link_user_data(const SnWorld *world, SnLinkId id) {
    const Link *link = GIVEN(world) ? find(world, id) : NULL;
    return link ? link->user_data : NULL;
}

SnResult sn_link_set_user_data(SnWorld *world, SnLinkId id, void *user_data) {
    Link *link = find(world, id);
    if (link == NULL)
        return missing(world);
    link->user_data = user_data;
    return sn_ok();
}

SnLinkId sn_world_next_link(const SnWorld *world, SnLinkId id) {
    const SnLinkId none = {0, 0};
    if (!GIVEN(world) || (id.index != 0 && find(world, id) == NULL))
        return none;
    for (uint32_t k = id.index; k < world->link_ids.slot_count; ++k)
        if (sn__link_in_use(world, k))
            return (SnLinkId){k + 1, world->link_ids.slots[k].generation};
    return none;
}

SnResult sn_link_read(const SnWorld *world, SnLinkId id, SnLinkDef *out_def) {
    const Link *link = find(world, id);
    if (link == NULL)
        return missing(world);
    if (out_def == NULL)
        return sn__null("link: out_def");
    *out_def = (SnLinkDef){.cookie = LINK_COOKIE,
                           .a = link->a,
                           .b = link->b,
                           .frame = link->frame,
                           .target = link->to,
                           .length = link->length_to,
                           .rope = link->rope,
                           .compliance = link->compliance,
                           .max_force = link->max_force,
                           .ignore = link->ignore,
                           .user_data = link->user_data};
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

Vec3d sn__link_target(const SnWorld *world, const Link *link, bool end) {
    SnPose frame = sn__frame_pose_or_identity(world, link->frame, end);
    Vec3d local = vec3d(end ? link->to : link->from);
    return addd(vec3d(frame.position), rotated(quatd(frame.rotation), local));
}

void sn__links_drop_frame(SnWorld *world, SnFrameId frame) {
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        Link *link = &world->links[k];
        if (!sn__link_in_use(world, k) || link->frame.index != frame.index)
            continue;
        Vec3d at = sn__link_target(world, link, false);
        link->from = link->to = sn_vec3((float)at.x, (float)at.y, (float)at.z);
        link->frame = (SnFrameId){0};
    }
}

void sn__links_wake_frame(SnWorld *world, SnFrameId frame) {
    for (uint32_t k = 0; k < world->link_ids.slot_count && world->sleep_speed > 0.0f; ++k)
        if (sn__link_in_use(world, k) && world->links[k].frame.index == frame.index)
            sn_body_wake(world, world->links[k].a.body);
}

float sn__link_off(const SnWorld *world, const Link *link, Vec3d target) {
    const Body *a = sn__bodies_find(&world->bodies, link->a.body);
    const Body *b = sn__bodies_find(&world->bodies, link->b.body);
    Vec3d to = b ? point_of(b, &link->b) : target;
    return sn__link_off_length(link, (float)lengthd(subd(point_of(a, &link->a), to)));
}

SnResult sn_link_gap(const SnWorld *world, SnLinkId id, float *out_gap) {
    const Link *link = find(world, id);
    if (link == NULL)
        return missing(world);
    if (out_gap == NULL)
        return sn__null("link: out_gap");
    *out_gap = sn__link_off(world, link, sn__link_target(world, link, false));
    return sn_ok();
}

// The shorter one of the elements that a link ties, or their radii where these are larger: spheres have no length.
static float size_at(const SnWorld *world, const Link *link) {
    const SnBodyPoint *points[2] = {&link->a, &link->b};
    float least = 1e30f;
    for (int s = 0; s < (is_pair(link) ? 2 : 1); ++s) {
        const Body *body = sn__bodies_find(&world->bodies, points[s]->body);
        SnBodyPoint first = *points[s], second = *points[s];
        first.t = 0.0f;
        second.t = 1.0f;
        float length = (float)lengthd(subd(point_of(body, &second), point_of(body, &first)));
        least = fminf(least, fmaxf(length, radius_at(body, points[s])));
    }
    return least;
}

void sn__link_bend(const SnWorld *world, Link *link) {
    const FrameVia *via = sn__frame_via(world, link->frame);
    bool still = memcmp(&link->from, &link->to, sizeof link->to) == 0; // in its frame
    link->curved = via && still;
    if (!link->curved)
        return;
    Vec3d at[2];
    for (int i = 0; i < 2; ++i)
        at[i] = addd(vec3d(via->pose[i].position),
                     rotated(quatd(via->pose[i].rotation), vec3d(link->to)));
    link->bend = bend_of_points(link->start, at[0], at[1], link->end);
}

// Of what it should be drawn by in a step, a rigid link is drawn by this part, or it is stuck: something else holds
// what it ties. It is told of where it is open by that part of an element.
#define LEAST_DRAWN 0.1f
#define OPEN_PART 0.05f

static bool is_stuck(const SnWorld *world, const Link *link, float dt) {
    if (link->compliance > 0.0f || link->max_force > 0.0f)
        return false;
    float open = sn__link_off(world, link, link->end);
    return open > link->off - LEAST_DRAWN * PULL_SPEED * dt &&
           fminf(open, link->off) > OPEN_PART * size_at(world, link);
}

void sn__links_end_step(SnWorld *world, float dt) {
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        Link *link = &world->links[k];
        if (sn__link_in_use(world, k))
            world->tied.torn = world->tied.torn || is_stuck(world, link, dt);
        link->from = link->to;
        link->length = link->length_from = link->length_to;
        if (!sn__within3(link->force, LARGEST_NUMBER)) // a body was lost in the step
            link->force = sn_vec3(0.0f, 0.0f, 0.0f);
    }
}
