// A person as a character: a smooth skin around pills, one joint per limb, weights by the distance to the
// pills of each joint, a jump and a run.
#include <string.h>

#include "math/vec.h"
#include "sinew/model.h"
#include "skeleton/model_character.h"

#define JOINTS 12
#define PILLS 27
#define TRIANGLES 38600 // of the skin, about
#define BLEND 0.05      // m, how far weights go over from joint to joint
#define SMOOTHING 12    // double rounds over the mesh
#define LEAST_WEIGHT 0.01f
#define KEYS 5 // of the jump
#define RUN_KEYS 29
#define RUN_SECONDS 0.7 // of a cycle
#define TURN 6.283185307179586

enum { PELVIS, ABDOMEN, CHEST, HEAD, UPPER_ARM, FOREARM = 6, THIGH = 8, SHIN = 10 };

typedef struct FigureJoint {
    const char *name;
    int parent;
    SnVec3 at; // at rest, m
} FigureJoint;

static const FigureJoint JOINT[JOINTS] = {
    {"pelvis", -1, {0.0f, 0.95f, 0.0f}},
    {"abdomen", PELVIS, {0.0f, 1.06f, 0.0f}},
    {"chest", ABDOMEN, {0.0f, 1.22f, 0.0f}},
    {"head", CHEST, {0.0f, 1.52f, 0.0f}},
    {"upper arm left", CHEST, {0.18f, 1.42f, 0.0f}},
    {"upper arm right", CHEST, {-0.18f, 1.42f, 0.0f}},
    {"forearm left", UPPER_ARM, {0.385f, 1.215f, 0.0f}},
    {"forearm right", UPPER_ARM + 1, {-0.385f, 1.215f, 0.0f}},
    {"thigh left", PELVIS, {0.105f, 0.90f, 0.0f}},
    {"thigh right", PELVIS, {-0.105f, 0.90f, 0.0f}},
    {"shin left", THIGH, {0.13f, 0.49f, 0.01f}},
    {"shin right", THIGH + 1, {-0.13f, 0.49f, 0.01f}},
};

// A pill of the left side is on the right one, too, where its joint is a pair.
typedef struct FigurePill {
    int joint;
    SnVec3 from, to;
    float first, last; // radii, m
} FigurePill;

static const FigurePill PILL[] = {
    {PELVIS, {0.06f, 0.93f, 0.0f}, {-0.06f, 0.93f, 0.0f}, 0.105f, 0.105f},
    {ABDOMEN, {0.04f, 1.09f, 0.01f}, {-0.04f, 1.09f, 0.01f}, 0.095f, 0.095f},
    {CHEST, {0.06f, 1.28f, 0.0f}, {-0.06f, 1.28f, 0.0f}, 0.105f, 0.105f},
    {CHEST, {0.12f, 1.40f, -0.01f}, {-0.12f, 1.40f, -0.01f}, 0.07f, 0.07f},
    {CHEST, {0.0f, 1.42f, -0.01f}, {0.0f, 1.52f, 0.0f}, 0.055f, 0.05f},
    {HEAD, {0.0f, 1.60f, 0.02f}, {0.0f, 1.67f, 0.005f}, 0.075f, 0.09f},
    {UPPER_ARM, {0.19f, 1.41f, 0.0f}, {0.28f, 1.32f, 0.0f}, 0.058f, 0.052f},
    {UPPER_ARM, {0.28f, 1.32f, 0.0f}, {0.385f, 1.215f, 0.0f}, 0.052f, 0.042f},
    {FOREARM, {0.385f, 1.215f, 0.0f}, {0.43f, 1.16f, 0.0f}, 0.042f, 0.042f},
    {FOREARM, {0.43f, 1.16f, 0.0f}, {0.56f, 1.02f, 0.0f}, 0.042f, 0.028f},
    {FOREARM, {0.58f, 1.0f, 0.0f}, {0.63f, 0.94f, 0.0f}, 0.032f, 0.028f},
    {THIGH, {0.105f, 0.88f, 0.0f}, {0.122f, 0.65f, 0.01f}, 0.085f, 0.07f},
    {THIGH, {0.122f, 0.65f, 0.01f}, {0.13f, 0.49f, 0.01f}, 0.07f, 0.056f},
    {SHIN, {0.13f, 0.49f, 0.01f}, {0.135f, 0.36f, -0.005f}, 0.056f, 0.06f},
    {SHIN, {0.135f, 0.36f, -0.005f}, {0.135f, 0.09f, -0.01f}, 0.06f, 0.038f},
    {SHIN, {0.135f, 0.05f, -0.02f}, {0.14f, 0.04f, 0.13f}, 0.045f, 0.034f},
};
#define PILL_COUNT ((int)(sizeof PILL / sizeof PILL[0]))

