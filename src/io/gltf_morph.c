// What implicit skins add to linear blending, found frame by frame.
//
// A player moves vertex v of a mesh to M_v (p_v + Σ w_k t_kv) + o_v, with M_v and o_v the blended map of
// its joints. So the skin's place x_v asks for d_v = M_v⁻¹ (x_v − o_v) − p_v. A frame is projected
// onto the targets there are; if a vertex is then farther from its place than half of what is allowed, what is
// left of the frame becomes another target. No frame needs to be kept. In the end, principal components of
// the targets take their place (gltf_morph_reduce.c).
#include "io/gltf_morph.h"

#include "io/gltf_actor.h"
#include "math/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Of the inverse, over the size of the map: what blending has flattened further is not undone.
#define DAMPING 0.02
// Of the bound, beyond which a frame gets a target of its own; the rest is for what is left out at the end.
#define EARLY 0.5

typedef struct MorphWork {
    Map *maps;     // blended, one per vertex
    float *wanted; // 6 per vertex, as in a target
    Vec3d *missed; // what the damped inverse does not reach
} MorphWork;

// As the file has it.
static Map blended_map(const SnSkeletonMesh *mesh, int vertex, const SnMap *maps) {
    Map sum = {{{0.0, 0.0, 0.0}}};
    int joints[GLTF_FOLLOWED];
    float weights[GLTF_FOLLOWED];
    sn__gltf_heaviest(mesh, vertex, joints, weights);
    for (int k = 0; k < GLTF_FOLLOWED; ++k) {
        if (!(weights[k] > 0.0f))
            continue;
        Map outer = map_wide(&maps[mesh->joints[joints[k]]]);
        Map bind = map_wide(&mesh->binds[joints[k]]);
        Map map = map_chain(&outer, &bind);
        for (int c = 0; c < 4; ++c)
            sum.column[c] = addd(sum.column[c], scaled(map.column[c], (double)weights[k]));
    }
    return sum;
}

// (MᵀM + λ² I)⁻¹ Mᵀ e
static Vec3d undo(const Map *m, Vec3d e) {
    const Vec3d *c = m->column;
    double size = dotd(c[0], c[0]) + dotd(c[1], c[1]) + dotd(c[2], c[2]);
    double damping = DAMPING * DAMPING * size / 3.0 + 1e-30;
    Map square = {{{dotd(c[0], c[0]) + damping, dotd(c[1], c[0]), dotd(c[2], c[0])},
                   {dotd(c[0], c[1]), dotd(c[1], c[1]) + damping, dotd(c[2], c[1])},
                   {dotd(c[0], c[2]), dotd(c[1], c[2]), dotd(c[2], c[2]) + damping}}};
    Map back = map_inverse(&square);
    return map_direction(&back, (Vec3d){dotd(c[0], e), dotd(c[1], e), dotd(c[2], e)});
}

static void find_wanted(const SnSkeletonMesh *mesh, const SnImplicitMesh *skin, const SnMap *maps,
                        MorphWork *work) {
    float *normals = work->wanted + 3 * (size_t)mesh->vertex_count;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        Map map = work->maps[v] = blended_map(mesh, v, maps);
        Vec3d e = subd(vec3d(skin->positions[v]), map_point(&map, vec3d(mesh->positions[v])));
        Vec3d way = undo(&map, e);
        work->missed[v] = subd(e, map_direction(&map, way));
        SnVec3 d = vec3f(way);
        // Players turn normals by the map itself and normalise them.
        Vec3d n = undo(&map, vec3d(skin->normals[v]));
        double length = lengthd(n);
        SnVec3 turned = length > 0.0 ? vec3f(scaled(n, 1.0 / length)) : mesh->normals[v];
        SnVec3 change = sn_vec3_sub(turned, mesh->normals[v]);
        memcpy(work->wanted + 3 * v, &d, sizeof d);
        memcpy(normals + 3 * v, &change, sizeof change);
    }
}

