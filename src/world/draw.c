// A world as lines and pills. It asks the world what any user can ask.
#include "sinew/draw.h"

#include <math.h>

#include "base/null.h"
#include "math/vec.h"
#include "sinew/hinge.h"
#include "world/world.h"

#define DRAW_COOKIE 0x534e4452u
#define RING 16 // sides of a circle
#define PI 3.14159265358979323846

#define BODY_COLOUR 0xe08a7au
#define ASLEEP_COLOUR 0x8a8a90u
#define SENSOR_COLOUR 0x7ac0a0u
#define COLLIDER_COLOUR 0x9a9a9au
#define HOLD_COLOUR 0xff9a30u
#define LINK_COLOUR 0xf0d040u
#define OPEN_COLOUR 0xff3030u
#define HINGE_COLOUR 0xb070ffu
#define CONTACT_COLOUR 0xffffffu

SnDraw sn_default_draw(void) {
    return (SnDraw){.cookie = DRAW_COOKIE, .parts = SN_DRAW_ALL, .size = 0.1f};
}

static void line(const SnDraw *draw, Vec3d a, Vec3d b, uint32_t colour) {
    draw->line(vec3f(a), vec3f(b), colour, draw->context);
}

// An ellipse with these two half axes.
static void ring(const SnDraw *draw, Vec3d centre, Vec3d x, Vec3d y, uint32_t colour) {
    Vec3d before = addd(centre, x);
    for (int k = 1; k <= RING; ++k) {
        double angle = 2.0 * PI * (double)k / RING;
        Vec3d at = addd(centre, addd(scaled(x, cos(angle)), scaled(y, sin(angle))));
        line(draw, before, at, colour);
        before = at;
    }
}

static void ellipsoid(const SnDraw *draw, Vec3d centre, Quatd q, Vec3d radii, uint32_t colour) {
    Vec3d x = rotated(q, (Vec3d){radii.x, 0.0, 0.0}), y = rotated(q, (Vec3d){0.0, radii.y, 0.0});
    Vec3d z = rotated(q, (Vec3d){0.0, 0.0, radii.z});
    ring(draw, centre, x, y, colour);
    ring(draw, centre, y, z, colour);
    ring(draw, centre, z, x, colour);
}

// A ring at both ends and four lines along; a sphere is three rings.
static void pill(const SnDraw *draw, Vec3d a, Vec3d b, float ra, float rb, uint32_t colour) {
    if (draw->pill) {
        draw->pill(vec3f(a), vec3f(b), ra, rb, colour, draw->context);
        return;
    }
    Vec3d along = subd(b, a);
    double length = lengthd(along);
    if (!(length > 0.0)) {
        double r = (double)ra;
        ellipsoid(draw, a, (Quatd){0.0, 0.0, 0.0, 1.0}, (Vec3d){r, r, r}, colour);
        return;
    }
    Quatd q = rotation_between((Vec3d){0.0, 0.0, 1.0}, scaled(along, 1.0 / length));
    Vec3d x = rotated(q, (Vec3d){1.0, 0.0, 0.0}), y = rotated(q, (Vec3d){0.0, 1.0, 0.0});
    ring(draw, a, scaled(x, (double)ra), scaled(y, (double)ra), colour);
    ring(draw, b, scaled(x, (double)rb), scaled(y, (double)rb), colour);
    for (int k = 0; k < 4; ++k) {
        Vec3d out = k % 2 == 0 ? x : y;
        double sign = k < 2 ? 1.0 : -1.0;
        line(draw, addd(a, scaled(out, sign * (double)ra)), addd(b, scaled(out, sign * (double)rb)),
             colour);
    }
}

static Vec3d at3(const float *p) { return (Vec3d){(double)p[0], (double)p[1], (double)p[2]}; }

static Quatd at4(const float *p) {
    return (Quatd){(double)p[0], (double)p[1], (double)p[2], (double)p[3]};
}

static void draw_body(const SnWorld *world, const SnDraw *draw, const SnPoses *p, int body) {
    const Body *b = sn__bodies_find(&world->bodies, p->bodies[body]);
    uint32_t colour = b->sensor ? SENSOR_COLOUR : b->sleep.asleep ? ASLEEP_COLOUR : BODY_COLOUR;
    for (int e = p->element_begin[body]; e < p->element_begin[body + 1]; ++e) {
        const int *edge = p->edges + 2 * (size_t)e;
        size_t first = (size_t)(p->point_begin[body] + edge[0]);
        size_t second = (size_t)(p->point_begin[body] + edge[1]);
        Vec3d radii = at3(p->shapes + 3 * (size_t)e);
        if (radii.x > 0.0)
            ellipsoid(draw, at3(p->positions + 3 * first), at4(p->frames + 4 * (size_t)e), radii,
                      colour);
        else
            pill(draw, at3(p->positions + 3 * first), at3(p->positions + 3 * second),
                 p->radii[first], p->radii[second], colour);
    }
}

