// Fat under implicit skins: it swings with the frequency and the damping that are asked for whatever the step, by
// less than it is thick, comes to rest, and is the same for any number of threads.
#include "support.h"

#include <sinew/character_model.h>
#include <sinew/implicit.h>

#include <string.h>

#define JOINTS 3
#define THICK 0.008f

typedef struct Arm {
    SnSkeleton *skeleton;
    SnImplicit *skin;
    SnMap maps[JOINTS];
} Arm;

static void begin(Arm *arm, SnFat fat, int threads) {
    SnTransform locals[JOINTS];
    assert_int_equal(sn_character_skeleton(SN_CHARACTER_ARM, NULL, &arm->skeleton).code, SN_OK);
    SnImplicitDef def = sn_default_implicit_def();
    def.skeleton = arm->skeleton;
    def.thread_count = threads;
    def.fat = fat;
    assert_int_equal(sn_implicit_create(&def, NULL, &arm->skin).code, SN_OK);
    sn_skeleton_rest(arm->skeleton, locals);
    sn_skeleton_maps(arm->skeleton, locals, NULL, arm->maps);
}

static void end(Arm *arm) {
    sn_implicit_destroy(arm->skin);
    sn_skeleton_destroy(arm->skeleton);
}

static void frame(Arm *arm, double height, double seconds) {
    SnMap maps[JOINTS];
    for (int i = 0; i < JOINTS; ++i) {
        maps[i] = arm->maps[i];
        maps[i].origin.y += (float)height;
    }
    assert_int_equal(sn_implicit_deform_after(arm->skin, maps, (float)seconds).code, SN_OK);
}

// How far the skin is from where the joints have taken it, the mean along y and the most of all vertices.
static double swing(const Arm *arm, double height, double *out_most) {
    SnImplicitMesh mesh = sn_implicit_mesh(arm->skin, 0);
    SnSkeletonMesh rest = sn_skeleton_mesh(arm->skeleton, 0);
    double sum = 0.0;
    *out_most = 0.0;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        SnVec3 away = sn_vec3_sub(mesh.positions[v], rest.positions[v]);
        away.y -= (float)height;
        sum += (double)away.y / mesh.vertex_count;
        *out_most = fmax(*out_most, (double)sn_vec3_length(away));
    }
    return sum;
}

typedef struct Swing {
    double frequency, kept, most, last; // Hz; of a swing, half a second later; m
} Swing;

// The arm is carried up at an even pace and stops at once.
static Swing stop_at_once(SnFat fat, double step) {
    Arm arm;
    begin(&arm, fat, 1);
    Swing out = {.frequency = 0.0};
    double first = -1.0, last = -1.0, before = 0.0, early = 0.0, late = 0.0, most;
    int crossings = 0;
    for (int i = 0; i <= (int)(0.2 / step); ++i)
        frame(&arm, 0.05 * i * step, step);
    double top = 0.05 * (int)(0.2 / step) * step;
    for (int i = 1; i <= (int)(1.5 / step); ++i) {
        frame(&arm, top, step);
        double now = swing(&arm, top, &most), time = i * step;
        out.most = fmax(out.most, most);
        early = time < 0.25 ? fmax(early, fabs(now)) : early;
        late = time > 0.5 && time < 0.75 ? fmax(late, fabs(now)) : late;
        if (before * now < 0.0) {
            last = time - step * now / (now - before);
            first = first < 0.0 ? last : first;
            ++crossings;
        }
        before = now;
    }
    for (int i = 0; i < 120; ++i)
        frame(&arm, top, 1.0 / 30.0);
    swing(&arm, top, &out.last);
    out.frequency = 0.5 * (crossings - 1) / (last - first);
    out.kept = late / early;
    end(&arm);
    return out;
}

