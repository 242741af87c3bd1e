// Marks of solids: energies against finite differences, holds against statics, frames that carry them, bad input.
#include "purse.h"
#include "solid_kit.h"

#include <stdlib.h>

#include "solid/marks.h"

static double any(Rng *rng, double size) { return rng_real(rng, -size, size); }

static Vec3d any3(Rng *rng, double size) {
    return (Vec3d){any(rng, size), any(rng, size), any(rng, size)};
}

static SnVec3 any3f(Rng *rng, double size) { return vec3f(any3(rng, size)); }

static void shake(Solid *s, Rng *rng, double size) {
    for (int i = 0; i < s->count; ++i) {
        s->work[i].x_start = s->x[i];
        s->work[i].u = any3(rng, size * s->size);
        s->q[i] = normalisedq(mulqd(turn_by(any3(rng, 2.0 * size)), s->q[i]));
    }
}

#define MARKS 3

// A body outside of any world, with marks that are held somewhere.
static Solid *marked(Rng *rng, double size) {
    static SolidSystem system;
    system = (SolidSystem){.allocator = sn__default_allocator()};
    Grid *g = grid_of(3, 2, 2, sn_vec3(0.3f, 0.15f, 0.25f), sn_vec3(0.0f, 0.0f, 0.0f));
    bool crowded;
    g->def.material.young = 2e4f;
    Solid *s = sn__solid_create(&system, &g->def, &crowded);
    assert_non_null(s);
    for (int k = 0; k < MARKS; ++k) {
        SnSolidMark mark = sn_default_solid_mark();
        mark.position = sn_vec3_add(sn_vec3(0.15f, 0.07f, 0.12f), any3f(rng, 0.1));
        mark.direction = any3f(rng, 1.0);
        mark.stiffness = 700.0f;
        assert_ok(sn__solid_add_mark(s, &mark));
        s->marks[k].held_x = k != 1;
        s->marks[k].held_n = k != 0;
    }
    shake(s, rng, size);
    for (int k = 0; k < MARKS; ++k) {
        SolidMark *m = &s->marks[k];
        Vec3d off = any3(rng, size);
        m->target = addd(sn__solid_mark_at(s, m), off);
        m->facing = addd(sn__solid_mark_direction(s, m), off);
        m->facing = scaled(m->facing, 1.0 / lengthd(m->facing));
    }
    return s;
}

static void move(Solid *s, int i, int axis, double by) {
    double v[6] = {0};
    v[axis] = by;
    s->work[i].u = addd(s->work[i].u, (Vec3d){v[0], v[1], v[2]});
    s->q[i] = normalisedq(mulqd(turn_by((Vec3d){v[3], v[4], v[5]}), s->q[i]));
}

static void find_gradient(Solid *s) {
    for (int k = 0; k < s->count; ++k)
        s->vector[k] = (SparseVector){{0}};
    sn__solid_marks_add_gradient(s, 1.0);
}

static void test_forces_of_marks_are_slopes_of_their_energy(void **state) {
    (void)state;
    Rng rng = {15};
    for (int round = 0; round < 5; ++round) {
        Solid *s = marked(&rng, 0.3);
        find_gradient(s);
        for (int i = 0; i < s->count; ++i)
            for (int axis = 0; axis < 6; ++axis) {
                double by = 1e-5, g = s->vector[s->graph->plan.place[i]].x[axis];
                g *= axis < 3 ? 1.0 : s->size;
                move(s, i, axis, by);
                double up = sn__solid_marks_energy(s);
                move(s, i, axis, -2.0 * by);
                double down = sn__solid_marks_energy(s);
                move(s, i, axis, by);
                assert_near(g, (up - down) / (2.0 * by), 1e-5 + 1e-6 * fabs(g));
            }
        sn__solid_destroy(s);
    }
}

static double entry(const Solid *s, int i, int r, int j, int c) {
    int a = s->graph->plan.place[i], b = s->graph->plan.place[j];
    if (a == b)
        return s->own.diagonal[a].column[r < c ? r : c][r < c ? c : r];
    for (int k = s->graph->plan.first[a < b ? a : b]; k < s->graph->plan.first[(a < b ? a : b) + 1];
         ++k)
        if (s->graph->plan.rows[k] == (a < b ? b : a))
            return a < b ? s->own.below[k].column[r][c] : s->own.below[k].column[c][r];
    return 0.0; // no mark joins them
}