typedef struct FigurePills {
    SnVec3 ends[2 * PILLS];
    float radii[2 * PILLS];
    int joints[PILLS];
    int count;
} FigurePills;

static void add_pill(FigurePills *all, const FigurePill *pill, bool mirrored) {
    int k = all->count++;
    float sign = mirrored ? -1.0f : 1.0f;
    all->ends[2 * k] = sn_vec3(sign * pill->from.x, pill->from.y, pill->from.z);
    all->ends[2 * k + 1] = sn_vec3(sign * pill->to.x, pill->to.y, pill->to.z);
    all->radii[2 * k] = pill->first;
    all->radii[2 * k + 1] = pill->last;
    all->joints[k] = pill->joint + mirrored;
}

static void make_pills(FigurePills *all) {
    all->count = 0;
    for (int i = 0; i < PILL_COUNT; ++i) {
        add_pill(all, &PILL[i], false);
        if (PILL[i].joint >= UPPER_ARM)
            add_pill(all, &PILL[i], true);
    }
}

// From a point to the surface of a pill, as if that were a stack of spheres.
static double pill_distance(const FigurePills *all, int pill, Vec3d x) {
    Vec3d a = vec3d(all->ends[2 * pill]), way = subd(vec3d(all->ends[2 * pill + 1]), a);
    double t = dotd(subd(x, a), way) / dotd(way, way);
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    double radius = (1.0 - t) * (double)all->radii[2 * pill] + t * (double)all->radii[2 * pill + 1];
    return lengthd(subd(x, addd(a, scaled(way, t)))) - radius;
}

static bool are_next(int a, int b) {
    return a == b || JOINT[a].parent == b || JOINT[b].parent == a;
}

// The nearest joint and those that hang on it or it hangs on, the less the farther they are.
static void find_shares(const FigurePills *all, SnVec3 x, float *shares) {
    double distance[JOINTS], share[JOINTS], sum = 0.0;
    int nearest = 0;
    for (int j = 0; j < JOINTS; ++j)
        distance[j] = 1e9;
    for (int k = 0; k < all->count; ++k)
        distance[all->joints[k]] = fmin(distance[all->joints[k]], pill_distance(all, k, vec3d(x)));
    for (int j = 1; j < JOINTS; ++j)
        nearest = distance[j] < distance[nearest] ? j : nearest;
    for (int j = 0; j < JOINTS; ++j) {
        double t = are_next(j, nearest) ? 1.0 - (distance[j] - distance[nearest]) / BLEND : 0.0;
        share[j] = t > 0.0 ? t * t : 0.0;
        sum += share[j];
    }
    for (int j = 0; j < JOINTS; ++j)
        shares[j] = (float)(share[j] / sum);
}

// One round of smoothing: each vertex takes the mean of itself and its neighbours.
static void smooth_shares(const SnMesh *mesh, const float *from, float *to, int *counts) {
    for (int v = 0; v < mesh->vertex_count; ++v)
        counts[v] = 1;
    memcpy(to, from, JOINTS * (size_t)mesh->vertex_count * sizeof *to);
    for (int i = 0; i < 3 * mesh->triangle_count; ++i) {
        int next = i % 3 == 2 ? i - 2 : i + 1;
        uint32_t v = mesh->triangles[i], other = mesh->triangles[next];
        ++counts[v]; // the edge the other way belongs to the next triangle
        for (int j = 0; j < JOINTS; ++j)
            to[JOINTS * v + (uint32_t)j] += from[JOINTS * other + (uint32_t)j];
    }
    for (int v = 0; v < mesh->vertex_count; ++v)
        for (int j = 0; j < JOINTS; ++j)
            to[JOINTS * v + j] /= (float)counts[v];
}

