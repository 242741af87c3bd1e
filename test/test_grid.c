// The broad phase against every box tried with every other, on random scenes that change in every
// way from call to call; threads, memory, and boxes that are none.
#include "support.h"

#include "base/tasks.h"
#include "collide/grid.h"

#include <stdlib.h>

#define MAX_BOXES 700
#define MAX_PAIRS (MAX_BOXES * MAX_BOXES / 2)

typedef struct Scene {
    GridBox boxes[MAX_BOXES];
    int count;
    double spread, smallest, largest; // of positions, of sizes
    int clusters;                     // 0: none
    double cluster_distance;
} Scene;

typedef struct Workers {
    SnAllocator allocator;
    TaskPool *pools[3];
    SnTaskSystem tasks[3]; // 1, 2 and 4 workers
} Workers;

static void workers_create(Workers *workers) {
    workers->allocator = sn__default_allocator();
    for (int i = 0; i < 3; ++i) {
        assert_ok(sn__pool_create(&workers->allocator, 1 << i, &workers->pools[i]));
        workers->tasks[i] = sn__pool_tasks(workers->pools[i]);
    }
}

static void workers_destroy(Workers *workers) {
    for (int i = 0; i < 3; ++i)
        sn__pool_destroy(workers->pools[i]);
}

static GridBox random_box(const Scene *scene, Rng *rng) {
    GridBox box;
    int cluster = scene->clusters ? rng_int(rng, 0, scene->clusters - 1) : 0;
    bool alike = rng_int(rng, 0, 3) == 0; // a cube, else a plate, a rod or a point
    float size = rng_log(rng, scene->smallest, scene->largest);
    for (int c = 0; c < 3; ++c) {
        double centre =
            scene->clusters ? scene->cluster_distance * ((cluster >> c & 1) ? 1 : -1) : 0;
        float side = alike ? size : size * rng_float(rng, 0.0, 1.0);
        side = rng_int(rng, 0, 30) ? side : 0.0f;
        box.low[c] = (float)(centre + rng_real(rng, -scene->spread, scene->spread));
        // Some on the boundaries of cells.
        if (rng_int(rng, 0, 7) == 0)
            box.low[c] = floorf(box.low[c] / size) * size;
        box.high[c] = box.low[c] + side;
    }
    return box;
}

