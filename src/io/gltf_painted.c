#include "io/gltf_painted.h"

#include "io/gltf_actor.h"
#include "io/gltf_put.h"

bool sn__is_painted(const SnSkeleton *paint) {
    for (int i = 0; paint && i < sn_skeleton_mesh_count(paint); ++i) {
        SnSkeletonMesh part = sn_skeleton_mesh(paint, i);
        if (part.texcoords && part.image >= 0)
            return true;
    }
    return false;
}

SnResult sn__gltf_check_paint(const SnSkeleton *paint, const SnSkinMesh *skin, int number) {
    int vertices = 0, triangles = 0;
    for (int i = 0; i < sn_skeleton_mesh_count(paint); ++i) {
        vertices += sn_skeleton_mesh(paint, i).vertex_count;
        triangles += sn_skeleton_mesh(paint, i).triangle_count;
    }
    if (vertices == skin->vertex_count && triangles == skin->triangle_count)
        return sn_ok();
    return sn_error(SN_ERROR_INVALID,
                    "gltf: skin_paints[%d] has %d vertices and %d triangles, its skin %d and %d",
                    number, vertices, triangles, skin->vertex_count, skin->triangle_count);
}

GltfMaterial sn__gltf_part_material(const GltfShape *shape, int part) {
    SnSkeletonMesh mesh = sn_skeleton_mesh(shape->paint, part);
    bool painted = mesh.texcoords && mesh.image >= 0;
    return (GltfMaterial){.colour = {mesh.colour[0], mesh.colour[1], mesh.colour[2]},
                          .opacity = 1.0f - shape->clear,
                          .texture = painted ? shape->first_image + mesh.image + 1 : 0};
}

static bool has_own(const SnGltf *gltf, int shape) {
    return gltf->shapes[shape].paint && gltf->shapes[shape].mesh == shape;
}

void sn__gltf_number_images(SnGltf *gltf) {
    for (int k = 0; k < gltf->shape_count; ++k) {
        GltfShape *shape = &gltf->shapes[k];
        shape->first_image = gltf->shapes[shape->mesh].first_image;
        if (!has_own(gltf, k))
            continue;
        shape->first_image = gltf->shape_image_count;
        gltf->shape_image_count += sn_skeleton_image_count(shape->paint);
    }
}

void sn__gltf_measure_paint(const SnGltf *gltf, GltfLayout *layout) {
    for (int k = 0; k < gltf->shape_count; ++k) {
        const GltfShape *shape = &gltf->shapes[k];
        if (!has_own(gltf, k))
            continue;
        layout->size[GLTF_TEXCOORDS] += shape->vertex_count * 2 * sizeof(float);
        for (int i = 0; i < sn_skeleton_image_count(shape->paint); ++i) {
            SnSkeletonImage image = sn_skeleton_image(shape->paint, i);
            layout->size[GLTF_IMAGES] += sn__gltf_image_size(&image);
        }
    }
}

// What has none is at 0.
static void write_coordinates(const SnSkeletonMesh *part, FileWriter *writer) {
    const float none[2] = {0.0f, 0.0f};
    for (int i = 0; i < part->vertex_count; ++i)
        sn__file_write(writer, part->texcoords ? part->texcoords + 2 * i : none, sizeof none);
}

void sn__gltf_write_shape_coordinates(const SnGltf *gltf, FileWriter *writer) {
    for (int k = 0; k < gltf->shape_count; ++k)
        for (int i = 0; has_own(gltf, k) && i < sn__gltf_part_count(&gltf->shapes[k]); ++i) {
            SnSkeletonMesh part = sn_skeleton_mesh(gltf->shapes[k].paint, i);
            write_coordinates(&part, writer);
        }
}

void sn__gltf_write_shape_images(const SnGltf *gltf, FileWriter *writer) {
    static const char fill[4] = {0};
    for (int k = 0; k < gltf->shape_count; ++k) {
        const SnSkeleton *paint = has_own(gltf, k) ? gltf->shapes[k].paint : NULL;
        for (int i = 0; paint && i < sn_skeleton_image_count(paint); ++i) {
            SnSkeletonImage image = sn_skeleton_image(paint, i);
            sn__file_write(writer, image.bytes, image.size);
            sn__file_write(writer, fill, (size_t)sn__gltf_image_size(&image) - image.size);
        }
    }
}

void sn__gltf_put_parts(const SnGltf *gltf, const GltfShape *shape, JsonWriter *w) {
    int accessor = gltf->shapes[shape->mesh].first_accessor,
        coordinates = accessor + GLTF_ACCESSORS;
    for (int i = 0; i < sn__gltf_part_count(shape); ++i) {
        open_primitive(accessor, coordinates, i == 0 ? accessor + GLTF_INDEX : coordinates + i,
                       shape->part_materials[i], w);
        sn__json_close(w, '}');
    }
}

void sn__gltf_put_part_accessors(const GltfLayout *layout, const GltfShape *shape, uint64_t indices,
                                 uint64_t *coordinates, JsonWriter *w) {
    open_accessor(w, view_number(layout, GLTF_TEXCOORDS), *coordinates, COMPONENT_FLOAT,
                  shape->vertex_count, "VEC2");
    sn__json_close(w, '}');
    *coordinates += shape->vertex_count * 2 * sizeof(float);
    for (int i = 0; i < sn__gltf_part_count(shape); ++i) {
        uint64_t count = 3 * (uint64_t)sn_skeleton_mesh(shape->paint, i).triangle_count;
        if (i > 0) {
            open_accessor(w, GLTF_INDICES, indices, COMPONENT_U32, count, "SCALAR");
            sn__json_close(w, '}');
        }
        indices += count * sizeof(uint32_t);
    }
}

void sn__gltf_put_shape_images(const SnGltf *gltf, int view, JsonWriter *w) {
    for (int k = 0; k < gltf->shape_count; ++k) {
        const SnSkeleton *paint = has_own(gltf, k) ? gltf->shapes[k].paint : NULL;
        for (int i = 0; paint && i < sn_skeleton_image_count(paint); ++i) {
            sn__json_open(w, '{');
            put_int(w, "bufferView", view++);
            put_string(w, "mimeType", sn_skeleton_image(paint, i).mime);
            sn__json_close(w, '}');
        }
    }
}

void sn__gltf_put_shape_image_views(const SnGltf *gltf, uint64_t offset, JsonWriter *w) {
    for (int k = 0; k < gltf->shape_count; ++k) {
        const SnSkeleton *paint = has_own(gltf, k) ? gltf->shapes[k].paint : NULL;
        for (int i = 0; paint && i < sn_skeleton_image_count(paint); ++i) {
            SnSkeletonImage image = sn_skeleton_image(paint, i);
            sn__json_open(w, '{');
            put_int(w, "buffer", 0);
            put_int(w, "byteOffset", (long long)offset);
            put_int(w, "byteLength", (long long)image.size);
            sn__json_close(w, '}');
            offset += sn__gltf_image_size(&image);
        }
    }
}
