#include "app/limb_panels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BANDS 12       // of the field
#define SLICE_DOTS 500 // of one slice
#define DOT 0.006f     // its radius, where a part is about two long
#define LINE 0.012f    // of a rod that is shown as a line

static SnResult no_memory(void) { return sn_error(SN_ERROR_MEMORY, "picture: no memory"); }

static SnVec3 turned_point(const LimbTurn *t, SnVec3 x) {
    SnVec3 d = sn_vec3_scale(sn_vec3_sub(x, t->centre), t->scale);
    return sn_vec3(sn_vec3_dot(d, t->axes[0]), sn_vec3_dot(d, t->axes[1]),
                   sn_vec3_dot(d, t->axes[2]));
}

// The direction in which points spread most, at right angles to those that are known, by repeated
// multiplication with their covariance.
static SnVec3 main_axis(const SnVec3 *points, int count, SnVec3 centre, const SnVec3 *known,
                        int known_count) {
    SnVec3 axis = sn_vec3(0.36f, 0.48f, 0.8f);
    for (int round = 0; round < 40; ++round) {
        SnVec3 next = sn_vec3(0.0f, 0.0f, 0.0f);
        for (int i = 0; i < count; i += 1 + count / 2000) {
            SnVec3 d = sn_vec3_sub(points[i], centre);
            next = sn_vec3_add_scaled(next, d, sn_vec3_dot(d, axis));
        }
        for (int k = 0; k < known_count; ++k)
            next = sn_vec3_add_scaled(next, known[k], -sn_vec3_dot(next, known[k]));
        float length = sn_vec3_length(next);
        if (!(length > 0.0f))
            return known_count ? sn_vec3(known[0].y, known[0].z, known[0].x) : axis;
        axis = sn_vec3_scale(next, 1.0f / length);
    }
    return axis;
}

static LimbTurn turn_of(const SnVec3 *points, int count) {
    LimbTurn t = {.centre = sn_vec3(0.0f, 0.0f, 0.0f)};
    for (int i = 0; i < count; ++i)
        t.centre = sn_vec3_add_scaled(t.centre, points[i], 1.0f / (float)count);
    t.axes[0] = main_axis(points, count, t.centre, NULL, 0);
    t.axes[1] = main_axis(points, count, t.centre, t.axes, 1);
    t.axes[2] = sn_vec3_cross(t.axes[0], t.axes[1]);
    float farthest = 0.0f;
    for (int i = 0; i < count; ++i)
        farthest = fmaxf(farthest, sn_vec3_length(sn_vec3_sub(points[i], t.centre)));
    t.scale = farthest > 0.0f ? 1.0f / farthest : 1.0f; // every part is about two metres long
    return t;
}

static float *turned_points(const LimbTurn *t, const SnVec3 *points, int count) {
    float *out = malloc((size_t)count * 3 * sizeof *out + 1);
    for (int i = 0; out && i < count; ++i) {
        SnVec3 x = turned_point(t, points[i]);
        memcpy(out + 3 * i, &x, 3 * sizeof *out);
    }
    return out;
}

SnResult limb_panels_begin(ViewRenderer *renderer, float aspect, const SnVec3 *points, int count,
                           LimbPanels *out_panels) {
    *out_panels = (LimbPanels){.renderer = renderer,
                               .aspect = aspect,
                               .turn = turn_of(points, count),
                               .bounds = view_bounds_empty(),
                               .vertex_count = count};
    out_panels->positions = turned_points(&out_panels->turn, points, count);
    if (out_panels->positions == NULL)
        return no_memory();
    view_bounds_add(&out_panels->bounds, out_panels->positions, NULL, count);
    return sn_ok();
}

void limb_panels_end(LimbPanels *panels) {
    free(panels->positions);
    *panels = (LimbPanels){0};
}

ViewLook limb_look(float red, float green, float blue) {
    return (ViewLook){.colour = {red, green, blue}, .softness = 0.4f};
}

// From blue at the source over pale to red at the sink.
static ViewLook band_look(float part) {
    float away = fabsf(2.0f * part - 1.0f), pale = 0.92f - 0.55f * away;
    return part < 0.5f ? limb_look(pale - 0.2f * away, pale, 0.92f - 0.1f * away)
                       : limb_look(0.92f - 0.1f * away, pale, pale - 0.2f * away);
}

static SnResult draw(LimbPanels *panels, ViewScene *scene, ViewImage *out_image) {
    // A little from above and from the side, so that one sees how thick it is.
    ViewCamera camera = view_camera_frame(&panels->bounds, panels->aspect, false);
    scene->ground_height = panels->bounds.low.y - 0.05f;
    SnResult result = view_renderer_draw(panels->renderer, scene, &camera);
    return result.code == SN_OK ? view_renderer_read(panels->renderer, out_image) : result;
}

static ViewMesh mesh_of(const LimbPanels *panels, const uint32_t *triangles, int count,
                        ViewLook look) {
    return (ViewMesh){.vertex_count = panels->vertex_count,
                      .triangle_count = count,
                      .positions = panels->positions,
                      .triangles = triangles,
                      .pose = {{0, 0, 0}, {0, 0, 0, 1}},
                      .look = look};
}