static GridBox odd_box(Rng *rng) {
    GridBox box = {{0.0f, 0.0f, 0.0f}, {1.0f, 1.0f, 1.0f}};
    int c = rng_int(rng, 0, 2);
    switch (rng_int(rng, 0, 5)) {
    case 0:
        box.low[c] = NAN;
        break;
    case 1:
        box.high[c] = NAN;
        break;
    case 2:
        box.high[c] = INFINITY;
        break;
    case 3:
        box.low[c] = -INFINITY;
        break;
    case 4:
        box.low[c] = 2.0f; // empty
        break;
    default:
        box = (GridBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    }
    return box;
}

static void random_scene(Scene *scene, Rng *rng) {
    static const double spreads[] = {1.0, 10.0, 300.0, 1.0e9};
    scene->count = rng_int(rng, 0, 9) ? rng_int(rng, 0, MAX_BOXES) : rng_int(rng, 0, 3);
    scene->spread = spreads[rng_int(rng, 0, 3)];
    scene->largest = scene->spread * rng_real(rng, 0.1, 1.0);
    scene->smallest = scene->largest * (rng_int(rng, 0, 1) ? 1.0e-6 : 0.3);
    scene->clusters = rng_int(rng, 0, 2) ? 0 : rng_int(rng, 2, 8);
    scene->cluster_distance = rng_int(rng, 0, 1) ? 1.0e6 : 4.0 * scene->spread;
    for (int i = 0; i < MAX_BOXES; ++i)
        scene->boxes[i] = rng_int(rng, 0, 40) ? random_box(scene, rng) : odd_box(rng);
}

static void shift(GridBox *box, const Scene *scene, Rng *rng, double part) {
    for (int c = 0; c < 3; ++c) {
        float by = (float)(scene->largest * part * rng_real(rng, -1.0, 1.0));
        box->low[c] += by;
        box->high[c] += by;
    }
}

// One of the ways in which a scene goes on.
static void change_scene(Scene *scene, Rng *rng) {
    int way = rng_int(rng, 0, 6);
    for (int i = 0; i < scene->count; ++i) {
        GridBox *box = &scene->boxes[i];
        if (way == 0) // all a little
            shift(box, scene, rng, 0.01);
        else if (way == 1 && rng_int(rng, 0, 19) == 0) // a few far
            *box = random_box(scene, rng);
        else if (way == 2) // all far
            *box = random_box(scene, rng);
        else if (way == 3 && rng_int(rng, 0, 1)) // half are emptied
            *box = odd_box(rng);
        else if (way == 4)
            shift(box, scene, rng, 0.5);
    }
    if (way == 5)
        scene->count = rng_int(rng, 0, MAX_BOXES);
}

static bool overlap(const GridBox *a, const GridBox *b) {
    for (int c = 0; c < 3; ++c)
        if (!(a->low[c] <= b->high[c] && b->low[c] <= a->high[c]))
            return false;
    return true;
}

static bool is_box(const GridBox *box) {
    for (int c = 0; c < 3; ++c)
        if (!(box->low[c] <= box->high[c]) || !isfinite(box->low[c]) || !isfinite(box->high[c]))
            return false;
    return true;
}

// Chains of three do not meet themselves; and the filter must only ever be asked about overlaps.
static bool chain_filter(int a, int b, void *context) {
    const Scene *scene = context;
    if (!(a < b && b < scene->count && overlap(&scene->boxes[a], &scene->boxes[b])))
        abort();
    return a / 3 != b / 3;
}

static bool all_filter(int a, int b, void *context) {
    (void)a;
    (void)b;
    (void)context;
    return true;
}

static int brute_force(const Scene *scene, GridPair *pairs) {
    int count = 0;
    for (int a = 0; a < scene->count; ++a)
        for (int b = a + 1; b < scene->count && is_box(&scene->boxes[a]); ++b)
            if (a / 3 != b / 3 && is_box(&scene->boxes[b]) &&
                overlap(&scene->boxes[a], &scene->boxes[b]))
                pairs[count++] = (GridPair){a, b};
    return count;
}

static void check_pairs(Grid *grid, const SnTaskSystem *tasks, Scene *scene,
                        const GridPair *expected, int expected_count) {
    const GridPair *pairs;
    int count;
    assert_true(sn__grid_pairs(grid, tasks, scene->boxes, scene->count, chain_filter, scene, &pairs,
                               &count));
    for (int i = 0; i < count && i < expected_count; ++i)
        if (pairs[i].a != expected[i].a || pairs[i].b != expected[i].b)
            fail_msg("pair %d is %d %d, not %d %d", i, pairs[i].a, pairs[i].b, expected[i].a,
                     expected[i].b);
    assert_int_equal(count, expected_count);
}

static void check_query(const Grid *grid, const Scene *scene, Rng *rng) {
    GridBox box = random_box(scene, rng);
    int found[MAX_BOXES], expected[MAX_BOXES], expected_count = 0;
    int capacity = rng_int(rng, 0, 1) ? MAX_BOXES : rng_int(rng, 0, 5);
    if (rng_int(rng, 0, 3) == 0)
        shift(&box, scene, rng, 100.0);
    for (int i = 0; i < scene->count; ++i)
        if (is_box(&scene->boxes[i]) && overlap(&scene->boxes[i], &box))
            expected[expected_count++] = i;
    int count = sn__grid_query(grid, &box, found, capacity);
    assert_int_equal(count, expected_count);
    for (int i = 0; i < count && i < capacity; ++i)
        assert_int_equal(found[i], expected[i]);
}

static void no_pair_is_missed_and_none_too_many(void **state) {
    (void)state;
    Workers workers;
    workers_create(&workers);
    Rng rng = {4};
    Scene *scene = malloc(sizeof *scene);
    GridPair *expected = malloc(MAX_PAIRS * sizeof *expected);
    Grid *grids[3];
    for (int i = 0; i < 3; ++i)
        assert_non_null(grids[i] = sn__grid_create(&workers.allocator));
    int scenes = 0, with_pairs = 0;
    for (int start = 0; start < 80; ++start) {
        random_scene(scene, &rng);
        for (int i = 0; i < 3; ++i) {
            SnIsa isa = (SnIsa)rng_int(&rng, SN_ISA_BEST, SN_ISA_AVX512);
            sn__grid_set_isa(grids[i], sn_isa_available(isa) ? isa : SN_ISA_BEST);
        }
        for (int call = 0; call < 7; ++call, ++scenes) {
            int count = brute_force(scene, expected);
            with_pairs += count > 20;
            // One worker sees every call; the others skip some, and so have another history.
            for (int i = 0; i < 3; ++i)
                if (i == 0 || rng_int(&rng, 0, 2))
                    check_pairs(grids[i], &workers.tasks[i], scene, expected, count);
            for (int i = 0; i < 8; ++i)
                check_query(grids[0], scene, &rng);
            change_scene(scene, &rng);
        }
    }

    assert_true(scenes >= 500 && with_pairs >= 200);
    for (int i = 0; i < 3; ++i)
        sn__grid_destroy(grids[i]);
    free(expected);
    free(scene);
    workers_destroy(&workers);
}

// A row of blocks that meet in faces, at every power of two: closed intervals, exact cells.
static void boxes_that_touch_are_pairs(void **state) {
    (void)state;
    Workers workers;
    workers_create(&workers);
    Grid *grid = sn__grid_create(&workers.allocator);
    for (int exponent = -40; exponent <= 80; ++exponent) {
        GridBox boxes[64];
        float side = ldexpf(1.0f, exponent);
        for (int i = 0; i < 64; ++i)
            for (int c = 0; c < 3; ++c) {
                boxes[i].low[c] = side * (float)((i >> 2 * c & 3) - 2);
                boxes[i].high[c] = boxes[i].low[c] + side;
            }
        const GridPair *pairs;
        int count;
        assert_true(
            sn__grid_pairs(grid, &workers.tasks[0], boxes, 64, all_filter, NULL, &pairs, &count));
        // Pairs of a 4 × 4 × 4 cube in which each coordinate differs by one at most.
        assert_int_equal(count, (10 * 10 * 10 - 64) / 2);
    }
    sn__grid_destroy(grid);
    workers_destroy(&workers);
}

static void none_and_one(void **state) {
    (void)state;
    Workers workers;
    workers_create(&workers);
    Grid *grid = sn__grid_create(&workers.allocator);
    GridBox box = {{-3.0e38f, -1.0f, 0.0f}, {3.0e38f, 1.0f, 0.0f}};
    for (int round = 0; round < 4; ++round) {
        const GridPair *pairs;
        int count = -1, found[2];
        assert_int_equal(sn__grid_query(grid, &box, found, 2), round > 0);
        assert_true(
            sn__grid_pairs(grid, &workers.tasks[1], NULL, 0, all_filter, NULL, &pairs, &count));
        assert_int_equal(count, 0);
        assert_int_equal(sn__grid_query(grid, &box, found, 2), 0);
        assert_true(
            sn__grid_pairs(grid, &workers.tasks[1], &box, 1, all_filter, NULL, &pairs, &count));
        assert_int_equal(count, 0);
    }
    GridBox same[3] = {box, box, box};
    const GridPair *pairs;
    int count;
    assert_true(sn__grid_pairs(grid, &workers.tasks[0], same, 3, all_filter, NULL, &pairs, &count));
    assert_int_equal(count, 3);
    sn__grid_destroy(grid);
    workers_destroy(&workers);
}

typedef struct Counter {
    long calls, live, fail_at;
} Counter;

static void *count_allocate(size_t size, size_t align, void *context) {
    Counter *counter = context;
    if (++counter->calls == counter->fail_at)
        return NULL;
    ++counter->live;
    return aligned_alloc(align, size);
}

static void count_release(void *memory, size_t size, void *context) {
    (void)size;
    --((Counter *)context)->live;
    free(memory);
}

static void busy_scene(Scene *scene, Rng *rng) {
    *scene = (Scene){.count = MAX_BOXES, .spread = 3.0, .smallest = 0.1, .largest = 2.0};
    for (int i = 0; i < MAX_BOXES; ++i)
        scene->boxes[i] = random_box(scene, rng);
}

static void settled_scenes_do_not_allocate(void **state) {
    (void)state;
    Workers workers;
    workers_create(&workers);
    Scene *scene = malloc(sizeof *scene);
    for (int i = 0; i < 3; ++i) {
        Rng rng = {8};
        Counter counter = {0};
        SnAllocator allocator = {count_allocate, count_release, &counter};
        Grid *grid = sn__grid_create(&allocator);
        const GridPair *pairs;
        int count;
        long calls = 0;
        busy_scene(scene, &rng);
        for (int call = 0; call < 40; ++call) {
            assert_true(sn__grid_pairs(grid, &workers.tasks[i], scene->boxes, scene->count,
                                       all_filter, NULL, &pairs, &count));
            assert_true(count > 1000);
            // The second change of order fills the second half of the double buffer.
            if (call == 2)
                calls = counter.calls;
            for (int k = 0; k < scene->count && call < 20; ++k)
                shift(&scene->boxes[k], scene, &rng, 0.01);
        }
        assert_int_equal(counter.calls, calls);
        sn__grid_destroy(grid);
        assert_int_equal(counter.live, 0);
    }
    free(scene);
    workers_destroy(&workers);
}

// Whatever allocation fails, the call says so, has no pairs, and the next one has them all.
static void without_memory_there_are_no_pairs(void **state) {
    (void)state;
    Workers workers;
    workers_create(&workers);
    Rng rng = {15};
    Scene *scene = malloc(sizeof *scene);
    busy_scene(scene, &rng);
    GridPair *expected = malloc(MAX_PAIRS * sizeof *expected);
    int failures = 0;
    for (int first_count = 0; first_count <= 300; first_count += 150)
        for (long fail_at = 1;; ++fail_at) {
            Counter counter = {0};
            SnAllocator allocator = {count_allocate, count_release, &counter};
            Grid *grid = sn__grid_create(&allocator);
            const GridPair *pairs;
            int count = -1, found[1];
            scene->count = first_count;
            check_pairs(grid, &workers.tasks[1], scene, expected, brute_force(scene, expected));
            scene->count = MAX_BOXES;
            counter.fail_at = counter.calls + fail_at;
            bool fine = sn__grid_pairs(grid, &workers.tasks[1], scene->boxes, MAX_BOXES,
                                       chain_filter, scene, &pairs, &count);
            if (!fine) {
                assert_int_equal(count, 0);
                assert_null(pairs);
                (void)sn__grid_query(grid, &scene->boxes[0], found, 1);
            }
            failures += !fine;
            check_pairs(grid, &workers.tasks[1], scene, expected, brute_force(scene, expected));
            sn__grid_destroy(grid);
            assert_int_equal(counter.live, 0);
            if (fine)
                break;
        }

    assert_true(failures > 15);
    Counter counter = {.fail_at = 1};
    SnAllocator allocator = {count_allocate, count_release, &counter};
    assert_null(sn__grid_create(&allocator));
    sn__grid_destroy(NULL);
    free(expected);
    free(scene);
    workers_destroy(&workers);
}

// Many small boxes in a huge one, most far apart; beside them a parked crowd. All workers agree,
// and work is about what the pairs are, or this test would take minutes.
static void crowds_are_no_trouble(void **state) {
    (void)state;
    Workers workers;
    workers_create(&workers);
    const int count = 60000;
    GridBox *boxes = malloc((size_t)count * sizeof *boxes);
    Rng rng = {23};
    for (int i = 0; i < count; ++i) {
        float far = i % 3 == 0 ? 4096.0f * (float)(i % 100) : 0.0f; // aligned with the cells
        for (int c = 0; c < 3; ++c) {
            boxes[i].low[c] = far + rng_float(&rng, -20.0, 20.0);
            boxes[i].high[c] = boxes[i].low[c] + 0.25f;
        }
        if (i % 5 == 0)
            boxes[i].low[0] = NAN;
    }
    boxes[1] = (GridBox){{-1.0e6f, -1.0e6f, -1.0e6f}, {1.0e6f, 1.0e6f, 1.0e6f}};
    int counts[3], others = 0;
    uint64_t sums[3] = {0};
    for (int i = 0; i < 3; ++i) {
        Grid *grid = sn__grid_create(&workers.allocator);
        const GridPair *pairs;
        assert_true(sn__grid_pairs(grid, &workers.tasks[i], boxes, count, all_filter, NULL, &pairs,
                                   &counts[i]));
        for (int k = 0; k < counts[i]; ++k) {
            sums[i] = sums[i] * 31 + (uint64_t)pairs[k].a * 1000003u + (uint64_t)pairs[k].b;
            assert_true(k == 0 || pairs[k - 1].a < pairs[k].a ||
                        (pairs[k - 1].a == pairs[k].a && pairs[k - 1].b < pairs[k].b));
        }
        sn__grid_destroy(grid);
    }
    for (int i = 2; i < count; ++i)
        others += i % 5 != 0;
    assert_true(counts[0] > others);
    assert_int_equal(counts[0], counts[1]);
    assert_int_equal(counts[0], counts[2]);
    assert_true(sums[0] == sums[1] && sums[0] == sums[2]);
    free(boxes);
    workers_destroy(&workers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_pair_is_missed_and_none_too_many),
        cmocka_unit_test(boxes_that_touch_are_pairs),
        cmocka_unit_test(none_and_one),
        cmocka_unit_test(settled_scenes_do_not_allocate),
        cmocka_unit_test(without_memory_there_are_no_pairs),
        cmocka_unit_test(crowds_are_no_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
