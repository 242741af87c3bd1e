// An elbow and a knee that are bent to 150°, by linear blending, by dual quaternions and as an implicit
// skin: how often the skin passes through itself, and what is left of its smallest triangle.
#include "app/figure_kit.h"
#include "bench/crossings.h"

#include <sinew/character_model.h>
#include <sinew/implicit.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 560
#define HEIGHT 480
#define FRAMES 30 // up to the bend
#define JOINTS 12 // of the largest
#define WAYS 3
#define LIMBS 2
#define FIGURE LIMBS // behind the limbs, in a crouch: shown as numbers only

static const char *const WAY[WAYS] = {"linear blending", "dual quaternions", "implicit skin"};
static const char *const LIMB[LIMBS] = {"elbow", "knee"};

typedef struct Limb {
    SnSkeleton *skeleton;
    SnImplicit *skin;
    SnSkeletonMesh mesh;
    SnVec3 *linear;
    int worst;   // crossings of the implicit skin in any frame
    float sight; // from which side it is drawn, 1 or −1: where the light is
} Limb;

static void release_limb(Limb *limb) {
    sn_implicit_destroy(limb->skin);
    sn_skeleton_destroy(limb->skeleton);
    free(limb->linear);
}

static int count(const Limb *limb, const SnVec3 *x) {
    return skin_crossings(x, limb->mesh.vertex_count, limb->mesh.triangles,
                          limb->mesh.triangle_count);
}

// All of its clip up to `bent` seconds.
static SnResult bend(Limb *limb, SnCharacter character, double bent) {
    SnTransform locals[JOINTS];
    SnMap maps[JOINTS];
    SnResult result = sn_character_skeleton(character, NULL, &limb->skeleton);
    if (result.code != SN_OK)
        return result;
    SnImplicitDef def = sn_default_implicit_def();
    def.skeleton = limb->skeleton;
    limb->mesh = sn_skeleton_mesh(limb->skeleton, 0);
    limb->linear = calloc((size_t)limb->mesh.vertex_count, sizeof *limb->linear);
    result = limb->linear ? sn_implicit_create(&def, NULL, &limb->skin)
                          : sn_error(SN_ERROR_MEMORY, "figure: no memory");
    for (int i = 0; i <= FRAMES && result.code == SN_OK; ++i) {
        sn_skeleton_sample(limb->skeleton, 0, bent * i / FRAMES, locals);
        sn_skeleton_maps(limb->skeleton, locals, NULL, maps);
        result = sn_implicit_deform(limb->skin, maps);
        int crossings = count(limb, sn_implicit_mesh(limb->skin, 0).positions);
        limb->worst = crossings > limb->worst ? crossings : limb->worst;
    }
    if (result.code == SN_OK)
        result = sn_skeleton_deform(limb->skeleton, 0, maps, limb->linear, NULL);
    return result;
}

static const SnVec3 *shown(const Limb *limb, int way) {
    SnImplicitMesh mesh = sn_implicit_mesh(limb->skin, 0);
    return way == 0 ? limb->linear : way == 1 ? mesh.blended : mesh.positions;
}

static double area(const SnVec3 *x, const uint32_t *t) {
    return 0.5 * (double)sn_vec3_length(
                     sn_vec3_cross(sn_vec3_sub(x[t[1]], x[t[0]]), sn_vec3_sub(x[t[2]], x[t[0]])));
}

// The smallest triangle, over its size at rest.
static double least_area(const Limb *limb, const SnVec3 *x) {
    double least = INFINITY;
    for (int t = 0; t < limb->mesh.triangle_count; ++t) {
        const uint32_t *corners = limb->mesh.triangles + 3 * t;
        least = fmin(least, area(x, corners) / area(limb->mesh.positions, corners));
    }
    return least;
}

