// Pictures of a conversion: the mesh, its field, the slices, the rods; of a bone, the mesh and its pills.
#include "app/limb.h"

#include "view/context.h"
#include "view/png.h"
#include "view/renderer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 640
#define HEIGHT 360
#define BANDS 12       // of the field
#define SLICE_DOTS 500 // of one slice

// A part turned so that it is seen from its broad side: its longest axis across the picture.
typedef struct Turned {
    SnVec3 axes[3], centre;
    float scale;
} Turned;

typedef struct Panel {
    ViewScene scene;
    ViewBounds bounds;
    ViewRenderer *renderer;
} Panel;

static SnVec3 turned_point(const Turned *t, SnVec3 x) {
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

static Turned turn_of(const SnVec3 *points, int count) {
    Turned t = {.centre = sn_vec3(0.0f, 0.0f, 0.0f)};
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

static float *turned_points(const Turned *t, const SnVec3 *points, int count) {
    float *out = malloc((size_t)count * 3 * sizeof *out + 1);
    for (int i = 0; out && i < count; ++i) {
        SnVec3 x = turned_point(t, points[i]);
        memcpy(out + 3 * i, &x, 3 * sizeof *out);
    }
    return out;
}

static ViewLook plain_look(float red, float green, float blue) {
    return (ViewLook){.colour = {red, green, blue}, .softness = 0.4f};
}

// From blue at the source over pale to red at the sink.
static ViewLook band_look(float part) {
    float away = fabsf(2.0f * part - 1.0f), pale = 0.92f - 0.55f * away;
    return part < 0.5f ? plain_look(pale - 0.2f * away, pale, 0.92f - 0.1f * away)
                       : plain_look(0.92f - 0.1f * away, pale, pale - 0.2f * away);
}

static SnResult draw(Panel *panel, ViewImage *out_image) {
    // A little from above and from the side, so that one sees how thick it is.
    ViewCamera camera = view_camera_frame(&panel->bounds, (float)WIDTH / HEIGHT, false);
    panel->scene.ground_height = panel->bounds.low.y - 0.05f;
    SnResult result = view_renderer_draw(panel->renderer, &panel->scene, &camera);
    return result.code == SN_OK ? view_renderer_read(panel->renderer, out_image) : result;
}

static SnResult draw_mesh(Panel *panel, const ViewMesh *meshes, int count, ViewImage *out_image) {
    panel->scene = view_default_scene();
    panel->scene.meshes = meshes;
    panel->scene.mesh_count = count;
    return draw(panel, out_image);
}

// The mesh in bands of one colour each, by the mean of the field over the corners of its triangles.
static SnResult draw_field(Panel *panel, const SnViper *m, const float *positions,
                           ViewImage *out_image) {
    ViewMesh bands[BANDS] = {0};
    uint32_t *triangles = malloc((size_t)m->triangle_count * 3 * sizeof *triangles + 1);
    if (triangles == NULL)
        return sn_error(SN_ERROR_MEMORY, "picture: no memory");
    size_t used = 0;
    for (int b = 0; b < BANDS; ++b) {
        bands[b] = (ViewMesh){.vertex_count = m->vertex_count,
                              .positions = positions,
                              .triangles = triangles + used,
                              .pose = {{0, 0, 0}, {0, 0, 0, 1}},
                              .look = band_look((float)b / (BANDS - 1))};
        for (int i = 0; i < m->triangle_count; ++i) {
            const uint32_t *t = m->mesh_triangles + 3 * i;
            float mean = (m->mesh_field[t[0]] + m->mesh_field[t[1]] + m->mesh_field[t[2]]) / 3.0f;
            int band = (int)(mean * BANDS);
            if ((band < 0 ? 0 : band >= BANDS ? BANDS - 1 : band) != b)
                continue;
            memcpy(triangles + used, t, 3 * sizeof *t);
            used += 3;
            ++bands[b].triangle_count;
        }
    }
    SnResult result = draw_mesh(panel, bands, BANDS, out_image);
    free(triangles);
    return result;
}

// Slices as dots.
static SnResult draw_slices(Panel *panel, const Turned *t, const SnViper *m, ViewImage *out_image) {
    ViewPeg *pegs = calloc((size_t)m->slice_count * (SLICE_DOTS + 1), sizeof *pegs);
    if (pegs == NULL)
        return sn_error(SN_ERROR_MEMORY, "picture: no memory");
    int count = 0;
    for (int j = 0; j < m->slice_count; ++j) {
        int begin = m->slice_begin[j], points = m->slice_begin[j + 1] - begin;
        int dots = points < SLICE_DOTS ? points : SLICE_DOTS;
        for (int i = 0; i < dots; ++i) {
            SnVec3 x =
                turned_point(t, m->slice_points[begin + (int)((long long)i * points / dots)]);
            pegs[count++] = (ViewPeg){x, x, 0.006f, band_look(m->levels[j])};
        }
    }
    panel->scene = view_default_scene();
    panel->scene.pegs = pegs;
    panel->scene.peg_count = count;
    SnResult result = draw(panel, out_image);
    free(pegs);
    return result;
}

static SnResult draw_rods(Panel *panel, const Turned *t, const SnViper *m, ViewImage *out_image) {
    int nodes = m->rod_count * m->slice_count;
    int begins[2][SN_MAX_FIT_RODS + 1];
    float *positions = turned_points(t, m->positions, nodes);
    float *radii = malloc((size_t)nodes * sizeof *radii);
    SnResult result = sn_error(SN_ERROR_MEMORY, "picture: no memory");
    if (positions && radii) {
        for (int i = 0; i < nodes; ++i)
            radii[i] = m->radii[i] * t->scale;
        for (int k = 0; k <= m->rod_count; ++k) {
            begins[0][k] = k * m->slice_count;
            begins[1][k] = k * (m->slice_count - 1);
        }
        panel->scene = view_default_scene();
        panel->scene.rods = (ViewRods){.count = m->rod_count,
                                       .vertex_begin = begins[0],
                                       .segment_begin = begins[1],
                                       .positions = positions,
                                       .radii = radii,
                                       .as_pills = true};
        result = draw(panel, out_image);
    }
    free(positions);
    free(radii);
    return result;
}

static SnResult draw_pills(Panel *panel, const Turned *t, const SnBonePills *bone,
                           ViewImage *out_image) {
    ViewSolid *solids = calloc((size_t)bone->pill_count, sizeof *solids);
    if (solids == NULL)
        return sn_error(SN_ERROR_MEMORY, "picture: no memory");
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
    panel->scene = view_default_scene();
    panel->scene.solids = solids;
    panel->scene.solid_count = bone->pill_count;
    SnResult result = draw(panel, out_image);
    free(solids);
    return result;
}

// Four pictures: those of a bone are two, and two that stay empty.
static SnResult draw_part(ViewRenderer *renderer, const LimbPart *part, ViewImage images[4],
                          int *out_count) {
    const SnViper *m = &part->muscle;
    const SnVec3 *points = part->is_bone ? part->from.mesh.positions : m->mesh_positions;
    int vertices = part->is_bone ? part->from.mesh.vertex_count : m->vertex_count;
    Turned t = turn_of(points, vertices);
    Panel panel = {.bounds = view_bounds_empty(), .renderer = renderer};
    float *positions = turned_points(&t, points, vertices);
    if (positions == NULL)
        return sn_error(SN_ERROR_MEMORY, "picture: no memory");
    view_bounds_add(&panel.bounds, positions, NULL, vertices);
    ViewMesh mesh = {
        .vertex_count = vertices,
        .triangle_count = part->is_bone ? part->from.mesh.triangle_count : m->triangle_count,
        .positions = positions,
        .triangles = part->is_bone ? part->from.mesh.triangles : m->mesh_triangles,
        .pose = {{0, 0, 0}, {0, 0, 0, 1}},
        .look = part->is_bone ? plain_look(0.9f, 0.86f, 0.76f) : plain_look(0.72f, 0.3f, 0.25f)};
    *out_count = 1;
    SnResult result = draw_mesh(&panel, &mesh, 1, &images[0]);
    if (result.code == SN_OK && part->is_bone) {
        result = draw_pills(&panel, &t, &part->bone, &images[1]);
        *out_count = 2;
    } else if (result.code == SN_OK) {
        result = draw_field(&panel, m, positions, &images[1]);
        if (result.code == SN_OK)
            result = draw_slices(&panel, &t, m, &images[2]);
        if (result.code == SN_OK)
            result = draw_rods(&panel, &t, m, &images[3]);
        *out_count = 4;
    }
    free(positions);
    return result;
}

static SnResult draw_parts(const Limb *limb, ViewRenderer *renderer, ViewImage *images,
                           const char **captions, int *out_count) {
    static const char *const names[4] = {"mesh", "field", "slices", "rods"};
    SnResult result = sn_ok();
    for (int i = 0; i < limb->count && result.code == SN_OK; ++i) {
        int count = 0;
        result = draw_part(renderer, &limb->parts[i], images + *out_count, &count);
        for (int k = 0; k < count; ++k)
            captions[*out_count + k] = limb->parts[i].is_bone && k == 1 ? "pills" : names[k];
        if (count > 0 && limb->count > 1)
            captions[*out_count] = limb->parts[i].name;
        *out_count += count;
    }
    return result;
}

SnResult limb_write_picture(const Limb *limb, const char *path) {
    ViewContext *context = NULL;
    ViewRenderer *renderer = NULL;
    ViewImage *images = calloc((size_t)limb->count * 4, sizeof *images), sheet = {0};
    const char **captions = calloc((size_t)limb->count * 4, sizeof *captions);
    int count = 0;
    SnResult result = images && captions ? view_context_create(&context)
                                         : sn_error(SN_ERROR_MEMORY, "%s: no memory", path);
    if (result.code == SN_OK)
        result = view_renderer_create(WIDTH, HEIGHT, &renderer);
    if (result.code == SN_OK)
        result = draw_parts(limb, renderer, images, captions, &count);
    if (result.code == SN_OK)
        result = view_image_grid(images, captions, count, 2, &sheet);
    if (result.code == SN_OK)
        result = view_png_write(path, &sheet);
    for (int i = 0; images && i < 4 * limb->count; ++i)
        view_image_release(&images[i]);
    view_image_release(&sheet);
    if (renderer)
        view_renderer_destroy(renderer);
    if (context)
        view_context_destroy(context);
    free(images);
    free(captions);
    return result;
}
