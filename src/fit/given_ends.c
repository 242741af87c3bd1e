// Ends that are given: by spheres, by vertices of the mesh, by bones.
#include "fit/ends.h"
#include "fit/nearest.h"

#include <stdlib.h>

// What is farthest from an end that is given has so much of the volume.
#define OPPOSITE_VOLUME 0.003

// How much a cell's distance from the other end weighs against its distance from a bone. A muscle may
// lie along its bone: of all that is as near to it, the tip is what is farthest from the other end.
#define AWAY 0.5

typedef struct Rank {
    double value;
    int cell;
} Rank;

// One of the two ends.
typedef struct Given {
    const SnFitEnd *end;
    uint8_t *marked;   // per cell
    double **to_bones; // distances of all cells, per bone
} Given;

typedef struct Search {
    FitMemory *memory;
    const FitCells *cells;
    const SnViperizeDef *def;
    Vec3d centre; // what cells are relative to
    FitEnds *ends;
    Given given[2]; // source and sink
} Search;

static int by_value(const void *a, const void *b) {
    const Rank *p = a, *q = b;
    if (p->value != q->value)
        return p->value > q->value ? -1 : 1;
    return p->cell - q->cell;
}

// Marks the `share` of all cells with the largest values.
static bool mark_extreme(FitMemory *memory, const FitCells *cells, const double *values,
                         double share, uint8_t *marked) {
    FitBlock *mark = memory->last;
    Rank *ranks = sn__fit_alloc(memory, (size_t)cells->count, sizeof *ranks);
    if (ranks == NULL)
        return false;
    for (int i = 0; i < cells->count; ++i)
        ranks[i] = (Rank){values[i], i};
    qsort(ranks, (size_t)cells->count, sizeof *ranks, by_value);
    int count = (int)(share * cells->count);
    for (int i = 0; i < (count > 4 ? count : 4); ++i)
        marked[ranks[i].cell] = 1;
    sn__fit_release(memory, mark);
    return true;
}

static bool is_given(const SnFitEnd *end) {
    return end->sphere_count + end->vertex_count + end->bone_count > 0;
}

static void mark_spheres(Search *s, const Given *given) {
    const FitCells *cells = s->cells;
    for (int k = 0; k < given->end->sphere_count; ++k) {
        Vec3d middle = subd(vec3d(given->end->spheres[k].centre), s->centre);
        double radius = (double)given->end->spheres[k].radius;
        int count = 0;
        for (int i = 0; i < cells->count; ++i)
            if (lengthd(subd(cells->centres[i], middle)) <= radius) {
                given->marked[i] = 1;
                ++count;
            }
        if (count == 0) {
            int nearest = sn__fit_nearest_cell(cells, middle);
            given->marked[nearest] = 1;
            s->ends->moved +=
                lengthd(subd(cells->centres[nearest], middle)) > radius + 2.0 * cells->side;
        }
    }
}

// Marks the cells along a triangle, by points on it that are no farther apart than cells.
static void mark_triangle(const FitCells *cells, const Vec3d corners[3], uint8_t *marked) {
    Vec3d u = subd(corners[1], corners[0]), v = subd(corners[2], corners[0]);
    double longest = fmax(lengthd(subd(u, v)), fmax(lengthd(u), lengthd(v)));
    int steps = (int)ceil(longest / cells->side) + 1;
    for (int i = 0; i <= steps; ++i)
        for (int k = 0; i + k <= steps; ++k) {
            Vec3d x = addd(corners[0], scaled(u, (double)i / steps));
            x = addd(x, scaled(v, (double)k / steps));
            marked[sn__fit_nearest_cell(cells, x)] = 1;
        }
}

static bool mark_vertices(Search *s, const Given *given) {
    const SnViperizeDef *def = s->def;
    const SnFitEnd *end = given->end;
    FitBlock *mark = s->memory->last;
    bool *listed = sn__fit_alloc(s->memory, (size_t)def->vertex_count, sizeof *listed);
    if (listed == NULL)
        return false;
    for (int i = 0; i < end->vertex_count; ++i) {
        Vec3d x = subd(vec3d(def->positions[end->vertices[i]]), s->centre);
        given->marked[sn__fit_nearest_cell(s->cells, x)] = 1;
        listed[end->vertices[i]] = true;
    }
    for (int i = 0; i < def->triangle_count; ++i) {
        const uint32_t *t = def->triangles + 3 * i;
        if (!listed[t[0]] || !listed[t[1]] || !listed[t[2]])
            continue;
        Vec3d corners[3];
        for (int c = 0; c < 3; ++c)
            corners[c] = subd(vec3d(def->positions[t[c]]), s->centre);
        mark_triangle(s->cells, corners, given->marked);
    }
    sn__fit_release(s->memory, mark);
    return true;
}

