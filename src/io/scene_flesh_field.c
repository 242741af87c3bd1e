// Muscles under implicit skins while a scene runs: their fields, how active they are, what slows them down
// and which bones they pass through.
#include <limits.h>
#include <math.h>

#include "base/memory.h"
#include "base/null.h"
#include "io/scene_flesh.h"
#include "io/scene_muscle.h"
#include "io/scene_skeleton.h"
#include "math/map.h"

#define RADIAN 0.017453292519943295
#define TAU 6.283185307179586

static int first_flesh(const SnScene *scene) { return scene->kind_begin[SCENE_KIND_COUNT - 1]; }

// Entries of "flesh"; behind them come the muscles that are bundles of rods.
static int line_count(const SnScene *scene) {
    return GIVEN(scene) ? scene->kind_begin[SCENE_KIND_COUNT] - first_flesh(scene) : 0;
}

static const SceneFleshMuscle *flesh_at(const SnScene *scene, int flesh) {
    if (flesh < 0 || flesh >= line_count(scene))
        return NULL;
    return sn__scene_flesh(scene->bodies[first_flesh(scene) + flesh]);
}

// The number-th bundle under a skin; NULL: there are only `*number` less than that.
static const SceneMuscle *find_bundle(const SnScene *scene, int *number) {
    for (int i = 0; GIVEN(scene) && i < first_flesh(scene); ++i) {
        const SceneMuscle *m = sn__scene_bundle(scene->bodies[i]);
        if (m && (*number)-- == 0)
            return m;
    }
    return NULL;
}

static const SceneMuscle *bundle_at(const SnScene *scene, int flesh) {
    int number = flesh - line_count(scene);
    return number >= 0 ? find_bundle(scene, &number) : NULL;
}

int sn_scene_flesh_count(const SnScene *scene) {
    int most = INT_MAX, left = most;
    find_bundle(scene, &left);
    return line_count(scene) + (most - left);
}

static SnSceneFlesh bundle_flesh(const SnScene *scene, const SceneMuscle *m) {
    double scale = (double)m->rest_scale;
    SnSceneFlesh out = {.name = scene->body_names[m->body.first],
                        .skeleton = m->skeleton,
                        .body = m->body.first,
                        .is_bundle = true,
                        .rest = sn_default_muscle_field_def()};
    out.rest.name = out.name;
    out.rest.point_count = m->slices;
    out.rest.line = m->rest.line;
    out.rest.volume = (float)((double)m->rest.volume / (scale * scale * scale));
    return out;
}

SnSceneFlesh sn_scene_flesh(const SnScene *scene, int flesh) {
    const SceneFleshMuscle *m = flesh_at(scene, flesh);
    const SceneMuscle *bundle = bundle_at(scene, flesh);
    if (bundle)
        return bundle_flesh(scene, bundle);
    if (m == NULL)
        return (SnSceneFlesh){.name = "", .skeleton = -1, .body = -1};
    SnSceneFlesh out = {.name = scene->body_names[m->body.first],
                        .skeleton = m->skeleton,
                        .body = m->body.first,
                        .rest = sn__flesh_field_def(m, m->rest_line)};
    out.rest.name = out.name;
    out.rest.volume /= m->rest_scale * m->rest_scale * m->rest_scale;
    out.rest.first_normal = out.rest.last_normal = m->rest_normal;
    return out;
}

SnResult sn_scene_flesh_field(const SnScene *scene, int flesh, const SnAllocator *allocator,
                              SnMuscleField **out_field) {
    SnSceneFlesh what = sn_scene_flesh(scene, flesh);
    if (what.body < 0 || out_field == NULL)
        return sn__null(out_field ? "flesh: scene" : "flesh: out_field");
    SnMuscleField *field = NULL;
    SnResult result = sn_muscle_field_create(&what.rest, allocator, &field);
    if (result.code == SN_OK && what.is_bundle)
        result = sn__bundle_rest(bundle_at(scene, flesh), field);
    if (result.code == SN_OK)
        *out_field = field;
    else
        sn_muscle_field_destroy(field);
    return result;
}

// The cosine of the angle by which a joint has turned against the one above since it was at rest.
static double bend_cosine(const SceneSkeleton *entry, int number, const SnMap *maps) {
    SnJointDef joint = sn_skeleton_joint(entry->skeleton, number);
    Quatd now = quatd(sn_map_pose(&maps[number]).rotation);
    Quatd rest = quatd(joint.rest.rotation);
    if (joint.parent >= 0) {
        Quatd above = quatd(sn_map_pose(&maps[joint.parent]).rotation);
        now = mulqd(conjugated(above), now);
    }
    double w = mulqd(conjugated(rest), now).w;
    return 2.0 * w * w - 1.0;
}