#define HEAVIEST 4 // joints that a vertex follows

static void choose_weights(const float *shares, int *joints, float *weights) {
    float left[JOINTS], sum = 0.0f;
    memcpy(left, shares, sizeof left);
    for (int k = 0; k < HEAVIEST; ++k) {
        int best = 0;
        for (int j = 1; j < JOINTS; ++j)
            best = left[j] > left[best] ? j : best;
        joints[k] = best;
        weights[k] = left[best] > LEAST_WEIGHT ? left[best] : 0.0f;
        sum += weights[k];
        left[best] = 0.0f;
    }
    for (int k = 0; k < HEAVIEST; ++k)
        weights[k] /= sum;
}

static bool find_weights(const SnAllocator *allocator, const FigurePills *pills, const SnMesh *mesh,
                         int *joints, float *weights) {
    size_t n = (size_t)mesh->vertex_count, size = JOINTS * n * sizeof(float);
    float *shares = sn__alloc(allocator, size), *other = sn__alloc(allocator, size);
    int *counts = sn__alloc_array(allocator, n, sizeof *counts);
    bool good = shares && other && counts;
    for (int v = 0; v < mesh->vertex_count && good; ++v)
        find_shares(pills, mesh->positions[v], shares + JOINTS * v);
    for (int round = 0; round < SMOOTHING && good; ++round) { // twice
        smooth_shares(mesh, shares, other, counts);
        smooth_shares(mesh, other, shares, counts);
    }
    for (int v = 0; v < mesh->vertex_count && good; ++v)
        choose_weights(shares + JOINTS * v, joints + SN_MESH_JOINTS * v,
                       weights + SN_MESH_JOINTS * v);
    sn__free(allocator, shares, size);
    sn__free(allocator, other, size);
    sn__free(allocator, counts, n * sizeof *counts);
    return good;
}

// Angles about x, degrees, at each key: crouching, off the ground, crouching again, standing.
static const float TIMES[KEYS] = {0.0f, 0.5f, 0.8f, 1.2f, 1.6f};
static const struct {
    int joint;
    float angles[KEYS];
} TURNS[] = {
    {PELVIS, {0, 25, -5, 25, 0}},       {ABDOMEN, {0, 15, -5, 15, 0}},
    {CHEST, {0, 10, -5, 10, 0}},        {HEAD, {0, -25, 10, -25, 0}},
    {UPPER_ARM, {0, 60, -120, 40, 0}},  {UPPER_ARM + 1, {0, 60, -120, 40, 0}},
    {FOREARM, {0, -100, -20, -120, 0}}, {FOREARM + 1, {0, -100, -20, -120, 0}},
    {THIGH, {0, -115, 5, -115, 0}},     {THIGH + 1, {0, -115, 5, -115, 0}},
    {SHIN, {0, 140, 0, 140, 0}},        {SHIN + 1, {0, 140, 0, 140, 0}},
};
#define TURN_COUNT ((int)(sizeof TURNS / sizeof TURNS[0]))
static const float HEIGHTS[KEYS] = {0.95f, 0.55f, 1.35f, 0.55f, 0.95f};

typedef struct FigureMotion {
    float rotations[TURN_COUNT][4 * KEYS];
    float places[3 * KEYS];
    SnChannelDef channels[TURN_COUNT + 1];
} FigureMotion;

static void make_motion(FigureMotion *m) {
    for (int i = 0; i < TURN_COUNT; ++i) {
        for (int k = 0; k < KEYS; ++k) {
            double half = 0.5 * (double)TURNS[i].angles[k] * 0.01745329252;
            float q[4] = {(float)sin(half), 0.0f, 0.0f, (float)cos(half)};
            memcpy(m->rotations[i] + 4 * k, q, sizeof q);
        }
        m->channels[i] = (SnChannelDef){TURNS[i].joint, SN_KEYS_ROTATION, SN_KEYS_LINEAR, KEYS,
                                        TIMES,          m->rotations[i]};
    }
    for (int k = 0; k < KEYS; ++k) {
        m->places[3 * k] = m->places[3 * k + 2] = 0.0f;
        m->places[3 * k + 1] = HEIGHTS[k];
    }
    m->channels[TURN_COUNT] =
        (SnChannelDef){PELVIS, SN_KEYS_TRANSLATION, SN_KEYS_LINEAR, KEYS, TIMES, m->places};
}

