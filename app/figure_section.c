// Figure 2 of the VIPER paper: the cross-section of a muscle as rods. A plane cuts the mesh and the rods
// that fill it; how much of the one section is in the other is counted on a grid of places.
#include "app/figure_kit.h"
#include "app/limb_panels.h"

#include <sinew/muscle_model.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 640
#define HEIGHT 400
#define MUSCLES 3
#define RODS 19 // one in the middle, six and twelve around it, where a section is round
#define SLICES 12
#define LENGTH 0.3f // m
#define TRIANGLES 20000
#define PLACES 110 // of the grid, each way

// The outline of a mesh in the plane y = 0: pieces of lines, one from each triangle that the plane cuts.
typedef struct Outline {
    int count;
    float (*pieces)[4]; // x, z, x, z
    float reach;        // no point of it is farther from the axis
} Outline;

typedef struct Section {
    int inside, covered, outside; // places in the mesh, of these in rods, and in rods alone
    double circles;               // areas of all rods' own sections, in places
} Section;

static SnResult cut_mesh(const SnMesh *mesh, Outline *out) {
    *out = (Outline){.pieces = calloc((size_t)mesh->triangle_count, sizeof *out->pieces)};
    if (out->pieces == NULL)
        return sn_error(SN_ERROR_MEMORY, "figure: no memory for the section");
    for (int i = 0; i < mesh->triangle_count; ++i) {
        float *piece = out->pieces[out->count];
        int found = 0;
        for (int c = 0; c < 3; ++c) {
            SnVec3 a = mesh->positions[mesh->triangles[3 * i + c]];
            SnVec3 b = mesh->positions[mesh->triangles[3 * i + (c + 1) % 3]];
            if ((a.y < 0.0f) == (b.y < 0.0f))
                continue;
            float t = a.y / (a.y - b.y);
            piece[2 * found] = a.x + t * (b.x - a.x);
            piece[2 * found + 1] = a.z + t * (b.z - a.z);
            out->reach = fmaxf(out->reach, hypotf(piece[2 * found], piece[2 * found + 1]));
            ++found;
        }
        out->count += found == 2;
    }
    return sn_ok();
}

// Whether a line from the place along x crosses the outline an odd number of times.
static bool is_inside(const Outline *outline, float x, float z) {
    bool inside = false;
    for (int i = 0; i < outline->count; ++i) {
        const float *p = outline->pieces[i];
        if ((p[1] < z) != (p[3] < z) && x < p[0] + (p[2] - p[0]) * (z - p[1]) / (p[3] - p[1]))
            inside = !inside;
    }
    return inside;
}

// How far a place is from a tapered pill, negative inside: ‖x − c(t)‖ − r(t) at the t that minimises it.
// With the place at `along` on the axis and `beside` it, and the radius growing by k per length, that is
// at along + k · beside / √(1 − k²).
static float pill_distance(SnVec3 x, SnVec3 a, SnVec3 b, float radius_a, float radius_b) {
    SnVec3 axis = sn_vec3_sub(b, a), d = sn_vec3_sub(x, a);
    float length = sn_vec3_length(axis), k = (radius_b - radius_a) / fmaxf(length, 1e-9f);
    float along = sn_vec3_dot(d, axis) / fmaxf(length, 1e-9f);
    float beside = sqrtf(fmaxf(0.0f, sn_vec3_dot(d, d) - along * along));
    float slope = sqrtf(fmaxf(1e-6f, 1.0f - k * k));
    float at = fminf(fmaxf(along + k * beside / slope, 0.0f), length);
    return hypotf(along - at, beside) - (radius_a + k * at);
}

// The rod that a place is deepest in; −1: none. `circles` counts all that it is in.
static int rod_at(const SnViper *m, SnVec3 x, double *circles) {
    int best = -1;
    float least = 0.0f;
    for (int k = 0; k < m->rod_count; ++k) {
        float nearest = HUGE_VALF;
        for (int j = 0; j + 1 < m->slice_count; ++j) {
            int i = k * m->slice_count + j;
            nearest = fminf(nearest, pill_distance(x, m->positions[i], m->positions[i + 1],
                                                   m->radii[i], m->radii[i + 1]));
        }
        *circles += nearest < 0.0f;
        if (nearest < least) {
            least = nearest;
            best = k;
        }
    }
    return best;
}

// The section as dots, in the colours of the rods, grey where the mesh has none, black where a rod is
// outside of the mesh. Returns how many there are.
static int fill_section(const SnViper *m, const Outline *outline, ViewPeg *pegs, Section *out) {
    float step = 2.2f * outline->reach / PLACES;
    int count = 0;
    *out = (Section){0};
    for (int i = 0; i < PLACES * PLACES; ++i) {
        float x = ((float)(i % PLACES) + 0.5f) * step - 1.1f * outline->reach;
        float z = ((float)(i / PLACES) + 0.5f) * step - 1.1f * outline->reach;
        bool inside = is_inside(outline, x, z);
        int rod = rod_at(m, sn_vec3(x, 0.0f, z), &out->circles);
        out->inside += inside;
        out->covered += inside && rod >= 0;
        out->outside += !inside && rod >= 0;
        if (!inside && rod < 0)
            continue;
        ViewLook look = !inside   ? limb_look(0.05f, 0.05f, 0.05f)
                        : rod < 0 ? limb_look(0.6f, 0.6f, 0.6f)
                                  : view_palette(rod);
        SnVec3 at = sn_vec3(x / outline->reach, z / outline->reach, 0.0f);
        pegs[count++] = (ViewPeg){at, at, 0.62f * step / outline->reach, look};
    }
    return count;
}

