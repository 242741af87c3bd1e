// Muscles under the skin: each belongs to the part that it lies in, whose field is lowered along it so that
// the skin rests on the muscle (Roussellet et al. 2018, section 7.1).
#include "implicit/implicit.h"

#include <string.h>

// How far the surface of a part is lowered on a muscle, and how far from its surface that ends, over the
// reach.
#define LOWERED 0.25
#define LOWERED_WITHIN 0.4
#define TENDON 0.3       // radius over the reach, below which it is lowered less
#define NEAR_MUSCLE 0.5f // of a muscle's surface from a pack, over the reach: it may be joined
#define MOST_RADIUS 1.1  // of a muscle between its points, over those there: a cubic may swing over
#define OUTSIDE 3.0      // of a point of a muscle from a part, over the reach, at most

static int node_total(const SnImplicit *skin) {
    int sum = 0;
    for (int i = 0; i < skin->muscle_count; ++i)
        sum += skin->muscles[i]->count;
    return sum;
}

bool sn__implicit_take_muscles(SnImplicit *skin, const SnMuscleField *const *muscles, int count) {
    const SnAllocator *a = &skin->allocator;
    size_t n = (size_t)count;
    skin->muscle_count = count;
    if (count == 0)
        return true;
    skin->muscles = sn__alloc_array(a, n, sizeof *skin->muscles);
    skin->field_muscles = sn__alloc_array(a, n, sizeof *skin->field_muscles);
    skin->muscle_balls = sn__alloc_array(a, n, sizeof *skin->muscle_balls);
    if (skin->muscles)
        memcpy(skin->muscles, muscles, n * sizeof *muscles);
    skin->node_count = skin->muscles ? node_total(skin) : 0;
    skin->nodes = sn__alloc_array(a, 2 * (size_t)skin->node_count, sizeof *skin->nodes);
    return skin->muscles && skin->field_muscles && skin->muscle_balls && skin->nodes;
}

void sn__implicit_free_muscles(SnImplicit *skin) {
    const SnAllocator *a = &skin->allocator;
    size_t n = (size_t)skin->muscle_count;
    sn__free(a, skin->muscles, n * sizeof *skin->muscles);
    sn__free(a, skin->field_muscles, n * sizeof *skin->field_muscles);
    sn__free(a, skin->muscle_balls, n * sizeof *skin->muscle_balls);
    sn__free(a, skin->nodes, 2 * (size_t)skin->node_count * sizeof *skin->nodes);
}

// A ball around all of a muscle.
static FieldBall muscle_ball(const MuscleNode *nodes, int count, float longest_axis) {
    FieldBall ball = {{0.0f, 0.0f, 0.0f}, 0.0f};
    for (int i = 0; i < count; ++i) {
        SnVec3 x = sn_vec3(nodes[i].place[0], nodes[i].place[1], nodes[i].place[2]);
        ball.centre = sn_vec3_add_scaled(ball.centre, x, 1.0f / (float)count);
    }
    for (int i = 0; i < count; ++i) {
        SnVec3 x = sn_vec3(nodes[i].place[0], nodes[i].place[1], nodes[i].place[2]);
        float apart = sn_vec3_length(sn_vec3_sub(x, ball.centre));
        ball.radius = fmaxf(ball.radius, apart + longest_axis * nodes[i].shape[0]);
    }
    return ball;
}

bool sn__implicit_place_muscles(SnImplicit *skin) {
    size_t all = (size_t)skin->node_count;
    MuscleNode *nodes = skin->nodes;
    memcpy(nodes + all, nodes, all * sizeof *nodes);
    bool moved = false;
    for (int i = 0; i < skin->muscle_count; ++i) {
        const SnMuscleField *muscle = skin->muscles[i];
        FieldMuscle *field = &skin->field_muscles[i];
        double e = sn__muscle_field_eccentricity(muscle), u = sqrt(1.0 - e * e);
        const FieldPart *part = &skin->fields[field->part];
        sn__muscle_field_nodes(muscle, nodes);
        field->nodes = nodes;
        field->count = muscle->count;
        moved |= field->normal_axis != (float)u;
        field->normal_axis = (float)u;
        field->other_axis = (float)(1.0 / u);
        field->unit = part->reach_now > 0.0f ? part->reach / part->reach_now : 0.0f;
        field->most_radius = 0.0f;
        for (int k = 0; k < muscle->count; ++k)
            field->most_radius = fmaxf(field->most_radius, nodes[k].shape[0]);
        field->most_radius *= (float)(MOST_RADIUS / sqrt(u));
        skin->muscle_balls[i] = muscle_ball(nodes, muscle->count, (float)(1.0 / sqrt(u)));
        nodes += muscle->count;
    }
    return moved || memcmp(skin->nodes, skin->nodes + all, all * sizeof *nodes) != 0;
}

