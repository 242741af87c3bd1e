// A picture of a mesh beside its particles and their graph.
#include "app/particles.h"

#include "view/context.h"
#include "view/png.h"
#include "view/renderer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 560
#define HEIGHT 480
#define PI 3.14159265f

// Quads of an ellipsoid around its first axis and along it.
#define AROUND 20
#define ALONG 12
#define BALL_VERTICES (AROUND * (ALONG + 1))
#define BALL_TRIANGLES (2 * AROUND * ALONG)
// Ellipsoids of one colour are one mesh.
#define COLOURS 7

#define LINE 0.006f // radius of an edge where the body is about two long

typedef struct Panels {
    ViewRenderer *renderer;
    const ParticleBody *body;
    SnVec3 centre;
    float scale;
    ViewBounds bounds;
} Panels;

static SnResult no_memory(void) { return sn_error(SN_ERROR_MEMORY, "picture: no memory"); }

// Upright, around the origin, about two long.
static SnVec3 upright(const ParticleBody *body, SnVec3 x) {
    return body->z_is_up ? sn_vec3(x.x, x.z, -x.y) : x;
}

static SnVec3 placed(const Panels *p, SnVec3 x) {
    return upright(p->body, sn_vec3_scale(sn_vec3_sub(x, p->centre), p->scale));
}

static Panels begin_panels(ViewRenderer *renderer, const ParticleBody *body, float *positions) {
    Panels p = {renderer, body, body->mesh.positions[0], 1.0f, view_bounds_empty()};
    int count = body->mesh.vertex_count;
    SnVec3 low = p.centre, high = low;
    for (int i = 0; i < count; ++i) {
        SnVec3 x = body->mesh.positions[i];
        low = sn_vec3(fminf(low.x, x.x), fminf(low.y, x.y), fminf(low.z, x.z));
        high = sn_vec3(fmaxf(high.x, x.x), fmaxf(high.y, x.y), fmaxf(high.z, x.z));
    }
    p.centre = sn_vec3_scale(sn_vec3_add(low, high), 0.5f);
    p.scale = 2.0f / fmaxf(sn_vec3_length(sn_vec3_sub(high, low)), 1e-30f);
    for (int i = 0; i < count; ++i) {
        SnVec3 x = placed(&p, body->mesh.positions[i]);
        memcpy(positions + 3 * i, &x, sizeof x);
    }
    view_bounds_add(&p.bounds, positions, NULL, count);
    return p;
}

static SnResult draw(const Panels *p, ViewScene *scene, ViewImage *out_image) {
    ViewCamera camera = view_camera_frame(&p->bounds, (float)WIDTH / HEIGHT, false);
    scene->ground_height = p->bounds.low.y - 0.02f;
    SnResult result = view_renderer_draw(p->renderer, scene, &camera);
    return result.code == SN_OK ? view_renderer_read(p->renderer, out_image) : result;
}

static SnResult draw_mesh(const Panels *p, const float *positions, ViewImage *out_image) {
    ViewMesh mesh = {.vertex_count = p->body->mesh.vertex_count,
                     .triangle_count = p->body->mesh.triangle_count,
                     .positions = positions,
                     .triangles = p->body->mesh.triangles,
                     .pose = {{0, 0, 0}, {0, 0, 0, 1}},
                     .look = {.colour = {0.55f, 0.66f, 0.45f}, .softness = 0.4f}};
    ViewScene scene = view_default_scene();
    scene.meshes = &mesh;
    scene.mesh_count = 1;
    return draw(p, &scene, out_image);
}

static void put_ball(const Panels *p, int particle, float *positions) {
    const SnParticles *s = &p->body->particles;
    SnVec3 r = s->radii[particle];
    for (int i = 0; i < BALL_VERTICES; ++i) {
        float a = 2.0f * PI * (float)(i % AROUND) / AROUND, t = PI * (float)(i / AROUND) / ALONG;
        SnVec3 local = sn_vec3(r.x * cosf(t), r.y * sinf(t) * cosf(a), r.z * sinf(t) * sinf(a));
        SnVec3 x = placed(
            p, sn_vec3_add(s->positions[particle], sn_quat_rotate(s->rotations[particle], local)));
        memcpy(positions + 3 * i, &x, sizeof x);
    }
}

