// The scene that a conversion to particles writes, and the mesh of its skin.
#include "app/particles.h"
#include "app/write_obj.h"

#include "io/file.h"
#include "io/json_write.h"

#include <sinew/scene.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

// Where the body starts: its lowest point above the floor, in parts of its height.
#define DROP 0.5f
// Pa: a body of one metre that stands and bounces.
#define YOUNG 100000.0

typedef struct Place {
    SnVec3 low, high; // of the mesh, upright and in metres
    const ParticleBody *body;
} Place;

// Upright, in metres, from the middle of the mesh.
static SnVec3 upright(const ParticleBody *body, SnVec3 x) {
    SnVec3 y = body->z_is_up ? sn_vec3(x.x, x.z, -x.y) : x;
    return sn_vec3_scale(y, (float)body->scale);
}

static SnVec3 in_metres(const Place *p, SnVec3 x) {
    SnVec3 middle = sn_vec3_scale(sn_vec3_add(p->low, p->high), 0.5f);
    return sn_vec3_sub(upright(p->body, x), middle);
}

static Place find_place(const ParticleBody *body) {
    SnVec3 low = upright(body, body->mesh.positions[0]), high = low;
    for (int i = 0; i < body->mesh.vertex_count; ++i) {
        SnVec3 x = upright(body, body->mesh.positions[i]);
        low = sn_vec3(fminf(low.x, x.x), fminf(low.y, x.y), fminf(low.z, x.z));
        high = sn_vec3(fmaxf(high.x, x.x), fmaxf(high.y, x.y), fmaxf(high.z, x.z));
    }
    return (Place){low, high, body};
}

static void put_text(JsonWriter *json, const char *key, const char *value) {
    sn__json_put_key(json, key);
    sn__json_put_string(json, value);
}

static void put_number(JsonWriter *json, const char *key, double value) {
    sn__json_put_key(json, key);
    sn__json_put_double(json, value);
}

static void put_vec(JsonWriter *json, SnVec3 x) {
    sn__json_open(json, '[');
    sn__json_put_float(json, x.x);
    sn__json_put_float(json, x.y);
    sn__json_put_float(json, x.z);
    sn__json_close(json, ']');
}

static void open_list(JsonWriter *json, const char *key) {
    sn__json_put_space(json, "\n   ");
    sn__json_put_key(json, key);
    sn__json_open(json, '[');
}

static void put_particles(JsonWriter *json, const Place *place) {
    const ParticleBody *body = place->body;
    const SnParticles *p = &body->particles;
    // A quarter turn about x makes z what y was.
    const SnQuat turn = {-0.70710678f, 0.0f, 0.0f, 0.70710678f};
    float scale = (float)body->scale;
    open_list(json, "positions");
    for (int i = 0; i < p->particle_count; ++i)
        put_vec(json, in_metres(place, p->positions[i]));
    sn__json_close(json, ']');
    open_list(json, "rotations");
    for (int i = 0; i < p->particle_count; ++i) {
        SnQuat q = body->z_is_up ? sn_quat_multiply(turn, p->rotations[i]) : p->rotations[i];
        sn__json_open(json, '[');
        sn__json_put_float(json, q.x);
        sn__json_put_float(json, q.y);
        sn__json_put_float(json, q.z);
        sn__json_put_float(json, q.w);
        sn__json_close(json, ']');
    }
    sn__json_close(json, ']');
    open_list(json, "radii");
    for (int i = 0; i < p->particle_count; ++i)
        put_vec(json, sn_vec3_scale(p->radii[i], scale));
    sn__json_close(json, ']');
    open_list(json, "volumes");
    for (int i = 0; i < p->particle_count; ++i)
        sn__json_put_float(json, p->volumes[i] * scale * scale * scale);
    sn__json_close(json, ']');
    open_list(json, "edges");
    for (int i = 0; i < p->edge_count; ++i) {
        sn__json_open(json, '[');
        sn__json_put_int(json, p->edges[i][0]);
        sn__json_put_int(json, p->edges[i][1]);
        sn__json_close(json, ']');
    }
    sn__json_close(json, ']');
    open_list(json, "areas");
    for (int i = 0; i < p->edge_count; ++i)
        sn__json_put_float(json, p->areas[i] * scale * scale);
    sn__json_close(json, ']');
}

