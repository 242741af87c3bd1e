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
};
TABLE(world, "world", world_keys);

// The limits are those of sn_rod_create.
#define MATERIAL(name, min, max)                                                                   \
    { #name, SN__KEY_FLOAT, FIELD(SnRodMaterial, name), {min, max, false }, false, true }
static const SnKey material_keys[] = {
    MATERIAL(density, 0.1, 1e6),       MATERIAL(young, 0, 1e15),
    MATERIAL(shear, 0, 1e15),          MATERIAL(volume, 0, 1e15),
    MATERIAL(damping, 0, 1e6),         MATERIAL(drag, 0, 1e6),
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
};
TABLE(field, "field", field_keys);

#define ROD(name, type)                                                                            \
    { #name, type, FIELD(SnSceneRod, name), SN__ANY, false, false }
static const SnKey rod_keys[] = {
    ROD(name, SN__KEY_TEXT),
    BY_HAND_REQUIRED("shape"),
    {"twist", SN__KEY_OTHER, 0, SN__ANY, false, false},
    ROD(closed, SN__KEY_BOOL),
    BY_HAND("radius"),
    BY_HAND("material"),
    ROD(classic, SN__KEY_BOOL),
    ROD(position, SN__KEY_VEC3),
    ROD(rotation, SN__KEY_ROTATION),
    BY_HAND("origin"),
    ROD(velocity, SN__KEY_VEC3),
    ROD(angular_velocity, SN__KEY_VEC3),
    BY_HAND("start"),
    {"gravity_scale",
     SN__KEY_FLOAT,
     FIELD(SnSceneRod, gravity_scale),
     {-1000, 1000, false},
     false,
     true},
    BY_HAND("colour"),
    BY_HAND("attach"),
    BY_HAND("activation"),
    BY_HAND("forces"),
    BY_HAND("copies"),
};
TABLE(rod, "rod", rod_keys);

static const SnKey shape_keys[] = {
    BY_HAND("points"), BY_HAND("line"), BY_HAND("arc"), BY_HAND("circle"), BY_HAND("helix"),
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

static const SnKey copies_keys[] = {
    BY_HAND_REQUIRED("count"),
    {"spacing", SN__KEY_VEC3, FIELD(SnSceneRod, spacing), SN__ANY, true, false},
    BY_HAND("jitter"),
};
TABLE(copies, "copies", copies_keys);

static const SnKey jitter_keys[] = {
    {"position", SN__KEY_VEC3, FIELD(SnSceneRod, jitter_position), SN__NOT_NEGATIVE, false, false},
    {"rotation", SN__KEY_FLOAT, FIELD(SnSceneRod, jitter_rotation), {0, 180, false}, false, false},
    {"seed", SN__KEY_INT, FIELD(SnSceneRod, seed), {0, 2147483647, false}, false, false},
};
TABLE(jitter, "jitter", jitter_keys);

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

const SnKeyTable *const *sn__tables(int *out_count) {
    static const SnKeyTable *const all[] = {
        &sn__table_scene,    &sn__table_world,     &sn__table_material,   &sn__table_frame,
        &sn__table_rotation, &sn__table_field,     &sn__table_rod,        &sn__table_shape,
        &sn__table_line,     &sn__table_arc,       &sn__table_circle,     &sn__table_helix,
        &sn__table_taper,    &sn__table_start,     &sn__table_attachment, &sn__table_activation,
        &sn__table_force,    &sn__table_copies,    &sn__table_jitter,     &sn__table_ground,
        &sn__table_camera,   &sn__table_animation,
    };
    *out_count = (int)(sizeof all / sizeof *all);
    return all;
}
