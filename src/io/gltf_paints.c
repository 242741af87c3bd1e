// What is painted on the meshes of a glTF file: materials by their names, colours of vertices.
#include "io/gltf_skeleton.h"

static SnResult read_colours(GltfSkeleton *skeleton, const Json *accessor, int vertices,
                             GltfPaint *paint) {
    const GltfSource *source = skeleton->source;
    GltfElements from = {0};
    SnResult result = sn__source_numbers(source, accessor, "VEC4", true, "colours", &from);
    if (result.code != SN_OK)
        result = sn__source_numbers(source, accessor, "VEC3", true, "colours", &from);
    if (result.code == SN_OK && from.count != vertices)
        result = sn_error(SN_ERROR_FORMAT, "%s: a mesh of %d vertices has %d colours", source->path,
                          vertices, from.count);
    if (result.code != SN_OK)
        return result;
    paint->colours = sn__arena_alloc(&skeleton->arena, (size_t)vertices, sizeof *paint->colours);
    if (paint->colours == NULL)
        return sn_error(SN_ERROR_MEMORY, "%s: no memory for its colours", source->path);
    for (int i = 0; i < vertices; ++i)
        for (int c = 0; c < 3; ++c)
            paint->colours[i][c] = (float)sn__element_number(&from, i, c);
    return result;
}

SnResult sn__gltf_read_paints(GltfSkeleton *skeleton, const Json *primitive, int joint) {
    const GltfSource *source = skeleton->source;
    int number = skeleton->mesh_count - 1;
    GltfPaint *paint = &skeleton->paints[number];
    const Json *material = sn__source_item(source, SOURCE_MATERIALS, primitive, "material");
    const Json *attributes = sn__json_member(&source->doc, primitive, "attributes");
    const Json *accessor = sn__source_item(source, SOURCE_ACCESSORS, attributes, "COLOR_0");
    *paint = (GltfPaint){.joint = joint, .material = sn__source_name(source, material)};
    return accessor ? read_colours(skeleton, accessor, skeleton->meshes[number].vertex_count, paint)
                    : sn_ok();
}