static void fat_swings_as_asked(void **state) {
    (void)state;
    static const double steps[] = {1.0 / 30.0, 1.0 / 60.0, 1.0 / 240.0};
    for (int k = 0; k < 3; ++k) {
        Swing soft = stop_at_once((SnFat){THICK, 3.0f, 0.1f}, steps[k]);
        Swing hard = stop_at_once((SnFat){THICK, 6.0f, 0.05f}, steps[k]);
        print_message("steps of %.4f s: %.3f and %.3f Hz for 3 and 6, %.3f and %.3f are left\n",
                      steps[k], soft.frequency, hard.frequency, soft.kept, hard.kept);
        assert_near(soft.frequency, 3.0 * sqrt(1.0 - 0.01), 0.06);
        assert_near(hard.frequency, 6.0, 0.12);
        // e^(−ζωt) for half a second, peaks of 1/30 s apart may be missed by some percent.
        assert_near(soft.kept, exp(-0.1 * 2.0 * SUPPORT_PI * 3.0 * 0.5), 0.1);
        assert_near(hard.kept, exp(-0.05 * 2.0 * SUPPORT_PI * 6.0 * 0.5), 0.1);
        assert_below(soft.most, (double)THICK);
        assert_below(soft.last, 1e-4);
    }
}

// Shaken by ten times its thickness, thirty times a second, it stays finite, and by less than its thickness off.
static void fat_is_never_farther_than_it_is_thick(void **state) {
    (void)state;
    Arm arm;
    double most = 0.0, now;
    begin(&arm, (SnFat){THICK, 4.0f, 0.0f}, 1);
    for (int i = 0; i < 60; ++i) {
        double height = i % 2 ? 0.08 : 0.0;
        frame(&arm, height, 1.0 / 30.0);
        swing(&arm, height, &now);
        most = fmax(most, now);
    }
    print_message("%.2f mm of %.0f mm\n", 1e3 * most, 1e3 * (double)THICK);
    assert_below(most, (double)THICK + 2e-4); // fields put points within that
    assert_true(most > 0.5 * (double)THICK);
    end(&arm);
}

// Without time, fat does nothing; with it, any number of threads gives the same bits.
static void fat_is_deterministic(void **state) {
    (void)state;
    Arm plain, still, two;
    begin(&plain, (SnFat){0.0f, 4.0f, 0.2f}, 1);
    begin(&still, (SnFat){THICK, 4.0f, 0.2f}, 1);
    begin(&two, (SnFat){THICK, 4.0f, 0.2f}, 3);
    for (int i = 0; i < 4; ++i) {
        frame(&plain, 0.01 * i, 0.02);
        frame(&still, 0.01 * i, 0.0);
    }
    SnImplicitMesh a = sn_implicit_mesh(plain.skin, 0), b = sn_implicit_mesh(still.skin, 0);
    size_t size = (size_t)a.vertex_count * sizeof(SnVec3);
    assert_memory_equal(a.positions, b.positions, size);
    sn_implicit_reset(still.skin);
    for (int i = 0; i < 6; ++i) {
        frame(&still, 0.02 * i * i, 0.02);
        frame(&two, 0.02 * i * i, 0.02);
    }
    assert_memory_equal(sn_implicit_mesh(still.skin, 0).positions,
                        sn_implicit_mesh(two.skin, 0).positions, size);
    end(&plain);
    end(&still);
    end(&two);
}

static void what_cannot_be_used_is_named(void **state) {
    (void)state;
    Arm arm;
    begin(&arm, (SnFat){THICK, 4.0f, 0.2f}, 1);
    SnImplicitDef def = sn_default_implicit_def();
    SnImplicit *skin;
    def.skeleton = arm.skeleton;
    def.fat = (SnFat){-1.0f, 4.0f, 0.2f};
    SnResult result = sn_implicit_create(&def, NULL, &skin);
    assert_non_null(strstr(result.message, "fat.thickness: -1 is not in"));
    def.fat = (SnFat){0.01f, 0.0f, 0.2f};
    result = sn_implicit_create(&def, NULL, &skin);
    assert_non_null(strstr(result.message, "fat.frequency: 0 is not in"));
    def.fat = (SnFat){0.01f, 4.0f, 1.0f};
    result = sn_implicit_create(&def, NULL, &skin);
    assert_non_null(strstr(result.message, "fat.damping: 1 is not in"));
    result = sn_implicit_deform_after(arm.skin, arm.maps, -1.0f);
    assert_non_null(strstr(result.message, "seconds: -1 is not in"));
    end(&arm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fat_swings_as_asked),
        cmocka_unit_test(fat_is_never_farther_than_it_is_thick),
        cmocka_unit_test(fat_is_deterministic),
        cmocka_unit_test(what_cannot_be_used_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
