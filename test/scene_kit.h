// What tests of scene files share.
#pragma once

#include "io/scene_data.h"

#include <sinew/sinew.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LINE "'shape':{'line':{'from':[0,0,0],'to':[1,0,0],'segments':4}}"

static inline SnScene *load(const char *text) {
    SnScene *scene;
    SnResult result = sn_scene_load_text("t.json", text, strlen(text), &scene, NULL);
    if (result.code != SN_OK)
        fail_msg("%s", result.message);
    return scene;
}

static inline SnWorld *build(SnScene *scene) {
    SnWorldDef def = sn_default_world_def();
    def.thread_count = 1;
    SnWorld *world;
    SnResult result = sn_scene_build(scene, &def, &world);
    if (result.code != SN_OK)
        fail_msg("%s", result.message);
    return world;
}

static inline void run(SnScene *scene, SnWorld *world, int steps, double step) {
    for (int i = 1; i <= steps; ++i) {
        SnResult result = sn_scene_animate(scene, world, i * step, step);
        if (result.code != SN_OK)
            fail_msg("%s", result.message);
        assert_int_equal(sn_world_step(world, (float)step, 4, 1) & ~(uint32_t)SN_STEP_SOFT,
                         SN_STEP_OK);
    }
}

static inline void destroy(SnScene *scene, SnWorld *world) {
    sn_world_destroy(world);
    sn_scene_destroy(scene);
}

static inline void assert_near(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.9g is not %.9g ± %g", a, b, tolerance);
}

static inline void assert_point(const SnPoses *poses, int vertex, double x, double y, double z) {
    const float *p = poses->positions + 3 * vertex;
    assert_near((double)p[0], x, 1e-5);
    assert_near((double)p[1], y, 1e-5);
    assert_near((double)p[2], z, 1e-5);
}

// Scenes are written with ' for " here, which keeps them readable.
static inline char *quoted(const char *text) {
    char *copy = malloc(strlen(text) + 1);
    strcpy(copy, text);
    for (char *c = copy; *c; ++c)
        *c = *c == '\'' ? '"' : *c;
    return copy;
}

static inline SnScene *load_quoted(const char *text) {
    char *copy = quoted(text);
    SnScene *scene = load(copy);
    free(copy);
    return scene;
}

// A scene, and what must be said about it.
typedef struct Bad {
    const char *text, *message;
} Bad;

static inline void assert_refused(const Bad *cases, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        SnScene *scene;
        char *text = quoted(cases[i].text);
        SnResult result = sn_scene_load_text("t.json", text, strlen(text), &scene, NULL);
        assert_null(scene);
        if (strstr(result.message, cases[i].message) == NULL)
            fail_msg("%s\ngave \"%s\", not \"%s\"", cases[i].text, result.message,
                     cases[i].message);
        free(text);
    }
}

static inline uint32_t random_next(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

// Whatever a file says, it loads or is refused; and what loads builds or is refused.
static inline void assert_survives(const char *scene_text) {
    static const char *const words[] = {"0",    "-1",  "1e9",  "[]",      "{}",    "null",
                                        "true", "0.5", "\"\"", "[1,2,3]", "1e-30", "\"first\""};
    char *source = quoted(scene_text);
    uint32_t seed = 12345;
    char text[4096];
    int loaded = 0;
    for (int round = 0; round < 2000; ++round) {
        size_t size = strlen(source), at = random_next(&seed) % size;
        // Replaces one value, from a place behind ':' or ',' up to the next separator.
        while (at < size && source[at] != ':' && source[at] != ',')
            ++at;
        size_t end = at + 1;
        while (end < size && strchr(",]}", source[end]) == NULL)
            ++end;
        const char *word = words[random_next(&seed) % (sizeof words / sizeof *words)];
        int length = snprintf(text, sizeof text, "%.*s%s%s", (int)(at + (at < size)), source, word,
                              source + (end < size ? end : size));
        SnScene *scene;
        SnResult result = sn_scene_load_text("fuzz", text, (size_t)length, &scene, NULL);
        if (result.code == SN_OK) {
            SnWorldDef def = sn_default_world_def();
            def.thread_count = 1;
            SnWorld *world;
            if (loaded++ % 8 == 0 && sn_scene_build(scene, &def, &world).code == SN_OK) {
                sn_scene_animate(scene, world, 0.01, 0.01);
                sn_world_step(world, 0.01f, 1, 1);
                sn_world_destroy(world);
            }
            sn_scene_destroy(scene);
        } else {
            assert_null(scene);
            assert_true(result.message[0] != '\0');
        }
    }
    assert_true(loaded > 50);
    free(source);
}
