// Recording: the pose at the beginning, and a sample of every vertex for each frame.
#include "base/null.h"
#include "io/gltf_actor.h"
#include "io/gltf_morph.h"

#include <stdlib.h>
#include <string.h>

#define GLTF_COOKIE 0x534E474Cu

SnGltfDef sn_default_gltf_def(void) {
    return (SnGltfDef){.cookie = GLTF_COOKIE, .tolerance = 1.0e-4f};
}

// Large scenes get coarser tubes, so that the file stays loadable.
static TubeDetail choose_detail(int vertices) {
    if (vertices <= 2000)
        return (TubeDetail){.sides = 12, .rings_per_segment = 3, .cap_rings = 3};
    if (vertices <= 20000)
        return (TubeDetail){.sides = 12, .rings_per_segment = 2, .cap_rings = 2};
    return (TubeDetail){.sides = 8, .rings_per_segment = 1, .cap_rings = 1};
}

static bool has_rotations(const SnPoses *poses) {
    return poses->rotations || poses->point_count == 0;
}

static SnResult no_rotations(void) {
    return sn_error(SN_ERROR_INVALID, "gltf: the poses' rotations are NULL");
}

// Without skins every vertex is a joint.
static SnResult check_poses(const SnPoses *poses, const SnGltfDef *def) {
    if (!has_rotations(poses))
        return no_rotations();
    if (!(def->tolerance >= 0))
        return sn_error(SN_ERROR_INVALID, "gltf: tolerance: %g is not >= 0",
                        (double)def->tolerance);
    for (int r = 0; r < poses->body_count && def->skin_count == 0; ++r) {
        int vertices = poses->point_begin[r + 1] - poses->point_begin[r];
        if (vertices > SN_MAX_GLTF_JOINTS)
            return sn_error(SN_ERROR_LIMIT, "gltf: body %d has %d points; a skin has room for %d",
                            r, vertices, SN_MAX_GLTF_JOINTS);
    }
    return sn__gltf_check_skins(poses, def);
}

static SnResult check_joints(const SnGltf *gltf) {
    for (int k = 0; k < gltf->shape_count; ++k) {
        const GltfShape *shape = &gltf->shapes[k];
        if (shape->joint_count > SN_MAX_GLTF_JOINTS)
            return sn_error(SN_ERROR_LIMIT, "gltf: %.100s has %d joints; a skin has room for %d",
                            shape->name, shape->joint_count, SN_MAX_GLTF_JOINTS);
    }
    return sn_ok();
}

static bool is_chain(const int *edges, int segments, int vertices) {
    for (int j = 0; j < segments; ++j)
        if (edges[2 * j] != j || edges[2 * j + 1] != (j + 1) % vertices)
            return false;
    return vertices > 1; // a lone sphere is a pill, too
}

static bool make_bodies(SnGltf *gltf, const SnPoses *poses, const SnGltfDef *def) {
    for (int r = 0; r < gltf->body_count; ++r) {
        GltfRod *rod = &gltf->rods[r];
        const char *name = def->names && def->names[r] ? def->names[r] : "body";
        rod->name = sn__arena_text(&gltf->arena, name, strlen(name));
        for (int k = 0; k < 2; ++k)
            rod->section[k] = def->sections ? def->sections[2 * r + k] : 0;
        rod->first_vertex = poses->point_begin[r];
        rod->vertex_count = poses->point_begin[r + 1] - rod->first_vertex;
        rod->first_segment = poses->element_begin[r];
        rod->segment_count = poses->element_begin[r + 1] - rod->first_segment;
        const int *edges = poses->edges ? poses->edges + 2 * (size_t)rod->first_segment : NULL;
        rod->rigid = poses->kinds && poses->kinds[r] == SN_BODY_RIGID;
        rod->hidden = def->hidden && def->hidden[r];
        if (edges && (rod->rigid || !is_chain(edges, rod->segment_count, rod->vertex_count))) {
            size_t size = 2 * (size_t)rod->segment_count * sizeof(int);
            int *copy = sn__arena_alloc(&gltf->arena, size, 1);
            rod->edges = copy ? memcpy(copy, edges, size) : NULL;
            if (copy == NULL)
                return false;
        }
        if (rod->name == NULL)
            return false;
    }
    return true;
}

// A rod of one vertex for each frame that skins follow.
static bool make_led(SnGltf *gltf, const SnPoses *poses) {
    sn__gltf_move_led(gltf, poses);
    for (int r = gltf->body_count; r < gltf->led_end; ++r) {
        int vertex = gltf->point_count + r - gltf->body_count;
        const char *name = "frame";
        gltf->rods[r] = (GltfRod){.name = sn__arena_text(&gltf->arena, name, strlen(name)),
                                  .first_vertex = vertex,
                                  .vertex_count = 1,
                                  .skinned = true};
        gltf->positions[vertex] = gltf->led_poses[r - gltf->body_count].position;
        gltf->rotations[vertex] = gltf->led_poses[r - gltf->body_count].rotation;
        if (gltf->rods[r].name == NULL)
            return false;
    }
    return true;
}