static SnResult draw(FigureView *view, const Limb *limb, int way, ViewImage *out_image) {
    ViewMesh mesh = {.vertex_count = limb->mesh.vertex_count,
                     .triangle_count = limb->mesh.triangle_count,
                     .positions = &shown(limb, way)->x,
                     .triangles = limb->mesh.triangles,
                     .pose = {{0, 0, 0}, {0, 0, 0, 1}},
                     .look = {.colour = {0.80f, 0.55f, 0.42f}, .softness = 0.4f}};
    ViewBounds bounds = view_bounds_empty();
    view_bounds_add(&bounds, mesh.positions, NULL, mesh.vertex_count);
    ViewScene scene = view_default_scene();
    scene.meshes = &mesh;
    scene.mesh_count = 1;
    scene.ground_height = bounds.low.y - 0.05f;
    // From the side that the limb bends in, and near the joint.
    SnMap joint;
    SnTransform locals[JOINTS];
    SnMap maps[JOINTS];
    sn_skeleton_rest(limb->skeleton, locals);
    sn_skeleton_maps(limb->skeleton, locals, NULL, maps);
    joint = maps[1];
    SnVec3 across = sn_vec3_normalise(joint.z, sn_vec3(0.0f, 0.0f, 1.0f));
    SnVec3 target = sn_vec3_add_scaled(joint.origin, joint.x, -0.05f);
    SnVec3 from = sn_vec3_add_scaled(target, across, limb->sight * 0.62f);
    ViewCamera camera = {sn_vec3_add_scaled(from, joint.y, 0.12f), target, 40.0f};
    SnResult result = view_renderer_draw(view->renderer, &scene, &camera);
    return result.code == SN_OK ? view_renderer_read(view->renderer, out_image) : result;
}

static void check(Figure *figure, const Limb *limbs) {
    figure_table_begin("pairs of triangles that cross");
    for (int i = 0; i < LIMBS; ++i) {
        char what[80];
        for (int way = 0; way < 2; ++way) {
            snprintf(what, sizeof what, "%s, %s", LIMB[i], WAY[way]);
            figure_table_note(what, count(&limbs[i], shown(&limbs[i], way)), "");
        }
        snprintf(what, sizeof what, "%s, %s, in any frame", LIMB[i], WAY[2]);
        figure_check_below(figure, what, limbs[i].worst, 0.0);
    }
    for (int way = 0; way < 2; ++way) {
        char what[80];
        snprintf(what, sizeof what, "figure in a crouch, %s", WAY[way]);
        figure_table_note(what, count(&limbs[FIGURE], shown(&limbs[FIGURE], way)), "");
    }
    figure_check_below(figure, "figure down to its crouch, implicit skin, in any frame",
                       limbs[FIGURE].worst, 0.0);
    figure_table_begin("largest loss of a triangle's area");
    for (int i = 0; i < LIMBS; ++i)
        for (int way = 0; way < WAYS; ++way) {
            char what[80];
            snprintf(what, sizeof what, "%s, %s", LIMB[i], WAY[way]);
            double loss = 1.0 - least_area(&limbs[i], shown(&limbs[i], way));
            if (way == 2)
                figure_check_below(figure, what, loss, 0.98);
            else
                figure_table_note(what, loss, "");
        }
}

SnResult figure_implicit_bends(Figure *figure) {
    Limb limbs[LIMBS + 1] = {{.sight = 1.0f}, {.sight = -1.0f}, {.sight = 1.0f}};
    const double bent[LIMBS + 1] = {1.0, 1.0, 0.5}; // s
    ViewImage images[WAYS * LIMBS] = {0};
    char captions[WAYS * LIMBS][96];
    const char *lines[WAYS * LIMBS];
    FigureView view = {0};
    SnResult result = sn_ok();
    for (int i = 0; i <= LIMBS && result.code == SN_OK; ++i)
        result = bend(&limbs[i], (SnCharacter)(SN_CHARACTER_ARM + i), bent[i]);
    if (result.code == SN_OK) {
        check(figure, limbs);
        result = figure_view_begin(WIDTH, HEIGHT, &view);
    }
    for (int k = 0; k < WAYS * LIMBS && result.code == SN_OK; ++k) {
        const Limb *limb = &limbs[k / WAYS];
        snprintf(captions[k], sizeof captions[k], "%s, %s: %d crossings", LIMB[k / WAYS],
                 WAY[k % WAYS], count(limb, shown(limb, k % WAYS)));
        lines[k] = captions[k];
        result = draw(&view, limb, k % WAYS, &images[k]);
    }
    figure_view_end(&view);
    if (result.code == SN_OK)
        result = figure_write_grid(figure, images, lines, WAYS * LIMBS, WAYS);
    else
        figure_release(images, WAYS * LIMBS);
    for (int i = 0; i <= LIMBS; ++i)
        release_limb(&limbs[i]);
    return result;
}
