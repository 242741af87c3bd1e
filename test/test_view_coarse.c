// Fewer triangles where they are smaller than pixels: closed stays closed, borders stay, and the surface stays
// where it was.
#include "support.h"

#include "view/coarse.h"
#include "view/simplify.h"

#include <stdlib.h>

#define RINGS 60
#define SIDES 80
#define BALL_VERTICES ((RINGS - 1) * SIDES + 2)
#define BALL_TRIANGLES (2 * (RINGS - 1) * SIDES)

static float ball[3 * BALL_VERTICES];
static uint32_t ball_triangles[3 * BALL_TRIANGLES];

static uint32_t ring_vertex(int ring, int side) {
    return (uint32_t)((ring - 1) * SIDES + side % SIDES);
}

static void put(uint32_t **to, uint32_t a, uint32_t b, uint32_t c) {
    *(*to)++ = a;
    *(*to)++ = b;
    *(*to)++ = c;
}

// Of radius 1, anticlockwise from outside.
static void make_ball(void) {
    const uint32_t top = BALL_VERTICES - 2, bottom = BALL_VERTICES - 1;
    uint32_t *t = ball_triangles;
    for (int r = 1; r < RINGS; ++r)
        for (int s = 0; s < SIDES; ++s) {
            double down = 3.14159265 * r / RINGS, round = 6.2831853 * s / SIDES;
            float *x = ball + 3 * ring_vertex(r, s);
            x[0] = (float)(sin(down) * cos(round));
            x[1] = (float)cos(down);
            x[2] = (float)(sin(down) * sin(round));
            if (r + 1 < RINGS) {
                put(&t, ring_vertex(r, s), ring_vertex(r, s + 1), ring_vertex(r + 1, s));
                put(&t, ring_vertex(r, s + 1), ring_vertex(r + 1, s + 1), ring_vertex(r + 1, s));
            }
        }
    for (int s = 0; s < SIDES; ++s) {
        put(&t, top, ring_vertex(1, s + 1), ring_vertex(1, s));
        put(&t, bottom, ring_vertex(RINGS - 1, s), ring_vertex(RINGS - 1, s + 1));
    }
    ball[3 * top + 1] = 1.0f;
    ball[3 * bottom + 1] = -1.0f;
    assert_int_equal(t - ball_triangles, 3 * BALL_TRIANGLES);
}