// Distances of all cells from a bone.
static bool measure_bone(Search *s, const SnFitBone *bone, double *out) {
    FitBlock *mark = s->memory->last;
    Vec3d *points = sn__fit_alloc(s->memory, (size_t)bone->vertex_count, sizeof *points);
    int(*triangles)[3] = sn__fit_alloc(s->memory, (size_t)bone->triangle_count, sizeof *triangles);
    FitNearest nearest;
    if (points == NULL || triangles == NULL)
        return false;
    for (int i = 0; i < bone->vertex_count; ++i)
        points[i] = subd(vec3d(bone->positions[i]), s->centre);
    for (int i = 0; i < 3 * bone->triangle_count; ++i)
        triangles[i / 3][i % 3] = (int)bone->triangles[i];
    if (!sn__fit_nearest_begin(s->memory, points, triangles, bone->triangle_count, &nearest))
        return false;
    for (int i = 0; i < s->cells->count; ++i)
        out[i] = sn__fit_nearest(&nearest, s->cells->centres[i]);
    sn__fit_nearest_end(&nearest);
    sn__fit_release(s->memory, mark);
    return true;
}

static bool measure_bones(Search *s, Given *given) {
    int count = given->end->bone_count;
    given->to_bones = sn__fit_alloc(s->memory, (size_t)count, sizeof *given->to_bones);
    if (given->to_bones == NULL)
        return false;
    for (int b = 0; b < count; ++b) {
        given->to_bones[b] =
            sn__fit_alloc(s->memory, (size_t)s->cells->count, sizeof **given->to_bones);
        if (given->to_bones[b] == NULL ||
            !measure_bone(s, &given->end->bones[b], given->to_bones[b]))
            return false;
    }
    return true;
}

// Lengths of ways from all marked cells; all zeros if none is.
static bool distances_from(Search *s, const uint8_t *marked, double *out) {
    FitBlock *mark = s->memory->last;
    bool *from = sn__fit_alloc(s->memory, (size_t)s->cells->count, sizeof *from), any = false;
    if (from == NULL)
        return false;
    for (int i = 0; i < s->cells->count; ++i) {
        from[i] = marked[i] != 0;
        any = any || from[i];
        out[i] = 0.0;
    }
    bool good = !any || sn__fit_distances(s->memory, s->cells, from, 0, out);
    sn__fit_release(s->memory, mark);
    return good;
}

// How far cells are from the other end: from its nearest bone, or along the muscle from what is marked.
static bool measure_away(Search *s, const Given *other, double *out) {
    int bones = other->end->bone_count;
    if (bones == 0)
        return distances_from(s, other->marked, out);
    for (int i = 0; i < s->cells->count; ++i) {
        out[i] = other->to_bones[0][i];
        for (int b = 1; b < bones; ++b)
            out[i] = fmin(out[i], other->to_bones[b][i]);
    }
    return true;
}

// The tips at bones: each is nearest to one of them, and away from the other end.
static bool find_bone_tips(Search *s, const Given *given, const Given *other, int *tips) {
    FitBlock *mark = s->memory->last;
    double *away = sn__fit_alloc(s->memory, (size_t)s->cells->count, sizeof *away);
    if (away == NULL || !measure_away(s, other, away))
        return false;
    for (int b = 0; b < given->end->bone_count; ++b) {
        const double *to_bone = given->to_bones[b];
        tips[b] = 0;
        for (int i = 1; i < s->cells->count; ++i)
            if (to_bone[i] - AWAY * away[i] < to_bone[tips[b]] - AWAY * away[tips[b]])
                tips[b] = i;
        s->ends->gap = fmax(s->ends->gap, to_bone[tips[b]] - s->cells->side);
    }
    sn__fit_release(s->memory, mark);
    return true;
}

