// Definitions and what is wrong with them, reading and writing, and the life of rods.
#include "support.h"

#include <stdlib.h>

#include "math/vec.h"

enum { COUNT = 5 };

// A good definition with all its arrays, to be spoiled in one place.
typedef struct Full {
    SnVec3 x[COUNT], start[COUNT];
    SnQuat q[COUNT], start_q[COUNT];
    float radii[COUNT], scales[COUNT];
    SnRodDef def;
} Full;

static void full_definition(Full *f) {
    line_of_points(f->x, COUNT, sn_vec3(0, 0, 0), sn_vec3(0, 0, 0.1f));
    line_of_points(f->start, COUNT, sn_vec3(0, 1, 0), sn_vec3(0, 0, 0.11f));
    for (int i = 0; i < COUNT; ++i) {
        f->q[i] = f->start_q[i] = sn_quat_identity();
        f->radii[i] = 0.01f;
        f->scales[i] = 1.1f;
    }
    f->def = sn_default_rod_def();
    f->def.name = "arm";
    f->def.vertex_count = COUNT;
    f->def.positions = f->x;
    f->def.frames = f->q;
    f->def.radii = f->radii;
    f->def.start_positions = f->start;
    f->def.start_frames = f->start_q;
    f->def.start_scales = f->scales;
}

// Spoils one value, expects the refusal and leaves no trace.
#define REFUSE(place, value, part)                                                                 \
    do {                                                                                           \
        full_definition(&f);                                                                       \
        f.place = value;                                                                           \
        assert_error(sn_rod_create(world, &f.def, &rod), SN_ERROR_INVALID, part);                  \
        assert_error(sn_rod_create(world, &f.def, &rod), SN_ERROR_INVALID, "arm");                 \
        assert_int_equal(sn_world_body_count(world), 0);                                           \
    } while (0)

static void bad_shapes_are_refused_by_name(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId rod;
    Full f;
    full_definition(&f);
    assert_ok(sn_rod_create(world, &f.def, &rod));
    assert_ok(sn_body_destroy(world, rod));

    REFUSE(def.vertex_count, 1, "vertex_count: 1");
    REFUSE(def.vertex_count, 0, "vertex_count: 0");
    REFUSE(def.vertex_count, -5, "vertex_count: -5");
    REFUSE(def.positions, NULL, "positions");
    REFUSE(x[3], f.x[2], "segment 2 is 0 m");
    REFUSE(x[3].y, NAN, "positions[3]");
    REFUSE(x[0].x, INFINITY, "positions[0]: (inf");
    REFUSE(x[4].z, 1e30f, "positions");
    REFUSE(x[4].z, 2e5f, "segment 3");
    REFUSE(start[3], f.start[4], "start_positions: segment 3");
    REFUSE(start[1].z, NAN, "start_positions[1]");
    REFUSE(radii[2], 0.0f, "radii[2]: 0 ");
    REFUSE(radii[2], -0.2f, "radii[2]: -0.2");
    REFUSE(radii[2], NAN, "radii[2]");
    REFUSE(radii[2], INFINITY, "radii[2]: inf");
    REFUSE(scales[4], 0.0f, "start_scales[4]: 0");
    REFUSE(scales[4], NAN, "start_scales[4]");
    REFUSE(q[1], ((SnQuat){0, 0, 0, 0}), "frames[1]");
    REFUSE(q[1].x, NAN, "frames[1]");
    REFUSE(q[1], ((SnQuat){1, 0, 0, 0}), "frames[1]"); // third axis backwards
    REFUSE(start_q[3], ((SnQuat){1, 0, 0, 0}), "start_frames[3]");
    REFUSE(start_q[3].w, INFINITY, "start_frames[3]");
    REFUSE(def.velocity, sn_vec3(0, NAN, 0), "velocity");
    REFUSE(def.angular_velocity, sn_vec3(INFINITY, 0, 0), "angular_velocity");
    REFUSE(def.gravity_scale, NAN, "gravity_scale");
    REFUSE(def.origin[1], NAN, "origin[1]");
    REFUSE(def.origin[2], 1e30, "origin[2]: 1e+30");

    full_definition(&f);
    f.def.radii = NULL;
    f.def.radius = 0.0f;
    assert_error(sn_rod_create(world, &f.def, &rod), SN_ERROR_INVALID, "radius");
    f.def.radius = -1.0f;
    assert_error(sn_rod_create(world, &f.def, &rod), SN_ERROR_INVALID, "-1");
    full_definition(&f);
    f.def.closed = true;
    f.def.vertex_count = 3;
    assert_error(sn_rod_create(world, &f.def, &rod), SN_ERROR_INVALID, "vertex_count: 3");
    full_definition(&f);
    f.def.cookie = 0;
    assert_error(sn_rod_create(world, &f.def, &rod), SN_ERROR_INVALID, "sn_default_rod_def");
    assert_error(sn_rod_create(world, NULL, &rod), SN_ERROR_INVALID, "sn_default_rod_def");
    full_definition(&f);
    f.def.vertex_count = 10000000; // nothing is read before this is refused
    assert_error(sn_rod_create(world, &f.def, &rod), SN_ERROR_LIMIT, "10000000");
    assert_int_equal(sn_world_body_count(world), 0);
    sn_world_destroy(world);
}

