// Limbs as characters: a closed tube of rings around a chain of three joints, with weights that go over
// from joint to joint smoothly, and a clip that bends it.
#include <string.h>

#include "math/vec.h"
#include "skeleton/model_character.h"

#define SIDES 31
#define RINGS 70
#define VERTICES (SIDES * RINGS + 2) // two poles
#define TRIANGLES (2 * SIDES * RINGS)
#define JOINTS 3
#define BEND 2.6179939 // 150°, rad
#define KEYS 16        // of a bend
#define SHAKE_KEYS 100
#define SHAKE_SECONDS 2.0
#define SHAKE_RATE 2.5 // Hz
#define SHAKE 0.436    // 25°
#define PI 3.14159265358979324

// How wide and how thick the limb is at some place along it; across it, its middle is off the line.
typedef struct Station {
    double at, wide, thick, off; // m
} Station;

typedef struct Limb {
    const char *name;
    const char *joints[JOINTS];
    double places[JOINTS];  // along the limb, m
    double overlap[JOINTS]; // half the length over which a joint takes over from the one before, m
    int station_count;
    const Station *stations;
    double sense; // of the bend: 1 towards the side that `off` points at
    SnQuat stand; // from along x to how it stands
} Limb;

static const Station ARM[] = {
    {-0.06, 0.030, 0.030, 0.0},  {-0.045, 0.048, 0.050, 0.0}, {0.02, 0.054, 0.060, 0.0},
    {0.13, 0.047, 0.056, 0.006}, {0.25, 0.040, 0.043, 0.0},   {0.30, 0.042, 0.041, -0.002},
    {0.37, 0.045, 0.044, 0.003}, {0.48, 0.032, 0.029, 0.0},   {0.56, 0.028, 0.021, 0.0},
    {0.62, 0.043, 0.018, 0.0},   {0.70, 0.040, 0.015, 0.0},   {0.735, 0.026, 0.011, 0.0}};
static const Station LEG[] = {
    {-0.10, 0.055, 0.060, 0.0},   {-0.07, 0.082, 0.092, 0.0},   {0.05, 0.085, 0.098, 0.0},
    {0.20, 0.072, 0.083, -0.004}, {0.35, 0.058, 0.063, 0.0},    {0.42, 0.056, 0.062, -0.004},
    {0.52, 0.055, 0.058, 0.010},  {0.68, 0.038, 0.040, 0.004},  {0.80, 0.033, 0.036, 0.0},
    {0.85, 0.038, 0.048, -0.008}, {0.91, 0.044, 0.058, -0.014}, {0.935, 0.034, 0.044, -0.014}};

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
static const Limb LIMBS[] = {
    [SN_CHARACTER_ARM] = {"arm",
                          {"upper arm", "forearm", "hand"},
                          {0.0, 0.30, 0.56},
                          {0.0, 0.06, 0.04},
                          COUNT(ARM),
                          ARM,
                          1.0,
                          {0.0f, 0.0f, 0.0f, 1.0f}},
    [SN_CHARACTER_LEG] = {"leg",
                          {"thigh", "shin", "foot"},
                          {0.0, 0.42, 0.83},
                          {0.0, 0.08, 0.05},
                          COUNT(LEG),
                          LEG,
                          1.0,
                          {-0.5f, 0.5f, -0.5f, 0.5f}}, // x down, y back
};

// Between stations: a cubic through them, with the slopes of the lines between their neighbours.
static double between(const Station *s, int count, double at, size_t field) {
    int k = 0;
    while (k < count - 2 && at > s[k + 1].at)
        ++k;
    double v[4], x[4];
    for (int i = 0; i < 4; ++i) {
        int j = k - 1 + i;
        j = j < 0 ? 0 : j > count - 1 ? count - 1 : j;
        x[i] = s[j].at;
        memcpy(&v[i], (const char *)&s[j] + field, sizeof v[i]);
    }
    double length = x[2] - x[1], t = (at - x[1]) / length;
    double from = (v[2] - v[0]) / (x[2] - x[0]) * length,
           to = (v[3] - v[1]) / (x[3] - x[1]) * length;
    return v[1] + t * (from + t * (3.0 * (v[2] - v[1]) - 2.0 * from - to +
                                   t * (2.0 * (v[1] - v[2]) + from + to)));
}

typedef struct LimbMesh {
    SnVec3 positions[VERTICES], normals[VERTICES];
    uint32_t triangles[3 * TRIANGLES];
    int joints[SN_MESH_JOINTS * VERTICES];
    float weights[SN_MESH_JOINTS * VERTICES];
} LimbMesh;