// A cycle of running: angles about x, degrees, at a part p of the cycle from 0 to 1, for the left side; the
// right one is half a cycle later. Forward is negative at hips and shoulders, and at elbows.
static double hip_angle(double p) { return -15.0 - 40.0 * cos(TURN * p); }
static double knee_angle(double p) {
    double swing = sin(TURN * (p - 0.5)), stance = 1.0 - cos(2.0 * TURN * p);
    return 12.0 + (p > 0.5 ? 85.0 * swing * swing : 8.0 * stance);
}
static double shoulder_angle(double p) { return 5.0 + 38.0 * cos(TURN * p); }
static double elbow_angle(double p) { return -85.0 + 12.0 * cos(TURN * p); }

typedef struct FigureRunning {
    float times[RUN_KEYS], rotations[JOINTS][4 * RUN_KEYS], places[3 * RUN_KEYS];
    SnChannelDef channels[JOINTS + 1];
} FigureRunning;

// About x, y and z, degrees, z first.
static Quatd turned_by(double x, double y, double z) {
    double half = 0.5 * TURN / 360.0;
    Quatd about_x = {sin(half * x), 0.0, 0.0, cos(half * x)};
    Quatd about_y = {0.0, sin(half * y), 0.0, cos(half * y)};
    Quatd about_z = {0.0, 0.0, sin(half * z), cos(half * z)};
    return mulqd(about_x, mulqd(about_y, about_z));
}

static Quatd running_turn(int joint, double cycle) {
    bool right = joint >= UPPER_ARM && (joint - UPPER_ARM) % 2 == 1;
    double p = cycle + (right ? 0.5 : 0.0), side = right ? -1.0 : 1.0;
    p -= floor(p);
    switch (right ? joint - 1 : joint) {
    case PELVIS:
        return turned_by(6.0, -7.0 * cos(TURN * p), 0.0);
    case ABDOMEN:
        return turned_by(4.0, 7.0 * cos(TURN * p), 0.0);
    case CHEST:
        return turned_by(4.0, 8.0 * cos(TURN * p), 0.0);
    case HEAD:
        return turned_by(-12.0, -8.0 * cos(TURN * p), 0.0);
    case UPPER_ARM: // they hang lower than at rest
        return turned_by(shoulder_angle(p), 0.0, -30.0 * side);
    case FOREARM:
        return turned_by(elbow_angle(p), 0.0, 0.0);
    case THIGH:
        return turned_by(hip_angle(p), 0.0, 0.0);
    default:
        return turned_by(knee_angle(p), 0.0, 0.0);
    }
}

static void make_running(FigureRunning *m) {
    for (int k = 0; k < RUN_KEYS; ++k) {
        double cycle = (double)k / (RUN_KEYS - 1);
        m->times[k] = (float)(RUN_SECONDS * cycle);
        for (int j = 0; j < JOINTS; ++j) {
            SnQuat q = quatf(running_turn(j, cycle));
            memcpy(m->rotations[j] + 4 * k, &q, sizeof q);
        }
        // Off the ground twice per cycle.
        m->places[3 * k] = m->places[3 * k + 2] = 0.0f;
        m->places[3 * k + 1] = (float)(0.94 + 0.035 * cos(2.0 * TURN * (cycle - 0.4)));
    }
    for (int j = 0; j < JOINTS; ++j)
        m->channels[j] = (SnChannelDef){j,        SN_KEYS_ROTATION, SN_KEYS_LINEAR,
                                        RUN_KEYS, m->times,         m->rotations[j]};
    m->channels[JOINTS] =
        (SnChannelDef){PELVIS, SN_KEYS_TRANSLATION, SN_KEYS_LINEAR, RUN_KEYS, m->times, m->places};
}

