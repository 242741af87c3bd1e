// Trees made by code: exact counts, the shape of a tree, proportions, radii, sag, and their skins.
#include "support.h"

#include <stdlib.h>

#include "math/vec.h"

#define KINDS 3

static const SnTreeKind kinds[KINDS] = {SN_TREE_BIRCH, SN_TREE_WILLOW, SN_TREE_PINE};
static const int published[KINDS] = {29973, 38825, 49548};

static SnTreeModel grow(SnTreeKind kind, int segments, uint32_t seed) {
    SnTreeDef def = sn_default_tree_def(kind);
    if (segments > 0)
        def.segments = segments;
    def.seed = seed;
    SnTreeModel model;
    assert_ok(sn_tree_model(&def, NULL, &model));
    return model;
}

static Vec3d edge_of(const SnTreeModel *model, int edge) {
    return subd(vec3d(model->positions[edge + 1]), vec3d(model->positions[model->edges[2 * edge]]));
}

static int leaf_count(const SnTreeModel *model) {
    int count = 0;
    for (int i = 0; i < model->edge_count; ++i)
        count += model->leaf[i];
    return count;
}

// Every edge hangs on one before it, so all are connected and none closes a loop.
static void check_tree(const SnTreeModel *model, int segments) {
    assert_int_equal(model->edge_count, segments);
    assert_int_equal(model->vertex_count, segments + 1);
    assert_near(distance(model->positions[0], sn_vec3(0.0f, 0.0f, 0.0f)), 0.0, 0.0);
    for (int i = 0; i < segments; ++i) {
        int near = model->edges[2 * i];
        assert_int_equal(model->edges[2 * i + 1], i + 1);
        assert_true(near >= 0 && near <= i);
        assert_true(near == 0 || !model->leaf[near - 1]); // nothing grows from a leaf
        double length = lengthd(edge_of(model, i));
        assert_true(length > 1e-6 && length < 10.0);
        assert_true(model->positions[i + 1].y > 0.0f);
        // Thinner outwards.
        float base = model->base_radii[i], end = model->radii[i + 1];
        assert_true(end > 0.0f && end <= base && base <= model->radii[near]);
        assert_true(model->leaf[i] <= 1);
        assert_true(model->leaf[i] ? model->leaf_widths[i] > 0.0f : model->leaf_widths[i] == 0.0f);
    }
}

static void counts_are_exact(void **state) {
    (void)state;
    static const int sizes[] = {1000, 2049, 9999, 100000};
    for (int k = 0; k < KINDS; ++k) {
        for (int n = 30; n < 230; ++n) {
            SnTreeModel model = grow(kinds[k], n, (uint32_t)n);
            check_tree(&model, n);
            assert_true(leaf_count(&model) > 0);
            sn_tree_model_destroy(&model);
        }
        for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
            SnTreeModel model = grow(kinds[k], sizes[i], 77 + i);
            check_tree(&model, sizes[i]);
            sn_tree_model_destroy(&model);
            assert_null(model.frames);
        }
    }
    SnTreeModel model = grow(SN_TREE_PINE, SN_MAX_TREE_SEGMENTS, 5);
    check_tree(&model, SN_MAX_TREE_SEGMENTS);
    sn_tree_model_destroy(&model);
}

static void defaults_are_the_published_trees(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; ++k) {
        assert_int_equal(sn_default_tree_def(kinds[k]).segments, published[k]);
        SnTreeModel model = grow(kinds[k], 0, 7);
        check_tree(&model, published[k]);
        int deepest = 0, *depth = calloc((size_t)model.vertex_count, sizeof *depth);
        double shortest = INFINITY, longest = 0.0, top = 0.0;
        for (int i = 0; i < model.edge_count; ++i) {
            depth[i + 1] = depth[model.edges[2 * i]] + 1;
            deepest = depth[i + 1] > deepest ? depth[i + 1] : deepest;
            double length = lengthd(edge_of(&model, i));
            if (model.leaf[i]) {
                shortest = fmin(shortest, length);
                longest = fmax(longest, length);
            } else {
                top = fmax(top, (double)model.positions[i + 1].y);
                assert_true(model.radii[i + 1] > 0.0007f);
            }
        }
        free(depth);
        assert_true(deepest > 40 && deepest < 100);
        assert_true(shortest > 0.03 && longest < 0.1);
        assert_true(top > 5.0 && top < 10.0);
        if (kinds[k] == SN_TREE_BIRCH)
            assert_int_equal(leaf_count(&model), 14333);
        sn_tree_model_destroy(&model);
    }
}

