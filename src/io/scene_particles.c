#include "io/scene_particles.h"

#include "io/tables.h"

#include <sinew/skin.h>
#include <sinew/solid_model.h>

#include <string.h>

#define MODEL_LENGTH 1.0f
#define MODEL_TRIANGLES 10000

static void *copied(Reader *reader, const void *from, size_t count, size_t size) {
    void *to = sn__reader_alloc(reader, count, size);
    return to ? memcpy(to, from, count * size) : NULL;
}

static bool make_model(Reader *reader, const Json *json, const ParticleParams *params,
                       SceneFlesh *flesh) {
    const char *names[SN_SOLID_SHAPE_COUNT];
    int shape;
    for (int i = 0; i < SN_SOLID_SHAPE_COUNT; ++i)
        names[i] = sn_solid_shape_name((SnSolidShape)i);
    if (!sn__read_word(reader, json, names, SN_SOLID_SHAPE_COUNT, &shape))
        return false;
    SnMesh mesh;
    SnResult result =
        sn_solid_mesh((SnSolidShape)shape, params->length > 0.0f ? params->length : MODEL_LENGTH,
                      params->triangles > 0 ? params->triangles : MODEL_TRIANGLES, NULL, &mesh);
    if (result.code != SN_OK) {
        sn__reader_error(reader, json, "%s", result.message);
        return false;
    }
    size_t vertices = (size_t)mesh.vertex_count, triangles = (size_t)mesh.triangle_count;
    flesh->vertex_count = mesh.vertex_count;
    flesh->triangle_count = mesh.triangle_count;
    flesh->positions = copied(reader, mesh.positions, vertices, sizeof *mesh.positions);
    flesh->normals = copied(reader, mesh.normals, vertices, sizeof *mesh.normals);
    flesh->triangles = copied(reader, mesh.triangles, 3 * triangles, sizeof *mesh.triangles);
    sn_mesh_destroy(&mesh);
    return !reader->out_of_memory;
}

// A file, or an object with a file and its place.
static bool read_file(Reader *reader, SnScene *scene, const Json *json, SceneFlesh *flesh) {
    MeshUse use = {0};
    const Json *cell = sn__json_member(&reader->doc, json, "cell");
    const Json *shell = sn__json_member(&reader->doc, json, "shell");
    if (cell || shell) {
        sn__reader_error(reader, cell ? cell : shell, "is for colliders only");
        return false;
    }
    if (!sn__read_mesh_use(reader, scene, json, &use))
        return false;
    SnResult result = sn__scene_use_mesh(scene, &use);
    if (result.code != SN_OK) {
        sn__reader_error(reader, json, "%s", result.message);
        return false;
    }
    const SnMesh *mesh = &scene->meshes[use.mesh].mesh;
    *flesh = (SceneFlesh){.vertex_count = mesh->vertex_count,
                          .triangle_count = mesh->triangle_count,
                          .positions = use.positions,
                          .normals = use.normals,
                          .triangles = mesh->triangles};
    return true;
}

static bool read_fill(Reader *reader, const Json *entry, SnFill *out) {
    const char *names[SN_FILL_COUNT];
    const Json *json = sn__json_member(&reader->doc, entry, "fill");
    int fill = SN_FILL_SOLID;
    for (int i = 0; i < SN_FILL_COUNT; ++i)
        names[i] = sn_fill_name((SnFill)i);
    bool good = json == NULL || sn__read_word(reader, json, names, SN_FILL_COUNT, &fill);
    *out = (SnFill)fill;
    return good;
}

bool sn__read_particles(Reader *reader, SnScene *scene, const Json *entry,
                        const ParticleParams *params, SnParticles *out_particles,
                        SceneFlesh **out_flesh) {
    const Json *file = sn__json_member(&reader->doc, entry, "mesh");
    const Json *model = sn__json_member(&reader->doc, entry, "model");
    SceneFlesh *flesh = sn__reader_alloc(reader, 1, sizeof *flesh);
    SnParticlesDef def = sn_default_particles_def();
    *out_flesh = NULL;
    if (flesh == NULL || !read_fill(reader, entry, &def.fill))
        return false;
    if (file && model) {
        sn__reader_error(reader, model, "goes without a \"mesh\"");
        return false;
    }
    bool good =
        file ? read_file(reader, scene, file, flesh) : make_model(reader, model, params, flesh);
    if (!good)
        return false;
    def.vertex_count = flesh->vertex_count;
    def.triangle_count = flesh->triangle_count;
    def.positions = flesh->positions;
    def.triangles = flesh->triangles;
    if (params->particles > 0)
        def.particles = params->particles;
    if (params->thickness > 0.0f)
        def.thickness = params->thickness;
    SnResult result = sn_particles_create(&def, NULL, out_particles);
    if (result.code != SN_OK) {
        bool hollow = def.fill == SN_FILL_SOLID && strstr(result.message, "inside") != NULL;
        sn__reader_error(reader, file ? file : model, "%s%s", result.message,
                         hollow ? "; \"fill\": \"shell\" takes surfaces" : "");
        return false;
    }
    size_t bones = SN_SKIN_BONES * (size_t)flesh->vertex_count;
    flesh->bones = copied(reader, out_particles->bones, bones, sizeof *flesh->bones);
    flesh->weights = copied(reader, out_particles->weights, bones, sizeof *flesh->weights);
    *out_flesh = params->no_skin ? NULL : flesh;
    return true;
}

SceneFlesh *sn__read_flesh(Reader *reader, SnScene *scene, const Json *mesh,
                           const SnParticles *particles) {
    SceneFlesh *flesh = sn__reader_alloc(reader, 1, sizeof *flesh);
    if (flesh == NULL || !read_file(reader, scene, mesh, flesh))
        return NULL;
    size_t bones = SN_SKIN_BONES * (size_t)flesh->vertex_count;
    int *followed = sn__reader_alloc(reader, bones, sizeof *followed);
    float *weights = sn__reader_alloc(reader, bones, sizeof *weights);
    if (reader->out_of_memory)
        return NULL;
    SnResult result = sn_particles_bind(particles->particle_count, particles->positions,
                                        particles->rotations, particles->radii,
                                        particles->edge_count, (const int(*)[2])particles->edges,
                                        flesh->vertex_count, flesh->positions, followed, weights);
    if (result.code != SN_OK) {
        sn__reader_error(reader, mesh, "%s", result.message);
        return NULL;
    }
    flesh->bones = followed;
    flesh->weights = weights;
    return flesh;
}
