#include "app/info_mesh.h"

#include "app/commands.h"
#include "app/terminal.h"
#include "io/mesh.h"
#include "view/box.h"

#include <sinew/mesh_file.h>

#include <stdlib.h>

// The number of a vertex that stands for all that triangles connect it with.
static int find_root(int *parents, int i) {
    while (parents[i] != i)
        i = parents[i] = parents[parents[i]];
    return i;
}

typedef struct Edge {
    uint32_t low, high;
} Edge;

static int compare_edges(const void *a, const void *b) {
    const Edge *left = a, *right = b;
    if (left->low != right->low)
        return left->low < right->low ? -1 : 1;
    return left->high < right->high ? -1 : left->high > right->high;
}

// Pieces that hang together, and edges that not exactly two triangles share: 0 of a closed mesh.
typedef struct Shells {
    int count, open_edges;
} Shells;

static int count_open_edges(const SnMesh *mesh, Edge *edges) {
    size_t count = 3 * (size_t)mesh->triangle_count;
    for (size_t i = 0; i < count; ++i) {
        uint32_t a = mesh->triangles[i], b = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = (Edge){a < b ? a : b, a < b ? b : a};
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    int open = 0;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && compare_edges(&edges[i], &edges[end]) == 0;)
            ++end;
        open += end - i != 2;
    }
    return open;
}

static bool find_shells(const SnMesh *mesh, Shells *out) {
    *out = (Shells){0, 0};
    int *parents = malloc(((size_t)mesh->vertex_count + 1) * sizeof *parents);
    Edge *edges = malloc((3 * (size_t)mesh->triangle_count + 1) * sizeof *edges);
    bool good = parents && edges;
    for (int i = 0; i < mesh->vertex_count && good; ++i)
        parents[i] = -1; // of no triangle
    for (int i = 0; i < 3 * mesh->triangle_count && good; ++i)
        parents[mesh->triangles[i]] = (int)mesh->triangles[i];
    for (int t = 0; t < mesh->triangle_count && good; ++t)
        for (int c = 1; c < 3; ++c)
            parents[find_root(parents, (int)mesh->triangles[3 * t + c])] =
                find_root(parents, (int)mesh->triangles[3 * t]);
    for (int i = 0; i < mesh->vertex_count && good; ++i)
        out->count += parents[i] == i;
    if (good)
        out->open_edges = count_open_edges(mesh, edges);
    free(parents);
    free(edges);
    return good;
}

// Of glTF as its rest pose shows it; vertices in one place count as one.
static void print_mesh(SnMesh *mesh) {
    sn__mesh_weld(mesh);
    ViewBox box = view_box_empty();
    for (int i = 0; i < mesh->vertex_count; ++i)
        view_box_add(&box, mesh->positions[i], 0.0f);
    SnVec3 size = sn_vec3_sub(box.high, box.low);
    Shells shells;
    say_result("  %d vertices, %d triangles", mesh->vertex_count, mesh->triangle_count);
    if (find_shells(mesh, &shells)) {
        say_result(" in %d shell%s, ", shells.count, shells.count == 1 ? "" : "s");
        if (shells.open_edges == 0)
            say_result("closed");
        else
            say_result("open: %d edges that not exactly two triangles share", shells.open_edges);
    }
    say_result("\n  from [%.4g, %.4g, %.4g] to [%.4g, %.4g, %.4g], %.4g × %.4g × %.4g\n",
               (double)box.low.x, (double)box.low.y, (double)box.low.z, (double)box.high.x,
               (double)box.high.y, (double)box.high.z, (double)size.x, (double)size.y,
               (double)size.z);
}

int mesh_info(const char *path) {
    SnMesh mesh;
    SnResult result = sn_mesh_read(path, NULL, &mesh);
    if (result.code != SN_OK) {
        say_error("%s", result.message);
        return STATUS_INPUT;
    }
    say_result("%s: mesh\n", path);
    print_mesh(&mesh);
    sn_mesh_destroy(&mesh);
    return STATUS_OK;
}

void print_mesh_of(const char *path) {
    SnMesh mesh;
    if (sn_mesh_read(path, NULL, &mesh).code == SN_OK) {
        say_result("  at rest:\n");
        print_mesh(&mesh);
        sn_mesh_destroy(&mesh);
    }
}
