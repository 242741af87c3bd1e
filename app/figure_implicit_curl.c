// An arm that curls with muscles under its skin (Roussellet et al. 2018, figures 2, 13 and 15): the volume of
// each muscle over time, and how far the skin over the biceps rises with and without contact with the bone.
#include "app/actors.h"
#include "app/figure_kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 560
#define HEIGHT 480
#define SECONDS 1.0
#define FRAMES 15
#define MUSCLES 4
#define BELLY 0.12f // of the biceps, along the upper arm, m
#define NEAR 0.06f  // of a vertex from it
#define VOLUME_ERROR 0.5

typedef enum CurlWay { CURL_BARE, CURL_FREE, CURL_ALL, CURL_WAYS } CurlWay;

static const char *const WAY[CURL_WAYS] = {"no muscles", "muscles, bones ignored",
                                           "muscles that touch bones"};

typedef struct Curl {
    FigureRun run;
    Actors actors;
    double volumes[MUSCLES][FRAMES + 1]; // %, change
    double times[FRAMES + 1];
    double height; // m, of the skin over the biceps, at the end
} Curl;

static void release(Curl *curl) {
    actors_end(&curl->actors);
    figure_run_end(&curl->run);
}

// Muscles that touch nothing, or that the skin does not know.
static SnResult set_way(Curl *curl, CurlWay way) {
    SnResult result = sn_ok();
    SnFilter nothing = {1, 0, 0};
    for (int i = 0; i < sn_scene_flesh_count(curl->run.scene) && result.code == SN_OK; ++i)
        if (way != CURL_ALL)
            result = sn_body_set_filter(
                curl->run.simulation.world,
                sn_scene_body_id(curl->run.scene, sn_scene_flesh(curl->run.scene, i).body),
                nothing);
    return result;
}

// The height of the skin over the belly, where it is highest, from the bone's axis.
static double skin_height(const Curl *curl) {
    const ActorMesh *mesh = &curl->actors.meshes[0];
    SnSkeletonMesh rest =
        sn_skeleton_mesh(sn_scene_skeleton(curl->run.scene, 0).skeleton, mesh->mesh);
    double highest = 0.0;
    for (int v = 0; v < rest.vertex_count; ++v)
        if (fabsf(rest.positions[v].x - BELLY) < NEAR && rest.positions[v].y > 0.0f &&
            fabsf(rest.positions[v].z) < 0.01f)
            highest = fmax(highest, (double)mesh->positions[v].y);
    return highest;
}

static SnResult begin(const Figure *figure, CurlWay way, Curl *curl) {
    SnResult result =
        figure_run_begin(figure, way == CURL_BARE ? "implicit-bare" : "implicit-curl", &curl->run);
    if (result.code == SN_OK)
        result = set_way(curl, way);
    return result.code == SN_OK ? actors_begin(curl->run.scene, &curl->actors) : result;
}

static SnResult bend(Curl *curl) {
    SnResult result = sn_ok();
    for (int i = 0; i <= FRAMES && result.code == SN_OK; ++i) {
        SnPoses poses;
        double time = SECONDS * i / FRAMES;
        result = figure_run_to(&curl->run, time);
        if (result.code == SN_OK)
            result = figure_run_poses(&curl->run, &poses);
        if (result.code == SN_OK)
            result = actors_place(&curl->actors, time, &poses);
        curl->times[i] = time;
        for (int m = 0; m < curl->actors.muscle_count && m < MUSCLES && result.code == SN_OK; ++m) {
            double volume = (double)sn_scene_flesh(curl->run.scene, m).rest.volume;
            curl->volumes[m][i] =
                100.0 * (sn_muscle_field_volume(curl->actors.muscles[m]) / volume - 1.0);
        }
    }
    curl->height = result.code == SN_OK ? skin_height(curl) : 0.0;
    return result;
}

static SnResult draw(FigureView *view, const Curl *curl, ViewImage *out_image) {
    const ActorMesh *actor = &curl->actors.meshes[0];
    SnSkeletonMesh mesh =
        sn_skeleton_mesh(sn_scene_skeleton(curl->run.scene, 0).skeleton, actor->mesh);
    ViewMesh shown = {.vertex_count = mesh.vertex_count,
                      .triangle_count = mesh.triangle_count,
                      .positions = &actor->positions->x,
                      .normals = &actor->normals->x,
                      .triangles = mesh.triangles,
                      .pose = {{0, 0, 0}, {0, 0, 0, 1}},
                      .look = {.colour = {0.80f, 0.55f, 0.42f}, .softness = 0.4f}};
    ViewScene scene = view_default_scene();
    scene.meshes = &shown;
    scene.mesh_count = 1;
    scene.ground_height = -0.12f;
    ViewCamera camera = {{0.17f, 0.16f, 0.75f}, {0.15f, 0.05f, 0.0f}, 35.0f};
    SnResult result = view_renderer_draw(view->renderer, &scene, &camera);
    return result.code == SN_OK ? view_renderer_read(view->renderer, out_image) : result;
}

static void check(Figure *figure, const Curl *curls) {
    figure_table_begin("largest change of a muscle's volume, %");
    for (int m = 0; m < MUSCLES; ++m) {
        double most = 0.0;
        for (int i = 0; i <= FRAMES; ++i)
            most = fmax(most, fabs(curls[CURL_ALL].volumes[m][i]));
        figure_check_below(figure, sn_scene_flesh(curls[CURL_ALL].run.scene, m).name, most,
                           VOLUME_ERROR);
    }
    figure_table_begin("height of the skin over the biceps, mm");
    for (int way = 0; way < CURL_WAYS; ++way)
        figure_table_note(WAY[way], 1000.0 * curls[way].height, "");
    // The muscle is seen, and more of it where it cannot sink into the bone.
    figure_check_below(figure, "without muscles, over with them",
                       curls[CURL_BARE].height / curls[CURL_ALL].height, 0.98);
    figure_check_below(figure, "bones ignored, over touched",
                       curls[CURL_FREE].height / curls[CURL_ALL].height, 0.99);
}

SnResult figure_implicit_curl(Figure *figure) {
    static Curl curls[CURL_WAYS];
    ViewImage images[CURL_WAYS] = {0};
    char captions[CURL_WAYS][96];
    const char *lines[CURL_WAYS];
    FigureView view = {0};
    SnResult result = sn_ok();
    for (int way = 0; way < CURL_WAYS && result.code == SN_OK; ++way) {
        curls[way] = (Curl){0};
        result = begin(figure, (CurlWay)way, &curls[way]);
        if (result.code == SN_OK)
            result = bend(&curls[way]);
    }
    if (result.code == SN_OK) {
        check(figure, curls);
        result = figure_view_begin(WIDTH, HEIGHT, &view);
    }
    for (int way = 0; way < CURL_WAYS && result.code == SN_OK; ++way) {
        snprintf(captions[way], sizeof captions[way], "%s: %.1f mm", WAY[way],
                 1000.0 * curls[way].height);
        lines[way] = captions[way];
        result = draw(&view, &curls[way], &images[way]);
    }
    figure_view_end(&view);
    if (result.code == SN_OK)
        result = figure_write_grid(figure, images, lines, CURL_WAYS, CURL_WAYS);
    else
        figure_release(images, CURL_WAYS);
    for (int way = 0; way < CURL_WAYS; ++way)
        release(&curls[way]);
    return result;
}