static void draw_box(const SnDraw *draw, Vec3d centre, Quatd q, Vec3d half, uint32_t colour) {
    Vec3d corner[8];
    for (int k = 0; k < 8; ++k) {
        Vec3d local = {k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y,
                       k & 4 ? half.z : -half.z};
        corner[k] = addd(centre, rotated(q, local));
    }
    for (int k = 0; k < 8; ++k)
        for (int bit = 1; bit < 8; bit *= 2)
            if (!(k & bit))
                line(draw, corner[k], corner[k | bit], colour);
}

#define NET 10 // lines of the net on either side of a plane's point, each draw->size apart

static void draw_plane(const SnDraw *draw, Vec3d at, Quatd q, uint32_t colour) {
    double size = (double)draw->size;
    for (int k = -NET; k <= NET; ++k)
        for (int turn = 0; turn < 2; ++turn) {
            double x = size * k, z = size * NET;
            Vec3d a = turn ? (Vec3d){x, 0.0, -z} : (Vec3d){-z, 0.0, x};
            Vec3d b = turn ? (Vec3d){x, 0.0, z} : (Vec3d){z, 0.0, x};
            line(draw, addd(at, rotated(q, a)), addd(at, rotated(q, b)), colour);
        }
}

static void draw_collider(const SnWorld *world, const SnDraw *draw, const Collider *c) {
    ColliderPose pose = sn__collider_pose(world, c, false);
    uint32_t colour = c->surface.sensor ? SENSOR_COLOUR : COLLIDER_COLOUR;
    Vec3d at = pose.position;
    Quatd q = pose.rotation;
    switch (c->kind) {
    case SN_COLLIDER_PLANE:
        draw_plane(draw, at, q, colour);
        break;
    case SN_COLLIDER_SPHERE:
    case SN_COLLIDER_PILL:
        pill(draw, addd(at, rotated(q, c->a)), addd(at, rotated(q, c->b)), c->radius[0],
             c->radius[1], colour);
        break;
    case SN_COLLIDER_BOX:
        draw_box(draw, at, q, c->half, colour);
        break;
    case SN_COLLIDER_MESH: {
        const DistanceGrid *g = &c->grid;
        Vec3d half = {0.5 * g->cell * (double)(g->size[0] - 1),
                      0.5 * g->cell * (double)(g->size[1] - 1),
                      0.5 * g->cell * (double)(g->size[2] - 1)};
        Vec3d middle = addd((Vec3d){g->low[0], g->low[1], g->low[2]}, half);
        draw_box(draw, addd(at, rotated(q, middle)), q, half, colour);
        break;
    }
    }
}

static void draw_axes(const SnDraw *draw, SnPose pose) {
    static const uint32_t colours[3] = {0xe04040u, 0x40c040u, 0x4060f0u};
    Vec3d at = vec3d(pose.position);
    for (int k = 0; k < 3; ++k) {
        double size = (double)draw->size;
        Vec3d axis = {k == 0 ? size : 0.0, k == 1 ? size : 0.0, k == 2 ? size : 0.0};
        line(draw, at, addd(at, rotated(quatd(pose.rotation), axis)), colours[k]);
    }
}

static void draw_cross(const SnDraw *draw, Vec3d at, uint32_t colour) {
    double half = 0.5 * (double)draw->size;
    const Vec3d axes[3] = {{half, 0.0, 0.0}, {0.0, half, 0.0}, {0.0, 0.0, half}};
    for (int k = 0; k < 3; ++k)
        line(draw, subd(at, axes[k]), addd(at, axes[k]), colour);
}

// Of an element, half way along it.
static Vec3d middle_of(const Body *body, int element) {
    int ends[2];
    body->kind->ends(body, element, ends);
    return scaled(
        addd(body->kind->point(body, ends[0], NULL), body->kind->point(body, ends[1], NULL)), 0.5);
}

static void draw_attachments(const SnWorld *world, const SnDraw *draw) {
    const SnAttachmentId none = {0, 0};
    for (SnAttachmentId id = sn_world_next_attachment(world, none); id.index != 0;
         id = sn_world_next_attachment(world, id)) {
        const Attachment *a = &world->attachments[id.index - 1];
        const Body *body = sn__bodies_find(&world->bodies, a->body);
        bool mark = a->kind == SN_ATTACH_MARK || a->kind == SN_ATTACH_DIRECTION;
        Vec3d at = mark                           ? body->kind->mark_pose(body, a->index).position
                   : a->kind == SN_ATTACH_SEGMENT ? middle_of(body, a->index)
                                                  : body->kind->point(body, a->index, NULL);
        draw_cross(draw, at, HOLD_COLOUR);
        if (a->frame.index != 0)
            line(draw, at, vec3d(sn__frame_pose_or_identity(world, a->frame, false).position),
                 HOLD_COLOUR);
    }
}