// Branches of every level and leaves keep their shares; the wood is as high as it was asked to be.
static void sizes_keep_their_proportions(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; ++k) {
        SnTreeModel model = grow(kinds[k], 0, 7);
        double share = (double)leaf_count(&model) / model.edge_count;
        assert_true(share > 0.4 && share < 0.75);
        sn_tree_model_destroy(&model);
        for (int n = 1000; n <= 300000; n = 17 * n + 1) {
            model = grow(kinds[k], n, 3);
            assert_near((double)leaf_count(&model) / n, share, 0.02);
            sn_tree_model_destroy(&model);
        }
        SnTreeDef def = sn_default_tree_def(kinds[k]);
        def.height = 3.25f;
        assert_ok(sn_tree_model(&def, NULL, &model));
        float top = 0.0f;
        for (int i = 0; i < model.edge_count; ++i)
            if (!model.leaf[i])
                top = fmaxf(top, model.positions[i + 1].y);
        assert_near(top, 3.25, 1e-4);
        sn_tree_model_destroy(&model);
    }
}

// What makes them look as they do: how much of the outer wood points down or lies level.
static void species_have_their_habit(void **state) {
    (void)state;
    double down[KINDS], level[KINDS], slim[KINDS];
    for (int k = 0; k < KINDS; ++k) {
        SnTreeModel model = grow(kinds[k], 0, 7);
        double length = 0.0, hanging = 0.0, lying = 0.0, wide = 0.0, high = 0.0;
        for (int i = 0; i < model.edge_count; ++i) {
            SnVec3 x = model.positions[i + 1];
            wide = fmax(wide, hypot((double)x.x, (double)x.z));
            high = fmax(high, (double)x.y);
            if (model.leaf[i])
                continue;
            Vec3d edge = edge_of(&model, i);
            double l = lengthd(edge);
            length += l;
            hanging += edge.y < -0.7 * l ? l : 0.0;
            lying += fabs(edge.y) < 0.5 * l ? l : 0.0;
        }
        down[k] = hanging / length;
        level[k] = lying / length;
        slim[k] = high / wide;
        sn_tree_model_destroy(&model);
    }
    assert_true(down[SN_TREE_WILLOW] > 0.6);                             // weeps
    assert_true(down[SN_TREE_BIRCH] > 0.1 && down[SN_TREE_BIRCH] < 0.5); // droops
    assert_true(down[SN_TREE_PINE] < 0.05 && level[SN_TREE_PINE] > 0.5); // spreads
    assert_true(slim[SN_TREE_BIRCH] > 2.2 && slim[SN_TREE_PINE] > 2.2);
    assert_true(slim[SN_TREE_WILLOW] < 2.0);
}

// Frames lie along their edges, and those of wood turn as little as their edges do.
static void frames_follow_the_edges(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; ++k) {
        SnTreeModel model = grow(kinds[k], 5000, 9);
        for (int i = 0; i < model.edge_count; ++i) {
            Quatd q = quatd(model.frames[i]);
            assert_near(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1.0, 1e-6);
            Vec3d edge = edge_of(&model, i);
            edge = scaled(edge, 1.0 / lengthd(edge));
            assert_near(lengthd(subd(axis_z(q), edge)), 0.0, 1e-4);
            int near = model.edges[2 * i];
            if (near == 0)
                continue;
            Vec3d before = edge_of(&model, near - 1);
            double c = dotd(before, edge) / lengthd(before);
            double bend = acos(fmax(-1.0, fmin(1.0, c)));
            double turn = angle_between(model.frames[near - 1], model.frames[i]);
            if (model.leaf[i])
                assert_true(turn < 0.95 * SUPPORT_PI);
            else
                assert_near(turn, bend, 2e-3);
        }
        sn_tree_model_destroy(&model);
    }
}