static void bad_materials_are_refused_by_name(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId rod;
    Full f;
    REFUSE(def.material.density, 0.0f, "material.density: 0");
    REFUSE(def.material.density, -3.0f, "material.density: -3");
    REFUSE(def.material.density, NAN, "material.density");
    REFUSE(def.material.young, -1.0f, "material.young: -1");
    REFUSE(def.material.young, NAN, "material.young");
    REFUSE(def.material.young, 1e16f, "material.young: 1e+16");
    REFUSE(def.material.shear, INFINITY, "material.shear: inf");
    REFUSE(def.material.volume, NAN, "material.volume: nan");
    REFUSE(def.material.damping, -1.0f, "material.damping: -1");
    REFUSE(def.material.damping, NAN, "material.damping");
    REFUSE(def.material.drag, -1.0f, "material.drag: -1");
    REFUSE(def.material.stretch, NAN, "material.stretch");
    REFUSE(def.material.cross_section, -INFINITY, "material.cross_section");
    REFUSE(def.material.scale_gradient, NAN, "material.scale_gradient");
    REFUSE(def.material.bend, NAN, "material.bend");
    REFUSE(def.material.twist, 2e15f, "material.twist");
    REFUSE(def.material.scale_bend, NAN, "material.scale_bend");
    REFUSE(def.material.volume_bend, NAN, "material.volume_bend");

    full_definition(&f);
    assert_ok(sn_rod_create(world, &f.def, &rod));
    SnRodMaterial bad = sn_default_rod_material();
    bad.young = NAN;
    assert_error(sn_rod_set_material(world, rod, &bad), SN_ERROR_INVALID, "young");
    sn_world_destroy(world);
}

// Absurd but finite stiffness is taken, and the rod stays in shape.
static void absurd_stiffness_stays_finite(void **state) {
    (void)state;
    for (int classic = 0; classic < 2; ++classic) {
        SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
        Full f;
        full_definition(&f);
        f.def.start_positions = NULL;
        f.def.start_frames = NULL;
        f.def.start_scales = NULL;
        f.def.classic = classic;
        f.def.material.young = f.def.material.shear = f.def.material.volume = 1e15f;
        f.def.material.volume_bend = 1e15f;
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &f.def, &rod));
        pin(world, rod, SN_ATTACH_VERTEX, 0);
        pin(world, rod, SN_ATTACH_SEGMENT, 0);
        RodCopy now;
        for (int n = 0; n < 60; ++n)
            assert_int_equal(sn_world_step(world, 1.0f / 60.0f, 8, 2), SN_STEP_OK);
        copy_rod(world, rod, &now);
        for (int i = 0; i < COUNT; ++i) {
            assert_near(now.s[i], 1.0, 0.01);
            assert_true(fabsf(now.x[i].y) < 0.5f && fabsf(now.x[i].z) < 0.5f);
        }
        assert_below(sn_world_measure(world).stretch_max, 0.01);
        sn_world_destroy(world);
    }
}

