// What all bodies of a scene can have, beside what their tables read.
#include "io/scene_parts.h"
#include "io/tables.h"

void sn__read_body(Reader *reader, SnScene *scene, const Json *json, SceneBody *body,
                   const SceneNames *names, const SnRodMaterial *own) {
    const JsonDoc *doc = &reader->doc;
    sn__read_place(reader, json, &body->place);
    sn__read_contact(reader, json, &names->categories, &body->surface, &body->filter);
    body->copy_count = body->place.copies.count;
    sn__read_body_material(reader, scene, sn__json_member(doc, json, "material"), body,
                           &names->materials, own);
    const Json *member;
    if ((member = sn__json_member(doc, json, "burst")))
        sn__read_object(reader, member, &sn__table_burst, &body->burst);
    if ((member = sn__json_member(doc, json, "colour")))
        sn__read_colours(reader, member, &body->colours);
    sn__read_attachments(reader, sn__json_member(doc, json, "attach"), body, &names->frames);
    if (body->point_count == 0)
        return; // without a shape, places on the body cannot be checked
    sn__read_forces(reader, sn__json_member(doc, json, "forces"), body);
}

void sn__body_element(const SceneBody *body, int element, int out_ends[2]) {
    out_ends[0] = body->edges ? body->edges[2 * element] : element;
    out_ends[1] = body->edges ? body->edges[2 * element + 1] : (element + 1) % body->point_count;
}

// The burst sees the middle of the points.
SnVec3 sn__body_velocity(const SceneBody *body, const Placement *p) {
    SnVec3 v = body->velocity;
    Vec3d middle = {0, 0, 0};
    if (body->burst.speed == 0)
        return v;
    for (int i = 0; i < body->point_count; ++i)
        middle = addd(middle, vec3d(sn__place_point(p, body->positions[i])));
    Vec3d at = addd(scaled(middle, 1.0 / body->point_count),
                    (Vec3d){p->origin[0], p->origin[1], p->origin[2]});
    Vec3d away = subd(at, vec3d(body->burst.centre));
    double length = lengthd(away);
    double speed = length > 1e-9 ? (double)body->burst.speed / length : 0;
    return sn_vec3(v.x + (float)(away.x * speed), v.y + (float)(away.y * speed),
                   v.z + (float)(away.z * speed));
}

SnFilter sn__body_filter(const SceneBody *body) {
    SnFilter filter = body->filter;
    if (!body->collide)
        filter.mask = 0;
    return filter;
}
