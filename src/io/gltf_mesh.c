// All triangles of a glTF file: a walk over the nodes of its scene.
#include "base/memory.h"
#include "base/null.h"
#include "io/gltf_source.h"
#include "io/mesh.h"
#include "math/vec.h"

#include <sinew/gltf.h>

#include <stdlib.h>
#include <string.h>

// An affine map by columns: three directions and a place.
typedef struct Map {
    Vec3d column[4];
} Map;

static Vec3d apply(const Map *m, Vec3d x, double w) {
    Vec3d sum = addd(scaled(m->column[0], x.x), scaled(m->column[1], x.y));
    return addd(addd(sum, scaled(m->column[2], x.z)), scaled(m->column[3], w));
}

static Map chained(const Map *outer, const Map *inner) {
    Map map;
    for (int c = 0; c < 4; ++c)
        map.column[c] = apply(outer, inner->column[c], c == 3);
    return map;
}

// `count` numbers of an array; false if it is not there or has others.
static bool numbers(const GltfSource *source, const Json *object, const char *key, double *out,
                    int count) {
    const Json *v = sn__source_first(source, object, key);
    int read = 0;
    for (; v && read < count && v->kind == JSON_NUMBER; ++read) {
        out[read] = v->number;
        v = sn__json_next(&source->doc, v);
    }
    return read == count;
}

static Map node_map(const GltfSource *source, const Json *node) {
    double m[16], t[3] = {0, 0, 0}, r[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    Map map;
    if (numbers(source, node, "matrix", m, 16)) {
        for (int c = 0; c < 4; ++c)
            map.column[c] = (Vec3d){m[4 * c], m[4 * c + 1], m[4 * c + 2]};
        return map;
    }
    numbers(source, node, "translation", t, 3);
    numbers(source, node, "rotation", r, 4);
    numbers(source, node, "scale", s, 3);
    Quatd turn = {r[0], r[1], r[2], r[3]};
    map.column[0] = rotated(turn, (Vec3d){s[0], 0, 0});
    map.column[1] = rotated(turn, (Vec3d){0, s[1], 0});
    map.column[2] = rotated(turn, (Vec3d){0, 0, s[2]});
    map.column[3] = (Vec3d){t[0], t[1], t[2]};
    return map;
}

typedef struct Walk {
    const GltfSource *source;
    bool *seen; // per node
    int *stack; // nodes to visit
    Map *maps;  // of the stack's nodes' parents
    int depth;
    int64_t vertices, triangles; // so far
    SnMesh *mesh;                // NULL: only count
} Walk;

static uint32_t index_at(const GltfElements *e, int i) {
    const unsigned char *at = e->bytes + e->stride * (size_t)i;
    uint32_t value = at[0];
    if (e->component != 5121)
        value |= (uint32_t)at[1] << 8;
    if (e->component == 5125)
        value |= (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    return value;
}

static bool add_positions(Walk *walk, const GltfElements *positions, const Map *map) {
    for (int i = 0; i < positions->count; ++i) {
        float x[3];
        memcpy(x, positions->bytes + positions->stride * (size_t)i, sizeof x);
        Vec3d p = apply(map, (Vec3d){(double)x[0], (double)x[1], (double)x[2]}, 1);
        SnVec3 to = sn_vec3((float)p.x, (float)p.y, (float)p.z);
        if (!sn__within3(to, SN_MAX_POSITION))
            return false;
        walk->mesh->positions[walk->vertices + i] = to;
    }
    return true;
}

// Corner c of triangle t of a list, a strip or a fan.
static int corner(int64_t mode, int t, int c) {
    if (mode == 4)
        return 3 * t + c;
    if (mode == 6)
        return c == 0 ? 0 : t + c;
    return t % 2 == 1 && c > 0 ? t + 3 - c : t + c;
}

static bool add_triangles(Walk *walk, const GltfElements *indices, int vertices, int64_t mode,
                          int count, bool mirrored) {
    for (int t = 0; t < count; ++t) {
        uint32_t *to = walk->mesh->triangles + 3 * (size_t)(walk->triangles + t);
        for (int c = 0; c < 3; ++c) {
            int at = corner(mode, t, mirrored ? 2 - c : c);
            uint32_t index = indices->bytes ? index_at(indices, at) : (uint32_t)at;
            if (index >= (uint32_t)vertices)
                return false;
            to[c] = (uint32_t)walk->vertices + index;
        }
    }
    return true;
}

static bool is_mirrored(const Map *map) {
    return dotd(crossd(map->column[0], map->column[1]), map->column[2]) < 0;
}

static SnResult add_primitive(Walk *walk, const Json *primitive, const Map *map) {
    const GltfSource *source = walk->source;
    int64_t mode = sn__source_int(source, primitive, "mode", 4);
    if (mode < 4 || mode > 6) // points and lines
        return sn_ok();
    const Json *attributes = sn__json_member(&source->doc, primitive, "attributes");
    const Json *accessor = sn__source_item(source, SOURCE_ACCESSORS, attributes, "POSITION");
    GltfElements positions = {0}, indices = {0};
    SnResult result = sn__source_elements(source, accessor, 3, &positions);
    int corners = positions.count;
    if (result.code == SN_OK && sn__json_member(&source->doc, primitive, "indices")) {
        accessor = sn__source_item(source, SOURCE_ACCESSORS, primitive, "indices");
        result = sn__source_elements(source, accessor, 1, &indices);
        corners = indices.count;
    }
    if (result.code != SN_OK)
        return result;
    int count = mode == 4 ? corners / 3 : corners > 2 ? corners - 2 : 0;
    if (walk->vertices + positions.count > MESH_LIMIT || walk->triangles + count > MESH_LIMIT)
        return sn_error(SN_ERROR_LIMIT, "%s: more than %d vertices or triangles", source->path,
                        MESH_LIMIT);
    if (walk->mesh && !add_positions(walk, &positions, map))
        return sn_error(SN_ERROR_FORMAT, "%s: a position is not within %g m", source->path,
                        (double)SN_MAX_POSITION);
    if (walk->mesh &&
        !add_triangles(walk, &indices, positions.count, mode, count, is_mirrored(map)))
        return sn_error(SN_ERROR_FORMAT, "%s: an index is not below %d, the number of vertices",
                        source->path, positions.count);
    walk->vertices += positions.count;
    walk->triangles += count;
    return result;
}

// A node has one parent: one that is met again is a loop or no tree.
static SnResult push(Walk *walk, const Json *number, const Map *map) {
    double n = number->kind == JSON_NUMBER ? number->number : -1;
    if (!(n >= 0 && n < walk->source->counts[SOURCE_NODES]) || walk->seen[(int)n])
        return sn_error(SN_ERROR_FORMAT, "%s: its nodes are not a tree", walk->source->path);
    walk->seen[(int)n] = true;
    walk->stack[walk->depth] = (int)n;
    walk->maps[walk->depth++] = *map;
    return sn_ok();
}

static SnResult visit(Walk *walk) {
    const GltfSource *source = walk->source;
    const Json *node = source->lists[SOURCE_NODES][walk->stack[--walk->depth]];
    Map own = node_map(source, node), map = chained(&walk->maps[walk->depth], &own);
    const Json *mesh = sn__source_item(source, SOURCE_MESHES, node, "mesh");
    const Json *primitive = mesh ? sn__source_first(source, mesh, "primitives") : NULL;
    SnResult result = sn_ok();
    for (; primitive && result.code == SN_OK; primitive = sn__json_next(&source->doc, primitive))
        result = add_primitive(walk, primitive, &map);
    const Json *child = sn__source_first(source, node, "children");
    for (; child && result.code == SN_OK; child = sn__json_next(&source->doc, child))
        result = push(walk, child, &map);
    return result;
}

// The scene's own nodes, or those of the first one.
static SnResult walk_scene(Walk *walk) {
    static const Map nothing = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}}};
    const GltfSource *source = walk->source;
    const Json *root = sn__json_root(&source->doc);
    const Json *scene = sn__source_item(source, SOURCE_SCENES, root, "scene");
    if (scene == NULL && source->counts[SOURCE_SCENES] > 0)
        scene = source->lists[SOURCE_SCENES][0];
    memset(walk->seen, 0, (size_t)source->counts[SOURCE_NODES] * sizeof *walk->seen);
    walk->vertices = walk->triangles = 0;
    SnResult result = sn_ok();
    const Json *number = scene ? sn__source_first(source, scene, "nodes") : NULL;
    for (; number && result.code == SN_OK; number = sn__json_next(&source->doc, number))
        result = push(walk, number, &nothing);
    while (walk->depth > 0 && result.code == SN_OK)
        result = visit(walk);
    walk->depth = 0;
    return result;
}

