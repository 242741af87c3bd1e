#include <string.h>

#include "base/memory.h"
#include "base/null.h"
#include "math/vec.h"
#include "sinew/model.h"

#define VERTICES 38
#define EDGES 38
#define BODY_VERTICES 6
#define ARMS 8
#define ARM_VERTICES 4

// The reach of an arm in the published octopus, whose proportions these are (VIPER, figure 7).
#define REACH 1.885

// Position and radius. The published z is up and −y in front: here y is up and z in front.
typedef struct Ball {
    double x, y, z, radius;
} Ball;

enum { ROOT, HEAD_BOTTOM, HEAD_FRONT, HEAD_BACK, LEFT_EYE, RIGHT_EYE };

static const Ball body[BODY_VERTICES] = {
    {0.0, 0.179, 0.0, 0.358},    {0.0, 0.844, 0.0, 0.513},     {0.0, 1.148, 0.019, 0.592},
    {0.0, 1.202, -0.187, 0.592}, {0.235, 0.881, 0.388, 0.249}, {-0.235, 0.881, 0.388, 0.249},
};

static const int body_edges[][2] = {
    {ROOT, HEAD_BOTTOM},       {HEAD_BOTTOM, LEFT_EYE},  {HEAD_BOTTOM, RIGHT_EYE},
    {HEAD_BOTTOM, HEAD_FRONT}, {HEAD_BOTTOM, HEAD_BACK}, {HEAD_FRONT, HEAD_BACK},
};

// Hip, knee, ankle and foot: x is the distance from the axis.
static const Ball arm[ARM_VERTICES] = {
    {0.520, 0.067, 0.0, 0.148},
    {0.888, 0.017, 0.0, 0.148},
    {1.273, -0.254, 0.0, 0.115},
    {REACH, -0.636, 0.0, 0.077},
};

// Cosine and sine of an eighth of half a turn: the front is between two arms.
static const double near_axis = 0.92387953251128674, off_axis = 0.38268343236508978;

static void write_vertex(SnModel *model, const Ball *ball, double scale) {
    int i = model->vertex_count++;
    double y = ball->y - body[ROOT].y;
    model->positions[i] =
        sn_vec3((float)(ball->x * scale), (float)(y * scale), (float)(ball->z * scale));
    model->radii[i] = (float)(ball->radius * scale);
}

static void write_edge(SnModel *model, int a, int b) {
    model->edges[2 * model->edge_count] = a;
    model->edges[2 * model->edge_count + 1] = b;
    ++model->edge_count;
}

static void write_arm(SnModel *model, double c, double s, double scale) {
    int last = ROOT;
    for (int i = 0; i < ARM_VERTICES; ++i) {
        Ball ball = arm[i];
        ball.z = ball.x * s;
        ball.x *= c;
        write_edge(model, last, model->vertex_count);
        last = model->vertex_count;
        write_vertex(model, &ball, scale);
    }
}

SnResult sn_octopus(float size, const SnAllocator *allocator, SnModel *out_model) {
    if (out_model == NULL)
        return sn__null("octopus: out_model");
    memset(out_model, 0, sizeof *out_model);
    if (!(size >= 1e-6f && size <= SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "octopus: size: %g m is not in [1e-6, %g]", (double)size,
                        (double)SN_MAX_POSITION);
    SnModel m = {.allocator = allocator ? *allocator : sn__default_allocator()};
    m.size = VERTICES * (sizeof *m.positions + sizeof *m.radii) + 2 * EDGES * sizeof *m.edges;
    m.positions = sn__alloc(&m.allocator, m.size);
    if (m.positions == NULL)
        return sn_error(SN_ERROR_MEMORY, "octopus: no memory");
    m.radii = (float *)(m.positions + VERTICES);
    m.edges = (int *)(m.radii + VERTICES);
    double scale = (double)size / REACH;
    for (int i = 0; i < BODY_VERTICES; ++i)
        write_vertex(&m, body + i, scale);
    for (int i = 0; i < BODY_VERTICES; ++i)
        write_edge(&m, body_edges[i][0], body_edges[i][1]);
    for (int i = 0; i < ARMS; ++i) {
        // Anticlockwise from above, from the front on the left.
        static const int signs[ARMS][2] = {{1, 1},   {1, 1},   {1, -1}, {1, -1},
                                           {-1, -1}, {-1, -1}, {-1, 1}, {-1, 1}};
        bool steep = i % 4 == 0 || i % 4 == 3;
        write_arm(&m, signs[i][0] * (steep ? off_axis : near_axis),
                  signs[i][1] * (steep ? near_axis : off_axis), scale);
    }
    *out_model = m;
    return sn_ok();
}

void sn_model_destroy(SnModel *model) {
    if (model == NULL)
        return;
    sn__free(&model->allocator, model->positions, model->size);
    memset(model, 0, sizeof *model);
}