static SnVec3 vertex(const float *x, uint32_t i) {
    return sn_vec3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

// The volume of a closed mesh, each of whose edges is passed once in each direction.
static double check_closed(const float *x, const uint32_t *triangles, int count) {
    double volume = 0.0;
    for (int i = 0; i < 3 * count; ++i) {
        uint32_t a = triangles[i], b = triangles[i % 3 == 2 ? i - 2 : i + 1];
        int back = 0;
        for (int k = 0; k < 3 * count; ++k)
            back += triangles[k] == b && triangles[k % 3 == 2 ? k - 2 : k + 1] == a;
        assert_int_equal(back, 1);
    }
    for (int i = 0; i < 3 * count; i += 3) {
        SnVec3 a = vertex(x, triangles[i]), b = vertex(x, triangles[i + 1]);
        volume += (double)sn_vec3_dot(a, sn_vec3_cross(b, vertex(x, triangles[i + 2]))) / 6.0;
    }
    return volume;
}

static void balls_stay_round_and_closed(void **state) {
    (void)state;
    make_ball();
    const double errors[3] = {0.002, 0.01, 0.05};
    int before = BALL_TRIANGLES;
    for (int k = 0; k < 3; ++k) {
        uint32_t *t = malloc(sizeof ball_triangles);
        memcpy(t, ball_triangles, sizeof ball_triangles);
        int count = view_simplify(ball, BALL_VERTICES, t, BALL_TRIANGLES, (float)errors[k], 0.5f);
        assert_true(count > 0 && count < before);
        before = count;
        double volume = check_closed(ball, t, count);
        assert_near(volume, 4.18879, 4.18879 * 6.0 * errors[k]);
        for (int i = 0; i < 3 * count; i += 3) {
            SnVec3 middle = sn_vec3(0, 0, 0);
            for (int c = 0; c < 3; ++c) {
                SnVec3 a = vertex(ball, t[i + c]), b = vertex(ball, t[i + (c + 1) % 3]);
                assert_true(distance(a, b) <= 0.5 + 1e-6);
                middle = sn_vec3_add(middle, sn_vec3_scale(a, 1.0f / 3.0f));
            }
            assert_true((double)sn_vec3_length(middle) > 1.0 - 4.0 * errors[k]);
        }
        free(t);
    }
    assert_true(before < BALL_TRIANGLES / 10);
}

// A flat sheet loses nearly all but its border, however small the error is.
static void sheets_keep_their_border(void **state) {
    (void)state;
    enum { N = 30, VERTICES = N * N, TRIANGLES = 2 * (N - 1) * (N - 1) };
    static float x[3 * VERTICES];
    static uint32_t t[3 * TRIANGLES];
    uint32_t *to = t;
    for (int i = 0; i < VERTICES; ++i) {
        x[3 * i] = (float)(i % N);
        x[3 * i + 2] = (float)(i / N);
    }
    for (uint32_t r = 0; r + 1 < N; ++r)
        for (uint32_t c = 0; c + 1 < N; ++c) {
            put(&to, r * N + c, (r + 1) * N + c, r * N + c + 1);
            put(&to, r * N + c + 1, (r + 1) * N + c, (r + 1) * N + c + 1);
        }
    int count = view_simplify(x, VERTICES, t, TRIANGLES, 1e-4f, 100.0f);
    assert_true(count > 0 && count < TRIANGLES / 4);
    double area = 0.0;
    bool used[VERTICES] = {false};
    for (int i = 0; i < 3 * count; i += 3) {
        SnVec3 a = vertex(x, t[i]), b = vertex(x, t[i + 1]), c = vertex(x, t[i + 2]);
        area += 0.5 * (double)sn_vec3_cross(sn_vec3_sub(b, a), sn_vec3_sub(c, a)).y;
        used[t[i]] = used[t[i + 1]] = used[t[i + 2]] = true;
    }
    assert_near(area, (N - 1) * (N - 1), 1e-3);
    for (int i = 0; i < N; ++i)
        assert_true(used[i] && used[VERTICES - 1 - i] && used[i * N] && used[i * N + N - 1]);
}

// Copies share an entry; the farther a mesh is, the coarser it gets, and near ones keep all triangles.
static void far_meshes_are_coarse(void **state) {
    (void)state;
    make_ball();
    ViewMesh mesh = {.vertex_count = BALL_VERTICES,
                     .triangle_count = BALL_TRIANGLES,
                     .positions = ball,
                     .triangles = ball_triangles,
                     .pose = sn_pose_identity()};
    ViewCoarseTable table = {0};
    int entry = view_coarse_find(&table, &mesh, 7);
    assert_int_equal(view_coarse_find(&table, &mesh, 7), entry);
    assert_int_not_equal(view_coarse_find(&table, &mesh, 8), entry);
    ViewCoarse *coarse = &table.entries[entry];
    assert_true(coarse->is_closed);
    assert_int_equal(view_coarse_level(coarse, &mesh, sn_vec3(0, 0, 3), 1000.0f), -1);
    int before = BALL_TRIANGLES, level = -1;
    for (float away = 50.0f; away < 2000.0f; away *= 2.0f) {
        int farther = view_coarse_level(coarse, &mesh, sn_vec3(0, 0, away), 1000.0f);
        assert_true(farther >= level);
        if (farther == level || farther < 0)
            continue;
        level = farther;
        const ViewTriangleList *list = view_coarse_list(coarse, &mesh, level);
        assert_true(list->count <= before);
        assert_ptr_equal(view_coarse_list(coarse, &mesh, level), list);
        before = list->count;
    }
    assert_true(before < BALL_TRIANGLES / 20);
    view_coarse_release(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_stay_round_and_closed),
        cmocka_unit_test(sheets_keep_their_border),
        cmocka_unit_test(far_meshes_are_coarse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