// 0 before, 1 after, with a smooth step between.
static double takeover(double at, double place, double overlap) {
    double t = (at - place) / (2.0 * overlap) + 0.5;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return t * t * (3.0 - 2.0 * t);
}

static void add_vertex(const Limb *limb, LimbMesh *mesh, int v, Vec3d x) {
    double at = x.x, elbow = takeover(at, limb->places[1], limb->overlap[1]);
    double wrist = takeover(at, limb->places[2], limb->overlap[2]);
    const double weights[JOINTS] = {1.0 - elbow, elbow * (1.0 - wrist), elbow * wrist};
    for (int k = 0; k < JOINTS; ++k) {
        mesh->joints[SN_MESH_JOINTS * v + k] = k;
        mesh->weights[SN_MESH_JOINTS * v + k] = (float)weights[k];
    }
    mesh->positions[v] = vec3f(rotated(quatd(limb->stand), x));
}

// Rings are denser towards the poles, as the surface turns inwards there.
static double ring_place(const Limb *limb, int ring) {
    const Station *s = limb->stations;
    double low = s[0].at, high = s[limb->station_count - 1].at, t = (ring + 0.5) / RINGS;
    double bend = t - sin(2.0 * PI * t) / (2.0 * PI);
    return low + (high - low) * (0.85 * t + 0.15 * bend);
}

static void make_surface(const Limb *limb, LimbMesh *mesh) {
    const Station *s = limb->stations;
    int n = limb->station_count, v = 0, t = 0;
    for (int i = 0; i < RINGS; ++i) {
        double at = ring_place(limb, i);
        double wide = between(s, n, at, offsetof(Station, wide));
        double thick = between(s, n, at, offsetof(Station, thick));
        double off = between(s, n, at, offsetof(Station, off));
        for (int k = 0; k < SIDES; ++k, ++v) {
            double angle = 2.0 * PI * (k + 0.5 * (i % 2)) / SIDES;
            add_vertex(limb, mesh, v, (Vec3d){at, off + thick * cos(angle), wide * sin(angle)});
        }
    }
    add_vertex(limb, mesh, v, (Vec3d){s[0].at - 0.012, s[0].off, 0.0});
    add_vertex(limb, mesh, v + 1, (Vec3d){s[n - 1].at + 0.008, s[n - 1].off, 0.0});
    for (int i = -1; i < RINGS; ++i)
        for (int k = 0; k < SIDES; ++k) {
            int next = (k + 1) % SIDES, odd = i & 1;
            uint32_t a = (uint32_t)(i * SIDES + k), b = (uint32_t)(i * SIDES + next);
            uint32_t c = (uint32_t)((i + 1) * SIDES + k), d = (uint32_t)((i + 1) * SIDES + next);
            const uint32_t two[2][2][3] = {{{a, b, c}, {b, d, c}}, {{a, d, c}, {a, b, d}}};
            const uint32_t first[3] = {VERTICES - 2, d, c}, last[3] = {a, b, VERTICES - 1};
            if (i < 0)
                memcpy(mesh->triangles + 3 * t++, first, sizeof first);
            else if (i == RINGS - 1)
                memcpy(mesh->triangles + 3 * t++, last, sizeof last);
            else
                for (int j = 0; j < 2; ++j)
                    memcpy(mesh->triangles + 3 * t++, two[odd][j], sizeof two[odd][j]);
        }
}

static void make_normals(LimbMesh *mesh) {
    memset(mesh->normals, 0, sizeof mesh->normals);
    for (int t = 0; t < TRIANGLES; ++t) {
        const uint32_t *c = mesh->triangles + 3 * t;
        SnVec3 e = sn_vec3_sub(mesh->positions[c[1]], mesh->positions[c[0]]);
        SnVec3 f = sn_vec3_sub(mesh->positions[c[2]], mesh->positions[c[0]]);
        for (int k = 0; k < 3; ++k)
            mesh->normals[c[k]] = sn_vec3_add(mesh->normals[c[k]], sn_vec3_cross(e, f));
    }
    for (int v = 0; v < VERTICES; ++v)
        mesh->normals[v] = sn_vec3_normalise(mesh->normals[v], sn_vec3(0.0f, 1.0f, 0.0f));
}