// Where nothing is strained, Gauss and Newton's stiffness is all there is.
static void test_stiffness_of_marks_is_the_slope_of_their_forces(void **state) {
    (void)state;
    Rng rng = {16};
    for (int rest = 0; rest < 2; ++rest) {
        Solid *s = marked(&rng, 0.0);
        memset(s->own.diagonal, 0, (size_t)s->count * sizeof *s->own.diagonal);
        memset(s->own.below, 0, (size_t)s->graph->plan.blocks * sizeof *s->own.below);
        sn__solid_marks_add_hessian(s, &s->own, 1.0, rest != 0);
        for (int i = 0; i < s->count; ++i)
            for (int axis = 0; axis < 6; ++axis) {
                double by = 1e-5, scale = axis < 3 ? 1.0 : 1.0 / s->size;
                SparseVector up[12], down[12];
                for (int way = 0; way < 2; ++way) {
                    move(s, i, axis, way == 0 ? by : -2.0 * by);
                    find_gradient(s);
                    memcpy(way == 0 ? up : down, s->vector, sizeof up);
                }
                move(s, i, axis, by);
                for (int j = 0; j < s->count; ++j)
                    for (int r = 0; r < 6; ++r) {
                        int b = s->graph->plan.place[j];
                        double slope = scale * (up[b].x[r] - down[b].x[r]) / (2.0 * by);
                        assert_near(entry(s, i, axis, j, r), slope, 1e-3);
                    }
            }
        sn__solid_destroy(s);
    }
}

static int add_mark(SnWorld *world, SnBodyId body, SnVec3 position, SnVec3 direction) {
    SnSolidMark mark = sn_default_solid_mark();
    int number;
    mark.position = position;
    mark.direction = direction;
    assert_ok(sn_solid_add_mark(world, body, &mark, &number));
    return number;
}

static SnAttachmentId hold_mark(SnWorld *world, SnBodyId body, SnAttachmentKind kind, int mark,
                                SnFrameId frame) {
    SnAttachmentDef def = sn_default_attachment_def();
    SnAttachmentId id;
    def.kind = kind;
    def.body = body;
    def.index = mark;
    def.frame = frame;
    assert_ok(sn_attachment_create(world, &def, &id));
    return id;
}

static Grid *bar_grid(int nx, int across) {
    Grid *g = grid_of(nx, across, across, sn_vec3(1.0f, 0.1f, 0.1f), sn_vec3(0.0f, 0.0f, 0.0f));
    g->def.material.damping = 0.3f;
    g->def.filter.mask = 0;
    return g;
}

static const SnFrameId no_frame = {0, 0};
static const SnVec3 axes[3] = {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};

static double sag_of_a_held_bar(const Grid *g) {
    SnWorld *world = heavy_world();
    SnBodyId bar = add_solid(world, g);
    hold_particle(world, bar, 0);
    for (int n = 0; n < 240; ++n)
        sn_world_step(world, DT, 10, 1);
    double sag = 0.05 - (double)particle_at(world, bar, 19).y;
    sn_world_destroy(world);
    return sag;
}

// One position and three directions clamp the end of a bar: its weight is 98.1 N, half a metre away, and it sags as if
// its first particle were held.
static void test_one_position_and_three_directions_clamp_a_bar(void **state) {
    (void)state;
    Grid *g = bar_grid(20, 1);
    g->def.material.young = 2e8f;
    double held = sag_of_a_held_bar(g);
    SnWorld *world = heavy_world();
    SnBodyId bar = add_solid(world, g);
    SnAttachmentId place, turns[3];
    for (int k = 0; k < 3; ++k) {
        SnSolidMark mark = sn_default_solid_mark();
        mark.position = sn_vec3(0.0f, 0.05f, 0.05f);
        mark.direction = axes[k];
        mark.weights[0] = 1.0f;
        assert_ok(sn_solid_add_mark(world, bar, &mark, NULL));
        turns[k] = hold_mark(world, bar, SN_ATTACH_DIRECTION, k, no_frame);
    }
    place = hold_mark(world, bar, SN_ATTACH_MARK, 0, no_frame);
    for (int n = 0; n < 240; ++n)
        assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
    SnReaction force, torque;
    double moment = 0.0;
    assert_ok(sn_attachment_reaction(world, place, &force));
    for (int k = 0; k < 3; ++k) {
        assert_ok(sn_attachment_reaction(world, turns[k], &torque));
        moment += (double)torque.torque.z;
    }
    assert_near((double)force.force.y, 98.1, 0.1);
    assert_near((double)force.force.x, 0.0, 0.1);
    assert_near(moment, 0.5 * 98.1, 0.1);
    assert_near((0.05 - (double)particle_at(world, bar, 19).y) / held, 1.0, 0.02);
    sn_world_destroy(world);
}

