// The meshes of a glTF file one by one, with what is painted on them.
#include "io/gltf_skeleton.h"
#include "io/painted_mesh.h"

#include <stdlib.h>

// The meshes of one node: its primitives of triangles.
typedef struct Run {
    int begin, end;
} Run;

static Run next_run(const GltfSkeleton *from, int begin) {
    Run run = {begin, begin + 1};
    while (run.end < from->mesh_count && from->paints[run.end].joint == from->paints[begin].joint)
        ++run.end;
    return run;
}

static bool has_colours(const GltfSkeleton *from, Run run) {
    for (int i = run.begin; i < run.end; ++i)
        if (from->paints[i].colours)
            return true;
    return false;
}

// Every primitive has a material of its own, even if some have the same name. What has no colour is
// white, as glTF has it.
static bool paint(const GltfSkeleton *from, Run run, PaintedMesh *out) {
    if (!sn__painted_mesh_make_room(out, run.end - run.begin, has_colours(from, run)))
        return false;
    uint32_t first_vertex = 0;
    int triangle = 0;
    for (int i = run.begin; i < run.end; ++i) {
        const GltfPaint *p = &from->paints[i];
        sn__painted_name(out->material_names[out->material_count], p->material);
        for (int t = 0; t < from->meshes[i].triangle_count; ++t, ++triangle) {
            out->materials[triangle] = out->material_count;
            for (int c = 0; c < 3 && out->colours; ++c)
                for (int k = 0; k < 3; ++k) {
                    uint32_t vertex = out->mesh.triangles[3 * triangle + c] - first_vertex;
                    out->colours[3 * triangle + c][k] = p->colours ? p->colours[vertex][k] : 1.0f;
                }
        }
        first_vertex += (uint32_t)from->meshes[i].vertex_count;
        ++out->material_count;
    }
    return true;
}

static SnResult read_run(const GltfSkeleton *from, const SnSkeleton *skeleton, Run run,
                         PaintedMesh *out) {
    const GltfSource *source = from->source;
    int node = from->nodes[from->paints[run.begin].joint];
    const char *name = sn__source_name(source, source->lists[SOURCE_NODES][node]);
    sn__painted_name(out->name, name[0] ? name : from->meshes[run.begin].name);
    SnResult result = sn__gltf_join_meshes(skeleton, run.begin, run.end, NULL, &out->mesh);
    if (result.code == SN_OK && !paint(from, run, out))
        result = sn_error(SN_ERROR_MEMORY, "no memory for what is painted on it");
    return result.code == SN_OK ? result
                                : sn_error(result.code, "%s: %s", source->path, result.message);
}

static SnResult read_runs(const GltfSkeleton *from, PaintedMeshes *out) {
    if (from->mesh_count == 0)
        return sn_error(SN_ERROR_FORMAT, "%s: no node of its scene shows a mesh of triangles",
                        from->source->path);
    SnSkeleton *skeleton = NULL;
    out->meshes = calloc((size_t)from->mesh_count, sizeof *out->meshes);
    SnResult result =
        out->meshes ? sn__gltf_make_skeleton(from, NULL, &skeleton)
                    : sn_error(SN_ERROR_MEMORY, "%s: no memory for its meshes", from->source->path);
    for (Run run = {0, 0}; run.end < from->mesh_count && result.code == SN_OK;) {
        run = next_run(from, run.end);
        result = read_run(from, skeleton, run, &out->meshes[out->count++]);
    }
    sn_skeleton_destroy(skeleton);
    return result;
}

SnResult sn__meshes_read_gltf(const char *path, PaintedMeshes *out_meshes) {
    *out_meshes = (PaintedMeshes){0};
    GltfSource source;
    SnResult result = sn__source_open(path, &source);
    if (result.code != SN_OK)
        return result;
    GltfSkeleton skeleton = {.source = &source, .wants_paints = true};
    result = sn__gltf_read_joints(&skeleton);
    if (result.code == SN_OK)
        result = sn__gltf_read_parts(&skeleton);
    if (result.code == SN_OK)
        result = read_runs(&skeleton, out_meshes);
    sn__arena_free(&skeleton.arena);
    sn__source_close(&source);
    if (result.code != SN_OK)
        sn__painted_meshes_destroy(out_meshes);
    return result;
}