// Transported frames have no twist between them; given ones keep theirs.
static void frames_are_transported_without_twist(void **state) {
    (void)state;
    enum { MANY = 30 };
    for (int closed = 0; closed < 2; ++closed) {
        SnWorld *world = weightless_world();
        SnVec3 x[MANY];
        for (int i = 0; i < MANY; ++i) {
            double a = 2.0 * SUPPORT_PI * i / MANY;
            x[i] = sn_vec3((float)cos(a), (float)(0.3 * sin(2.0 * a)), (float)(0.8 * sin(a)));
        }
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = MANY;
        def.closed = closed;
        def.positions = x;
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        RodCopy now;
        copy_rod(world, rod, &now);
        double twist_least = 1e9, twist_most = -1e9;
        for (int j = 0; j < now.segments; ++j) {
            Vec3d d = subd(vec3d(x[(j + 1) % MANY]), vec3d(x[j]));
            Quatd q = quatd(now.q[j]);
            assert_near(lengthd(subd(axis_z(q), scaled(d, 1.0 / lengthd(d)))), 0.0, 1e-6);
            if (j == 0 && !closed)
                continue;
            Quatd p = quatd(now.q[(j + now.segments - 1) % now.segments]);
            Quatd carried = mulqd(rotation_between(axis_z(p), axis_z(q)), p);
            Quatd turn = mulqd(conjugated(carried), q);
            double twist = 2.0 * atan2(turn.z, turn.w);
            twist = remainder(twist, 2.0 * SUPPORT_PI);
            twist_least = fmin(twist_least, twist);
            twist_most = fmax(twist_most, twist);
        }
        if (!closed) {
            assert_near(twist_least, 0.0, 1e-5);
            assert_near(twist_most, 0.0, 1e-5);
        } else { // the rest is spread evenly: by length, and these segments differ by a factor
            assert_true(twist_most * twist_least >= -1e-9);
            assert_below(fabs(twist_most) + fabs(twist_least), 2.0 * SUPPORT_PI / MANY * 2.0);
        }
        assert_below(sn_world_measure(world).energy_bend, 1e-9);
        sn_world_destroy(world);
    }
}

static void the_start_is_what_was_asked_for(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    Full f;
    full_definition(&f);
    f.def.velocity = sn_vec3(1, 2, 3);
    f.def.angular_velocity = sn_vec3(0, 0, 4);
    f.def.origin[1] = 100.0;
    f.def.user_data = &f;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &f.def, &rod));
    RodCopy now;
    copy_rod(world, rod, &now);
    assert_int_equal(now.vertices, COUNT);
    assert_int_equal(now.segments, COUNT - 1);
    assert_ptr_equal(sn_body_user_data(world, rod), &f);
    for (int i = 0; i < COUNT; ++i) {
        assert_near(now.x[i].y, 101.0, 1e-5);
        assert_near(now.x[i].z, f.start[i].z, 1e-6);
        assert_near(now.s[i], 1.1, 1e-6);
        assert_near(now.radius[i], 0.011, 1e-7);
        assert_near(now.v[i].y, 2.0, 1e-6); // on the axis of the spin
    }
    for (int j = 0; j < COUNT - 1; ++j)
        assert_near(now.w[j].z, 4.0, 1e-6);
    sn_world_destroy(world);
}