static Vec3d body_point(const Body *body, const SnBodyPoint *p) {
    int ends[2];
    body->kind->ends(body, p->element, ends);
    Vec3d a = body->kind->point(body, ends[0], NULL), b = body->kind->point(body, ends[1], NULL);
    return addd(a, scaled(subd(b, a), (double)p->t));
}

static void draw_links(const SnWorld *world, const SnDraw *draw) {
    const SnLinkId none = {0, 0};
    for (SnLinkId id = sn_world_next_link(world, none); id.index != 0;
         id = sn_world_next_link(world, id)) {
        const Link *link = &world->links[id.index - 1];
        const Body *a = sn__bodies_find(&world->bodies, link->a.body);
        const Body *b = sn__bodies_find(&world->bodies, link->b.body);
        Vec3d from = body_point(a, &link->a);
        Vec3d to = b ? body_point(b, &link->b) : sn__link_target(world, link, false);
        int ends[2];
        double radius;
        a->kind->ends(a, link->a.element, ends);
        a->kind->point(a, ends[0], &radius);
        float off = sn__link_off(world, link, to);
        bool open = !(link->compliance > 0.0f) && (double)off > 0.1 * radius;
        line(draw, from, to, open ? OPEN_COLOUR : LINK_COLOUR);
        draw_cross(draw, to, open ? OPEN_COLOUR : LINK_COLOUR);
    }
}

static void draw_hinges(const SnWorld *world, const SnDraw *draw) {
    const SnHingeId none = {0, 0};
    for (SnHingeId id = sn_world_next_hinge(world, none); id.index != 0;
         id = sn_world_next_hinge(world, id)) {
        const Hinge *hinge = &world->hinges.hinges[id.index - 1];
        const Body *a = sn__bodies_find(&world->bodies, hinge->def.a);
        Vec3d axis = scaled(sn__hinge_axis(world, hinge), 2.0 * (double)draw->size);
        Vec3d at = middle_of(a, hinge->def.element_a);
        line(draw, subd(at, axis), addd(at, axis), HINGE_COLOUR);
    }
}

static void draw_contacts(SnWorld *world, const SnDraw *draw) {
    SnContactEvents events = sn_world_contact_events(world);
    for (int k = 0; k < events.contact_count; ++k) {
        Vec3d at = vec3d(events.contacts[k].position);
        line(draw, at, addd(at, scaled(vec3d(events.contacts[k].normal), (double)draw->size)),
             CONTACT_COLOUR);
    }
}

static SnResult check(const SnWorld *world, const SnDraw *draw) {
    if (world == NULL)
        return sn__null("draw: world");
    if (draw == NULL || draw->cookie != DRAW_COOKIE)
        return sn__no_def(draw, "draw", "sn_default_draw");
    if (draw->line == NULL)
        return sn__null("draw: line");
    if (!(draw->size > 0.0f && draw->size <= 1e6f))
        return sn_error(SN_ERROR_INVALID, "draw: size: %g is not in (0, 1e6] m",
                        (double)draw->size);
    return sn_ok();
}

SnResult sn_world_draw(SnWorld *world, const SnDraw *draw) {
    SnPoses poses = {0};
    SnResult result = check(world, draw);
    if (result.code == SN_OK)
        result = sn_world_poses(world, &poses);
    if (result.code != SN_OK)
        return result;
    for (int k = 0; (draw->parts & SN_DRAW_BODIES) && k < poses.body_count; ++k)
        draw_body(world, draw, &poses, k);
    for (uint32_t slot = 1; slot <= world->colliders.ids.slot_count; ++slot)
        if ((draw->parts & SN_DRAW_COLLIDERS) && sn__collider_in_use(&world->colliders, slot))
            draw_collider(world, draw, &world->colliders.colliders[slot - 1]);
    for (int k = 0; (draw->parts & SN_DRAW_FRAMES) && k < poses.led_count; ++k)
        draw_axes(draw, poses.led_poses[k]);
    if (draw->parts & SN_DRAW_ATTACHMENTS)
        draw_attachments(world, draw);
    if (draw->parts & SN_DRAW_LINKS)
        draw_links(world, draw);
    if (draw->parts & SN_DRAW_HINGES)
        draw_hinges(world, draw);
    if (draw->parts & SN_DRAW_CONTACTS)
        draw_contacts(world, draw);
    return result;
}
