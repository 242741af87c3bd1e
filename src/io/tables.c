#include "io/tables.h"

#define FIELD(type, member) offsetof(type, member)
#define TABLE(id, name, keys)                                                                      \
    const SnKeyTable sn__table_##id = {name, keys, (int)(sizeof(keys) / sizeof(keys)[0])}

// Keys that are read by hand need only a name.
#define BY_HAND(name)                                                                              \
    { name, SN__KEY_OTHER, 0, SN__ANY, false, false }
#define BY_HAND_REQUIRED(name)                                                                     \
    { name, SN__KEY_OTHER, 0, SN__ANY, true, false }

#define MAX_SEGMENTS (SN_MAX_ROD_VERTICES - 1)

static const SnKey scene_keys[] = {
    BY_HAND("$schema"),
    {"version", SN__KEY_OTHER, 0, {SN_SCENE_VERSION, SN_SCENE_VERSION, false}, true, false},
    {"name", SN__KEY_TEXT, FIELD(SnScene, name), SN__ANY, false, false},
    {"description", SN__KEY_TEXT, FIELD(SnScene, description), SN__ANY, false, false},
    BY_HAND("world"),
    BY_HAND("materials"),
    BY_HAND("frames"),
    BY_HAND("rods"),
    BY_HAND("colliders"),
    BY_HAND("links"),
    BY_HAND("skins"),
    BY_HAND("categories"),
    BY_HAND("ignore"),
    BY_HAND("fields"),
    BY_HAND("ground"),
    BY_HAND("camera"),
    BY_HAND("background"),
    BY_HAND("animation"),
};
TABLE(scene, "", scene_keys);

#define WORLD(name, type, member, animated, ...)                                                   \
    { name, type, FIELD(SnSceneWorld, member), __VA_ARGS__, false, animated }
static const SnKey world_keys[] = {
    WORLD("gravity", SN__KEY_VEC3, gravity, true, SN__ANY),
    WORLD("seconds", SN__KEY_DOUBLE, settings.seconds, false, {0, 3600, true}),
    WORLD("fps", SN__KEY_DOUBLE, settings.fps, false, {1, 1000, false}),
    WORLD("step", SN__KEY_DOUBLE, settings.step, false, {0, 1, true}),
    WORLD("substeps", SN__KEY_INT, settings.substeps, false, {1, 1000, false}),
    WORLD("iterations", SN__KEY_INT, settings.iterations, false, {1, 1000, false}),
    WORLD("sleep_speed", SN__KEY_FLOAT, sleep_speed, false, SN__NOT_NEGATIVE),
    WORLD("tolerance", SN__KEY_FLOAT, tolerance, false, SN__NOT_NEGATIVE),
    WORLD("collide", SN__KEY_BOOL, collide, false, SN__ANY),
};
TABLE(world, "world", world_keys);