SnResult limb_draw_mesh(LimbPanels *panels, const uint32_t *triangles, int triangle_count,
                        ViewLook look, ViewImage *out_image) {
    ViewMesh mesh = mesh_of(panels, triangles, triangle_count, look);
    ViewScene scene = view_default_scene();
    scene.meshes = &mesh;
    scene.mesh_count = 1;
    return draw(panels, &scene, out_image);
}

// Which of several looks a triangle has; −1: it is not shown.
typedef int LookOf(const SnViper *muscle, const uint32_t *triangle, float way);

// The mesh with some of its triangles in each of several looks, and what else a scene has.
static SnResult draw_by_look(LimbPanels *panels, const SnViper *m, ViewScene *scene,
                             LookOf *look_of, float way, const ViewLook *looks, int look_count,
                             ViewImage *out_image) {
    ViewMesh meshes[BANDS];
    uint32_t *triangles = malloc((size_t)m->triangle_count * 3 * sizeof *triangles + 1);
    if (triangles == NULL)
        return no_memory();
    size_t used = 0;
    for (int k = 0; k < look_count; ++k) {
        meshes[k] = mesh_of(panels, triangles + used, 0, looks[k]);
        for (int i = 0; i < m->triangle_count; ++i) {
            const uint32_t *t = m->mesh_triangles + 3 * i;
            if (look_of(m, t, way) != k)
                continue;
            memcpy(triangles + used, t, 3 * sizeof *t);
            used += 3;
            ++meshes[k].triangle_count;
        }
    }
    scene->meshes = meshes;
    scene->mesh_count = look_count;
    SnResult result = draw(panels, scene, out_image);
    free(triangles);
    return result;
}

static float mean_field(const SnViper *m, const uint32_t *t) {
    return (m->mesh_field[t[0]] + m->mesh_field[t[1]] + m->mesh_field[t[2]]) / 3.0f;
}

static int band_of(const SnViper *m, const uint32_t *triangle, float way) {
    (void)way;
    int band = (int)(mean_field(m, triangle) * BANDS);
    return band < 0 ? 0 : band >= BANDS ? BANDS - 1 : band;
}

// By the mean of the field over the corners of triangles.
SnResult limb_draw_field(LimbPanels *panels, const SnViper *m, ViewImage *out_image) {
    ViewLook looks[BANDS];
    for (int b = 0; b < BANDS; ++b)
        looks[b] = band_look((float)b / (BANDS - 1));
    ViewScene scene = view_default_scene();
    return draw_by_look(panels, m, &scene, band_of, 0.0f, looks, BANDS, out_image);
}

// The place that most corners of a triangle are at.
static int place_of(const SnViper *m, const uint32_t *t, float way) {
    (void)way;
    int a = m->mesh_places[t[0]], b = m->mesh_places[t[1]], c = m->mesh_places[t[2]];
    return a == b || a == c ? a : b == c ? b : SN_FIT_BETWEEN;
}

SnResult limb_draw_ends(LimbPanels *panels, const SnViper *m, ViewImage *out_image) {
    const ViewLook looks[3] = {limb_look(0.8f, 0.72f, 0.68f), band_look(0.0f), band_look(1.0f)};
    ViewScene scene = view_default_scene();
    return draw_by_look(panels, m, &scene, place_of, 0.0f, looks, 3, out_image);
}

// Dots of all slices, in the colours of their levels; returns how many there are.
static int put_dots(const LimbPanels *panels, const SnViper *m, ViewPeg *pegs) {
    int count = 0;
    for (int j = 0; j < m->slice_count; ++j) {
        int begin = m->slice_begin[j], points = m->slice_begin[j + 1] - begin;
        int dots = points < SLICE_DOTS ? points : SLICE_DOTS;
        for (int i = 0; i < dots; ++i) {
            SnVec3 x = turned_point(&panels->turn,
                                    m->slice_points[begin + (int)((long long)i * points / dots)]);
            pegs[count++] = (ViewPeg){x, x, DOT, band_look(m->levels[j])};
        }
    }
    return count;
}

// A sphere around every point of the rods on the slices, half as large as the point's own.
static int put_samples(const LimbPanels *panels, const SnViper *m, ViewPeg *pegs) {
    int nodes = m->rod_count * m->slice_count;
    for (int i = 0; i < nodes; ++i) {
        SnVec3 x = turned_point(&panels->turn, m->combed[i]);
        float radius = fmaxf(0.5f * m->radii[i] * panels->turn.scale, 2.0f * DOT);
        pegs[i] = (ViewPeg){x, x, radius, limb_look(0.95f, 0.72f, 0.2f)};
    }
    return nodes;
}

// Lines along the rods from slice to slice.
static int put_lines(const LimbPanels *panels, const SnViper *m, ViewPeg *pegs) {
    int count = 0;
    for (int k = 0; k < m->rod_count; ++k)
        for (int j = 0; j + 1 < m->slice_count; ++j) {
            const SnVec3 *at = m->combed + k * m->slice_count + j;
            pegs[count++] = (ViewPeg){turned_point(&panels->turn, at[0]),
                                      turned_point(&panels->turn, at[1]), LINE, view_palette(k)};
        }
    return count;
}