static SnQuat rotation_at(const SnPoses *poses, size_t point) {
    const float *q = poses->rotations + 4 * point;
    return (SnQuat){q[0], q[1], q[2], q[3]};
}

// Room for the frames that skins follow: as many as skins name, of which some may be the same.
static bool list_led(SnGltf *gltf, const SnGltfDef *def) {
    size_t most = 1;
    for (int s = 0; s < def->skin_count; ++s)
        most += (size_t)def->skins[s].frame_count;
    gltf->led = sn__arena_alloc(&gltf->arena, most, sizeof *gltf->led);
    gltf->led_poses = sn__arena_alloc(&gltf->arena, most, sizeof *gltf->led_poses);
    if (gltf->led == NULL || gltf->led_poses == NULL)
        return false;
    for (size_t k = 0; k < most; ++k)
        gltf->led_poses[k] = sn_pose_identity(); // of the null frame, which stays there
    gltf->led_end = gltf->body_count + sn__gltf_list_led(def, gltf->led);
    return true;
}

static bool make_bind_pose(SnGltf *gltf, const SnPoses *poses, const SnGltfDef *def) {
    if (!list_led(gltf, def))
        return false;
    int leads;
    gltf->rod_count = gltf->led_end + sn__gltf_count_splits(def, &leads);
    size_t points = (size_t)gltf->point_count,
           n = points + (size_t)(gltf->led_end - gltf->body_count + leads);
    const char *title = def->title ? def->title : "Sinew";
    gltf->title = sn__arena_text(&gltf->arena, title, strlen(title));
    gltf->rods = sn__arena_alloc(&gltf->arena, (size_t)gltf->rod_count, sizeof *gltf->rods);
    gltf->positions = sn__arena_alloc(&gltf->arena, n, sizeof *gltf->positions);
    gltf->rotations = sn__arena_alloc(&gltf->arena, n, sizeof *gltf->rotations);
    gltf->radii = sn__arena_alloc(&gltf->arena, n, sizeof *gltf->radii);
    if (gltf->title == NULL || gltf->rods == NULL || gltf->positions == NULL ||
        gltf->rotations == NULL || gltf->radii == NULL)
        return false;
    for (size_t i = 0; i < points; ++i) {
        const float *p = poses->positions + 3 * i;
        gltf->positions[i] = sn_vec3(p[0], p[1], p[2]);
        gltf->rotations[i] = rotation_at(poses, i);
        gltf->radii[i] = poses->radii[i] / poses->scales[i];
    }
    return make_bodies(gltf, poses, def) && make_led(gltf, poses) &&
           sn__gltf_make_splits(gltf, poses, def) && sn__gltf_make_shapes(gltf, poses, def);
}

SnResult sn_gltf_begin(const SnPoses *poses, const SnGltfDef *def, SnGltf **out_gltf) {
    if (poses == NULL)
        return sn__null("gltf: poses");
    if (out_gltf == NULL)
        return sn__null("gltf: out_gltf");
    *out_gltf = NULL;
    if (def == NULL || def->cookie != GLTF_COOKIE)
        return sn__no_def(def, "gltf", "sn_default_gltf_def");
    SnResult result = check_poses(poses, def);
    if (result.code != SN_OK)
        return result;
    SnGltf *gltf = calloc(1, sizeof *gltf);
    if (gltf) {
        gltf->body_count = poses->body_count;
        gltf->point_count = poses->point_count;
        gltf->tolerance = def->tolerance;
        gltf->encoder = def->encoder ? *def->encoder : (SnGltfEncoder){0};
        gltf->detail = choose_detail(poses->point_count);
    }
    if (gltf == NULL || !make_bind_pose(gltf, poses, def)) {
        sn_gltf_destroy(gltf);
        return sn_error(SN_ERROR_MEMORY, "gltf: no memory for %d points", poses->point_count);
    }
    result = sn__gltf_add_actors(gltf, def);
    if (result.code == SN_OK)
        result = check_joints(gltf);
    if (result.code != SN_OK) {
        sn_gltf_destroy(gltf);
        return result;
    }
    *out_gltf = gltf;
    return result;
}

static bool same_bodies(const SnGltf *gltf, const SnPoses *poses) {
    if (poses->body_count != gltf->body_count || poses->point_count != gltf->point_count)
        return false;
    for (int r = 0; r < gltf->body_count; ++r)
        if (poses->point_begin[r] != gltf->rods[r].first_vertex ||
            poses->element_begin[r] != gltf->rods[r].first_segment)
            return false;
    return true;
}