// The end faces that tips are on.
static bool mark_faces(Search *s, const Given *given, const Given *other, const int *tips) {
    FitBlock *mark = s->memory->last;
    double *distances = sn__fit_alloc(s->memory, (size_t)s->cells->count, sizeof *distances);
    if (distances == NULL || !distances_from(s, other->marked, distances))
        return false;
    double longest = 0.0;
    for (int i = 0; i < s->cells->count; ++i)
        longest = fmax(longest, distances[i]);
    for (int b = 0; b < given->end->bone_count; ++b)
        if (!sn__fit_mark_face(s->memory, s->cells, distances, tips[b], longest, 1, given->marked))
            return false;
    sn__fit_release(s->memory, mark);
    return true;
}

// What is farthest from an end that is given is the other one.
static bool mark_opposite(Search *s, const Given *given, const Given *other) {
    FitBlock *mark = s->memory->last;
    double *distances = sn__fit_alloc(s->memory, (size_t)s->cells->count, sizeof *distances);
    bool good = distances != NULL && distances_from(s, given->marked, distances) &&
                mark_extreme(s->memory, s->cells, distances, OPPOSITE_VOLUME, other->marked);
    sn__fit_release(s->memory, mark);
    return good;
}

// False: no memory.
static bool mark_ends(Search *s) {
    int *tips[2];
    for (int e = 0; e < 2; ++e) {
        Given *given = &s->given[e];
        mark_spheres(s, given);
        tips[e] = sn__fit_alloc(s->memory, (size_t)given->end->bone_count, sizeof *tips[e]);
        if (tips[e] == NULL || !mark_vertices(s, given) || !measure_bones(s, given))
            return false;
    }
    for (int e = 0; e < 2; ++e)
        if (!find_bone_tips(s, &s->given[e], &s->given[1 - e], tips[e]))
            return false;
    for (int e = 0; e < 2; ++e)
        for (int b = 0; b < s->given[e].end->bone_count; ++b)
            s->given[e].marked[tips[e][b]] = 1;
    for (int e = 0; e < 2; ++e)
        if (!is_given(s->given[e].end) && !mark_opposite(s, &s->given[1 - e], &s->given[e]))
            return false;
    for (int e = 0; e < 2; ++e)
        if (!mark_faces(s, &s->given[e], &s->given[1 - e], tips[e]))
            return false;
    return true;
}

// The kinds of cells from two lists; where these meet there is no way between them.
static SnResult join_ends(const FitCells *cells, const uint8_t *source, const uint8_t *sink,
                          uint8_t *kinds) {
    const char *how =
        "source: it touches the sink: make one of them smaller, move it away, or name "
        "another bone";
    for (int i = 0; i < cells->count; ++i) {
        if (source[i] && sink[i])
            return sn_error(SN_ERROR_INVALID, "%s", how);
        kinds[i] = source[i] ? FIT_SOURCE : sink[i] ? FIT_SINK : FIT_FREE;
    }
    for (int i = 0; i < cells->count; ++i)
        for (int side = 1; side < 6; side += 2) {
            int j = cells->neighbours[i][side];
            if (j >= 0 && kinds[i] + kinds[j] == FIT_SOURCE + FIT_SINK && kinds[i] && kinds[j])
                return sn_error(SN_ERROR_INVALID, "%s", how);
        }
    return sn_ok();
}

SnResult sn__fit_find_ends(FitMemory *memory, const FitCells *cells, const SnViperizeDef *def,
                           Vec3d centre, FitEnds *out) {
    *out = (FitEnds){0};
    SnResult no_memory = sn_error(SN_ERROR_MEMORY, "source: no memory to find it");
    size_t count = (size_t)cells->count;
    Search s = {.memory = memory,
                .cells = cells,
                .def = def,
                .centre = centre,
                .ends = out,
                .given = {{.end = &def->source}, {.end = &def->sink}}};
    out->kinds = sn__fit_alloc(memory, count, sizeof *out->kinds);
    s.given[0].marked = sn__fit_alloc(memory, count, sizeof *s.given[0].marked);
    s.given[1].marked = sn__fit_alloc(memory, count, sizeof *s.given[1].marked);
    if (out->kinds == NULL || s.given[0].marked == NULL || s.given[1].marked == NULL)
        return no_memory;
    if (!is_given(&def->source) && !is_given(&def->sink))
        return sn__fit_ends_of_shape(memory, cells, out) ? sn_ok() : no_memory;
    if (!mark_ends(&s))
        return no_memory;
    return join_ends(cells, s.given[0].marked, s.given[1].marked, out->kinds);
}