// A direction alone leaves the place free, and the turn about itself.
static void test_a_direction_turns_a_body_and_nothing_else(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    Grid *g = bar_grid(10, 1);
    g->def.angular_velocity = sn_vec3(3.0f, 0.0f, 0.0f);
    SnBodyId bar = add_solid(world, g);
    SnFrameId frame;
    SnPose pose = sn_pose_identity();
    assert_ok(sn_frame_create(world, pose, &frame));
    hold_mark(world, bar, SN_ATTACH_DIRECTION,
              add_mark(world, bar, sn_vec3(0.5f, 0.05f, 0.05f), axes[0]), frame);
    for (int n = 1; n <= 240; ++n) {
        double half = 0.5 * fmin(n / 120.0, 1.0);
        pose.rotation = (SnQuat){0.0f, (float)sin(half), 0.0f, (float)cos(half)};
        assert_ok(sn_frame_set_target(world, frame, pose));
        assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
    }
    SnVec3 direction;
    assert_ok(sn_solid_mark(world, bar, 0, NULL, &direction));
    assert_near((double)direction.x, cos(1.0), 1e-3);
    assert_near((double)direction.z, -sin(1.0), 1e-3);
    SnMeasures m = sn_world_measure(world);
    for (int c = 0; c < 3; ++c)
        assert_near(m.momentum[c], 0.0, 1e-4);
    SnVec3 spins[10];
    SnBodyState read = {.angular_velocities = spins};
    assert_ok(sn_body_read(world, bar, &read));
    assert_near((double)sn_vec3_dot(spins[5], direction), 3.0, 0.15);
    sn_world_destroy(world);
}

// Marks of a soft block on a hand that swings, through the path of its frame; then they let go.
static void test_marks_follow_a_frame(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    Grid *g = grid_of(4, 3, 3, sn_vec3(0.4f, 0.3f, 0.3f), sn_vec3(0.0f, 0.0f, 0.0f));
    g->def.material.young = 1e5f;
    SnBodyId block = add_solid(world, g);
    SnPose pose = sn_pose_identity();
    SnFrameId frame;
    SnAttachmentId held[4];
    assert_ok(sn_frame_create(world, pose, &frame));
    for (int k = 0; k < 4; ++k) {
        SnVec3 at = sn_vec3(k % 2 == 0 ? 0.0f : 0.4f, 0.3f, k < 2 ? 0.0f : 0.3f);
        held[k] =
            hold_mark(world, block, SN_ATTACH_MARK, add_mark(world, block, at, axes[1]), frame);
    }
    for (int n = 1; n <= 180; ++n) {
        float x = 0.3f * sinf(0.05f * (float)n);
        pose.position = sn_vec3(x, 0.0f, 0.0f);
        assert_ok(sn_frame_set_target(world, frame, pose));
        assert_int_equal(sn_world_step(world, DT, 4, 1), SN_STEP_OK);
        for (int k = 0; k < 4; ++k) {
            SnVec3 at;
            assert_ok(sn_solid_mark(world, block, k, &at, NULL));
            assert_near((double)at.x, (double)x + (k % 2 == 0 ? 0.0 : 0.4), 3e-3);
            assert_near((double)at.y, 0.3, 3e-3);
        }
    }
    for (int k = 0; k < 4; ++k)
        assert_ok(sn_attachment_destroy(world, held[k]));
    for (int n = 0; n < 30; ++n)
        sn_world_step(world, DT, 4, 1);
    SnVec3 at;
    assert_ok(sn_solid_mark(world, block, 0, &at, NULL));
    assert_below((double)at.y, -0.8);
    sn_world_destroy(world);
}

// A mark between particles that no edge joins, at the far ends of a bar.
static void test_a_mark_may_follow_particles_far_apart(void **state) {
    (void)state;
    SnWorld *world = heavy_world();
    Grid *g = bar_grid(10, 1);
    SnBodyId bar = add_solid(world, g);
    SnSolidMark mark = sn_default_solid_mark();
    mark.position = sn_vec3(0.5f, 0.05f, 0.05f);
    mark.particles[1] = 9;
    mark.weights[0] = mark.weights[1] = 0.5f;
    assert_ok(sn_solid_add_mark(world, bar, &mark, NULL));
    hold_mark(world, bar, SN_ATTACH_MARK, 0, no_frame);
    size_t size = sn_world_snapshot_size(world);
    void *snapshot = malloc(size);
    assert_ok(sn_world_save(world, snapshot, size));
    uint64_t hash[2];
    for (int round = 0; round < 2; ++round) {
        for (int n = 0; n < 60; ++n)
            assert_int_equal(sn_world_step(world, DT, 10, 1), SN_STEP_OK);
        hash[round] = sn_world_hash(world);
        SnVec3 at;
        assert_ok(sn_solid_mark(world, bar, 0, &at, NULL));
        assert_near((double)at.y, 0.05, 2e-3);
        assert_ok(sn_world_restore(world, snapshot, size));
    }
    assert_true(hash[0] == hash[1]);
    free(snapshot);
    sn_world_destroy(world);
}