// Its own weight bends no branch by much: moments over stiffness, summed up from the root.
static void wood_carries_its_weight(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; ++k) {
        SnTreeModel m = grow(kinds[k], 0, 7);
        size_t count = (size_t)m.vertex_count;
        double *mass = calloc(count, sizeof *mass), *angle = calloc(count, sizeof *angle);
        Vec3d *moment = calloc(count, sizeof *moment); // mass times position
        for (int i = m.edge_count - 1; i >= 0; --i) {
            int near = m.edges[2 * i];
            double r = 0.5 * ((double)m.base_radii[i] + (double)m.radii[i + 1]);
            double length = lengthd(edge_of(&m, i));
            // Blades are 0.3 mm thick.
            double area = SUPPORT_PI * r * r + 0.3e-3 * (double)m.leaf_widths[i];
            double own = 1000.0 * area * length;
            Vec3d middle = addd(vec3d(m.positions[near]), scaled(edge_of(&m, i), 0.5));
            mass[i + 1] += own;
            moment[i + 1] = addd(moment[i + 1], scaled(middle, own));
            mass[near] += mass[i + 1];
            moment[near] = addd(moment[near], moment[i + 1]);
        }
        double largest = 0.0;
        for (int i = 0; i < m.edge_count; ++i) {
            int near = m.edges[2 * i];
            Vec3d lever = subd(moment[i + 1], scaled(vec3d(m.positions[near]), mass[i + 1]));
            double torque = 9.81 * hypot(lever.x, lever.z);
            double r = 0.5 * ((double)m.base_radii[i] + (double)m.radii[i + 1]);
            double young = m.leaf[i] ? 1.2e9 : 12.5e9;
            double bend =
                torque * lengthd(edge_of(&m, i)) / (young * 0.25 * SUPPORT_PI * r * r * r * r);
            angle[i + 1] = angle[near] + bend;
            if (m.leaf[i])
                assert_below(bend, 0.35);
            else
                largest = fmax(largest, angle[i + 1]);
        }
        assert_true(largest > 0.01 && largest < 0.3);
        assert_true(mass[0] > 50.0 && mass[0] < 500.0);
        free(mass);
        free(angle);
        free(moment);
        sn_tree_model_destroy(&m);
    }
}

static void seeds_decide(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; ++k) {
        SnTreeModel a = grow(kinds[k], 3000, 4), b = grow(kinds[k], 3000, 4),
                    c = grow(kinds[k], 3000, 5);
        assert_int_equal(a.size, b.size);
        assert_memory_equal(a.frames, b.frames, a.size); // the block they all are in
        assert_memory_not_equal(a.positions, c.positions, 3001 * sizeof *a.positions);
        sn_tree_model_destroy(&a);
        sn_tree_model_destroy(&b);
        sn_tree_model_destroy(&c);
    }
}

static void bad_definitions_are_refused(void **state) {
    (void)state;
    SnTreeModel model;
    SnTreeDef def = sn_default_tree_def(SN_TREE_BIRCH);
    assert_error(sn_tree_model(&def, NULL, NULL), SN_ERROR_INVALID, "out_model");
    assert_error(sn_tree_model(NULL, NULL, &model), SN_ERROR_INVALID, "sn_default_tree_def");
    SnTreeDef bare = {.kind = SN_TREE_PINE, .segments = 1000, .height = 3.0f};
    assert_error(sn_tree_model(&bare, NULL, &model), SN_ERROR_INVALID, "sn_default_tree_def");
    def.segments = 29;
    assert_error(sn_tree_model(&def, NULL, &model), SN_ERROR_INVALID, "segments: 29 is not in [30");
    def.segments = SN_MAX_TREE_SEGMENTS + 1;
    assert_error(sn_tree_model(&def, NULL, &model), SN_ERROR_INVALID, "segments: 1000001");
    def.segments = 100;
    static const float heights[] = {0.0f, 0.05f, 1000.0f, NAN, INFINITY};
    for (int i = 0; i < 5; ++i) {
        def.height = heights[i];
        assert_error(sn_tree_model(&def, NULL, &model), SN_ERROR_INVALID, "birch: height: ");
        assert_null(model.frames);
    }
    def = sn_default_tree_def((SnTreeKind)7);
    assert_error(sn_tree_model(&def, NULL, &model), SN_ERROR_INVALID, "kind: 7");
    sn_tree_model_destroy(NULL);
    sn_tree_skin_destroy(NULL);
}