// From 0 to 1 with a smooth step between the cosines of both angles.
static double driven(const SceneFleshMuscle *m, double cosine) {
    double from = cos(RADIAN * (double)m->drive.from), to = cos(RADIAN * (double)m->drive.to);
    double t = (cosine - from) / (to - from);
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return t * t * (3.0 - 2.0 * t);
}

// A value of a muscle as keyframes have it at a time.
static float keyed(const SnScene *scene, const float *value, double time) {
    float now = *value;
    for (int i = 0; i < scene->channel_count; ++i)
        if (scene->channels[i].slot == value)
            sn__curve_evaluate(&scene->channels[i].curve, time, &now);
    return now;
}

float sn_scene_flesh_activation(const SnScene *scene, int flesh, double time, const SnMap *maps) {
    const SceneFleshMuscle *m = flesh_at(scene, flesh);
    const SceneMuscle *bundle = bundle_at(scene, flesh);
    if (bundle)
        return keyed(scene, &bundle->activation, time);
    if (m == NULL)
        return 0.0f;
    float activation = keyed(scene, &m->activation, time);
    if (m->drive.joint >= 0 && maps)
        activation +=
            (float)driven(m, bend_cosine(&scene->skeletons[m->skeleton], m->drive.joint, maps));
    return fminf(1.0f, activation);
}

SnResult sn_scene_move_flesh(const SnScene *scene, int flesh, double time, const SnMap *maps,
                             const SnPoses *poses, SnMuscleField *field) {
    const SceneFleshMuscle *m = flesh_at(scene, flesh);
    const SceneMuscle *bundle = bundle_at(scene, flesh);
    if ((m == NULL && bundle == NULL) || maps == NULL || poses == NULL)
        return sn__null(maps == NULL    ? "flesh: maps"
                        : poses == NULL ? "flesh: poses"
                                        : "flesh: scene");
    if ((m ? m->body.first : bundle->body.first) >= poses->body_count)
        return sn_error(SN_ERROR_INVALID, "flesh: the poses are of another world");
    if (bundle)
        return sn__bundle_move(bundle, poses, field);
    const float *points = poses->positions + 3 * (size_t)poses->point_begin[m->body.first];
    int first = scene->skeletons[m->skeleton].first_frame;
    SnQuat origin = sn_map_pose(&maps[m->path[0].frame - first]).rotation;
    SnQuat insertion = sn_map_pose(&maps[m->path[m->point_count - 1].frame - first]).rotation;
    SnResult result = sn_muscle_field_set_volume(field, keyed(scene, &m->volume, time));
    if (result.code == SN_OK)
        result = sn_muscle_field_set_exaggeration(field, keyed(scene, &m->exaggeration, time));
    if (result.code == SN_OK)
        result = sn_muscle_field_set_eccentricity(field, keyed(scene, &m->rest.eccentricity, time),
                                                  keyed(scene, &m->active.eccentricity, time));
    if (result.code == SN_OK)
        result = sn_muscle_field_move(field, (const SnVec3 *)(const void *)points,
                                      sn_quat_rotate(origin, m->normal),
                                      sn_quat_rotate(insertion, m->insertion_normal));
    sn_muscle_field_activate(field, sn_scene_flesh_activation(scene, flesh, time, maps));
    return result;
}

// The velocity that a joint gives to a point it holds, over the next step.
static SnResult held_velocity(const SnScene *scene, const SnWorld *world, const FleshPoint *point,
                              double step, SnVec3 *out) {
    SnPose now, then;
    SnFrameId frame = scene->frames[point->frame].id;
    SnResult result = sn_frame_pose(world, frame, &now);
    if (result.code == SN_OK)
        result = sn_frame_target(world, frame, &then);
    if (result.code != SN_OK)
        return result;
    SnVec3 from = sn_vec3_add(now.position, sn_quat_rotate(now.rotation, point->position));
    SnVec3 to = sn_vec3_add(then.position, sn_quat_rotate(then.rotation, point->position));
    *out = sn_vec3_scale(sn_vec3_sub(to, from), (float)(1.0 / step));
    return result;
}