static void what_is_written_is_read(void **state) {
    (void)state;
    const int counts[] = {5, 40, 150};
    for (int c = 0; c < 6; ++c) {
        SnWorld *world = weightless_world();
        SnVec3 x[COPY_MAX];
        circle_of_points(x, counts[c / 2], 1.0);
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = counts[c / 2];
        def.closed = c % 2;
        def.positions = x;
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        RodCopy written, read;
        copy_rod(world, rod, &written);
        Rng rng = {(uint64_t)c};
        for (int i = 0; i < written.vertices; ++i) {
            written.x[i] = rng_vec3(&rng, 5.0);
            written.v[i] = rng_vec3(&rng, 5.0);
            written.s[i] = rng_float(&rng, 0.5, 2.0);
            written.vs[i] = rng_float(&rng, -2.0, 2.0);
        }
        for (int j = 0; j < written.segments; ++j) {
            written.q[j] = rng_quat(&rng);
            written.w[j] = rng_vec3(&rng, 5.0);
        }
        SnBodyState state_to = copy_arrays(&written);
        assert_ok(sn_body_write(world, rod, &state_to));
        copy_rod(world, rod, &read);
        size_t n = (size_t)written.vertices, g = (size_t)written.segments;
        assert_memory_equal(read.x, written.x, n * sizeof(SnVec3));
        assert_memory_equal(read.v, written.v, n * sizeof(SnVec3));
        assert_memory_equal(read.s, written.s, n * sizeof(float));
        assert_memory_equal(read.vs, written.vs, n * sizeof(float));
        assert_memory_equal(read.w, written.w, g * sizeof(SnVec3));
        for (size_t j = 0; j < g; ++j)
            assert_below(angle_between(read.q[j], written.q[j]), 1e-6);

        // What is not finite is refused, and nothing is written.
        uint64_t hash = sn_world_hash(world);
        int last = written.vertices - 1;
        SnVec3 keep = written.x[last];
        written.x[0].x += 1.0f;
        written.x[last].y = NAN;
        assert_error(sn_body_write(world, rod, &state_to), SN_ERROR_INVALID, "positions");
        written.x[last] = keep;
        written.q[0] = (SnQuat){0, 0, 0, 0};
        assert_error(sn_body_write(world, rod, &state_to), SN_ERROR_INVALID, "frames[0]");
        written.q[0] = sn_quat_identity();
        written.s[last] = -1.0f;
        assert_error(sn_body_write(world, rod, &state_to), SN_ERROR_INVALID, "-1");
        written.s[last] = 1.0f;
        written.vs[last] = INFINITY;
        assert_error(sn_body_write(world, rod, &state_to), SN_ERROR_INVALID, "scale_velocities");
        assert_true(sn_world_hash(world) == hash);
        sn_world_destroy(world);
    }
}

static SnBodyId marked_rod(SnWorld *world, int count, size_t mark, bool classic) {
    SnVec3 x[COPY_MAX];
    line_of_points(x, count, sn_vec3((float)mark, 0, 0), sn_vec3(0, 0, 0.1f));
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = count;
    def.positions = x;
    def.classic = classic;
    def.user_data = (void *)mark;
    SnBodyId rod;
    assert_ok(sn_rod_create(world, &def, &rod));
    return rod;
}

// Poses list what is alive, in order of creation, whatever came and went.
static void poses_are_in_order_of_creation(void **state) {
    (void)state;
    enum { ROUNDS = 300, MOST = 400 };
    SnWorld *world = weightless_world();
    Rng rng = {11};
    SnBodyId alive[MOST];
    size_t mark[MOST], next = 1;
    int count = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        for (int k = rng_int(&rng, 0, 3); k > 0; --k, ++count, ++next) {
            int vertices = rng_int(&rng, 0, 9) ? rng_int(&rng, 2, 40) : rng_int(&rng, 98, 140);
            alive[count] = marked_rod(world, vertices, next, next % 3 == 0);
            mark[count] = next;
        }
        for (int k = rng_int(&rng, 0, 3); k > 0 && count > 0; --k, --count) {
            int gone = rng_int(&rng, 0, count - 1);
            SnBodyId id = alive[gone];
            assert_ok(sn_body_destroy(world, id));
            assert_false(sn_body_is_valid(world, id));
            assert_error(sn_body_destroy(world, id), SN_ERROR_STALE, "stale");
            memmove(alive + gone, alive + gone + 1, (size_t)(count - gone - 1) * sizeof *alive);
            memmove(mark + gone, mark + gone + 1, (size_t)(count - gone - 1) * sizeof *mark);
        }
        if (round % 7 == 0)
            (void)sn_world_step(world, 0.01f, 1, 1);
        SnPoses poses;
        assert_ok(sn_world_poses(world, &poses));
        assert_int_equal(poses.body_count, count);
        assert_int_equal(sn_world_body_count(world), count);
        for (int k = 0; k < count; ++k) {
            assert_int_equal(poses.bodies[k].index, alive[k].index);
            assert_int_equal(poses.bodies[k].generation, alive[k].generation);
            assert_true((size_t)sn_body_user_data(world, alive[k]) == mark[k]);
            int first = poses.point_begin[k];
            assert_int_equal(poses.point_begin[k + 1] - first,
                             sn_body_point_count(world, alive[k]));
            assert_int_equal(poses.element_begin[k + 1] - poses.element_begin[k],
                             sn_body_element_count(world, alive[k]));
            assert_near(poses.positions[3 * first], mark[k], 1e-3);
            assert_near(poses.positions[3 * (poses.point_begin[k + 1] - 1) + 2],
                        0.1 * (poses.point_begin[k + 1] - first - 1), 1e-3);
            assert_near(poses.radii[first], 0.01, 1e-6);
            assert_near(poses.scales[first], 1.0, 1e-5);
            assert_near(poses.frames[4 * poses.element_begin[k] + 3], 1.0, 1e-5);
        }
    }
    sn_world_destroy(world);
}

