// Muscles under the skin (Roussellet et al. 2018, figures 2, 7, 11, 13 and 14): their volume through motions,
// shapes at rest and when active, muscles of several fibres, and one that is wider than its volume makes it.
#include "app/actors.h"
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 560
#define HEIGHT 480
#define MUSCLES 50
#define VOLUME_ERROR 0.5 // %
#define PEGS 4096

// A scene with a character and its muscles, in motion.
typedef struct Body {
    FigureRun run;
    Actors actors;
    SnPoses poses;
} Body;

static SnResult body_begin(const Figure *figure, const char *scene, Body *body) {
    *body = (Body){0};
    SnResult result = figure_run_begin(figure, scene, &body->run);
    return result.code == SN_OK ? actors_begin(body->run.scene, &body->actors) : result;
}

static void body_end(Body *body) {
    actors_end(&body->actors);
    figure_run_end(&body->run);
}

// In frames of a thirtieth of a second, as skins go from frame to frame.
static SnResult body_to(Body *body, double time) {
    SnResult result = sn_ok();
    double from = body->actors.time;
    int frames = (int)ceil(30.0 * (time - from) - 1e-6);
    for (int i = frames > 0 ? 1 : 0; i <= frames && result.code == SN_OK; ++i) {
        double now = frames > 0 ? from + (time - from) * i / frames : time;
        result = figure_run_to(&body->run, now);
        if (result.code == SN_OK)
            result = figure_run_poses(&body->run, &body->poses);
        if (result.code == SN_OK)
            result = actors_place(&body->actors, now, &body->poses);
    }
    return result;
}

static const char *name_of(const Body *body, int muscle) {
    return sn_scene_flesh(body->run.scene, muscle).name;
}

// By how much its volume as it is counted is off, %.
static double volume_change(const Body *body, int muscle) {
    SnSceneFlesh flesh = sn_scene_flesh(body->run.scene, muscle);
    return 100.0 *
           (sn_muscle_field_volume(body->actors.muscles[muscle]) / (double)flesh.rest.volume - 1.0);
}

// Whether its line is bent more sharply than the muscle is thick: it then overlaps with itself.
static bool is_folded(const Body *body, int muscle) {
    RodPose rod = figure_rod(&body->poses, sn_scene_flesh(body->run.scene, muscle).body);
    double most = 0.0;
    for (int i = 1; i + 1 < rod.vertices; ++i) {
        SnVec3 a = figure_between(rod.positions, i - 1, i),
               b = figure_between(rod.positions, i, i + 1);
        double length = 0.5 * (figure_length(a) + figure_length(b));
        double bend = figure_length(sn_vec3_sub(sn_vec3_normalise(b, a), sn_vec3_normalise(a, b)));
        double place = (double)i / (rod.vertices - 1);
        most =
            fmax(most, sn_muscle_field_radius(body->actors.muscles[muscle], place) * bend / length);
    }
    return most > 1.0;
}

static SnSkeletonMesh mesh_of(const Body *body) {
    return sn_skeleton_mesh(sn_scene_skeleton(body->run.scene, 0).skeleton, 0);
}

// Activates those whose names begin so, by hand, and lets the skin follow for some frames.
static SnResult activate(Body *body, const char *name, float activation) {
    SnImplicit *skin = body->actors.skins[0];
    for (int i = 0; i < body->actors.muscle_count; ++i)
        if (strncmp(name_of(body, i), name, strlen(name)) == 0)
            sn_muscle_field_activate(body->actors.muscles[i], activation);
    SnResult result = sn_ok();
    for (int i = 0; i < 5 && result.code == SN_OK; ++i)
        result = sn_implicit_deform(skin, body->actors.maps[0]);
    if (result.code == SN_OK) {
        SnImplicitMesh now = sn_implicit_mesh(skin, 0);
        size_t size = (size_t)now.vertex_count * sizeof(SnVec3);
        memcpy(body->actors.meshes[0].positions, now.positions, size);
        memcpy(body->actors.meshes[0].normals, now.normals, size);
    }
    return result;
}

// A muscle as pegs along its line, each as wide as the muscle is there.
static int add_pegs(const Body *body, int muscle, ViewLook look, ViewPeg *pegs, int count) {
    RodPose rod = figure_rod(&body->poses, sn_scene_flesh(body->run.scene, muscle).body);
    for (int i = 0; i + 1 < rod.vertices && count < PEGS; ++i) {
        const float *p = rod.positions + 3 * i;
        double place = (i + 0.5) / (rod.vertices - 1);
        double radius = sn_muscle_field_radius(body->actors.muscles[muscle], place);
        pegs[count++] = (ViewPeg){sn_vec3(p[0], p[1], p[2]), sn_vec3(p[3], p[4], p[5]),
                                  (float)fmax(radius, 0.002), look};
    }
    return count;
}