// Held 50 m away from where they are, by springs of any stiffness, and turned by half a turn at once: bodies come there,
// and lose nothing of their shape on the way that they do not get back.
static void test_marks_far_away_draw_the_body_there(void **state) {
    (void)state;
    const float stiffness[] = {0.0f, 1e3f, 1e9f, 1e15f};
    for (int k = 0; k < 4; ++k) {
        SnWorld *world = weightless_world();
        Grid *g = grid_of(4, 2, 2, sn_vec3(0.4f, 0.2f, 0.2f), sn_vec3(0.0f, 0.0f, 0.0f));
        g->def.material.damping = 0.1f;
        g->def.material.drag = 3.0f;
        SnBodyId body = add_solid(world, g);
        SnSolidMark mark = sn_default_solid_mark();
        mark.position = sn_vec3(0.4f, 0.2f, 0.1f);
        mark.stiffness = stiffness[k];
        assert_ok(sn_solid_add_mark(world, body, &mark, NULL));
        SnAttachmentDef def = sn_default_attachment_def();
        def.body = body;
        def.keep_current = false;
        def.kind = SN_ATTACH_MARK;
        def.position = sn_vec3(30.0f, 40.0f, 0.0f);
        assert_ok(sn_attachment_create(world, &def, NULL));
        def.kind = SN_ATTACH_DIRECTION;
        def.rotation = (SnQuat){0.9995f, 0.0f, 0.0f, 0.0316f};
        assert_ok(sn_attachment_create(world, &def, NULL));
        for (int n = 0; n < 600; ++n)
            assert_int_equal(sn_world_step(world, DT, 10, 1) & SN_STEP_RECOVERED, 0);
        SnVec3 at, direction;
        assert_ok(sn_solid_mark(world, body, 0, &at, &direction));
        assert_near((double)at.x, 30.0, 0.01);
        assert_near((double)at.y, 40.0, 0.01);
        assert_near((double)direction.y, -1.0, 0.01);
        float strains[64];
        assert_ok(sn_solid_edges(world, body, NULL, strains));
        for (int e = 0; e < g->edge_count; ++e)
            assert_below(fabs((double)strains[e]), 0.02);
        sn_world_destroy(world);
    }
}

// The same bits on any number of threads and by any instruction set.
static uint64_t marked_hash(int threads, SnIsa isa) {
    SnWorldDef world_def = sn_default_world_def();
    SnWorld *world;
    world_def.thread_count = threads;
    world_def.isa = isa;
    assert_ok(sn_world_create(&world_def, &world));
    add_floor(world, -1.0f, 0.5f);
    SnBodyId last = {0, 0};
    for (int k = 0; k < 4; ++k) {
        Grid *g =
            grid_of(3, 2, 2, sn_vec3(0.3f, 0.2f, 0.2f), sn_vec3(0.0f, 0.25f * (float)k, 0.0f));
        g->def.material.young = 1e5f;
        g->def.material.volume = k % 2 == 0 ? 0.0f : 1e6f;
        SnBodyId body = add_solid(world, g);
        int mark = add_mark(world, body, sn_vec3(0.0f, 0.25f * (float)k, 0.0f), axes[k % 3]);
        if (k == 1) {
            hold_mark(world, body, SN_ATTACH_MARK, mark, no_frame);
            hold_mark(world, body, SN_ATTACH_DIRECTION, mark, no_frame);
        }
        if (k > 1) {
            SnLinkDef link = sn_default_link_def();
            link.a = (SnBodyPoint){last, 3, 0.0f};
            link.b = (SnBodyPoint){body, 0, 0.0f};
            assert_ok(sn_link_create(world, &link, NULL));
        }
        last = body;
    }
    for (int n = 0; n < 60; ++n)
        sn_world_step(world, DT, 4, 1);
    uint64_t hash = sn_world_hash(world);
    sn_world_destroy(world);
    return hash;
}