static float segment_distance(const MuscleNode *node, SnVec3 x) {
    SnVec3 a = sn_vec3(node[0].place[0], node[0].place[1], node[0].place[2]);
    SnVec3 b = sn_vec3(node[1].place[0], node[1].place[1], node[1].place[2]);
    SnVec3 edge = sn_vec3_sub(b, a), from = sn_vec3_sub(x, a);
    float square = sn_vec3_dot(edge, edge);
    float t = square > 0.0f ? sn_vec3_dot(from, edge) / square : 0.0f;
    t = fminf(fmaxf(t, 0.0f), 1.0f);
    return sn_vec3_length(sn_vec3_add_scaled(from, edge, -t));
}

// The segments of a muscle that may be nearest to a point of a ball: those not farther from its centre than
// the nearest one by more than its diameter. False: the muscle is too far away to matter.
static bool find_segments(const FieldMuscle *muscle, const FieldBall *ball, float within,
                          NearMuscle *out) {
    float least = 3e38f, surface = 3e38f;
    float axis = 1.0f / sqrtf(fminf(muscle->normal_axis, muscle->other_axis));
    for (int k = 0; k + 1 < muscle->count; ++k) {
        const MuscleNode *node = &muscle->nodes[k];
        float apart = segment_distance(node, ball->centre);
        float radius = axis * fmaxf(node[0].shape[0], node[1].shape[0]);
        least = fminf(least, apart);
        surface = fminf(surface, apart - radius - ball->radius);
    }
    if (surface > within)
        return false;
    out->begin = muscle->count;
    for (int k = 0; k + 1 < muscle->count; ++k)
        if (segment_distance(&muscle->nodes[k], ball->centre) <= least + 2.0f * ball->radius) {
            out->begin = k < out->begin ? k : out->begin;
            out->end = k + 1;
        }
    return true;
}

static bool looks_at(const SnImplicit *skin, const FieldPack *pack, int part) {
    bool seen = pack->own == part;
    for (int k = 0; k < pack->count && !seen; ++k)
        seen = (pack->near >> k & 1) && skin->others[pack->first + k] == part;
    return seen;
}

void sn__implicit_meet_muscles(const SnImplicit *skin, FieldPack *pack, const FieldBall *ball) {
    pack->muscle_count = 0;
    pack->near_muscles = ~0u;
    for (int i = 0;
         skin->muscles_joined && i < skin->muscle_count && pack->muscle_count < PACK_MUSCLES; ++i) {
        const FieldMuscle *muscle = &skin->field_muscles[i];
        const FieldBall *around = &skin->muscle_balls[i];
        float within = NEAR_MUSCLE * skin->fields[muscle->part].reach_now;
        SnVec3 apart = sn_vec3_sub(around->centre, ball->centre);
        float far = around->radius + ball->radius + within;
        NearMuscle near = {.muscle = i};
        if (sn_vec3_dot(apart, apart) < far * far && looks_at(skin, pack, muscle->part) &&
            find_segments(muscle, ball, within, &near))
            pack->muscles[pack->muscle_count++] = near;
    }
}

// The distance that a grid of a part tells at a point of the rest pose.
static double grid_value(const FieldGrid *grid, Vec3d x) {
    Vec3d at = scaled(subd(x, grid->low), 1.0 / grid->cell);
    const double c[3] = {at.x, at.y, at.z};
    int cell[3];
    double t[3], sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        if (!(c[k] >= 0.0 && c[k] <= grid->size[k] - 1))
            return OUTSIDE * grid->reach;
        cell[k] = (int)c[k] < grid->size[k] - 2 ? (int)c[k] : grid->size[k] - 2;
        t[k] = c[k] - cell[k];
    }
    for (int k = 0; k < 8; ++k) {
        int i = k & 1, j = k >> 1 & 1, l = k >> 2;
        double share = (i ? t[0] : 1.0 - t[0]) * (j ? t[1] : 1.0 - t[1]) * (l ? t[2] : 1.0 - t[2]);
        int index = cell[0] + i + grid->size[0] * (cell[1] + j + grid->size[1] * (cell[2] + l));
        sum += share * (double)grid->samples[index][3];
    }
    return sum;
}

