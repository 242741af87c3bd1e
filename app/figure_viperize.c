// Figures 11 and 12 of the VIPER paper: from the mesh of a muscle to rods, stage by stage, and what that
// gives for muscles of every shape. All meshes are made by code.
#include "app/figure_kit.h"
#include "app/limb_panels.h"

#include <sinew/muscle_model.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 640
#define HEIGHT 360
#define LENGTH 0.3f // of the muscles, m

// Figure 11: five rods, as the paper's, and as many slices as the picture has room for.
#define STAGES 6
#define STAGE_RODS 5
#define STAGE_SLICES 8
#define STAGE_TRIANGLES 20000
// The first and last parts of its length are painted as source and sink.
#define PAINTED 0.04f

// Figure 12: eight rods of eight points. The paper's pectoral has a surface of 1584 vertices and 3164
// triangles, and 350 vertices and 1089 tetrahedra to be simulated.
#define MODEL_RODS 8
#define MODEL_POINTS 8
#define PAPER_SURFACE_TRIANGLES 3164
#define PAPER_SURFACE_VERTICES 1584.0
#define PAPER_TETRAHEDRA 1089.0
#define PAPER_VERTICES 350.0

static SnViperizeDef def_of(const SnMesh *mesh, int rods, int slices) {
    SnViperizeDef def = sn_default_viperize_def();
    def.vertex_count = mesh->vertex_count;
    def.positions = mesh->positions;
    def.triangle_count = mesh->triangle_count;
    def.triangles = mesh->triangles;
    def.rods = rods;
    def.slices = slices;
    return def;
}

// Vertices within a part of the length from one end, as an artist would paint them.
static SnFitEnd paint_end(const SnMesh *mesh, float sign) {
    int *vertices = calloc((size_t)mesh->vertex_count, sizeof *vertices);
    SnFitEnd end = {.vertices = vertices};
    for (int i = 0; vertices && i < mesh->vertex_count; ++i)
        if (sign * mesh->positions[i].y > (0.5f - PAINTED) * LENGTH)
            vertices[end.vertex_count++] = i;
    return end;
}

static SnResult convert_painted(const SnMesh *mesh, SnViper *out) {
    SnViperizeDef def = def_of(mesh, STAGE_RODS, STAGE_SLICES);
    def.source = paint_end(mesh, -1.0f);
    def.sink = paint_end(mesh, 1.0f);
    SnResult result = def.source.vertices && def.sink.vertices
                          ? sn_viperize(&def, NULL, out)
                          : sn_error(SN_ERROR_MEMORY, "figure: no memory for the ends");
    free((void *)def.source.vertices);
    free((void *)def.sink.vertices);
    return result;
}

// Ends and field: what was painted, and nothing else, is an end, and the field goes evenly from one to
// the other, as the muscle is nearly straight.
static void check_field(Figure *figure, const SnViper *m) {
    int painted = 0, wrong = 0;
    double sum = 0.0;
    for (int i = 0; i < m->vertex_count; ++i) {
        double y = (double)m->mesh_positions[i].y / (double)LENGTH;
        // Cells are a hundredth of the length: what is so near to the border may be on either side.
        bool near_border = fabs(fabs(y) - (0.5 - (double)PAINTED)) < 0.01;
        int wanted = fabs(y) < 0.5 - (double)PAINTED ? SN_FIT_BETWEEN
                     : y < 0.0                       ? SN_FIT_AT_SOURCE
                                                     : SN_FIT_AT_SINK;
        painted += m->mesh_places[i] != SN_FIT_BETWEEN;
        wrong += !near_border && m->mesh_places[i] != wanted;
        sum += pow((double)m->mesh_field[i] - (y + 0.5), 2.0) / m->vertex_count;
    }
    figure_table_note("source and sink: vertices", painted, "");
    figure_check_below(figure, "source and sink: vertices that are painted otherwise", wrong, 0.0);
    figure_check_below(figure, "field: beside the way along the muscle, rms", sqrt(sum), 0.03);
}

static int nearest_rod(const SnViper *m, const SnVec3 *points, int slice, SnVec3 x) {
    int best = 0;
    float least = HUGE_VALF;
    for (int k = 0; k < m->rod_count; ++k) {
        float d = sn_vec3_length(sn_vec3_sub(points[k * m->slice_count + slice], x));
        if (d < least) {
            least = d;
            best = k;
        }
    }
    return best;
}