// The skin, if `pegs` is NULL, or else these.
static SnResult draw(FigureView *view, const Body *body, const ViewCamera *camera, ViewPeg *pegs,
                     int peg_count, ViewImage *out) {
    const ActorMesh *actor = &body->actors.meshes[0];
    SnSkeletonMesh mesh = mesh_of(body);
    ViewMesh shown = {.vertex_count = mesh.vertex_count,
                      .triangle_count = mesh.triangle_count,
                      .positions = &actor->positions->x,
                      .normals = &actor->normals->x,
                      .triangles = mesh.triangles,
                      .pose = {{0, 0, 0}, {0, 0, 0, 1}},
                      .look = {.colour = {0.80f, 0.55f, 0.42f}, .softness = 0.4f}};
    ViewScene scene = view_default_scene();
    scene.meshes = &shown;
    scene.mesh_count = pegs ? 0 : 1;
    scene.pegs = pegs;
    scene.peg_count = pegs ? peg_count : 0;
    scene.ground_height = -0.6f;
    SnResult result = view_renderer_draw(view->renderer, &scene, camera);
    return result.code == SN_OK ? view_renderer_read(view->renderer, out) : result;
}

static SnResult finish(Figure *figure, SnResult result, ViewImage *images,
                       const char *const *captions, int count, int columns) {
    if (result.code == SN_OK)
        return figure_write_grid(figure, images, captions, count, columns);
    figure_release(images, count);
    return result;
}

static const ViewCamera ARM_CAMERA = {{0.17f, 0.16f, 0.85f}, {0.17f, 0.05f, 0.0f}, 40.0f};

// Figure 2: at rest, active with the arm straight, and with the arm bent.
SnResult figure_implicit_fig2(Figure *figure) {
    static const char *const captions[6] = {"at rest",       "biceps active", "bent by 150 degrees",
                                            "muscles of it", "muscles of it", "muscles of it"};
    ViewImage images[6] = {{0}};
    ViewPeg *pegs = calloc(PEGS, sizeof *pegs);
    FigureView view = {0};
    Body body;
    SnResult result = pegs ? body_begin(figure, "implicit-curl", &body)
                           : sn_error(SN_ERROR_MEMORY, "figure: no memory");
    if (pegs == NULL)
        return result;
    if (result.code == SN_OK)
        result = figure_view_begin(WIDTH, HEIGHT, &view);
    figure_table_begin("largest change of a muscle's volume, %");
    for (int state = 0; state < 3 && result.code == SN_OK; ++state) {
        double most = 0.0;
        result = body_to(&body, state == 2 ? 1.0 : 0.0);
        if (result.code == SN_OK && state == 1)
            result = activate(&body, "biceps", 1.0f);
        int count = 0;
        for (int m = 0; m < body.actors.muscle_count && result.code == SN_OK; ++m) {
            most = fmax(most, fabs(volume_change(&body, m)));
            count = add_pegs(&body, m, view_palette(m), pegs, count);
        }
        if (result.code == SN_OK)
            result = draw(&view, &body, &ARM_CAMERA, NULL, 0, &images[state]);
        if (result.code == SN_OK)
            result = draw(&view, &body, &ARM_CAMERA, pegs, count, &images[3 + state]);
        figure_check_below(figure, captions[state], most, VOLUME_ERROR);
    }
    figure_view_end(&view);
    body_end(&body);
    free(pegs);
    return finish(figure, result, images, captions, 6, 3);
}