// Bent by 150° after a second, straight again after two and a half.
static void make_keys(const Limb *limb, float *times, float *values) {
    for (int i = 0; i <= 2 * KEYS + 1; ++i) {
        double t = i <= KEYS ? (double)i / KEYS : (double)(2 * KEYS + 1 - i) / KEYS;
        double angle = 0.5 * limb->sense * BEND * t * t * (3.0 - 2.0 * t);
        times[i] = (float)(i <= KEYS ? (double)i / KEYS : 0.5 + (double)(i - 1) / KEYS);
        values[4 * i] = values[4 * i + 1] = 0.0f;
        values[4 * i + 2] = (float)sin(angle);
        values[4 * i + 3] = (float)cos(angle);
    }
}

// All of it is swung by 25° at 2.5 Hz, which begins and ends softly within two seconds.
static void make_shake(const Limb *limb, float *times, float *values) {
    for (int i = 0; i <= SHAKE_KEYS; ++i) {
        double t = SHAKE_SECONDS * i / SHAKE_KEYS, window = sin(PI * i / SHAKE_KEYS);
        double angle = SHAKE * window * window * sin(2.0 * PI * SHAKE_RATE * t);
        Quatd turn = {0.0, 0.0, sin(0.5 * angle), cos(0.5 * angle)};
        SnQuat q = quatf(mulqd(quatd(limb->stand), turn));
        times[i] = (float)t;
        memcpy(values + 4 * i, &q, sizeof q);
    }
}

SnResult sn__limb_skeleton(SnCharacter which, const SnAllocator *allocator, SnSkeleton **out) {
    const Limb *limb = &LIMBS[which];
    LimbMesh *mesh = sn__alloc(allocator, sizeof *mesh);
    if (mesh == NULL)
        return sn_error(SN_ERROR_MEMORY, "character: no memory for %s", limb->name);
    make_surface(limb, mesh);
    make_normals(mesh);
    float times[2 * KEYS + 2], values[4 * (2 * KEYS + 2)];
    make_keys(limb, times, values);
    float shake_times[SHAKE_KEYS + 1], shake_values[4 * (SHAKE_KEYS + 1)];
    make_shake(limb, shake_times, shake_values);
    const int numbers[JOINTS] = {0, 1, 2};
    SnJointDef joints[JOINTS];
    SnMap binds[JOINTS];
    for (int k = 0; k < JOINTS; ++k) {
        double before = k > 0 ? limb->places[k - 1] : 0.0, place = limb->places[k];
        joints[k] = (SnJointDef){limb->joints[k], k - 1, {.rotation = sn_quat_identity()}, true};
        joints[k].rest.scale = sn_vec3(1.0f, 1.0f, 1.0f);
        joints[k].rest.translation = sn_vec3((float)(place - before), 0.0f, 0.0f);
        joints[k].rest.rotation = k == 0 ? limb->stand : sn_quat_identity();
        Quatd back = conjugated(quatd(limb->stand));
        binds[k] = (SnMap){vec3f(rotated(back, (Vec3d){1.0, 0.0, 0.0})),
                           vec3f(rotated(back, (Vec3d){0.0, 1.0, 0.0})),
                           vec3f(rotated(back, (Vec3d){0.0, 0.0, 1.0})),
                           sn_vec3((float)-place, 0.0f, 0.0f)};
    }
    const SnSkeletonMesh skin = {.name = limb->name,
                                 .vertex_count = VERTICES,
                                 .triangle_count = TRIANGLES,
                                 .joint_count = JOINTS,
                                 .positions = mesh->positions,
                                 .normals = mesh->normals,
                                 .triangles = mesh->triangles,
                                 .joints = numbers,
                                 .binds = binds,
                                 .vertex_joints = mesh->joints,
                                 .vertex_weights = mesh->weights,
                                 .colour = {0.80f, 0.55f, 0.42f},
                                 .image = -1};
    const SnChannelDef channel = {1, SN_KEYS_ROTATION, SN_KEYS_LINEAR, 2 * KEYS + 2, times, values};
    const SnChannelDef shake = {0,           SN_KEYS_ROTATION, SN_KEYS_LINEAR, SHAKE_KEYS + 1,
                                shake_times, shake_values};
    const SnClipDef clips[] = {{"bend", 1, &channel}, {"shake", 1, &shake}};
    SnSkeletonDef def = sn_default_skeleton_def();
    def.name = limb->name;
    def.joint_count = JOINTS;
    def.joints = joints;
    def.clip_count = COUNT(clips);
    def.mesh_count = 1;
    def.clips = clips;
    def.meshes = &skin;
    SnResult result = sn_skeleton_create(&def, allocator, out);
    sn__free(allocator, mesh, sizeof *mesh);
    return result;
}