// Samples: on their slices, and each with its share of them.
static void check_samples(Figure *figure, const SnViper *m) {
    double farthest = 0.0, most = 0.0, uneven = 0.0;
    for (int j = 0; j < m->slice_count; ++j) {
        int shares[STAGE_RODS] = {0}, points = m->slice_begin[j + 1] - m->slice_begin[j];
        float nearest[STAGE_RODS];
        for (int k = 0; k < m->rod_count; ++k)
            nearest[k] = HUGE_VALF;
        for (int i = m->slice_begin[j]; i < m->slice_begin[j + 1]; ++i) {
            SnVec3 x = m->slice_points[i];
            int k = nearest_rod(m, m->combed, j, x);
            ++shares[k];
            SnVec3 sample = m->combed[k * m->slice_count + j];
            nearest[k] = fminf(nearest[k], sn_vec3_length(sn_vec3_sub(sample, x)));
        }
        for (int k = 0; k < m->rod_count; ++k) {
            double radius = (double)m->radii[k * m->slice_count + j];
            farthest = fmax(farthest, (double)nearest[k] / radius);
            most = fmax(most, (double)shares[k] * m->rod_count / points);
            uneven = fmax(uneven, fabs(radius / (double)m->radii[j] - 1.0));
        }
    }
    figure_check_below(figure, "samples: farthest from its slice, in radii", farthest, 0.3);
    figure_check_below(figure, "samples: largest share of a slice, of an even one", most, 1.5);
    figure_check_below(figure, "samples: radii of one slice that differ", uneven, 1e-6);
}

static double square_between(SnVec3 a, SnVec3 b) {
    SnVec3 d = sn_vec3_sub(a, b);
    return (double)sn_vec3_dot(d, d);
}

// Combing: no two rods would be shorter, by the squares of their segments, if they exchanged what follows.
// Fitting may change that a little where they are nearly at one place.
static int count_crossed(const SnViper *m, const SnVec3 *points) {
    int crossed = 0;
    for (int j = 0; j + 1 < m->slice_count; ++j)
        for (int a = 0; a < m->rod_count; ++a)
            for (int b = 0; b < a; ++b) {
                const SnVec3 *p = points + a * m->slice_count + j;
                const SnVec3 *q = points + b * m->slice_count + j;
                double straight = square_between(p[0], p[1]) + square_between(q[0], q[1]);
                double exchanged = square_between(p[0], q[1]) + square_between(q[0], p[1]);
                crossed += exchanged < straight * (1.0 - 1e-6);
            }
    return crossed;
}

static void check_combing(Figure *figure, const SnViper *m) {
    figure_check_below(figure, "combed: pairs that would be shorter exchanged",
                       count_crossed(m, m->combed), 0.0);
    figure_table_note("fitted: pairs that would be shorter exchanged",
                      count_crossed(m, m->positions), "");
    figure_check_below(figure, "fitted: longest rod by the shortest",
                       m->quality.longest / m->quality.shortest, 1.35);
}

static void check_union(Figure *figure, const char *name, const SnFitQuality *q) {
    char what[64];
    snprintf(what, sizeof what, "%s: distance from the mesh, rms / thickness", name);
    figure_check_below(figure, what, q->rms / q->thickness, 0.04);
    snprintf(what, sizeof what, "%s: volume", name);
    figure_check_near(figure, what, q->volume_ratio, 1.0, 0.005);
}

static SnResult draw_stages(const SnViper *m, ViewRenderer *renderer, ViewImage images[STAGES]) {
    static SnResult (*const stages[STAGES])(LimbPanels *, const SnViper *, ViewImage *) = {
        limb_draw_ends,    limb_draw_field,  limb_draw_slices,
        limb_draw_samples, limb_draw_combed, limb_draw_rods};
    LimbPanels panels;
    SnResult result = limb_panels_begin(renderer, (float)WIDTH / HEIGHT, m->mesh_positions,
                                        m->vertex_count, &panels);
    for (int i = 0; i < STAGES && result.code == SN_OK; ++i)
        result = stages[i](&panels, m, &images[i]);
    limb_panels_end(&panels);
    return result;
}