// Straight from the front; the section is two high.
static SnResult draw_section(ViewRenderer *renderer, const ViewPeg *pegs, int count,
                             ViewImage *out_image) {
    ViewScene scene = view_default_scene();
    scene.pegs = pegs;
    scene.peg_count = count;
    scene.ground_height = -1.15f;
    ViewCamera camera = {sn_vec3(0.0f, 0.0f, 5.2f), sn_vec3(0.0f, 0.0f, 0.0f), 26.0f};
    SnResult result = view_renderer_draw(renderer, &scene, &camera);
    return result.code == SN_OK ? view_renderer_read(renderer, out_image) : result;
}

static void check_section(Figure *figure, const char *name, const Section *s) {
    char what[64];
    snprintf(what, sizeof what, "%s: section that no rod covers, %%", name);
    figure_check_below(figure, what, 100.0 * (s->inside - s->covered) / s->inside, 3.0);
    snprintf(what, sizeof what, "%s: rods outside of it, %%", name);
    figure_check_below(figure, what, 100.0 * s->outside / s->inside, 3.0);
    snprintf(what, sizeof what, "%s: area of the rods by the mesh's", name);
    figure_check_near(figure, what, (double)(s->covered + s->outside) / s->inside, 1.0, 0.03);
    snprintf(what, sizeof what, "%s: circles by what they cover", name);
    figure_table_note(what, s->circles / (s->covered + s->outside), "(they overlap)");
}

static SnResult draw_muscle(const SnViper *m, ViewRenderer *renderer, ViewImage *out_image) {
    LimbPanels panels;
    SnResult result = limb_panels_begin(renderer, (float)WIDTH / HEIGHT, m->mesh_positions,
                                        m->vertex_count, &panels);
    if (result.code == SN_OK)
        result = limb_draw_cut(&panels, m, SLICES / 2, out_image);
    limb_panels_end(&panels);
    return result;
}

static SnResult make_section(Figure *figure, SnMuscleShape shape, ViewRenderer *renderer,
                             ViewImage images[2]) {
    SnMesh mesh = {0};
    SnViper viper = {0};
    Outline outline = {0};
    ViewPeg *pegs = calloc((size_t)PLACES * PLACES, sizeof *pegs);
    SnResult result = pegs ? sn_muscle_mesh(shape, LENGTH, TRIANGLES, NULL, &mesh)
                           : sn_error(SN_ERROR_MEMORY, "figure: no memory for the section");
    if (result.code == SN_OK) {
        SnViperizeDef def = sn_default_viperize_def();
        def.vertex_count = mesh.vertex_count;
        def.positions = mesh.positions;
        def.triangle_count = mesh.triangle_count;
        def.triangles = mesh.triangles;
        def.rods = RODS;
        def.slices = SLICES;
        result = sn_viperize(&def, NULL, &viper);
    }
    if (result.code == SN_OK)
        result = cut_mesh(&mesh, &outline);
    if (result.code == SN_OK)
        result = draw_muscle(&viper, renderer, &images[0]);
    if (result.code == SN_OK) {
        Section section;
        int count = fill_section(&viper, &outline, pegs, &section);
        check_section(figure, sn_muscle_shape_name(shape), &section);
        result = draw_section(renderer, pegs, count, &images[1]);
    }
    free(pegs);
    free(outline.pieces);
    sn_viper_destroy(&viper);
    sn_mesh_destroy(&mesh);
    return result;
}

SnResult figure_viper_fig2(Figure *figure) {
    static const SnMuscleShape shapes[MUSCLES] = {SN_MUSCLE_SPINDLE, SN_MUSCLE_STRAP,
                                                  SN_MUSCLE_BIPENNATE};
    static const char *const captions[2 * MUSCLES] = {"spindle",     "its section", "strap",
                                                      "its section", "bipennate",   "its section"};
    ViewImage images[2 * MUSCLES] = {{0}};
    FigureView view;
    SnResult result = figure_view_begin(WIDTH, HEIGHT, &view);
    figure_table_begin("sections through the middle of muscles of 19 rods");
    for (int i = 0; i < MUSCLES && result.code == SN_OK; ++i)
        result = make_section(figure, shapes[i], view.renderer, images + 2 * i);
    figure_view_end(&view);
    if (result.code != SN_OK) {
        figure_release(images, 2 * MUSCLES);
        return result;
    }
    return figure_write_grid(figure, images, captions, 2 * MUSCLES, 2);
}