static void test_bits_do_not_depend_on_threads_or_instructions(void **state) {
    (void)state;
    uint64_t first = marked_hash(1, SN_ISA_SCALAR);
    for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa)
        if (sn_isa_available((SnIsa)isa))
            for (int threads = 1; threads <= 3; threads += 2)
                assert_true(marked_hash(threads, (SnIsa)isa) == first);
}

// Whichever allocation fails, the body is as it was, and can be stepped and destroyed.
static void test_marks_without_memory(void **state) {
    (void)state;
    bool added = false;
    for (int budget = 0; !added; ++budget) {
        Purse purse = {1000000, 0};
        SnWorldDef def = sn_default_world_def();
        SnWorld *world;
        def.thread_count = 1;
        def.allocator = (SnAllocator){purse_allocate, purse_release, &purse};
        assert_ok(sn_world_create(&def, &world));
        SnBodyId bar = add_solid(world, bar_grid(10, 1));
        SnSolidMark mark = sn_default_solid_mark();
        mark.particles[1] = 9; // which no edge joins to the first
        mark.weights[0] = mark.weights[1] = 0.5f;
        purse.left = budget;
        SnResult result = sn_solid_add_mark(world, bar, &mark, NULL);
        added = result.code == SN_OK;
        assert_true(added || result.code == SN_ERROR_MEMORY);
        assert_int_equal(sn_solid_mark_count(world, bar), added ? 1 : 0);
        purse.left = 1000000;
        sn_world_step(world, DT, 4, 1);
        assert_near((double)particle_at(world, bar, 0).x, 0.05, 1e-4);
        sn_world_destroy(world);
        assert_int_equal(purse.held, 0);
    }
}

static void test_bad_marks_are_refused(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId bar = add_solid(world, bar_grid(10, 1));
    SnSolidMark mark = {0};
    assert_error(sn_solid_add_mark(world, bar, &mark, NULL), SN_ERROR_INVALID,
                 "sn_default_solid_mark");
    mark = sn_default_solid_mark();
    mark.direction = sn_vec3(0.0f, 0.0f, 0.0f);
    assert_error(sn_solid_add_mark(world, bar, &mark, NULL), SN_ERROR_INVALID, "direction");
    mark = sn_default_solid_mark();
    mark.position.x = NAN;
    assert_error(sn_solid_add_mark(world, bar, &mark, NULL), SN_ERROR_INVALID, "position");
    mark = sn_default_solid_mark();
    mark.weights[2] = 1.0f;
    mark.particles[2] = 10;
    assert_error(sn_solid_add_mark(world, bar, &mark, NULL), SN_ERROR_INVALID, "particles[2]: 10");
    mark.particles[2] = 3;
    mark.weights[2] = 0.5f;
    assert_error(sn_solid_add_mark(world, bar, &mark, NULL), SN_ERROR_INVALID, "sum 0.5");
    mark.weights[1] = 0.5f;
    mark.particles[1] = 3;
    assert_error(sn_solid_add_mark(world, bar, &mark, NULL), SN_ERROR_INVALID, "3 is there twice");
    SnAttachmentDef def = sn_default_attachment_def();
    def.body = bar;
    def.kind = SN_ATTACH_MARK;
    assert_error(sn_attachment_create(world, &def, NULL), SN_ERROR_INVALID, "no marks");
    add_mark(world, bar, sn_vec3(0.0f, 0.0f, 0.0f), axes[0]);
    assert_error(sn_solid_mark(world, bar, 1, NULL, NULL), SN_ERROR_INVALID, "not in [0, 1)");
    assert_ok(sn_attachment_create(world, &def, NULL));
    assert_error(sn_attachment_create(world, &def, NULL), SN_ERROR_INVALID, "attached already");
    def.index = 1;
    assert_error(sn_attachment_create(world, &def, NULL), SN_ERROR_INVALID, "not in [0, 1)");
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forces_of_marks_are_slopes_of_their_energy),
        cmocka_unit_test(test_stiffness_of_marks_is_the_slope_of_their_forces),
        cmocka_unit_test(test_one_position_and_three_directions_clamp_a_bar),
        cmocka_unit_test(test_a_direction_turns_a_body_and_nothing_else),
        cmocka_unit_test(test_marks_follow_a_frame),
        cmocka_unit_test(test_a_mark_may_follow_particles_far_apart),
        cmocka_unit_test(test_marks_far_away_draw_the_body_there),
        cmocka_unit_test(test_bits_do_not_depend_on_threads_or_instructions),
        cmocka_unit_test(test_marks_without_memory),
        cmocka_unit_test(test_bad_marks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
