#include "io/tables.h"

#include "io/scene_kind.h"

#define TABLE(id, name, keys) const KeyTable sn__table_##id = {name, keys, KEY_COUNT(keys), NULL}

#define MAX_SEGMENTS (SN_MAX_ROD_VERTICES - 1)

#define LIST_KEY(key, kind) BY_HAND(key),
static const KeyField scene_keys[] = {
    BY_HAND("$schema"),
    {"version", KEY_OTHER, 0, {SN_SCENE_VERSION, SN_SCENE_VERSION, false}, true, false},
    {"name", KEY_TEXT, FIELD(SnScene, name), RANGE_ANY, false, false},
    {"description", KEY_TEXT, FIELD(SnScene, description), RANGE_ANY, false, false},
    BY_HAND("world"),
    BY_HAND("materials"),
    BY_HAND("skeleton"),
    BY_HAND("frames"),
    SCENE_KINDS(LIST_KEY) // all lists of bodies
    BY_HAND("colliders"),
    BY_HAND("links"),
    BY_HAND("hinges"),
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
    { name, type, FIELD(SceneWorld, member), __VA_ARGS__, false, animated }
static const KeyField world_keys[] = {
    WORLD("gravity", KEY_VEC3, gravity, true, RANGE_ANY),
    WORLD("seconds", KEY_DOUBLE, settings.seconds, false, {0, 3600, true}),
    WORLD("fps", KEY_DOUBLE, settings.fps, false, {1, 1000, false}),
    WORLD("step", KEY_DOUBLE, settings.step, false, {1e-9, 1, false}),
    WORLD("substeps", KEY_INT, settings.substeps, false, {1, 1000, false}),
    WORLD("iterations", KEY_INT, settings.iterations, false, {1, 1000, false}),
    WORLD("sleep_speed", KEY_FLOAT, sleep_speed, false, RANGE_NOT_NEGATIVE),
    WORLD("tolerance", KEY_FLOAT, tolerance, false, RANGE_NOT_NEGATIVE),
    WORLD("collide", KEY_BOOL, collide, false, RANGE_ANY),
};
TABLE(world, "world", world_keys);

// The limits are those of sn_rod_create.
#define MATERIAL(name, min, max)                                                                   \
    { #name, KEY_FLOAT, FIELD(SnRodMaterial, name), {min, max, false }, false, true }
static const KeyField material_keys[] = {
    MATERIAL(density, 0.1, 1e6),
    MATERIAL(young, 0, 1e15),
    MATERIAL(shear, 0, 1e15),
    MATERIAL(volume, 0, 1e15),
    MATERIAL(damping, 0, 1e6),
    MATERIAL(drag, 0, 1e6),
    MATERIAL(yield, 0, 1e15),
    MATERIAL(strength, 0, 1e15),
    MATERIAL(stretch, 0, 1e15),
    MATERIAL(cross_section, 0, 1e15),
    MATERIAL(scale_gradient, 0, 1e15),
    MATERIAL(bend, 0, 1e15),
    MATERIAL(transverse, 0, 1e15),
    MATERIAL(twist, 0, 1e15),
    MATERIAL(scale_bend, 0, 1e15),
    MATERIAL(volume_bend, 0, 1e15),
    BY_HAND("like"),
};
TABLE(material, "material", material_keys);

static const KeyField frame_keys[] = {
    {"name", KEY_TEXT, FIELD(SceneFrame, name), RANGE_ANY, false, false},
    {"position", KEY_VEC3, FIELD(SceneFrame, position), RANGE_ANY, false, true},
    {"rotation", KEY_ROTATION, FIELD(SceneFrame, rotation), RANGE_ANY, false, true},
    BY_HAND("animation"),
};
TABLE(frame, "frame", frame_keys);

static const KeyField rotation_keys[] = {
    {"axis", KEY_VEC3, FIELD(AxisAngle, axis), RANGE_ANY, true, false},
    {"angle", KEY_FLOAT, FIELD(AxisAngle, angle), RANGE_ANY, true, true},
};
TABLE(rotation, "rotation", rotation_keys);

#define FORCE_FIELD(name, type, ...)                                                               \
    { #name, type, FIELD(SnFieldDef, name), __VA_ARGS__, false, true }
static const KeyField field_keys[] = {
    BY_HAND_REQUIRED("kind"),
    FORCE_FIELD(strength, KEY_FLOAT, RANGE_ANY),
    FORCE_FIELD(direction, KEY_VEC3, RANGE_ANY),
    FORCE_FIELD(centre, KEY_VEC3, RANGE_ANY),
    FORCE_FIELD(radius, KEY_FLOAT, RANGE_POSITIVE),
    FORCE_FIELD(gust, KEY_FLOAT, {0, 1, false}),
    FORCE_FIELD(gust_period, KEY_FLOAT, RANGE_POSITIVE),
    FORCE_FIELD(air_density, KEY_FLOAT, RANGE_NOT_NEGATIVE),
    FORCE_FIELD(turbulence, KEY_FLOAT, {0, 1, false}),
    FORCE_FIELD(eddy, KEY_FLOAT, {0.01, 1e6, false}),
    FORCE_FIELD(profile, KEY_FLOAT, {0, 0.5, false}),
    {"seed", KEY_INT, FIELD(SnFieldDef, seed), {0, 2147483647, false}, false, false},
};
TABLE(field, "field", field_keys);

#define PLACE(type)                                                                                \
    {"position", KEY_VEC3, FIELD(type, place.position), RANGE_ANY, false, false},                  \
        {"rotation", KEY_ROTATION, FIELD(type, place.rotation), RANGE_ANY, false, false},          \
        BY_HAND("origin"), BY_HAND("copies")
#define BODY(name, type, animated, ...)                                                            \
    { #name, type, FIELD(SceneBody, name), __VA_ARGS__, false, animated }
static const KeyField body_keys[] = {
    BODY(name, KEY_TEXT, false, RANGE_ANY),
    BY_HAND("material"),
    PLACE(SceneBody),
    BODY(velocity, KEY_VEC3, false, {-1e4, 1e4, false}),
    BODY(angular_velocity, KEY_VEC3, false, {-1e5, 1e5, false}),
    BY_HAND("burst"),
    BODY(gravity_scale, KEY_FLOAT, true, {-1000, 1000, false}),
    BY_HAND("surface"),
    BY_HAND("filter"),
    BODY(collide, KEY_BOOL, false, RANGE_ANY),
    BY_HAND("colour"),
    BY_HAND("attach"),
    BY_HAND("forces"),
};
TABLE(body, "body", body_keys);

static const KeyField shape_keys[] = {
    BY_HAND("points"), BY_HAND("line"),    BY_HAND("arc"),  BY_HAND("circle"),
    BY_HAND("helix"),  BY_HAND("octopus"), BY_HAND("tree"), BY_HAND("net"),
};
TABLE(shape, "shape", shape_keys);

static const KeyField start_keys[] = {
    BY_HAND("points"),
    BY_HAND("line"),
    BY_HAND("arc"),
    BY_HAND("circle"),
    BY_HAND("helix"),
    {"stretch", KEY_FLOAT, FIELD(SceneStart, stretch), {0.1, 10, false}, false, false},
    {"twist", KEY_FLOAT, FIELD(SceneStart, twist), RANGE_ANY, false, false},
    BY_HAND("scales"),
};
TABLE(start, "start", start_keys);

#define SHAPE(name, type, member, required, ...)                                                   \
    { name, type, FIELD(ShapeParams, member), __VA_ARGS__, required, false }
#define SEGMENTS(least) SHAPE("segments", KEY_INT, segments, false, {least, MAX_SEGMENTS, false})
#define CENTRE SHAPE("centre", KEY_VEC3, centre, false, RANGE_ANY)
#define AXIS SHAPE("axis", KEY_VEC3, axis, false, RANGE_ANY)
#define RADIUS SHAPE("radius", KEY_FLOAT, radius, true, RANGE_POSITIVE)

static const KeyField line_keys[] = {
    SHAPE("from", KEY_VEC3, from, true, RANGE_ANY),
    SHAPE("to", KEY_VEC3, to, true, RANGE_ANY),
    SEGMENTS(1),
};
TABLE(line, "line", line_keys);

static const KeyField arc_keys[] = {
    CENTRE,
    AXIS,
    RADIUS,
    SHAPE("from", KEY_FLOAT, from_angle, false, {-36000, 36000, false}),
    SHAPE("to", KEY_FLOAT, to_angle, true, {-36000, 36000, false}),
    SEGMENTS(1),
};
TABLE(arc, "arc", arc_keys);

static const KeyField circle_keys[] = {CENTRE, AXIS, RADIUS, SEGMENTS(4)};
TABLE(circle, "circle", circle_keys);

static const KeyField helix_keys[] = {
    CENTRE,
    AXIS,
    RADIUS,
    SHAPE("pitch", KEY_FLOAT, pitch, true, RANGE_ANY),
    SHAPE("turns", KEY_FLOAT, turns, true, {0, 100000, true}),
    SEGMENTS(1),
};
TABLE(helix, "helix", helix_keys);

static const KeyField octopus_keys[] = {
    SHAPE("size", KEY_FLOAT, radius, false, {0, 1e6, true}),
};
TABLE(octopus, "octopus", octopus_keys);

#define NET(name, type, required, ...)                                                             \
    { #name, type, FIELD(NetParams, name), __VA_ARGS__, required, false }
static const KeyField net_keys[] = {
    NET(columns, KEY_INT, true, {1, 1000, false}),  NET(rows, KEY_INT, true, {1, 1000, false}),
    NET(width, KEY_FLOAT, true, RANGE_POSITIVE),    NET(depth, KEY_FLOAT, true, RANGE_POSITIVE),
    NET(segments, KEY_INT, false, {1, 100, false}),
};
TABLE(net, "net", net_keys);

#define TREE(name, type, member, ...)                                                              \
    { name, type, FIELD(SceneTree, member), __VA_ARGS__, false, false }
static const KeyField tree_keys[] = {
    BY_HAND_REQUIRED("kind"),
    TREE("segments", KEY_INT, def.segments, {SN_MIN_TREE_SEGMENTS, SN_MAX_TREE_SEGMENTS, false}),
    TREE("height", KEY_FLOAT, def.height, {0, 1000, true}),
    TREE("seed", KEY_INT, def.seed, {0, 2147483647, false}),
    TREE("sides", KEY_INT, sides, {0, 64, false}),
    BY_HAND("leaves"),
};
TABLE(tree, "tree", tree_keys);

#define LEAF(name, min, max)                                                                       \
    { #name, KEY_FLOAT, FIELD(SceneTree, leaf_##name), {min, max, true }, false, false }
static const KeyField leaves_keys[] = {
    BY_HAND("colour"),     LEAF(young, 0, 1e15),  LEAF(shear, 0, 1e15),
    LEAF(density, 0, 1e6), LEAF(thickness, 0, 1),
};
TABLE(leaves, "leaves", leaves_keys);

#define SEGMENT(name, max)                                                                         \
    { #name, KEY_FLOAT, FIELD(SnSegmentDef, name), {0, max, true }, false, false }
static const KeyField segments_keys[] = {
    BY_HAND("from"),      BY_HAND("to"),         SEGMENT(young, 1e15),
    SEGMENT(shear, 1e15), SEGMENT(density, 1e6), BY_HAND("radius"),
};
TABLE(segments, "segments", segments_keys);

static const KeyField taper_keys[] = {
    {"from", KEY_FLOAT, FIELD(Taper, from), RANGE_POSITIVE, true, false},
    {"to", KEY_FLOAT, FIELD(Taper, to), RANGE_POSITIVE, true, false},
};
TABLE(taper, "taper", taper_keys);

static const KeyField attachment_keys[] = {
    BY_HAND("vertex"),
    BY_HAND("segment"),
    BY_HAND("scale"),
    BY_HAND("mark"),
    BY_HAND("direction"),
    BY_HAND("clamp"),
    BY_HAND("frame"),
    {"position", KEY_VEC3, FIELD(SceneAttachment, position), RANGE_ANY, false, true},
    {"rotation", KEY_ROTATION, FIELD(SceneAttachment, rotation), RANGE_ANY, false, true},
    {"value", KEY_FLOAT, FIELD(SceneAttachment, value), {0.1, 10, false}, false, true},
    {"release", KEY_DOUBLE, FIELD(SceneAttachment, release), RANGE_NOT_NEGATIVE, false, false},
};
TABLE(attachment, "attachment", attachment_keys);

static const KeyField activation_keys[] = {
    BY_HAND("segments"),
    {"length_scale",
     KEY_FLOAT,
     FIELD(SceneActivation, length_scale),
     {0.1, 10, false},
     false,
     true},
    BY_HAND("animation"),
};
TABLE(activation, "activation", activation_keys);

static const KeyField force_keys[] = {
    BY_HAND("vertex"),
    BY_HAND("segment"),
    {"force", KEY_VEC3, FIELD(SceneForce, force), RANGE_ANY, false, true},
    {"torque", KEY_VEC3, FIELD(SceneForce, torque), RANGE_ANY, false, true},
    {"radial", KEY_FLOAT, FIELD(SceneForce, radial), RANGE_ANY, false, true},
    {"from", KEY_DOUBLE, FIELD(SceneForce, from), RANGE_NOT_NEGATIVE, false, false},
    {"to", KEY_DOUBLE, FIELD(SceneForce, to), RANGE_NOT_NEGATIVE, false, false},
};
TABLE(force, "force", force_keys);

#define COPIES(name, type, member, required, ...)                                                  \
    { name, type, FIELD(SceneCopies, member), __VA_ARGS__, required, false }
static const KeyField copies_keys[] = {
    BY_HAND("count"),
    COPIES("spacing", KEY_VEC3, spacing, false, RANGE_ANY),
    BY_HAND("ring"),
    BY_HAND("jitter"),
};
TABLE(copies, "copies", copies_keys);

static const KeyField ring_keys[] = {
    COPIES("count", KEY_INT, ring, true, {1, SN_MAX_SCENE_BODIES, false}),
    COPIES("radius", KEY_FLOAT, ring_radius, true, RANGE_NOT_NEGATIVE),
    COPIES("axis", KEY_VEC3, ring_axis, false, RANGE_ANY),
    COPIES("step", KEY_FLOAT, ring_step, false, {-36000, 36000, false}),
};
TABLE(ring, "ring", ring_keys);

static const KeyField jitter_keys[] = {
    COPIES("position", KEY_VEC3, jitter_position, false, RANGE_NOT_NEGATIVE),
    COPIES("rotation", KEY_FLOAT, jitter_rotation, false, {0, 180, false}),
    COPIES("turn", KEY_FLOAT, jitter_turn, false, {0, 180, false}),
    COPIES("colour", KEY_FLOAT, jitter_colour, false, {0, 1, false}),
    COPIES("seed", KEY_INT, seed, false, {0, 2147483647, false}),
};
TABLE(jitter, "jitter", jitter_keys);

static const KeyField burst_keys[] = {
    {"centre", KEY_VEC3, FIELD(SceneBurst, centre), RANGE_ANY, false, false},
    {"speed", KEY_FLOAT, FIELD(SceneBurst, speed), {-1e4, 1e4, false}, true, false},
};
TABLE(burst, "burst", burst_keys);

static const KeyField ground_keys[] = {
    {"height", KEY_FLOAT, FIELD(SnSceneLook, ground_height), RANGE_ANY, false, false},
    {"visible", KEY_BOOL, FIELD(SnSceneLook, has_ground), RANGE_ANY, false, false},
};
TABLE(ground, "ground", ground_keys);

static const KeyField camera_keys[] = {
    {"position", KEY_VEC3, FIELD(SnSceneCamera, position), RANGE_ANY, false, true},
    {"target", KEY_VEC3, FIELD(SnSceneCamera, target), RANGE_ANY, false, true},
    {"fov", KEY_FLOAT, FIELD(SnSceneCamera, fov), {1, 170, false}, false, true},
    {"orbit", KEY_FLOAT, FIELD(SnSceneCamera, orbit), {-3600, 3600, false}, false, false},
};
TABLE(camera, "camera", camera_keys);

static const KeyField animation_keys[] = {
    {"target", KEY_TEXT, FIELD(AnimationEntry, target), RANGE_ANY, true, false},
    BY_HAND_REQUIRED("keys"),
    BY_HAND("interpolation"),
    {"repeat", KEY_BOOL, FIELD(AnimationEntry, repeat), RANGE_ANY, false, false},
};
TABLE(animation, "animation", animation_keys);

// The limits are those of sn__surface_check.
#define SURFACE(name, max)                                                                         \
    { #name, KEY_FLOAT, FIELD(SnSurface, name), {0, max, false }, false, false }
static const KeyField surface_keys[] = {
    SURFACE(friction, 100),
    SURFACE(static_friction, 100),
    SURFACE(restitution, 1),
    SURFACE(compliance, 1e6),
    SURFACE(thickness, 1e3),
    {"sensor", KEY_BOOL, FIELD(SnSurface, sensor), RANGE_ANY, false, false},
};
TABLE(surface, "surface", surface_keys);

static const KeyField filter_keys[] = {
    BY_HAND("category"),
    BY_HAND("mask"),
    {"group", KEY_INT, FIELD(SnFilter, group), {-2147483647, 2147483647, false}, false, false},
};
TABLE(filter, "filter", filter_keys);

static const KeyField collider_keys[] = {
    {"name", KEY_TEXT, FIELD(SceneColliderEntry, name), RANGE_ANY, false, false},
    BY_HAND("plane"),
    BY_HAND("sphere"),
    BY_HAND("pill"),
    BY_HAND("box"),
    BY_HAND("mesh"),
    BY_HAND("frame"),
    PLACE(SceneColliderEntry),
    BY_HAND("surface"),
    BY_HAND("filter"),
    BY_HAND("colour"),
    {"visible", KEY_BOOL, FIELD(SceneColliderEntry, visible), RANGE_ANY, false, false},
};
TABLE(collider, "collider", collider_keys);

#define SOLID(name, type, member, required, ...)                                                   \
    { name, type, FIELD(SnColliderDef, member), __VA_ARGS__, required, false }
static const KeyField plane_keys[] = {
    SOLID("normal", KEY_VEC3, a, false, RANGE_ANY),
};
TABLE(plane, "plane", plane_keys);

static const KeyField sphere_keys[] = {
    SOLID("radius", KEY_FLOAT, radius_a, true, RANGE_POSITIVE),
};
TABLE(sphere, "sphere", sphere_keys);

static const KeyField pill_keys[] = {
    SOLID("from", KEY_VEC3, a, true, RANGE_ANY),
    SOLID("to", KEY_VEC3, b, true, RANGE_ANY),
    BY_HAND_REQUIRED("radius"),
};
TABLE(pill, "pill", pill_keys);

static const KeyField box_keys[] = {
    SOLID("size", KEY_VEC3, half_size, true, RANGE_POSITIVE),
};
TABLE(box, "box", box_keys);

#define MESH(name, type, required, ...)                                                            \
    { #name, type, FIELD(MeshUse, name), __VA_ARGS__, required, false }
static const KeyField mesh_keys[] = {
    MESH(file, KEY_TEXT, true, RANGE_ANY),        MESH(scale, KEY_FLOAT, false, RANGE_POSITIVE),
    MESH(position, KEY_VEC3, false, RANGE_ANY),   MESH(rotation, KEY_ROTATION, false, RANGE_ANY),
    MESH(cell, KEY_FLOAT, false, RANGE_POSITIVE), MESH(shell, KEY_FLOAT, false, RANGE_POSITIVE),
};
TABLE(mesh, "mesh", mesh_keys);

static const KeyField skin_keys[] = {
    {"name", KEY_TEXT, FIELD(SceneSkinEntry, name), RANGE_ANY, false, false},
    BY_HAND_REQUIRED("rods"),
    BY_HAND("frames"),
    BY_HAND("mesh"),
    BY_HAND("iso"),
    {"fairing", KEY_INT, FIELD(SceneSkinEntry, fairing), {0, 1000, false}, false, false},
    {"opacity", KEY_FLOAT, FIELD(SceneSkinEntry, opacity), {0, 1, false}, false, false},
    BY_HAND("colour"),
};
TABLE(skin, "skin", skin_keys);

#define ISO(name, type, ...)                                                                       \
    { #name, type, FIELD(SceneSkinEntry, iso_##name), __VA_ARGS__, false, false }
static const KeyField iso_keys[] = {
    ISO(triangles, KEY_INT, {100, 1e7, false}), ISO(blend, KEY_FLOAT, RANGE_NOT_NEGATIVE),
    ISO(grow, KEY_FLOAT, RANGE_NOT_NEGATIVE),   ISO(close, KEY_FLOAT, RANGE_NOT_NEGATIVE),
    ISO(smooth, KEY_FLOAT, RANGE_NOT_NEGATIVE),
};
TABLE(iso, "iso", iso_keys);

#define LINK(name, type)                                                                           \
    { #name, type, FIELD(SceneLink, name), RANGE_NOT_NEGATIVE, false, false }
static const KeyField link_keys[] = {
    {"name", KEY_TEXT, FIELD(SceneLink, name), RANGE_ANY, false, false},
    BY_HAND_REQUIRED("a"),
    BY_HAND("b"),
    {"length", KEY_FLOAT, FIELD(SceneLink, length), RANGE_NOT_NEGATIVE, false, true},
    {"rope", KEY_BOOL, FIELD(SceneLink, rope), RANGE_ANY, false, false},
    LINK(compliance, KEY_FLOAT),
    LINK(max_force, KEY_FLOAT),
    {"ignore", KEY_BOOL, FIELD(SceneLink, ignore), RANGE_ANY, false, false},
    LINK(release, KEY_DOUBLE),
};
TABLE(link, "link", link_keys);

static const KeyField hinge_keys[] = {
    {"name", KEY_TEXT, FIELD(SceneHinge, name), RANGE_ANY, false, false},
    BY_HAND_REQUIRED("a"),
    BY_HAND("b"),
    BY_HAND("frame"),
    {"axis", KEY_VEC3, FIELD(SceneHinge, axis), RANGE_ANY, true, false},
    BY_HAND("limits"),
    {"speed", KEY_FLOAT, FIELD(SceneHinge, speed), {-1e5, 1e5, false}, false, true},
    {"max_torque", KEY_FLOAT, FIELD(SceneHinge, max_torque), {0, 1e12, false}, false, true},
};
TABLE(hinge, "hinge", hinge_keys);

static const KeyField turning_keys[] = {BY_HAND_REQUIRED("rod"), BY_HAND("segment")};
TABLE(turning, "turning", turning_keys);

static const KeyField end_keys[] = {
    BY_HAND("rod"),     BY_HAND("vertex"),
    BY_HAND("segment"), {"t", KEY_FLOAT, FIELD(SceneEnd, t), {0, 1, false}, false, false},
    BY_HAND("frame"),   {"position", KEY_VEC3, FIELD(SceneEnd, position), RANGE_ANY, false, false},
};
TABLE(end, "end", end_keys);

#define PART(name, type, member, required, ...)                                                    \
    { name, type, FIELD(SnRigidPart, member), __VA_ARGS__, required, false }
static const KeyField part_keys[] = {
    PART("centre", KEY_VEC3, a, false, {-1e4, 1e4, false}),
    PART("from", KEY_VEC3, a, false, {-1e4, 1e4, false}),
    PART("to", KEY_VEC3, b, false, {-1e4, 1e4, false}),
    BY_HAND_REQUIRED("radius"),
    PART("density", KEY_FLOAT, density, false, {0.1, 1e6, false}),
};
TABLE(part, "part", part_keys);

#define KIND_TABLE(key, kind) &kind.table,
const KeyTable *const *sn__tables(int *out_count) {
    static const KeyTable *const all[] = {
        &sn__table_scene,         &sn__table_world,       &sn__table_material,
        &sn__table_frame,         &sn__table_rotation,    &sn__table_field,
        &sn__table_body,          &sn__table_shape,       &sn__table_line,
        &sn__table_arc,           &sn__table_circle,      &sn__table_helix,
        &sn__table_octopus,       &sn__table_taper,       &sn__table_start,
        &sn__table_attachment,    &sn__table_activation,  &sn__table_force,
        &sn__table_copies,        &sn__table_ring,        &sn__table_jitter,
        &sn__table_burst,         &sn__table_ground,      &sn__table_camera,
        &sn__table_animation,     &sn__table_surface,     &sn__table_filter,
        &sn__table_collider,      &sn__table_plane,       &sn__table_sphere,
        &sn__table_pill,          &sn__table_box,         &sn__table_mesh,
        &sn__table_skin,          &sn__table_iso,         &sn__table_link,
        &sn__table_hinge,         &sn__table_turning,     &sn__table_end,
        &sn__table_tree,          &sn__table_net,         &sn__table_leaves,
        &sn__table_segments,      &sn__table_part,        &sn__table_skeleton,
        &sn__table_joint,         &sn__table_clip,        &sn__table_channel,
        &sn__table_cue,           &sn__table_bone,        &sn__table_spindle,
        &sn__table_hill,          &sn__table_mark,        &sn__table_flesh_point,
        &sn__table_flesh_profile, &sn__table_flesh_drive, &sn__table_fat,
        SCENE_KINDS(KIND_TABLE) // and those of the kinds
    };
    *out_count = (int)(sizeof all / sizeof *all);
    return all;
}