typedef int PutPegs(const LimbPanels *panels, const SnViper *muscle, ViewPeg *pegs);

// One or two sorts of pegs; the second may be NULL.
static SnResult draw_pegs(LimbPanels *panels, const SnViper *m, PutPegs *put, PutPegs *put_more,
                          ViewImage *out_image) {
    size_t most = (size_t)m->slice_count * (SLICE_DOTS + 2 * (size_t)m->rod_count);
    ViewPeg *pegs = calloc(most, sizeof *pegs);
    if (pegs == NULL)
        return no_memory();
    ViewScene scene = view_default_scene();
    scene.pegs = pegs;
    scene.peg_count = put(panels, m, pegs);
    if (put_more)
        scene.peg_count += put_more(panels, m, pegs + scene.peg_count);
    SnResult result = draw(panels, &scene, out_image);
    free(pegs);
    return result;
}

SnResult limb_draw_slices(LimbPanels *panels, const SnViper *m, ViewImage *out_image) {
    return draw_pegs(panels, m, put_dots, NULL, out_image);
}

SnResult limb_draw_samples(LimbPanels *panels, const SnViper *m, ViewImage *out_image) {
    return draw_pegs(panels, m, put_dots, put_samples, out_image);
}

SnResult limb_draw_combed(LimbPanels *panels, const SnViper *m, ViewImage *out_image) {
    return draw_pegs(panels, m, put_lines, put_samples, out_image);
}

static int nearer_than(const SnViper *m, const uint32_t *triangle, float way) {
    return mean_field(m, triangle) < way ? 0 : -1;
}

// The rods from slice `first` on, as they are to be drawn. False: no memory. Free positions and radii.
static bool turn_rods(const LimbPanels *panels, const SnViper *m, int first,
                      int begins[2][SN_MAX_FIT_RODS + 1], float **positions, float **radii) {
    int points = m->slice_count - first;
    size_t nodes = (size_t)m->rod_count * (size_t)points;
    *positions = malloc(3 * nodes * sizeof **positions);
    *radii = malloc(nodes * sizeof **radii);
    if (*positions == NULL || *radii == NULL)
        return false;
    for (int k = 0; k <= m->rod_count; ++k) {
        begins[0][k] = k * points;
        begins[1][k] = k * (points - 1);
        for (int j = 0; k < m->rod_count && j < points; ++j) {
            int from = k * m->slice_count + first + j, to = k * points + j;
            SnVec3 x = turned_point(&panels->turn, m->positions[from]);
            memcpy(*positions + 3 * to, &x, sizeof x);
            (*radii)[to] = m->radii[from] * panels->turn.scale;
        }
    }
    return true;
}

SnResult limb_draw_cut(LimbPanels *panels, const SnViper *m, int slice, ViewImage *out_image) {
    int begins[2][SN_MAX_FIT_RODS + 1];
    float *positions, *radii;
    const ViewLook flesh = limb_look(0.8f, 0.72f, 0.68f);
    SnResult result = no_memory();
    if (turn_rods(panels, m, slice, begins, &positions, &radii)) {
        ViewScene scene = view_default_scene();
        scene.rods = (ViewRods){.count = m->rod_count,
                                .vertex_begin = begins[0],
                                .segment_begin = begins[1],
                                .positions = positions,
                                .radii = radii,
                                .as_pills = true};
        float way = slice > 0 ? m->levels[slice] : -1.0f;
        result = draw_by_look(panels, m, &scene, nearer_than, way, &flesh, 1, out_image);
    }
    free(positions);
    free(radii);
    return result;
}

SnResult limb_draw_rods(LimbPanels *panels, const SnViper *m, ViewImage *out_image) {
    return limb_draw_cut(panels, m, 0, out_image);
}

SnResult limb_draw_pills(LimbPanels *panels, const SnBonePills *bone, ViewImage *out_image) {
    const LimbTurn *t = &panels->turn;
    ViewSolid *solids = calloc((size_t)bone->pill_count, sizeof *solids);
    if (solids == NULL)
        return no_memory();
    for (int i = 0; i < bone->pill_count; ++i) {
        int a = bone->edges[2 * i], b = bone->edges[2 * i + 1];
        solids[i] = (ViewSolid){.kind = VIEW_SOLID_PILL,
                                .pose = {{0, 0, 0}, {0, 0, 0, 1}},
                                .a = turned_point(t, bone->positions[a]),
                                .b = turned_point(t, bone->positions[b]),
                                .radius_a = bone->radii[a] * t->scale,
                                .radius_b = bone->radii[b] * t->scale,
                                .look = view_palette(i)};
    }
    ViewScene scene = view_default_scene();
    scene.solids = solids;
    scene.solid_count = bone->pill_count;
    SnResult result = draw(panels, &scene, out_image);
    free(solids);
    return result;
}