static void put_triangles(uint32_t first, uint32_t *triangles) {
    for (uint32_t j = 0; j < ALONG; ++j)
        for (uint32_t i = 0; i < AROUND; ++i) {
            uint32_t a = first + j * AROUND + i, b = first + j * AROUND + (i + 1) % AROUND;
            const uint32_t t[6] = {a, a + AROUND, b, b, a + AROUND, b + AROUND};
            memcpy(triangles, t, sizeof t);
            triangles += 6;
        }
}

static SnResult draw_balls(const Panels *p, ViewImage *out_image) {
    int count = p->body->particles.particle_count;
    float *positions = malloc((size_t)count * 3 * BALL_VERTICES * sizeof *positions);
    uint32_t *triangles = malloc((size_t)count * 3 * BALL_TRIANGLES * sizeof *triangles);
    SnResult result = no_memory();
    if (positions && triangles) {
        ViewMesh meshes[COLOURS];
        int done = 0;
        for (int k = 0; k < COLOURS; ++k) {
            int first = done;
            for (int i = k; i < count; i += COLOURS, ++done) {
                put_ball(p, i, positions + (size_t)done * 3 * BALL_VERTICES);
                put_triangles((uint32_t)(done - first) * BALL_VERTICES,
                              triangles + (size_t)done * 3 * BALL_TRIANGLES);
            }
            meshes[k] = (ViewMesh){.vertex_count = (done - first) * BALL_VERTICES,
                                   .triangle_count = (done - first) * BALL_TRIANGLES,
                                   .positions = positions + (size_t)first * 3 * BALL_VERTICES,
                                   .triangles = triangles + (size_t)first * 3 * BALL_TRIANGLES,
                                   .pose = {{0, 0, 0}, {0, 0, 0, 1}},
                                   .look = view_palette(k)};
        }
        ViewScene scene = view_default_scene();
        scene.meshes = meshes;
        scene.mesh_count = count < COLOURS ? count : COLOURS;
        result = draw(p, &scene, out_image);
    }
    free(positions);
    free(triangles);
    return result;
}

static SnResult draw_graph(const Panels *p, ViewImage *out_image) {
    const SnParticles *s = &p->body->particles;
    ViewPeg *pegs = calloc((size_t)(s->edge_count + s->particle_count), sizeof *pegs);
    if (pegs == NULL)
        return no_memory();
    const ViewLook line = {.colour = {0.35f, 0.37f, 0.42f}}, dot = {.colour = {0.85f, 0.35f, 0.2f}};
    for (int i = 0; i < s->edge_count; ++i)
        pegs[i] = (ViewPeg){placed(p, s->positions[s->edges[i][0]]),
                            placed(p, s->positions[s->edges[i][1]]), LINE, line};
    for (int i = 0; i < s->particle_count; ++i) {
        SnVec3 x = placed(p, s->positions[i]);
        pegs[s->edge_count + i] = (ViewPeg){x, x, 2.5f * LINE, dot};
    }
    ViewScene scene = view_default_scene();
    scene.pegs = pegs;
    scene.peg_count = s->edge_count + s->particle_count;
    SnResult result = draw(p, &scene, out_image);
    free(pegs);
    return result;
}

static SnResult draw_all(ViewRenderer *renderer, const ParticleBody *body, ViewImage images[3]) {
    float *positions = malloc((size_t)body->mesh.vertex_count * 3 * sizeof *positions);
    if (positions == NULL)
        return no_memory();
    Panels p = begin_panels(renderer, body, positions);
    SnResult result = draw_mesh(&p, positions, &images[0]);
    if (result.code == SN_OK)
        result = draw_balls(&p, &images[1]);
    if (result.code == SN_OK)
        result = draw_graph(&p, &images[2]);
    free(positions);
    return result;
}

SnResult particles_write_picture(const ParticleBody *body, const char *path) {
    static const char *const captions[3] = {"mesh", "particles", "graph"};
    ViewContext *context = NULL;
    ViewRenderer *renderer = NULL;
    ViewImage images[3] = {0}, sheet = {0};
    SnResult result = view_context_create(&context);
    if (result.code == SN_OK)
        result = view_renderer_create(WIDTH, HEIGHT, &renderer);
    if (result.code == SN_OK)
        result = draw_all(renderer, body, images);
    if (result.code == SN_OK)
        result = view_image_grid(images, captions, 3, 3, &sheet);
    if (result.code == SN_OK)
        result = view_png_write(path, &sheet);
    for (int i = 0; i < 3; ++i)
        view_image_release(&images[i]);
    view_image_release(&sheet);
    if (renderer)
        view_renderer_destroy(renderer);
    if (context)
        view_context_destroy(context);
    return result;
}