// The part in which most of a muscle lies: points count by the area of the muscle there, and by how deep
// they are, over the reach.
static int part_of_muscle(const SnImplicit *skin, const SnMuscleField *muscle) {
    int best = 0;
    double least = 1e300;
    for (int p = 0; p < skin->part_count; ++p) {
        const FieldGrid *grid = &skin->parts[p].grid;
        double sum = 0.0;
        for (int i = 0; i < muscle->count && grid->samples; ++i) {
            double radius = sn_muscle_field_radius(muscle, muscle->places[i]);
            double depth = grid_value(grid, muscle->points[i]) / grid->reach;
            sum += radius * radius * fmin(OUTSIDE, fmax(-0.5, depth));
        }
        if (grid->samples && sum < least) {
            least = sum;
            best = p;
        }
    }
    return best;
}

static double smooth_step(double t) {
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    return t * t * (3.0 - 2.0 * t);
}

// By how much the surface is lowered: by all of it on a muscle, by nothing LOWERED_WITHIN reaches outside,
// and the less the thinner the muscle is there, as nothing is to be seen of tendons.
static double lowered(const SnImplicit *skin, int part, Vec3d x) {
    double most = 0.0, reach = skin->parts[part].grid.reach;
    for (int i = 0; i < skin->muscle_count; ++i) {
        const SnMuscleField *muscle = skin->muscles[i];
        if (skin->field_muscles[i].part != part)
            continue;
        double value = sn__muscle_field_value(muscle, x);
        if (value > LOWERED_WITHIN * reach)
            continue;
        double radius = sn_muscle_field_radius(muscle, sn_muscle_field_project(muscle, vec3f(x)));
        most = fmax(most, smooth_step(1.0 - value / (LOWERED_WITHIN * reach)) *
                              smooth_step(radius / (TENDON * reach)));
    }
    return LOWERED * reach * most;
}

typedef struct Lowering {
    const SnImplicit *skin;
    int part;
    float *by; // per point of the grid
} Lowering;

static void find_lowering(int begin, int end, int worker, void *context) {
    const Lowering *l = context;
    const FieldGrid *grid = &l->skin->parts[l->part].grid;
    size_t at = (size_t)begin * (size_t)grid->size[0] * (size_t)grid->size[1];
    (void)worker;
    for (int k = begin; k < end; ++k)
        for (int j = 0; j < grid->size[1]; ++j)
            for (int i = 0; i < grid->size[0]; ++i, ++at)
                l->by[at] = (float)lowered(l->skin, l->part,
                                           addd(grid->low, scaled((Vec3d){i, j, k}, grid->cell)));
}

// The slope of what is taken away, by the grid's own points.
static float slope_of(const FieldGrid *grid, const float *by, const int at[3], int axis) {
    const size_t stride[3] = {1, (size_t)grid->size[0],
                              (size_t)grid->size[0] * (size_t)grid->size[1]};
    size_t index = (size_t)at[0] + stride[1] * (size_t)at[1] + stride[2] * (size_t)at[2];
    size_t low = at[axis] > 0 ? index - stride[axis] : index;
    size_t high = at[axis] + 1 < grid->size[axis] ? index + stride[axis] : index;
    float cells = (float)((high - low) / stride[axis]);
    return (by[high] - by[low]) / (cells * (float)grid->cell);
}

static void lower_grid(FieldGrid *grid, const float *by) {
    size_t index = 0;
    for (int k = 0; k < grid->size[2]; ++k)
        for (int j = 0; j < grid->size[1]; ++j)
            for (int i = 0; i < grid->size[0]; ++i, ++index) {
                const int at[3] = {i, j, k};
                for (int axis = 0; axis < 3; ++axis)
                    grid->samples[index][axis] += slope_of(grid, by, at, axis);
                grid->samples[index][3] += by[index];
            }
}

bool sn__implicit_lower_parts(SnImplicit *skin) {
    bool good = true;
    skin->muscles_joined = true;
    for (int i = 0; i < skin->muscle_count; ++i)
        skin->field_muscles[i].part = part_of_muscle(skin, skin->muscles[i]);
    for (int p = 0; p < skin->part_count && good; ++p) {
        FieldGrid *grid = &skin->parts[p].grid;
        bool any = false;
        for (int i = 0; i < skin->muscle_count; ++i)
            any |= skin->field_muscles[i].part == p;
        if (!any || grid->samples == NULL)
            continue;
        size_t points = sn__field_grid_points(grid);
        Lowering lowering = {skin, p, sn__alloc_array(&skin->allocator, points, sizeof(float))};
        good = lowering.by != NULL;
        if (good) {
            skin->tasks.parallel_for(grid->size[2], 1, find_lowering, &lowering,
                                     skin->tasks.context);
            lower_grid(grid, lowering.by);
        }
        sn__free(&skin->allocator, lowering.by, points * sizeof(float));
    }
    return good;
}