// F = −2 ζ ω m (v − u), with u the velocity of the joints at both ends, between them along the line: what
// surrounds a muscle moves with the bones. The factor of an implicit step keeps it from going too far.
static SnResult damp(const SnScene *scene, SnWorld *world, const SceneFleshMuscle *m, double step) {
    SnVec3 velocities[SN_MAX_MUSCLE_POINTS], first, last;
    SnBodyId id = scene->body_ids[m->body.first];
    SnResult result = held_velocity(scene, world, &m->path[0], step, &first);
    if (result.code == SN_OK)
        result = held_velocity(scene, world, &m->path[m->point_count - 1], step, &last);
    if (result.code == SN_OK)
        result = sn_body_read(world, id, &(SnBodyState){.velocities = velocities});
    double rate = 2.0 * (double)m->damping * TAU * (double)m->frequency;
    float c = (float)(rate / (1.0 + rate * step));
    for (int i = 1; i + 1 < m->points && result.code == SN_OK; ++i) {
        float t = (float)i / (float)(m->points - 1);
        SnVec3 wanted = sn_vec3_add_scaled(sn_vec3_scale(first, 1.0f - t), last, t);
        SnVec3 way = sn_vec3_sub(velocities[i], wanted);
        result = sn_body_add_force(world, id, i, sn_vec3_scale(way, -c * m->masses[i]));
    }
    return result;
}

SnResult sn__scene_damp_flesh(const SnScene *scene, SnWorld *world, double step) {
    SnResult result = sn_ok();
    for (int i = 0; i < line_count(scene) && result.code == SN_OK; ++i) {
        const SceneFleshMuscle *m = flesh_at(scene, i);
        result = sn__scene_at(scene, m->body.list, m->body.entry, damp(scene, world, m, step));
    }
    return result;
}

static double to_segment(Vec3d x, Vec3d a, Vec3d b) {
    Vec3d edge = subd(b, a), from = subd(x, a);
    double square = dotd(edge, edge), t = square > 0.0 ? dotd(from, edge) / square : 0.0;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return lengthd(subd(from, scaled(edge, t)));
}

static bool overlaps(const SceneFleshMuscle *m, const SnColliderDef *pill, SnPose pose) {
    Quatd turn = quatd(pose.rotation);
    Vec3d a = addd(vec3d(pose.position), rotated(turn, vec3d(pill->a)));
    Vec3d b = addd(vec3d(pose.position), rotated(turn, vec3d(pill->b)));
    double radius = fmax((double)pill->radius_a, (double)pill->radius_b);
    for (int i = 0; i < m->points; ++i)
        if (to_segment(vec3d(m->body.positions[i]), a, b) <
            radius + (double)m->body.radii[i] + (double)m->body.surface.thickness)
            return true;
    return false;
}

static float widest(const SceneFleshMuscle *m) {
    float most = 0.0f;
    for (int i = 0; i < m->points; ++i)
        most = fmaxf(most, m->body.radii[i]);
    return most;
}

// Whether a point of the first is in the second, or one of its ends, which joints hold, nearer to it than their
// bellies are wide.
static bool lies_in(const SceneFleshMuscle *m, const SceneFleshMuscle *other) {
    for (int i = 0; i < m->points; ++i)
        for (int k = 0; k + 1 < other->points; ++k) {
            const SnVec3 *x = m->body.positions, *y = other->body.positions;
            bool end = i == 0 || i == m->points - 1;
            float radii =
                end ? widest(m) + widest(other)
                    : m->body.radii[i] + fmaxf(other->body.radii[k], other->body.radii[k + 1]);
            double radius =
                (double)(radii + m->body.surface.thickness + other->body.surface.thickness);
            if (to_segment(vec3d(x[i]), vec3d(y[k]), vec3d(y[k + 1])) < radius)
                return true;
        }
    return false;
}

// Muscles that are made so that they overlap, as the parts of a fan are, stay so.
static SnResult let_pass(const SnScene *scene, SnWorld *world, int flesh) {
    const SceneFleshMuscle *m = flesh_at(scene, flesh);
    SnResult result = sn_ok();
    for (int k = 0; k < flesh && result.code == SN_OK; ++k) {
        const SceneFleshMuscle *other = flesh_at(scene, k);
        if (lies_in(m, other) || lies_in(other, m))
            result = sn_bodies_ignore(world, scene->body_ids[m->body.first],
                                      scene->body_ids[other->body.first], true);
    }
    return result;
}

SnResult sn__scene_clear_flesh(const SnScene *scene, SnWorld *world) {
    SnResult result = sn_ok();
    for (int i = 0; i < line_count(scene) && result.code == SN_OK; ++i) {
        const SceneFleshMuscle *m = flesh_at(scene, i);
        result = let_pass(scene, world, i);
        for (int k = 0; k < scene->collider_count && result.code == SN_OK; ++k) {
            if (scene->collider_entries[k] < scene->own_collider_count)
                continue;
            SnColliderDef def = sn__collider_def(scene, k);
            SnPose pose;
            result = sn_collider_pose(world, scene->collider_ids[k], &pose);
            if (result.code == SN_OK && def.kind == SN_COLLIDER_PILL && overlaps(m, &def, pose))
                result = sn_body_ignore_collider(world, scene->body_ids[m->body.first],
                                                 scene->collider_ids[k], true);
        }
    }
    return result;
}
