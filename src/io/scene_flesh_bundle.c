// Muscles that are bundles of rods under implicit skins: their cross-sections make the field that the skin
// lies on, in place of a profile that is swept along a line.
#include "base/null.h"
#include "io/scene_flesh.h"
#include "io/scene_muscle.h"
#include "io/scene_parts.h"
#include "io/scene_skeleton.h"

#define PI 3.14159265358979323846

// The slices of a muscle as a field has them.
typedef struct Outline {
    SnVec3 line[SN_MAX_MUSCLE_POINTS], normals[SN_MAX_MUSCLE_POINTS];
    float radii[SN_MAX_MUSCLE_POINTS], eccentricity;
} Outline;

static SnResult find_outline(const SceneMuscle *m, const SnVec3 *positions, const float *radii,
                             Outline *out) {
    SnMuscleSection sections[SN_MAX_MUSCLE_POINTS];
    SnResult result = sn_fibre_sections(m->rods, m->slices, positions, radii, m->packing, sections);
    out->eccentricity = 0.0f;
    for (int j = 0; j < m->slices && result.code == SN_OK; ++j) {
        out->line[j] = sections[j].position;
        out->normals[j] = sections[j].normal;
        out->radii[j] = sections[j].radius;
        out->eccentricity += sections[j].eccentricity / (float)m->slices;
    }
    return result;
}

// The skeleton that one of its ends is a joint of, and has an implicit skin.
static bool find_skeleton(Reader *reader, const SnScene *scene, const Json *json, SceneMuscle *m) {
    for (int e = 1; e >= 0; --e) {
        int skeleton = m->end[e].frame < 0 ? -1 : sn__skeleton_of_frame(scene, m->end[e].frame);
        if (skeleton >= 0 && scene->skeletons[skeleton].implicit)
            m->skeleton = skeleton;
    }
    if (m->skeleton < 0)
        sn__reader_error(reader, sn__json_member(&reader->doc, json, "under_skin"),
                         "neither end is at a joint of a skeleton with an implicit skin");
    else if (m->slices > SN_MAX_MUSCLE_POINTS)
        sn__reader_error(reader, json, "%d points of a fibre are too many under a skin; at most %d",
                         m->slices, SN_MAX_MUSCLE_POINTS);
    else if (m->body.copy_count > 1)
        sn__reader_error(reader, json, "a muscle of a skeleton cannot be copied");
    else
        return true;
    return false;
}

// From the start of the scene to where meshes were bound, as a joint goes.
typedef struct ToBound {
    SnPose now, bound;
} ToBound;

static ToBound to_bound(const SnScene *scene, const SceneSkeleton *entry, int frame) {
    return (ToBound){sn__scene_frame_pose(&scene->frames[frame]),
                     sn_map_pose(&entry->bound[frame - entry->first_frame])};
}

static SnVec3 turned_back(const ToBound *way, SnVec3 v) {
    return sn_quat_rotate(way->bound.rotation,
                          sn_quat_rotate(sn_quat_inverse(way->now.rotation), v));
}

static SnVec3 carried_back(const ToBound *way, float scale, SnVec3 x) {
    SnVec3 from = sn_vec3_scale(sn_vec3_sub(x, way->now.position), 1.0f / scale);
    return sn_vec3_add(way->bound.position, turned_back(way, from));
}

static SnVec3 between(SnVec3 a, SnVec3 b, float t) {
    return sn_vec3_add_scaled(sn_vec3_scale(a, 1.0f - t), b, t);
}

// Between its ends, the muscle goes back with both joints.
static void carry_back(const SnScene *scene, SceneMuscle *m, const Outline *now) {
    const SceneSkeleton *entry = &scene->skeletons[m->skeleton];
    ToBound ways[2];
    for (int e = 0; e < 2; ++e) {
        int own = m->end[e].frame, other = m->end[1 - e].frame;
        bool joint = own >= 0 && sn__skeleton_of_frame(scene, own) == m->skeleton;
        ways[e] = to_bound(scene, entry, joint ? own : other);
    }
    m->rest.eccentricity = now->eccentricity;
    for (int j = 0; j < m->slices; ++j) {
        float t = (float)j / (float)(m->slices - 1);
        m->rest.line[j] = between(carried_back(&ways[0], m->rest_scale, now->line[j]),
                                  carried_back(&ways[1], m->rest_scale, now->line[j]), t);
        m->rest.normals[j] = between(turned_back(&ways[0], now->normals[j]),
                                     turned_back(&ways[1], now->normals[j]), t);
        m->rest.radii[j] = now->radii[j] / m->rest_scale;
    }
    for (int j = 0; j + 1 < m->slices; ++j) {
        double a = (double)now->radii[j], b = (double)now->radii[j + 1];
        double length = (double)sn_vec3_length(sn_vec3_sub(now->line[j + 1], now->line[j]));
        m->rest.volume += (float)(PI * (a * a + a * b + b * b) / 3.0 * length);
    }
}

void sn__read_bundle(Reader *reader, SnScene *scene, const Json *json, SceneMuscle *m) {
    if (!find_skeleton(reader, scene, json, m))
        return;
    SceneSkeleton *entry = &scene->skeletons[m->skeleton];
    size_t slices = (size_t)m->slices;
    Placement place = sn__place_copy(&m->body.place, 0);
    SnVec3 *positions = sn__reader_alloc(reader, (size_t)m->body.point_count, sizeof *positions);
    m->rest.line = sn__reader_alloc(reader, slices, sizeof *m->rest.line);
    m->rest.normals = sn__reader_alloc(reader, slices, sizeof *m->rest.normals);
    m->rest.radii = sn__reader_alloc(reader, slices, sizeof *m->rest.radii);
    if (reader->out_of_memory || !sn__find_bound(reader, entry, json))
        return;
    m->rest_scale = sn__bound_scale(reader, entry, 0);
    for (int i = 0; i < m->body.point_count; ++i)
        positions[i] = sn__place_point(&place, m->body.positions[i]);
    Outline now;
    SnResult result = find_outline(m, positions, m->body.radii, &now);
    if (result.code != SN_OK)
        sn__reader_error(reader, json, "%s", result.message);
    else if (!(m->rest_scale > 0.0f))
        sn__reader_error(reader, json, "its skeleton is scaled to nothing");
    else
        carry_back(scene, m, &now);
}

const SceneMuscle *sn__scene_bundle(const SceneBody *body) {
    const SceneMuscle *m = body->kind == &sn__kind_muscle ? (const SceneMuscle *)body : NULL;
    return m && m->under_skin ? m : NULL;
}

SnResult sn__bundle_rest(const SceneMuscle *m, SnMuscleField *field) {
    return sn_muscle_field_shape(field, m->rest.line, m->rest.normals, m->rest.radii,
                                 m->rest.eccentricity);
}

SnResult sn__bundle_move(const SceneMuscle *m, const SnPoses *poses, SnMuscleField *field) {
    Outline now;
    int first = poses->point_begin[m->body.first];
    const SnVec3 *positions = (const SnVec3 *)(const void *)poses->positions;
    SnResult result = find_outline(m, positions + first, poses->radii + first, &now);
    return result.code == SN_OK
               ? sn_muscle_field_shape(field, now.line, now.normals, now.radii, now.eccentricity)
               : result;
}