static SnResult make_skeleton(const SnAllocator *allocator, const SnMesh *mesh, int *vertex_joints,
                              float *weights, SnSkeleton **out) {
    FigureMotion motion;
    SnJointDef joints[JOINTS];
    SnMap binds[JOINTS];
    int numbers[JOINTS];
    FigureRunning running;
    make_motion(&motion);
    make_running(&running);
    for (int j = 0; j < JOINTS; ++j) {
        int parent = JOINT[j].parent;
        SnVec3 from = parent >= 0 ? JOINT[parent].at : sn_vec3(0.0f, 0.0f, 0.0f);
        joints[j] = (SnJointDef){
            JOINT[j].name,
            parent,
            {sn_vec3_sub(JOINT[j].at, from), sn_quat_identity(), sn_vec3(1.0f, 1.0f, 1.0f)},
            true};
        binds[j] = (SnMap){{1.0f, 0.0f, 0.0f},
                           {0.0f, 1.0f, 0.0f},
                           {0.0f, 0.0f, 1.0f},
                           sn_vec3_scale(JOINT[j].at, -1.0f)};
        numbers[j] = j;
    }
    const SnSkeletonMesh skin = {.name = "figure",
                                 .vertex_count = mesh->vertex_count,
                                 .triangle_count = mesh->triangle_count,
                                 .joint_count = JOINTS,
                                 .positions = mesh->positions,
                                 .normals = mesh->normals,
                                 .triangles = mesh->triangles,
                                 .joints = numbers,
                                 .binds = binds,
                                 .vertex_joints = vertex_joints,
                                 .vertex_weights = weights,
                                 .colour = {0.80f, 0.55f, 0.42f},
                                 .image = -1};
    const SnClipDef clips[] = {{"jump", TURN_COUNT + 1, motion.channels},
                               {"run", JOINTS + 1, running.channels}};
    SnSkeletonDef def = sn_default_skeleton_def();
    def.name = "figure";
    def.joint_count = JOINTS;
    def.joints = joints;
    def.clip_count = 2;
    def.mesh_count = 1;
    def.clips = clips;
    def.meshes = &skin;
    return sn_skeleton_create(&def, allocator, out);
}

// Ends at the same place are one, so that limbs do not swell where their pills meet. Returns how many.
static int join_ends(const FigurePills *pills, SnVec3 *places, float *radii, int *edges) {
    int count = 0;
    for (int i = 0; i < 2 * pills->count; ++i) {
        int at = 0;
        while (at < count && (memcmp(&places[at], &pills->ends[i], sizeof *places) != 0 ||
                              radii[at] != pills->radii[i]))
            ++at;
        places[at] = pills->ends[i];
        radii[at] = pills->radii[i];
        edges[i] = at;
        count = at == count ? count + 1 : count;
    }
    return count;
}

SnResult sn__figure_skeleton(const SnAllocator *allocator, SnSkeleton **out) {
    FigurePills pills;
    SnMesh mesh = {0};
    make_pills(&pills);
    SnVec3 places[2 * PILLS];
    float radii[2 * PILLS];
    int edges[2 * PILLS];
    SnIsoDef iso = sn_default_iso_def();
    iso.vertex_count = join_ends(&pills, places, radii, edges);
    iso.edge_count = pills.count;
    iso.positions = places;
    iso.radii = radii;
    iso.edges = edges;
    iso.triangles = TRIANGLES;
    iso.blend = 0.03f;
    SnResult result = sn_iso_mesh(&iso, allocator, &mesh);
    if (result.code != SN_OK)
        return result;
    size_t n = SN_MESH_JOINTS * (size_t)mesh.vertex_count;
    int *joints = sn__alloc_array(allocator, n, sizeof *joints);
    float *weights = sn__alloc_array(allocator, n, sizeof *weights);
    bool good = joints && weights && find_weights(allocator, &pills, &mesh, joints, weights);
    result = good ? make_skeleton(allocator, &mesh, joints, weights, out)
                  : sn_error(SN_ERROR_MEMORY, "character: no memory for figure");
    sn__free(allocator, joints, n * sizeof *joints);
    sn__free(allocator, weights, n * sizeof *weights);
    sn_mesh_destroy(&mesh);
    return result;
}