typedef struct Counter {
    int calls, live, fail_at;
} Counter;

static void *count_allocate(size_t size, size_t align, void *context) {
    Counter *c = context;
    if (++c->calls == c->fail_at)
        return NULL;
    ++c->live;
    return aligned_alloc(align, size);
}

static void count_release(void *memory, size_t size, void *context) {
    (void)size;
    --((Counter *)context)->live;
    free(memory);
}

static void no_memory_is_an_error(void **state) {
    (void)state;
    Counter counter = {0};
    SnAllocator allocator = {count_allocate, count_release, &counter};
    SnTreeDef def = sn_default_tree_def(SN_TREE_WILLOW);
    def.segments = 500;
    SnTreeModel model;
    SnTreeSkin skin;
    for (counter.fail_at = 1; counter.fail_at <= 3; ++counter.fail_at) {
        counter.calls = 0;
        assert_error(sn_tree_model(&def, &allocator, &model), SN_ERROR_MEMORY, "500 segments");
        assert_int_equal(counter.live, 0);
    }
    counter = (Counter){0};
    assert_ok(sn_tree_model(&def, &allocator, &model));
    assert_int_equal(counter.live, 1);
    counter.fail_at = counter.calls + 1;
    assert_error(sn_tree_skin(&model, 8, &allocator, &skin), SN_ERROR_MEMORY, "vertices");
    assert_ok(sn_tree_skin(&model, 8, &allocator, &skin));
    assert_int_equal(counter.live, 2);
    sn_tree_skin_destroy(&skin);
    sn_tree_model_destroy(&model);
    assert_int_equal(counter.live, 0);
}

static Vec3d corner(const SnTreeSkin *skin, int triangle, int k) {
    return vec3d(skin->positions[skin->triangles[3 * triangle + k]]);
}

// In bounds, with area, and wound so that the normals look the same way.
static void check_triangles(const SnTreeSkin *skin) {
    for (int i = 0; i < skin->triangle_count; ++i) {
        bool is_bark = i < skin->bark_triangle_count;
        for (int k = 0; k < 3; ++k) {
            uint32_t v = skin->triangles[3 * i + k];
            assert_true(v < (uint32_t)skin->vertex_count);
            assert_true(is_bark == (v < (uint32_t)skin->bark_vertex_count));
        }
        Vec3d a = corner(skin, i, 0), b = corner(skin, i, 1), c = corner(skin, i, 2);
        Vec3d normal = crossd(subd(b, a), subd(c, a));
        double area = lengthd(normal), shortest = INFINITY, longest = 0.0;
        for (int k = 0; k < 3; ++k) {
            double side = lengthd(subd(corner(skin, i, (k + 1) % 3), corner(skin, i, k)));
            shortest = fmin(shortest, side);
            longest = fmax(longest, side);
        }
        assert_true(shortest > 1e-5 && area > 0.1 * shortest * longest);
        for (int k = 0; k < 3; ++k) {
            Vec3d n = vec3d(skin->normals[skin->triangles[3 * i + k]]);
            assert_true(dotd(n, normal) > (is_bark ? 0.0 : 0.5) * area);
        }
    }
}

static void check_vertices(const SnTreeSkin *skin, const SnTreeModel *model) {
    for (int i = 0; i < skin->vertex_count; ++i) {
        assert_near(lengthd(vec3d(skin->normals[i])), 1.0, 1e-6);
        assert_true(isfinite(skin->uvs[2 * i]) && isfinite(skin->uvs[2 * i + 1]));
        float sum = 0.0f;
        double farthest_bone = 0.0;
        for (int k = 0; k < SN_SKIN_BONES; ++k) {
            int bone = skin->bones[SN_SKIN_BONES * i + k];
            float weight = skin->weights[SN_SKIN_BONES * i + k];
            assert_true(bone >= 0 && bone < model->vertex_count);
            assert_true(weight >= 0.0f && weight <= 1.0f);
            sum += weight;
            if (weight > 0.0f)
                farthest_bone =
                    fmax(farthest_bone, distance(skin->positions[i], model->positions[bone]));
            bool is_leaf = bone > 0 && model->leaf[bone - 1];
            assert_true(is_leaf == (i >= skin->bark_vertex_count));
        }
        assert_near(sum, 1.0, 1e-6);
        assert_below(farthest_bone, 0.5);
    }
}