// Figure 7: the pectoral as two fibres and the deltoid as three, with arms down and up.
SnResult figure_implicit_fig7(Figure *figure) {
    static const char *const captions[4] = {"at rest, skin", "at rest", "arms up, skin", "arms up"};
    static const char *const fans[2] = {"pectoralis", "deltoid"};
    ViewImage images[4] = {{0}};
    ViewPeg *pegs = calloc(PEGS, sizeof *pegs);
    FigureView view = {0};
    Body body = {0};
    if (pegs == NULL)
        return sn_error(SN_ERROR_MEMORY, "figure: no memory");
    SnResult result = body_begin(figure, "../jump", &body);
    if (result.code == SN_OK)
        result = figure_view_begin(WIDTH, HEIGHT, &view);
    for (int state = 0; state < 2 && result.code == SN_OK; ++state) {
        result = body_to(&body, 0.8 * state);
        figure_table_begin(state ? "largest change of a fibre's volume with arms up, %"
                                 : "largest change of a fibre's volume at rest, %");
        int count = 0;
        for (int fan = 0; fan < 2 && result.code == SN_OK; ++fan) {
            double most = 0.0, folded = 0.0;
            for (int m = 0; m < body.actors.muscle_count; ++m)
                if (strncmp(name_of(&body, m), fans[fan], strlen(fans[fan])) == 0) {
                    double *change = is_folded(&body, m) ? &folded : &most;
                    *change = fmax(*change, fabs(volume_change(&body, m)));
                    count = add_pegs(&body, m, view_palette(m / 2), pegs, count);
                }
            figure_check_below(figure, fans[fan], most, VOLUME_ERROR);
            figure_table_note("  where lines fold", folded, "");
        }
        float rise = state ? 0.4f : 0.0f;
        ViewCamera camera = {{0.35f, 1.55f + rise, 1.15f}, {0.0f, 1.33f + rise, 0.0f}, 40.0f};
        if (result.code == SN_OK)
            result = draw(&view, &body, &camera, NULL, 0, &images[2 * state]);
        if (result.code == SN_OK)
            result = draw(&view, &body, &camera, pegs, count, &images[2 * state + 1]);
    }
    figure_view_end(&view);
    body_end(&body);
    free(pegs);
    return finish(figure, result, images, captions, 4, 2);
}

// The largest way of a vertex of the skin near a muscle, m.
static double largest_way(const Body *body, const SnVec3 *before) {
    double most = 0.0;
    for (int v = 0; v < mesh_of(body).vertex_count; ++v) {
        SnVec3 way = sn_vec3_sub(body->actors.meshes[0].positions[v], before[v]);
        most = fmax(most, (double)sn_vec3_length(way));
    }
    return most;
}

// Figure 11: calves and backs, at rest and fully active.
SnResult figure_implicit_fig11(Figure *figure) {
    static const char *const names[2] = {"gastrocnemius", "latissimus"};
    static const char *const captions[4] = {"calves at rest", "calves active", "back at rest",
                                            "back active"};
    static const ViewCamera cameras[2] = {{{0.5f, 0.42f, -0.85f}, {0.02f, 0.30f, 0.0f}, 38.0f},
                                          {{0.35f, 1.45f, -1.15f}, {0.0f, 1.25f, 0.0f}, 40.0f}};
    ViewImage images[4] = {{0}};
    FigureView view = {0};
    Body body;
    SnVec3 *before = NULL;
    SnResult result = body_begin(figure, "../jump", &body);
    if (result.code == SN_OK)
        result = figure_view_begin(WIDTH, HEIGHT, &view);
    if (result.code == SN_OK)
        result = body_to(&body, 0.0);
    if (result.code == SN_OK) {
        before = calloc((size_t)mesh_of(&body).vertex_count, sizeof *before);
        if (before == NULL)
            result = sn_error(SN_ERROR_MEMORY, "figure: no memory");
    }
    for (int k = 0; k < 2 && result.code == SN_OK; ++k) {
        memcpy(before, body.actors.meshes[0].positions,
               (size_t)mesh_of(&body).vertex_count * sizeof *before);
        result = draw(&view, &body, &cameras[k], NULL, 0, &images[2 * k]);
        if (result.code == SN_OK)
            result = activate(&body, names[k], 1.0f);
        if (result.code != SN_OK)
            break;
        double most = 0.0, way = 1000.0 * largest_way(&body, before);
        for (int m = 0; m < body.actors.muscle_count; ++m)
            if (strncmp(name_of(&body, m), names[k], strlen(names[k])) == 0)
                most = fmax(most, fabs(volume_change(&body, m)));
        figure_table_begin(names[k]);
        figure_check_below(figure, "change of volume, %", most, VOLUME_ERROR);
        figure_check_below(figure, "a millimetre by how far the skin has gone", 1.0 / way, 1.0);
        result = draw(&view, &body, &cameras[k], NULL, 0, &images[2 * k + 1]);
    }
    free(before);
    figure_view_end(&view);
    body_end(&body);
    return finish(figure, result, images, captions, 4, 2);
}

#define FRAMES 8

typedef struct Course {
    double times[FRAMES + 1], changes[MUSCLES][FRAMES + 1];
    double folded; // the largest change of one that is folded, which the others leave out
    int folds;     // of these
    int count;
} Course;