static bool grow_frames(SnGltf *gltf) {
    if (gltf->frame_count < gltf->frame_capacity)
        return true;
    size_t capacity = (size_t)gltf->frame_capacity * 2 + 64;
    GltfSample **frames = realloc(gltf->frames, capacity * sizeof(GltfSample *));
    gltf->frames = frames ? frames : gltf->frames;
    float *times = realloc(gltf->times, capacity * sizeof *times);
    gltf->times = times ? times : gltf->times;
    if (frames == NULL || times == NULL)
        return false;
    gltf->frame_capacity = (int)capacity;
    return true;
}

// `sign` follows the frame before, so that players that blend between frames turn the short way.
void sn__gltf_put_rotation(SnQuat q, const GltfSample *before, int16_t out[4]) {
    const float c[4] = {q.x, q.y, q.z, q.w};
    float dot = 1;
    if (before) {
        dot = 0;
        for (int k = 0; k < 4; ++k)
            dot += c[k] * (float)before->rotation[k];
    }
    for (int k = 0; k < 4; ++k)
        out[k] = (int16_t)lrintf((dot < 0 ? -c[k] : c[k]) * 32767.0f);
}

// One joint, as it is now; `before` is the frame before, or NULL.
static void put_sample(size_t joint, SnVec3 position, SnQuat rotation, float scale,
                       const GltfSample *before, GltfSample *samples) {
    GltfSample *sample = &samples[joint];
    memcpy(sample->position, &position, sizeof sample->position);
    sample->scale = scale;
    sn__gltf_put_rotation(rotation, before ? &before[joint] : NULL, sample->rotation);
}

static void fill_samples(SnGltf *gltf, const SnPoses *poses, GltfSample *samples) {
    int last = gltf->frame_count - 1;
    const GltfSample *before = last >= 0 ? gltf->frames[last] : NULL;
    for (int r = 0; r < gltf->body_count; ++r) {
        const GltfRod *rod = &gltf->rods[r];
        for (int i = 0; i < rod->joint_count; ++i) {
            size_t v = (size_t)(rod->first_vertex + sn__gltf_joint_vertex(rod, i));
            const float *p = poses->positions + 3 * v;
            put_sample((size_t)(rod->first_joint + i), sn_vec3(p[0], p[1], p[2]),
                       rotation_at(poses, v), poses->scales[v], before, samples);
        }
    }
    sn__gltf_move_led(gltf, poses);
    for (int r = gltf->body_count; r < gltf->led_end; ++r) {
        SnPose pose = gltf->led_poses[r - gltf->body_count];
        put_sample((size_t)gltf->rods[r].first_joint, pose.position, pose.rotation, 1.0f, before,
                   samples);
    }
}

SnResult sn_gltf_frame(SnGltf *gltf, const SnPoses *poses, double time) {
    if (gltf == NULL)
        return sn__null("gltf");
    if (poses == NULL)
        return sn__null("gltf: poses");
    if (!has_rotations(poses))
        return no_rotations();
    if (!same_bodies(gltf, poses))
        return sn_error(SN_ERROR_INVALID,
                        "gltf: bodies of another number or size than it began with: %d of %d "
                        "points in all, not %d of %d",
                        poses->body_count, poses->point_count, gltf->body_count, gltf->point_count);
    float last = gltf->frame_count > 0 ? gltf->times[gltf->frame_count - 1] : 0;
    if (!(time >= 0) || (gltf->frame_count > 0 && !((float)time > last)))
        return sn_error(SN_ERROR_INVALID, "gltf: time %g s is not after the frame before, %g s",
                        time, (double)last);
    GltfSample *samples = malloc(((size_t)gltf->joint_count + 1) * sizeof *samples +
                                 (size_t)gltf->actor_joint_count * sizeof(GltfActorSample));
    bool room = samples && grow_frames(gltf);
    if (room) {
        fill_samples(gltf, poses, samples);
        room = sn__gltf_sample_actors(gltf, time, samples);
    }
    if (!room) {
        free(samples);
        return sn_error(SN_ERROR_MEMORY, "gltf: no memory for frame %d", gltf->frame_count);
    }
    gltf->times[gltf->frame_count] = (float)time;
    gltf->frames[gltf->frame_count++] = samples;
    return sn_ok();
}

int sn_gltf_frame_count(const SnGltf *gltf) { return GIVEN(gltf) ? gltf->frame_count : 0; }

void sn_gltf_destroy(SnGltf *gltf) {
    if (gltf == NULL)
        return;
    for (int i = 0; i < gltf->frame_count; ++i)
        free(gltf->frames[i]);
    sn__gltf_free_morphs(gltf);
    free(gltf->frames);
    free(gltf->times);
    sn__arena_free(&gltf->arena);
    free(gltf);
}