// The area of a tube's bark is what its radii say, but for facets, collars and tips.
static void check_bark(const SnTreeSkin *skin, const SnTreeModel *model) {
    double area = 0.0, expected = 0.0;
    for (int i = 0; i < skin->bark_triangle_count; ++i) {
        Vec3d a = corner(skin, i, 0);
        area += 0.5 * lengthd(crossd(subd(corner(skin, i, 1), a), subd(corner(skin, i, 2), a)));
    }
    for (int i = 0; i < model->edge_count; ++i)
        if (!model->leaf[i])
            expected += SUPPORT_PI * lengthd(edge_of(model, i)) *
                        ((double)model->base_radii[i] + (double)model->radii[i + 1]);
    assert_near(area / expected, 0.9, 0.15);
}

static void skins_are_sound(void **state) {
    (void)state;
    static const int sizes[] = {30, 700, 12000}, sides[] = {3, 12, 64};
    for (int k = 0; k < KINDS; ++k)
        for (int i = 0; i < 3; ++i) {
            SnTreeModel model = grow(kinds[k], sizes[i], 8);
            SnTreeSkin skin;
            assert_ok(sn_tree_skin(&model, sides[i], NULL, &skin));
            assert_int_equal(skin.triangle_count - skin.bark_triangle_count,
                             2 * leaf_count(&model));
            assert_int_equal(skin.vertex_count - skin.bark_vertex_count, 4 * leaf_count(&model));
            check_triangles(&skin);
            check_vertices(&skin, &model);
            if (sides[i] > 3)
                check_bark(&skin, &model);
            sn_tree_skin_destroy(&skin);
            assert_null(skin.positions);
            sn_tree_model_destroy(&model);
        }
}

static void bad_models_have_no_skin(void **state) {
    (void)state;
    SnTreeModel model = grow(SN_TREE_BIRCH, 100, 1), bad = {0};
    SnTreeSkin skin;
    assert_error(sn_tree_skin(&model, 8, NULL, NULL), SN_ERROR_INVALID, "out_skin");
    assert_error(sn_tree_skin(NULL, 8, NULL, &skin), SN_ERROR_INVALID, "model");
    assert_error(sn_tree_skin(&bad, 8, NULL, &skin), SN_ERROR_INVALID, "model");
    assert_error(sn_tree_skin(&model, 2, NULL, &skin), SN_ERROR_INVALID, "sides: 2");
    assert_error(sn_tree_skin(&model, 65, NULL, &skin), SN_ERROR_INVALID, "sides: 65");
    model.edges[40] = 77;
    assert_error(sn_tree_skin(&model, 8, NULL, &skin), SN_ERROR_INVALID, "edge 20 from 77");
    model.edges[40] = 20;
    SnVec3 place = model.positions[9];
    model.positions[9].x = NAN;
    assert_error(sn_tree_skin(&model, 8, NULL, &skin), SN_ERROR_INVALID, "positions[9]");
    model.positions[9] = model.positions[model.edges[16]];
    assert_error(sn_tree_skin(&model, 8, NULL, &skin), SN_ERROR_INVALID, "edge 8 has no length");
    model.positions[9] = place;
    model.radii[3] = 0.0f;
    assert_error(sn_tree_skin(&model, 8, NULL, &skin), SN_ERROR_INVALID, "radii[3]: 0 m");
    model.radii[3] = 0.01f;
    model.frames[5] = (SnQuat){0.0f, 1.0f, 0.0f, 0.0f};
    assert_error(sn_tree_skin(&model, 8, NULL, &skin), SN_ERROR_INVALID, "frames[5]");
    assert_null(skin.positions);
    sn_tree_model_destroy(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_exact),
        cmocka_unit_test(defaults_are_the_published_trees),
        cmocka_unit_test(sizes_keep_their_proportions),
        cmocka_unit_test(species_have_their_habit),
        cmocka_unit_test(frames_follow_the_edges),
        cmocka_unit_test(wood_carries_its_weight),
        cmocka_unit_test(seeds_decide),
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(no_memory_is_an_error),
        cmocka_unit_test(skins_are_sound),
        cmocka_unit_test(bad_models_have_no_skin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