SnResult figure_viper_fig11(Figure *figure) {
    static const char *const captions[STAGES] = {
        "mesh with source and sink", "harmonic field", "iso-levels",
        "samples on the slices",     "combed rods",    "union of the fitted rods"};
    SnMesh mesh = {0};
    SnViper viper = {0};
    FigureView view = {0};
    ViewImage images[STAGES] = {{0}};
    SnResult result = sn_muscle_mesh(SN_MUSCLE_BIPENNATE, LENGTH, STAGE_TRIANGLES, NULL, &mesh);
    if (result.code == SN_OK)
        result = convert_painted(&mesh, &viper);
    if (result.code == SN_OK) {
        figure_table_begin("a bipennate muscle, painted at both ends, becomes 5 rods of 8 points");
        check_field(figure, &viper);
        check_samples(figure, &viper);
        check_combing(figure, &viper);
        check_union(figure, "union", &viper.quality);
        result = figure_view_begin(WIDTH, HEIGHT, &view);
    }
    if (result.code == SN_OK)
        result = draw_stages(&viper, view.renderer, images);
    figure_view_end(&view);
    sn_viper_destroy(&viper);
    sn_mesh_destroy(&mesh);
    if (result.code != SN_OK) {
        figure_release(images, STAGES);
        return result;
    }
    return figure_write_grid(figure, images, captions, STAGES, 2);
}

// Degrees of freedom: place and scale of every point, orientation of every segment.
static double freedoms(int rods, int points) { return rods * (4.0 * points + 3.0 * (points - 1)); }

static void check_model(Figure *figure, const char *name, const SnMesh *mesh, const SnViper *m) {
    char title[96];
    snprintf(title, sizeof title, "%s: %d rods of %d points", name, m->rod_count, m->slice_count);
    figure_table_begin(title);
    figure_table_note("surface: vertices", mesh->vertex_count, "(the paper's pectoral: 1584)");
    figure_table_note("surface: triangles", mesh->triangle_count, "(3164)");
    double elements = m->rod_count * (m->slice_count - 1.0);
    figure_check_below(figure, "to be simulated: points, beside vertices",
                       (double)m->rod_count * m->slice_count, PAPER_VERTICES);
    figure_check_below(figure, "to be simulated: segments, beside tetrahedra", elements,
                       PAPER_TETRAHEDRA);
    figure_check_below(figure, "degrees of freedom", freedoms(m->rod_count, m->slice_count),
                       3.0 * PAPER_VERTICES);
    check_union(figure, name, &m->quality);
}

static SnResult draw_model(const SnViper *m, ViewRenderer *renderer, ViewImage images[2]) {
    LimbPanels panels;
    SnResult result = limb_panels_begin(renderer, (float)WIDTH / HEIGHT, m->mesh_positions,
                                        m->vertex_count, &panels);
    if (result.code == SN_OK)
        result = limb_draw_mesh(&panels, m->mesh_triangles, m->triangle_count,
                                limb_look(0.72f, 0.3f, 0.25f), &images[0]);
    if (result.code == SN_OK)
        result = limb_draw_rods(&panels, m, &images[1]);
    limb_panels_end(&panels);
    return result;
}

static SnResult make_model(Figure *figure, SnMuscleShape shape, ViewRenderer *renderer,
                           ViewImage images[2], char caption[64]) {
    SnMesh mesh = {0};
    SnViper viper = {0};
    SnResult result = sn_muscle_mesh(shape, LENGTH, PAPER_SURFACE_TRIANGLES, NULL, &mesh);
    if (result.code == SN_OK) {
        SnViperizeDef def = def_of(&mesh, MODEL_RODS, MODEL_POINTS);
        result = sn_viperize(&def, NULL, &viper);
    }
    if (result.code == SN_OK) {
        check_model(figure, sn_muscle_shape_name(shape), &mesh, &viper);
        snprintf(caption, 64, "8 rods x 8, rms %.1f %%",
                 100.0 * viper.quality.rms / viper.quality.thickness);
        result = draw_model(&viper, renderer, images);
    }
    sn_viper_destroy(&viper);
    sn_mesh_destroy(&mesh);
    return result;
}

SnResult figure_viper_fig12(Figure *figure) {
    ViewImage images[2 * SN_MUSCLE_SHAPE_COUNT] = {{0}};
    const char *captions[2 * SN_MUSCLE_SHAPE_COUNT];
    char fits[SN_MUSCLE_SHAPE_COUNT][64];
    FigureView view;
    SnResult result = figure_view_begin(WIDTH, HEIGHT, &view);
    for (int i = 0; i < SN_MUSCLE_SHAPE_COUNT && result.code == SN_OK; ++i) {
        captions[2 * i] = sn_muscle_shape_name((SnMuscleShape)i);
        captions[2 * i + 1] = fits[i];
        result = make_model(figure, (SnMuscleShape)i, view.renderer, images + 2 * i, fits[i]);
    }
    figure_view_end(&view);
    if (result.code != SN_OK) {
        figure_release(images, 2 * SN_MUSCLE_SHAPE_COUNT);
        return result;
    }
    return figure_write_grid(figure, images, captions, 2 * SN_MUSCLE_SHAPE_COUNT, 4);
}
