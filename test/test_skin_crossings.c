// Skins that would pass through themselves in folds and between limbs: counted by brute force, the same
// bits whoever computes them, at rest where nothing moves, and left alone where they were made so.
#include "memory_count.h"
#include "odd_tasks.h"

#include "geom/crossing.h"
#include "implicit/implicit.h"

#define JOINTS 12
#define RATE 30.0 // frames per second

typedef struct Figure {
    SnSkeleton *skeleton;
    SnImplicit *skin;
    SnSkeletonMesh mesh;
} Figure;

static void open_figure(Figure *figure, const SnImplicitDef *from) {
    SnImplicitDef def = from ? *from : sn_default_implicit_def();
    assert_ok(sn_character_skeleton(SN_CHARACTER_FIGURE, NULL, &figure->skeleton));
    def.skeleton = figure->skeleton;
    figure->mesh = sn_skeleton_mesh(figure->skeleton, 0);
    assert_ok(sn_implicit_create(&def, NULL, &figure->skin));
}

static void close_figure(Figure *figure) {
    sn_implicit_destroy(figure->skin);
    sn_skeleton_destroy(figure->skeleton);
}

static SnImplicitMesh jump_to(Figure *figure, int frame) {
    SnTransform locals[JOINTS];
    SnMap maps[JOINTS];
    assert_ok(sn_skeleton_sample(figure->skeleton, 0, frame / RATE, locals));
    assert_ok(sn_skeleton_maps(figure->skeleton, locals, NULL, maps));
    assert_ok(sn_implicit_deform(figure->skin, maps));
    return sn_implicit_mesh(figure->skin, 0);
}

static int crossings(const Figure *figure, const SnVec3 *x) {
    SnAllocator allocator = sn__default_allocator();
    int count = sn__count_crossings(&allocator, x, figure->skin->surface.point,
                                    figure->mesh.triangles, figure->mesh.triangle_count);
    assert_true(count >= 0);
    return count;
}

// Hips and knees in the crouch, raised shoulders, and knees that straighten within a frame. The fields
// alone leave 46, 39, 46 and 72 crossings in these frames.
static void a_jump_does_not_cross(void **state) {
    (void)state;
    static const int looked_at[] = {15, 24, 25, 36, 43};
    Figure figure;
    open_figure(&figure, NULL);
    assert_int_equal(crossings(&figure, figure.mesh.positions), 0);
    for (int frame = 0, k = 0; k < 5; ++frame) {
        SnImplicitMesh mesh = jump_to(&figure, frame);
        assert_int_equal(figure.skin->crossings.left, 0);
        if (frame != looked_at[k])
            continue;
        ++k;
        assert_int_equal(crossings(&figure, mesh.positions), 0);
        assert_true(figure.skin->crossings.active_count > 100);
    }
    close_figure(&figure);
}

// What is found is what brute force finds. Blended skins cross as fields do not.
static void all_that_crosses_is_found(void **state) {
    (void)state;
    Figure figure;
    open_figure(&figure, NULL);
    SnImplicitMesh mesh = jump_to(&figure, 15);
    int expected = crossings(&figure, mesh.blended);
    for (int i = 0; i < sn__slot_count(figure.skin); ++i)
        figure.skin->places[0][i].at = figure.skin->geometric[i].at;
    for (int i = 0; i < figure.skin->pack_count; ++i)
        figure.skin->crossings.packs[i].moved = true;
    int found = sn__crossings_find(figure.skin);
    print_message("%d of %d crossings found\n", found, expected);
    assert_true(expected > 500);
    assert_true(found <= expected && found > 0.98 * expected);
    close_figure(&figure);
}

static void all_instruction_sets_and_threads_give_the_same_bits(void **state) {
    (void)state;
    SnVec3 *first = NULL;
    size_t size = 0;
    int calls = 0;
    for (int run = 0; run < 3; ++run) {
        SnImplicitDef def = sn_default_implicit_def();
        def.isa = run == 0 ? SN_ISA_SCALAR : SN_ISA_BEST;
        def.thread_count = run == 1 ? 2 : 1;
        if (run == 2)
            def.tasks = (SnTaskSystem){8, backwards, &calls};
        Figure figure;
        open_figure(&figure, &def);
        jump_to(&figure, 13);
        SnImplicitMesh mesh = jump_to(&figure, 15);
        assert_true(figure.skin->crossings.active_count > 100);
        if (run == 0) {
            size = (size_t)mesh.vertex_count * sizeof(SnVec3);
            first = malloc(size);
            memcpy(first, mesh.positions, size);
        }
        assert_memory_equal(mesh.positions, first, size);
        close_figure(&figure);
    }
    assert_true(calls > 0);
    free(first);
}

// Held in the crouch, no point leaps; back in its rest pose, the skin goes to where it was.
static void held_skins_do_not_leap(void **state) {
    (void)state;
    enum { HELD = 60, LATE = 20 };
    Figure figure;
    open_figure(&figure, NULL);
    SnImplicitMesh mesh = {0};
    for (int frame = 6; frame <= 15; ++frame)
        mesh = jump_to(&figure, frame);
    size_t size = (size_t)mesh.vertex_count * sizeof(SnVec3);
    SnVec3 *before = malloc(size);
    double leap = 0.0;
    for (int i = 0; i < HELD; ++i) {
        memcpy(before, mesh.positions, size);
        mesh = jump_to(&figure, 15);
        for (int v = 0; v < mesh.vertex_count && i >= LATE; ++v)
            leap = fmax(leap, (double)sn_vec3_length(sn_vec3_sub(mesh.positions[v], before[v])));
    }
    print_message("the largest step in a held crouch is %.2g mm\n", 1000.0 * leap);
    assert_below(leap, 4e-3);
    assert_int_equal(crossings(&figure, mesh.positions), 0);
    for (int i = 0; i < HELD; ++i)
        mesh = jump_to(&figure, 0);
    double most = 0.0;
    for (int v = 0; v < mesh.vertex_count; ++v)
        most = fmax(
            most, (double)sn_vec3_length(sn_vec3_sub(mesh.positions[v], figure.mesh.positions[v])));
    print_message("back at rest it is off by up to %.2g mm\n", 1000.0 * most);
    assert_below(most, 2e-3);
    free(before);
    close_figure(&figure);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jump_does_not_cross),
        cmocka_unit_test(all_that_crosses_is_found),
        cmocka_unit_test(all_instruction_sets_and_threads_give_the_same_bits),
        cmocka_unit_test(held_skins_do_not_leap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