static SnResult follow(const Figure *figure, const char *scene, double seconds, Course *course) {
    Body body;
    SnResult result = body_begin(figure, scene, &body);
    for (int i = 0; i <= FRAMES && result.code == SN_OK; ++i) {
        course->times[i] = seconds * i / FRAMES;
        result = body_to(&body, course->times[i]);
        course->count = body.actors.muscle_count < MUSCLES ? body.actors.muscle_count : MUSCLES;
        for (int m = 0; m < course->count && result.code == SN_OK; ++m)
            if (is_folded(&body, m)) {
                course->folded = fmax(course->folded, fabs(volume_change(&body, m)));
                course->changes[m][i] = NAN;
                ++course->folds;
            } else {
                course->changes[m][i] = volume_change(&body, m);
            }
    }
    body_end(&body);
    return result;
}

// Figure 13: the volume of all muscles through a curl and a jump.
SnResult figure_implicit_fig13(Figure *figure) {
    static const float blue[3] = {0.33f, 0.50f, 0.70f}, orange[3] = {0.91f, 0.42f, 0.32f};
    static Course courses[2];
    static ViewPlotSeries series[2 * MUSCLES];
    SnResult result = follow(figure, "../biceps-curl", 2.4, &courses[0]);
    if (result.code == SN_OK)
        result = follow(figure, "../jump", 1.6, &courses[1]);
    if (result.code != SN_OK)
        return result;
    int count = 0;
    figure_table_begin("largest change of a muscle's volume, %");
    for (int k = 0; k < 2; ++k) {
        double most = 0.0;
        for (int m = 0; m < courses[k].count; ++m) {
            for (int i = 0; i <= FRAMES; ++i)
                most = fmax(most, fabs(courses[k].changes[m][i])); // NAN is left out
            series[count++] = (ViewPlotSeries){m > 0 ? NULL
                                               : k   ? "jump"
                                                     : "biceps curl",
                                               FRAMES + 1,
                                               courses[k].times,
                                               courses[k].changes[m],
                                               VIEW_PLOT_LINE,
                                               k ? blue : orange};
        }
        figure_check_below(figure, k ? "jump, 50 muscles" : "biceps curl, 4 muscles", most,
                           VOLUME_ERROR);
        figure_table_note("  muscles and moments left out, as lines fold", courses[k].folds, "");
        figure_table_note("  there", courses[k].folded, "%");
    }
    const ViewPlot chart = {.title = "Volume of muscles, as it is counted",
                            .x = {.label = "s"},
                            .y = {.label = "change, %", .low = -2.0, .high = 2.0},
                            .series = series,
                            .series_count = count};
    return figure_write_plot(figure, &chart);
}

// Figure 14: the same curl with a biceps that is 30 % wider.
SnResult figure_implicit_fig14(Figure *figure) {
    static const char *const scenes[2] = {"implicit-curl", "implicit-wide"};
    static const char *const captions[2] = {"a curl", "biceps 30 % wider"};
    ViewImage images[2] = {{0}};
    FigureView view = {0};
    double heights[2] = {0.0}, widths[2] = {0.0};
    SnResult result = figure_view_begin(WIDTH, HEIGHT, &view);
    for (int k = 0; k < 2 && result.code == SN_OK; ++k) {
        Body body;
        result = body_begin(figure, scenes[k], &body);
        if (result.code == SN_OK)
            result = body_to(&body, 1.0);
        if (result.code == SN_OK) {
            SnSkeletonMesh rest = mesh_of(&body);
            for (int v = 0; v < rest.vertex_count; ++v)
                if (fabsf(rest.positions[v].x - 0.12f) < 0.06f && rest.positions[v].y > 0.0f)
                    heights[k] =
                        fmax(heights[k], 1000.0 * (double)body.actors.meshes[0].positions[v].y);
            widths[k] = 1000.0 * sn_muscle_field_radius(body.actors.muscles[0], 0.4);
            result = draw(&view, &body, &ARM_CAMERA, NULL, 0, &images[k]);
        }
        body_end(&body);
    }
    figure_view_end(&view);
    if (result.code == SN_OK) {
        figure_table_begin("biceps with a width of 1.3 by one without");
        figure_check_near(figure, "its radius", widths[1] / widths[0], 1.3, 0.02);
        figure_table_note("height of the skin over it, without", heights[0], "mm");
        figure_table_note("height of the skin over it, with", heights[1], "mm");
        figure_check_below(figure, "the first by the second", heights[0] / heights[1], 0.98);
    }
    return finish(figure, result, images, captions, 2, 2);
}