// The limits are those of sn_rod_create.
#define MATERIAL(name, min, max)                                                                   \
    { #name, SN__KEY_FLOAT, FIELD(SnRodMaterial, name), {min, max, false }, false, true }
static const SnKey material_keys[] = {
    MATERIAL(density, 0.1, 1e6),       MATERIAL(young, 0, 1e15),
    MATERIAL(shear, 0, 1e15),          MATERIAL(volume, 0, 1e15),
    MATERIAL(damping, 0, 1e6),         MATERIAL(drag, 0, 1e6),
    MATERIAL(yield, 0, 1e15),          MATERIAL(strength, 0, 1e15),
    MATERIAL(stretch, 0, 1e15),        MATERIAL(cross_section, 0, 1e15),
    MATERIAL(scale_gradient, 0, 1e15), MATERIAL(bend, 0, 1e15),
    MATERIAL(twist, 0, 1e15),          MATERIAL(scale_bend, 0, 1e15),
    MATERIAL(volume_bend, 0, 1e15),
};
TABLE(material, "material", material_keys);

static const SnKey frame_keys[] = {
    {"name", SN__KEY_TEXT, FIELD(SnSceneFrame, name), SN__ANY, false, false},
    {"position", SN__KEY_VEC3, FIELD(SnSceneFrame, position), SN__ANY, false, true},
    {"rotation", SN__KEY_ROTATION, FIELD(SnSceneFrame, rotation), SN__ANY, false, true},
    BY_HAND("animation"),
};
TABLE(frame, "frame", frame_keys);

static const SnKey rotation_keys[] = {
    {"axis", SN__KEY_VEC3, FIELD(SnAxisAngle, axis), SN__ANY, true, false},
    {"angle", SN__KEY_FLOAT, FIELD(SnAxisAngle, angle), SN__ANY, true, true},
};
TABLE(rotation, "rotation", rotation_keys);

#define FORCE_FIELD(name, type, ...)                                                               \
    { #name, type, FIELD(SnFieldDef, name), __VA_ARGS__, false, true }
static const SnKey field_keys[] = {
    BY_HAND_REQUIRED("kind"),
    FORCE_FIELD(strength, SN__KEY_FLOAT, SN__ANY),
    FORCE_FIELD(direction, SN__KEY_VEC3, SN__ANY),
    FORCE_FIELD(centre, SN__KEY_VEC3, SN__ANY),
    FORCE_FIELD(radius, SN__KEY_FLOAT, SN__POSITIVE),
    FORCE_FIELD(gust, SN__KEY_FLOAT, {0, 1, false}),
    FORCE_FIELD(gust_period, SN__KEY_FLOAT, SN__POSITIVE),
    FORCE_FIELD(air_density, SN__KEY_FLOAT, SN__NOT_NEGATIVE),
    FORCE_FIELD(turbulence, SN__KEY_FLOAT, {0, 1, false}),
    FORCE_FIELD(eddy, SN__KEY_FLOAT, {0.01, 1e6, false}),
    FORCE_FIELD(profile, SN__KEY_FLOAT, {0, 0.5, false}),
    {"seed", SN__KEY_INT, FIELD(SnFieldDef, seed), {0, 2147483647, false}, false, false},
};
TABLE(field, "field", field_keys);

#define ROD(name, type)                                                                            \
    { #name, type, FIELD(SnSceneRod, name), SN__ANY, false, false }
#define PLACE(type)                                                                                \
    {"position", SN__KEY_VEC3, FIELD(type, place.position), SN__ANY, false, false},                \
        {"rotation", SN__KEY_ROTATION, FIELD(type, place.rotation), SN__ANY, false, false},        \
        BY_HAND("origin"), BY_HAND("copies")
static const SnKey rod_keys[] = {
    ROD(name, SN__KEY_TEXT),
    BY_HAND_REQUIRED("shape"),
    BY_HAND("edges"),
    {"twist", SN__KEY_OTHER, 0, SN__ANY, false, false},
    ROD(closed, SN__KEY_BOOL),
    BY_HAND("radius"),
    BY_HAND("material"),
    ROD(classic, SN__KEY_BOOL),
    ROD(stiff, SN__KEY_BOOL),
    BY_HAND("segments"),
    BY_HAND("solver"),
    PLACE(SnSceneRod),
    ROD(velocity, SN__KEY_VEC3),
    ROD(angular_velocity, SN__KEY_VEC3),
    BY_HAND("burst"),
    BY_HAND("start"),
    {"gravity_scale",
     SN__KEY_FLOAT,
     FIELD(SnSceneRod, gravity_scale),
     {-1000, 1000, false},
     false,
     true},
    BY_HAND("surface"),
    BY_HAND("filter"),
    ROD(collide, SN__KEY_BOOL),
    ROD(self_collide, SN__KEY_BOOL),
    BY_HAND("colour"),
    BY_HAND("attach"),
    BY_HAND("activation"),
    BY_HAND("forces"),
};
TABLE(rod, "rod", rod_keys);

static const SnKey shape_keys[] = {
    BY_HAND("points"), BY_HAND("line"),    BY_HAND("arc"),  BY_HAND("circle"),
    BY_HAND("helix"),  BY_HAND("octopus"), BY_HAND("tree"), BY_HAND("net"),
};
TABLE(shape, "shape", shape_keys);

static const SnKey start_keys[] = {
    BY_HAND("points"),
    BY_HAND("line"),
    BY_HAND("arc"),
    BY_HAND("circle"),
    BY_HAND("helix"),
    {"stretch", SN__KEY_FLOAT, FIELD(SnStart, stretch), {0.1, 10, false}, false, false},
    {"twist", SN__KEY_FLOAT, FIELD(SnStart, twist), SN__ANY, false, false},
    BY_HAND("scales"),
};
TABLE(start, "start", start_keys);

#define SHAPE(name, type, member, required, ...)                                                   \
    { name, type, FIELD(SnShapeParams, member), __VA_ARGS__, required, false }
#define SEGMENTS(least)                                                                            \
    SHAPE("segments", SN__KEY_INT, segments, false, {least, MAX_SEGMENTS, false})
#define CENTRE SHAPE("centre", SN__KEY_VEC3, centre, false, SN__ANY)
#define AXIS SHAPE("axis", SN__KEY_VEC3, axis, false, SN__ANY)
#define RADIUS SHAPE("radius", SN__KEY_FLOAT, radius, true, SN__POSITIVE)

static const SnKey line_keys[] = {
    SHAPE("from", SN__KEY_VEC3, from, true, SN__ANY),
    SHAPE("to", SN__KEY_VEC3, to, true, SN__ANY),
    SEGMENTS(1),
};
TABLE(line, "line", line_keys);

static const SnKey arc_keys[] = {
    CENTRE,
    AXIS,
    RADIUS,
    SHAPE("from", SN__KEY_FLOAT, from_angle, false, {-36000, 36000, false}),
    SHAPE("to", SN__KEY_FLOAT, to_angle, true, {-36000, 36000, false}),
    SEGMENTS(1),
};
TABLE(arc, "arc", arc_keys);

static const SnKey circle_keys[] = {CENTRE, AXIS, RADIUS, SEGMENTS(4)};
TABLE(circle, "circle", circle_keys);

static const SnKey helix_keys[] = {
    CENTRE,
    AXIS,
    RADIUS,
    SHAPE("pitch", SN__KEY_FLOAT, pitch, true, SN__ANY),
    SHAPE("turns", SN__KEY_FLOAT, turns, true, {0, 100000, true}),
    SEGMENTS(1),
};
TABLE(helix, "helix", helix_keys);

static const SnKey octopus_keys[] = {
    SHAPE("size", SN__KEY_FLOAT, radius, false, {0, 1e6, true}),
};
TABLE(octopus, "octopus", octopus_keys);

#define NET(name, type, required, ...)                                                             \
    { #name, type, FIELD(SnNetParams, name), __VA_ARGS__, required, false }
static const SnKey net_keys[] = {
    NET(columns, SN__KEY_INT, true, {1, 1000, false}),
    NET(rows, SN__KEY_INT, true, {1, 1000, false}),
    NET(width, SN__KEY_FLOAT, true, SN__POSITIVE),
    NET(depth, SN__KEY_FLOAT, true, SN__POSITIVE),
    NET(segments, SN__KEY_INT, false, {1, 100, false}),
};
TABLE(net, "net", net_keys);

#define TREE(name, type, member, ...)                                                              \
    { name, type, FIELD(SnSceneTree, member), __VA_ARGS__, false, false }
static const SnKey tree_keys[] = {
    BY_HAND_REQUIRED("kind"),
    TREE("segments", SN__KEY_INT, def.segments,
         {SN_MIN_TREE_SEGMENTS, SN_MAX_TREE_SEGMENTS, false}),
    TREE("height", SN__KEY_FLOAT, def.height, {0, 1000, true}),
    TREE("seed", SN__KEY_INT, def.seed, {0, 2147483647, false}),
    TREE("sides", SN__KEY_INT, sides, {0, 64, false}),
    BY_HAND("leaves"),
};
TABLE(tree, "tree", tree_keys);

#define LEAF(name, min, max)                                                                       \
    { #name, SN__KEY_FLOAT, FIELD(SnSceneTree, leaf_##name), {min, max, true }, false, false }
static const SnKey leaves_keys[] = {
    BY_HAND("colour"),     LEAF(young, 0, 1e15),  LEAF(shear, 0, 1e15),
    LEAF(density, 0, 1e6), LEAF(thickness, 0, 1),
};
TABLE(leaves, "leaves", leaves_keys);

#define SEGMENT(name, max)                                                                         \
    { #name, SN__KEY_FLOAT, FIELD(SnSegmentDef, name), {0, max, true }, false, false }
static const SnKey segments_keys[] = {
    BY_HAND("from"),      BY_HAND("to"),         SEGMENT(young, 1e15),
    SEGMENT(shear, 1e15), SEGMENT(density, 1e6), BY_HAND("radius"),
};
TABLE(segments, "segments", segments_keys);

static const SnKey taper_keys[] = {
    {"from", SN__KEY_FLOAT, FIELD(SnTaper, from), SN__POSITIVE, true, false},
    {"to", SN__KEY_FLOAT, FIELD(SnTaper, to), SN__POSITIVE, true, false},
};
TABLE(taper, "taper", taper_keys);

static const SnKey attachment_keys[] = {
    BY_HAND("vertex"),
    BY_HAND("segment"),
    BY_HAND("scale"),
    BY_HAND("clamp"),
    BY_HAND("frame"),
    {"position", SN__KEY_VEC3, FIELD(SnSceneAttachment, position), SN__ANY, false, true},
    {"rotation", SN__KEY_ROTATION, FIELD(SnSceneAttachment, rotation), SN__ANY, false, true},
    {"value", SN__KEY_FLOAT, FIELD(SnSceneAttachment, value), {0.1, 10, false}, false, true},
    {"release", SN__KEY_DOUBLE, FIELD(SnSceneAttachment, release), SN__NOT_NEGATIVE, false, false},
};
TABLE(attachment, "attachment", attachment_keys);

static const SnKey activation_keys[] = {
    BY_HAND("segments"),
    {"length_scale",
     SN__KEY_FLOAT,
     FIELD(SnSceneActivation, length_scale),
     {0.1, 10, false},
     false,
     true},
    BY_HAND("animation"),
    BY_HAND("interpolation"),
    BY_HAND("repeat"),
};
TABLE(activation, "activation", activation_keys);

static const SnKey force_keys[] = {
    BY_HAND("vertex"),
    BY_HAND("segment"),
    {"force", SN__KEY_VEC3, FIELD(SnSceneForce, force), SN__ANY, false, true},
    {"torque", SN__KEY_VEC3, FIELD(SnSceneForce, torque), SN__ANY, false, true},
    {"radial", SN__KEY_FLOAT, FIELD(SnSceneForce, radial), SN__ANY, false, true},
    {"from", SN__KEY_DOUBLE, FIELD(SnSceneForce, from), SN__NOT_NEGATIVE, false, false},
    {"to", SN__KEY_DOUBLE, FIELD(SnSceneForce, to), SN__NOT_NEGATIVE, false, false},
};
TABLE(force, "force", force_keys);

#define COPIES(name, type, member, required, ...)                                                  \
    { name, type, FIELD(SnSceneCopies, member), __VA_ARGS__, required, false }
static const SnKey copies_keys[] = {
    BY_HAND("count"),
    COPIES("spacing", SN__KEY_VEC3, spacing, false, SN__ANY),
    BY_HAND("ring"),
    BY_HAND("jitter"),
};
TABLE(copies, "copies", copies_keys);

static const SnKey ring_keys[] = {
    COPIES("count", SN__KEY_INT, ring, true, {1, SN_MAX_SCENE_RODS, false}),
    COPIES("radius", SN__KEY_FLOAT, ring_radius, true, SN__NOT_NEGATIVE),
    COPIES("axis", SN__KEY_VEC3, ring_axis, false, SN__ANY),
    COPIES("step", SN__KEY_FLOAT, ring_step, false, {-36000, 36000, false}),
};
TABLE(ring, "ring", ring_keys);

static const SnKey jitter_keys[] = {
    COPIES("position", SN__KEY_VEC3, jitter_position, false, SN__NOT_NEGATIVE),
    COPIES("rotation", SN__KEY_FLOAT, jitter_rotation, false, {0, 180, false}),
    COPIES("turn", SN__KEY_FLOAT, jitter_turn, false, {0, 180, false}),
    COPIES("colour", SN__KEY_FLOAT, jitter_colour, false, {0, 1, false}),
    COPIES("seed", SN__KEY_INT, seed, false, {0, 2147483647, false}),
};
TABLE(jitter, "jitter", jitter_keys);

static const SnKey burst_keys[] = {
    {"centre", SN__KEY_VEC3, FIELD(SnSceneBurst, centre), SN__ANY, false, false},
    {"speed", SN__KEY_FLOAT, FIELD(SnSceneBurst, speed), {-1e4, 1e4, false}, true, false},
};
TABLE(burst, "burst", burst_keys);

static const SnKey ground_keys[] = {
    {"height", SN__KEY_FLOAT, FIELD(SnSceneLook, ground_height), SN__ANY, false, false},
    {"visible", SN__KEY_BOOL, FIELD(SnSceneLook, has_ground), SN__ANY, false, false},
};
TABLE(ground, "ground", ground_keys);

static const SnKey camera_keys[] = {
    {"position", SN__KEY_VEC3, FIELD(SnSceneCamera, position), SN__ANY, false, true},
    {"target", SN__KEY_VEC3, FIELD(SnSceneCamera, target), SN__ANY, false, true},
    {"fov", SN__KEY_FLOAT, FIELD(SnSceneCamera, fov), {1, 170, false}, false, true},
    {"orbit", SN__KEY_FLOAT, FIELD(SnSceneCamera, orbit), {-3600, 3600, false}, false, false},
};
TABLE(camera, "camera", camera_keys);

static const SnKey animation_keys[] = {
    {"target", SN__KEY_TEXT, FIELD(SnAnimationEntry, target), SN__ANY, true, false},
    BY_HAND_REQUIRED("keys"),
    BY_HAND("interpolation"),
    {"repeat", SN__KEY_BOOL, FIELD(SnAnimationEntry, repeat), SN__ANY, false, false},
};
TABLE(animation, "animation", animation_keys);

// The limits are those of sn__surface_check.
#define SURFACE(name, max)                                                                         \
    { #name, SN__KEY_FLOAT, FIELD(SnSurface, name), {0, max, false }, false, false }
static const SnKey surface_keys[] = {
    SURFACE(friction, 100),   SURFACE(static_friction, 100), SURFACE(restitution, 1),
    SURFACE(compliance, 1e6), SURFACE(thickness, 1e3),
};
TABLE(surface, "surface", surface_keys);

static const SnKey filter_keys[] = {
    BY_HAND("category"),
    BY_HAND("mask"),
    {"group", SN__KEY_INT, FIELD(SnFilter, group), {-2147483647, 2147483647, false}, false, false},
};
TABLE(filter, "filter", filter_keys);

static const SnKey collider_keys[] = {
    {"name", SN__KEY_TEXT, FIELD(SnSceneColliderEntry, name), SN__ANY, false, false},
    BY_HAND("plane"),
    BY_HAND("sphere"),
    BY_HAND("pill"),
    BY_HAND("box"),
    BY_HAND("mesh"),
    BY_HAND("frame"),
    PLACE(SnSceneColliderEntry),
    BY_HAND("surface"),
    BY_HAND("filter"),
    BY_HAND("colour"),
    {"visible", SN__KEY_BOOL, FIELD(SnSceneColliderEntry, visible), SN__ANY, false, false},
};
TABLE(collider, "collider", collider_keys);

#define SOLID(name, type, member, required, ...)                                                   \
    { name, type, FIELD(SnColliderDef, member), __VA_ARGS__, required, false }
static const SnKey plane_keys[] = {
    SOLID("normal", SN__KEY_VEC3, a, false, SN__ANY),
};
TABLE(plane, "plane", plane_keys);

static const SnKey sphere_keys[] = {
    SOLID("radius", SN__KEY_FLOAT, radius_a, true, SN__POSITIVE),
};
TABLE(sphere, "sphere", sphere_keys);

static const SnKey pill_keys[] = {
    SOLID("from", SN__KEY_VEC3, a, true, SN__ANY),
    SOLID("to", SN__KEY_VEC3, b, true, SN__ANY),
    BY_HAND_REQUIRED("radius"),
};
TABLE(pill, "pill", pill_keys);

static const SnKey box_keys[] = {
    SOLID("size", SN__KEY_VEC3, half_size, true, SN__POSITIVE),
};
TABLE(box, "box", box_keys);

#define MESH(name, type, required, ...)                                                            \
    { #name, type, FIELD(SnMeshUse, name), __VA_ARGS__, required, false }
static const SnKey mesh_keys[] = {
    MESH(file, SN__KEY_TEXT, true, SN__ANY),
    MESH(scale, SN__KEY_FLOAT, false, SN__POSITIVE),
    MESH(position, SN__KEY_VEC3, false, SN__ANY),
    MESH(rotation, SN__KEY_ROTATION, false, SN__ANY),
    MESH(cell, SN__KEY_FLOAT, false, SN__POSITIVE),
    MESH(shell, SN__KEY_FLOAT, false, SN__POSITIVE),
};
TABLE(mesh, "mesh", mesh_keys);

static const SnKey skin_keys[] = {
    {"name", SN__KEY_TEXT, FIELD(SnSceneSkinEntry, name), SN__ANY, false, false},
    BY_HAND_REQUIRED("rods"),
    BY_HAND("mesh"),
    BY_HAND("iso"),
    {"fairing", SN__KEY_INT, FIELD(SnSceneSkinEntry, fairing), {0, 1000, false}, false, false},
    BY_HAND("colour"),
};
TABLE(skin, "skin", skin_keys);

#define ISO(name, type, ...)                                                                       \
    { #name, type, FIELD(SnSceneSkinEntry, iso_##name), __VA_ARGS__, false, false }
static const SnKey iso_keys[] = {
    ISO(triangles, SN__KEY_INT, {100, 1e7, false}),
    ISO(blend, SN__KEY_FLOAT, SN__NOT_NEGATIVE),
    ISO(grow, SN__KEY_FLOAT, SN__NOT_NEGATIVE),
};
TABLE(iso, "iso", iso_keys);

#define LINK(name, type)                                                                           \
    { #name, type, FIELD(SnSceneLink, name), SN__NOT_NEGATIVE, false, false }
static const SnKey link_keys[] = {
    BY_HAND_REQUIRED("a"),
    BY_HAND("b"),
    LINK(length, SN__KEY_FLOAT),
    {"rope", SN__KEY_BOOL, FIELD(SnSceneLink, rope), SN__ANY, false, false},
    LINK(compliance, SN__KEY_FLOAT),
    LINK(max_force, SN__KEY_FLOAT),
    LINK(release, SN__KEY_DOUBLE),
};
TABLE(link, "link", link_keys);

static const SnKey end_keys[] = {
    BY_HAND("rod"),
    BY_HAND("vertex"),
    BY_HAND("segment"),
    {"t", SN__KEY_FLOAT, FIELD(SnSceneEnd, t), {0, 1, false}, false, false},
    BY_HAND("frame"),
    {"position", SN__KEY_VEC3, FIELD(SnSceneEnd, position), SN__ANY, false, false},
};
TABLE(end, "end", end_keys);

const SnKeyTable *const *sn__tables(int *out_count) {
    static const SnKeyTable *const all[] = {
        &sn__table_scene,      &sn__table_world,   &sn__table_material, &sn__table_frame,
        &sn__table_rotation,   &sn__table_field,   &sn__table_rod,      &sn__table_shape,
        &sn__table_line,       &sn__table_arc,     &sn__table_circle,   &sn__table_helix,
        &sn__table_octopus,    &sn__table_taper,   &sn__table_start,    &sn__table_attachment,
        &sn__table_activation, &sn__table_force,   &sn__table_copies,   &sn__table_ring,
        &sn__table_jitter,     &sn__table_burst,   &sn__table_ground,   &sn__table_camera,
        &sn__table_animation,  &sn__table_surface, &sn__table_filter,   &sn__table_collider,
        &sn__table_plane,      &sn__table_sphere,  &sn__table_pill,     &sn__table_box,
        &sn__table_mesh,       &sn__table_skin,    &sn__table_iso,      &sn__table_link,
        &sn__table_end,        &sn__table_tree,    &sn__table_net,      &sn__table_leaves,
        &sn__table_segments,
    };
    *out_count = (int)(sizeof all / sizeof *all);
    return all;
}