static double dot(const float *a, const float *b, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

static void add_scaled(float *a, const float *b, float scale, size_t count) {
    for (size_t i = 0; i < count; ++i)
        a[i] += scale * b[i];
}

// The largest distance of a vertex from its place, with what is left in `wanted`.
static double largest_error(const MorphWork *work, int vertices) {
    double most = 0.0;
    for (int v = 0; v < vertices; ++v) {
        SnVec3 left;
        memcpy(&left, work->wanted + 3 * v, sizeof left);
        Vec3d e = addd(map_direction(&work->maps[v], vec3d(left)), work->missed[v]);
        most = fmax(most, dotd(e, e));
    }
    return sqrt(most);
}

// No vector becomes longer by more than that: with G = MᵀM, |M x|² ≤ (max G_ii + Σ |G_ij|) |x|².
static double largest_scale(const MorphWork *work, int vertices) {
    double most = 0.0;
    for (int v = 0; v < vertices; ++v) {
        const Vec3d *c = work->maps[v].column;
        double longest = fmax(dotd(c[0], c[0]), fmax(dotd(c[1], c[1]), dotd(c[2], c[2])));
        double mixed = fabs(dotd(c[0], c[1])) + fabs(dotd(c[1], c[2])) + fabs(dotd(c[2], c[0]));
        most = fmax(most, longest + mixed);
    }
    return sqrt(most);
}

static bool grow(GltfMorph *morph) {
    if (morph->frame_count < morph->frame_capacity)
        return true;
    size_t capacity = 2 * (size_t)morph->frame_capacity + 64;
    float **weights = realloc(morph->weights, capacity * sizeof *weights);
    morph->weights = weights ? weights : morph->weights;
    double *errors = realloc(morph->errors, capacity * sizeof *errors);
    morph->errors = errors ? errors : morph->errors;
    double *scales = realloc(morph->scales, capacity * sizeof *scales);
    morph->scales = scales ? scales : morph->scales;
    if (weights == NULL || errors == NULL || scales == NULL)
        return false;
    morph->frame_capacity = (int)capacity;
    return true;
}

// Projects the frame onto the targets and adds one where that does not do.
static bool add_frame(GltfMorph *morph, MorphWork *work) {
    size_t numbers = 3 * (size_t)morph->vertex_count;
    float *weights = calloc(GLTF_MOST_TARGETS, sizeof *weights);
    bool full = morph->count == GLTF_MOST_TARGETS;
    if (weights == NULL || !grow(morph) || (full && !sn__gltf_reduce_morph(morph))) {
        free(weights);
        return false;
    }
    morph->weights[morph->frame_count] = weights;
    for (int k = 0; k < morph->count; ++k) {
        weights[k] = (float)dot(work->wanted, morph->targets[k], numbers);
        add_scaled(work->wanted, morph->targets[k], -weights[k], 2 * numbers);
    }
    double error = largest_error(work, morph->vertex_count);
    if (error > EARLY * morph->bound && morph->count < GLTF_MOST_TARGETS) {
        float *target = malloc(2 * numbers * sizeof *target);
        double length = sqrt(dot(work->wanted, work->wanted, numbers));
        if (target == NULL) {
            free(weights);
            return false;
        }
        for (size_t i = 0; i < 2 * numbers; ++i)
            target[i] = (float)((double)work->wanted[i] / length);
        weights[morph->count] = (float)length;
        add_scaled(work->wanted, target, -(float)length, 2 * numbers);
        morph->targets[morph->count++] = target;
        error = largest_error(work, morph->vertex_count);
    }
    morph->scales[morph->frame_count] = largest_scale(work, morph->vertex_count);
    morph->errors[morph->frame_count++] = error;
    return true;
}

static bool morph_mesh(GltfActor *actor, int number, const SnMap *maps, double bound) {
    SnSkeletonMesh mesh = sn_skeleton_mesh(actor->skeleton, number);
    SnImplicitMesh skin = sn_implicit_mesh(actor->skin, number);
    size_t n = (size_t)mesh.vertex_count;
    if (skin.blended == NULL)
        return true; // it follows one joint
    MorphWork work = {malloc(n * sizeof(Map)), malloc(6 * n * sizeof(float)),
                      malloc(n * sizeof(Vec3d))};
    bool good = work.maps && work.wanted && work.missed;
    actor->morphs[number].vertex_count = mesh.vertex_count;
    actor->morphs[number].bound = fmax(actor->morphs[number].bound, bound);
    if (good) {
        find_wanted(&mesh, &skin, maps, &work);
        good = add_frame(&actor->morphs[number], &work);
    }
    free(work.maps);
    free(work.wanted);
    free(work.missed);
    return good;
}

bool sn__gltf_morph_frame(SnGltf *gltf, GltfActor *actor, const SnMap *maps) {
    double scale = (double)sn_vec3_length(actor->place.x);
    double height = scale * sn_implicit_info(actor->skin).height;
    gltf->morph_height = fmax(gltf->morph_height, height);
    for (int i = 0; i < actor->mesh_count; ++i)
        if (!morph_mesh(actor, i, maps, (double)actor->residual * height))
            return false;
    return true;
}

void sn__gltf_free_morphs(SnGltf *gltf) {
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count && gltf->actors[a].morphs; ++i) {
            GltfMorph *morph = &gltf->actors[a].morphs[i];
            for (int k = 0; k < morph->count; ++k)
                free(morph->targets[k]);
            for (int f = 0; f < morph->frame_count; ++f)
                free(morph->weights[f]);
            free(morph->weights);
            free(morph->errors);
            free(morph->scales);
        }
}

static void add_morph(SnGltfMorphs *all, const GltfMorph *morph) {
    all->target_count += sn__gltf_written_targets(morph);
    for (int f = 0; f < morph->frame_count; ++f)
        all->error = fmax(all->error, morph->errors[f]);
}

SnGltfMorphs sn_gltf_morphs(const SnGltf *gltf) {
    SnGltfMorphs all = {0};
    if (gltf == NULL)
        return all;
    for (int a = 0; a < gltf->actor_count; ++a)
        for (int i = 0; i < gltf->actors[a].mesh_count && gltf->actors[a].morphs; ++i)
            add_morph(&all, &gltf->actors[a].morphs[i]);
    all.height = gltf->morph_height;
    return all;
}