static void stale_ids_get_nothing(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId old = marked_rod(world, 5, 1, false);
    assert_ok(sn_body_destroy(world, old));
    SnBodyId fresh = marked_rod(world, 5, 2, false); // in the same slot
    assert_int_equal(fresh.index, old.index);
    SnBodyId stale[] = {old, {0, 0}, {77, 1}, {fresh.index, fresh.generation + 2}, {UINT32_MAX, 1}};
    SnMeasures measures;
    SnVec3 one = {1, 1, 1};
    SnRodMaterial m = sn_default_rod_material();
    uint64_t hash = sn_world_hash(world);
    for (size_t k = 0; k < sizeof stale / sizeof stale[0]; ++k) {
        SnBodyId id = stale[k];
        assert_false(sn_body_is_valid(world, id));
        assert_int_equal(sn_body_point_count(world, id), 0);
        assert_int_equal(sn_body_element_count(world, id), 0);
        assert_null(sn_body_user_data(world, id));
        assert_error(sn_body_read(world, id, &(SnBodyState){0}), SN_ERROR_STALE, "stale");
        assert_error(sn_body_write(world, id, &(SnBodyState){0}), SN_ERROR_STALE, "stale");
        assert_error(sn_body_add_force(world, id, 0, one), SN_ERROR_STALE, "stale");
        assert_error(sn_body_add_torque(world, id, 0, one), SN_ERROR_STALE, "stale");
        assert_error(sn_rod_add_radial_force(world, id, 0, 1.0f), SN_ERROR_STALE, "stale");
        assert_error(sn_body_add_impulse(world, id, 0, one), SN_ERROR_STALE, "stale");
        assert_error(sn_rod_set_length_scale(world, id, 0, 1, 1.0f), SN_ERROR_STALE, "stale");
        assert_error(sn_rod_set_material(world, id, &m), SN_ERROR_STALE, "stale");
        assert_error(sn_body_measure(world, id, &measures), SN_ERROR_STALE, "stale");
        assert_error(sn_body_destroy(world, id), SN_ERROR_STALE, "stale");
    }
    assert_true(sn_world_hash(world) == hash);
    sn_world_destroy(world);
}

static void bad_loads_are_refused(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId rod = marked_rod(world, 5, 1, false);
    SnVec3 one = {1, 1, 1}, bad = {0, NAN, 0};
    assert_error(sn_body_add_force(world, rod, 5, one), SN_ERROR_INVALID, "5");
    assert_error(sn_body_add_force(world, rod, -1, one), SN_ERROR_INVALID, "-1");
    assert_error(sn_body_add_force(world, rod, 0, bad), SN_ERROR_INVALID, "finite");
    assert_error(sn_body_add_torque(world, rod, 4, one), SN_ERROR_INVALID, "4");
    assert_error(sn_body_add_torque(world, rod, 0, bad), SN_ERROR_INVALID, "finite");
    assert_error(sn_rod_add_radial_force(world, rod, 0, INFINITY), SN_ERROR_INVALID, "finite");
    assert_error(sn_body_add_impulse(world, rod, 9, one), SN_ERROR_INVALID, "9");
    assert_error(sn_body_add_impulse(world, rod, 0, bad), SN_ERROR_INVALID, "finite");
    assert_error(sn_rod_set_length_scale(world, rod, 0, 5, 1.0f), SN_ERROR_INVALID, "5");
    assert_error(sn_rod_set_length_scale(world, rod, -1, 2, 1.0f), SN_ERROR_INVALID, "-1");
    assert_error(sn_rod_set_length_scale(world, rod, INT32_MAX, INT32_MAX, 1.0f), SN_ERROR_INVALID,
                 "segments");
    assert_error(sn_rod_set_length_scale(world, rod, 0, 4, 0.0f), SN_ERROR_INVALID, "length_scale");
    assert_error(sn_rod_set_length_scale(world, rod, 0, 4, NAN), SN_ERROR_INVALID, "length_scale");
    assert_int_equal(sn_world_step(world, 0.01f, 1, 1), SN_STEP_OK);
    RodCopy now;
    copy_rod(world, rod, &now);
    for (int i = 0; i < 5; ++i)
        assert_near(distance(now.v[i], sn_vec3(0, 0, 0)), 0.0, 1e-5);
    sn_world_destroy(world);
}