static SnResult read_mesh(Walk *walk, const SnAllocator *allocator, SnMesh *out_mesh) {
    const char *path = walk->source->path;
    SnResult result = walk_scene(walk);
    if (result.code != SN_OK)
        return result;
    if (walk->triangles == 0)
        return sn_error(SN_ERROR_FORMAT, "%s: its scene has no triangles", path);
    if (!sn__mesh_create(allocator, (int)walk->vertices, (int)walk->triangles, out_mesh))
        return sn_error(SN_ERROR_MEMORY, "%s: no memory for its mesh", path);
    walk->mesh = out_mesh;
    result = walk_scene(walk);
    if (result.code == SN_OK && !sn__mesh_make_normals(out_mesh))
        result = sn_error(SN_ERROR_MEMORY, "%s: no memory for its mesh", path);
    if (result.code != SN_OK)
        sn_mesh_destroy(out_mesh);
    return result;
}

SnResult sn_mesh_read_gltf(const char *path, const SnAllocator *allocator, SnMesh *out_mesh) {
    if (path == NULL)
        return sn__null("gltf mesh: path");
    if (out_mesh == NULL)
        return sn__null("gltf mesh: out_mesh");
    *out_mesh = (SnMesh){0};
    SnAllocator chosen = allocator ? *allocator : sn__default_allocator();
    GltfSource source;
    SnResult result = sn__source_open(path, &source);
    if (result.code != SN_OK)
        return result;
    size_t nodes = (size_t)source.counts[SOURCE_NODES] + 1;
    Walk walk = {.source = &source,
                 .seen = malloc(nodes * sizeof(bool)),
                 .stack = malloc(nodes * sizeof(int)),
                 .maps = malloc(nodes * sizeof(Map))};
    if (walk.seen && walk.stack && walk.maps)
        result = read_mesh(&walk, &chosen, out_mesh);
    else
        result = sn_error(SN_ERROR_MEMORY, "%s: no memory to read it", path);
    free(walk.seen);
    free(walk.stack);
    free(walk.maps);
    sn__source_close(&source);
    return result;
}