static void put_solid(JsonWriter *json, const Place *place, const char *mesh) {
    float height = place->high.y - place->low.y;
    sn__json_put_key(json, "solids");
    sn__json_open(json, '[');
    sn__json_put_space(json, "\n  ");
    sn__json_open(json, '{');
    put_text(json, "name", place->body->name);
    put_text(json, "mesh", mesh);
    sn__json_put_key(json, "position");
    put_vec(json, sn_vec3(0.0f, (0.5f + DROP) * height, 0.0f));
    sn__json_put_key(json, "material");
    sn__json_open(json, '{');
    put_number(json, "young", YOUNG);
    put_number(json, "density", 1000.0);
    sn__json_close(json, '}');
    put_particles(json, place);
    sn__json_close(json, '}');
    sn__json_close(json, ']');
}

static SnVec3 place_vertex(const void *place, SnVec3 x) { return in_metres(place, x); }

static SnResult write_mesh(const Place *place, const char *path) {
    const SnMesh *m = &place->body->mesh;
    const ObjMesh mesh = {.vertex_count = m->vertex_count,
                          .triangle_count = m->triangle_count,
                          .positions = m->positions,
                          .triangles = m->triangles,
                          .place = place_vertex,
                          .context = place};
    return write_obj(&mesh, path);
}

static SnResult write_text(const JsonWriter *json, const char *path) {
    if (json->out_of_memory || json->text == NULL)
        return sn_error(SN_ERROR_MEMORY, "%s: no memory", path);
    FileWriter writer;
    SnResult result = sn__file_begin(&writer, path);
    if (result.code != SN_OK)
        return result;
    sn__file_write(&writer, json->text, json->size);
    return sn__file_end(&writer);
}

SnResult particles_write_scene(const ParticleBody *body, const char *path) {
    char mesh[1024];
    const char *dot = strrchr(path, '.');
    int length = snprintf(mesh, sizeof mesh, "%.*s.%s.obj", (int)(dot - path), path, body->name);
    if (length < 0 || (size_t)length >= sizeof mesh)
        return sn_error(SN_ERROR_FILE, "%.120s: the path is too long", path);
    Place place = find_place(body);
    SnResult result = write_mesh(&place, mesh);
    if (result.code != SN_OK)
        return result;
    const char *slash = strrchr(mesh, '/');
    JsonWriter json = {0};
    sn__json_open(&json, '{');
    sn__json_put_key(&json, "version");
    sn__json_put_int(&json, SN_SCENE_VERSION);
    sn__json_put_space(&json, "\n ");
    sn__json_put_key(&json, "world");
    sn__json_open(&json, '{');
    put_number(&json, "seconds", 3.0);
    sn__json_close(&json, '}');
    sn__json_put_space(&json, "\n ");
    sn__json_put_key(&json, "colliders");
    sn__json_open(&json, '[');
    sn__json_open(&json, '{');
    sn__json_put_key(&json, "plane");
    sn__json_open(&json, '{');
    sn__json_put_key(&json, "normal");
    put_vec(&json, sn_vec3(0.0f, 1.0f, 0.0f));
    sn__json_close(&json, '}');
    sn__json_close(&json, '}');
    sn__json_close(&json, ']');
    sn__json_put_space(&json, "\n ");
    put_solid(&json, &place, slash ? slash + 1 : mesh);
    sn__json_close(&json, '}');
    result = write_text(&json, path);
    sn__json_writer_free(&json);
    return result;
}