// A material set later is the material the rod might have been made with.
static void a_new_material_is_as_good_as_the_first(void **state) {
    (void)state;
    uint64_t hash[2];
    for (int later = 0; later < 2; ++later) {
        SnWorld *world = make_world(sn_vec3(0.0f, -9.81f, 0.0f));
        SnRodMaterial m = sn_default_rod_material();
        m.density = 300.0f;
        m.young = 3e5f;
        m.shear = 2e5f;
        m.volume = 1e6f;
        m.damping = 0.01f;
        m.drag = 0.3f;
        m.bend = 7e5f;
        for (int kind = 0; kind < 3; ++kind) { // open, ring, cut
            SnVec3 x[COPY_MAX];
            int count = kind == 2 ? 120 : 20;
            circle_of_points(x, count, 0.5);
            SnRodDef def = sn_default_rod_def();
            def.solver = SN_SOLVER_SWEEP;
            def.vertex_count = count;
            def.closed = kind == 1;
            def.positions = x;
            if (!later)
                def.material = m;
            SnBodyId rod;
            assert_ok(sn_rod_create(world, &def, &rod));
            pin(world, rod, SN_ATTACH_VERTEX, 0);
            if (later)
                assert_ok(sn_rod_set_material(world, rod, &m));
        }
        for (int n = 0; n < 20; ++n)
            (void)sn_world_step(world, 1.0f / 60.0f, 4, 2);
        hash[later] = sn_world_hash(world);
        sn_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

static void bad_worlds_are_refused(void **state) {
    (void)state;
    SnWorld *world = NULL;
    SnWorldDef def = sn_default_world_def();
    assert_error(sn_world_create(NULL, &world), SN_ERROR_INVALID, "sn_default_world_def");
    assert_error(sn_world_create(&def, NULL), SN_ERROR_INVALID, "out_world");
    def.cookie = 1;
    assert_error(sn_world_create(&def, &world), SN_ERROR_INVALID, "sn_default_world_def");
    def = sn_default_world_def();
    def.gravity.y = NAN;
    assert_error(sn_world_create(&def, &world), SN_ERROR_INVALID, "gravity");
    def = sn_default_world_def();
    def.thread_count = -1;
    assert_error(sn_world_create(&def, &world), SN_ERROR_INVALID, "thread_count: -1");
    def = sn_default_world_def();
    def.tolerance = -1.0f;
    assert_error(sn_world_create(&def, &world), SN_ERROR_INVALID, "tolerance: -1");
    def = sn_default_world_def();
    def.isa = (SnIsa)77;
    assert_error(sn_world_create(&def, &world), SN_ERROR_INVALID, "isa");
    assert_null(world);
    sn_world_destroy(NULL);
    world = weightless_world();
    assert_error(sn_world_set_gravity(world, sn_vec3(0, INFINITY, 0)), SN_ERROR_INVALID, "gravity");
    assert_near(sn_world_gravity(world).y, 0.0, 0.0);
    SnPoses poses;
    assert_ok(sn_world_poses(world, &poses));
    assert_int_equal(poses.body_count, 0);
    assert_int_equal(sn_world_step(world, 0.01f, 1, 1), SN_STEP_OK);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_shapes_are_refused_by_name),
        cmocka_unit_test(bad_materials_are_refused_by_name),
        cmocka_unit_test(absurd_stiffness_stays_finite),
        cmocka_unit_test(frames_are_transported_without_twist),
        cmocka_unit_test(the_start_is_what_was_asked_for),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(poses_are_in_order_of_creation),
        cmocka_unit_test(stale_ids_get_nothing),
        cmocka_unit_test(bad_loads_are_refused),
        cmocka_unit_test(a_new_material_is_as_good_as_the_first),
        cmocka_unit_test(bad_worlds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
