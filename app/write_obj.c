#include "app/write_obj.h"

#include "io/file.h"

#include <stdio.h>

SnResult write_obj(const ObjMesh *mesh, const char *path) {
    FileWriter writer;
    SnResult result = sn__file_begin(&writer, path);
    if (result.code != SN_OK)
        return result;
    char line[128];
    for (int i = 0; i < mesh->vertex_count; ++i) {
        SnVec3 x = mesh->place(mesh->context, mesh->positions[i]);
        int length = snprintf(line, sizeof line, "v %.7g %.7g %.7g\n", (double)x.x, (double)x.y,
                              (double)x.z);
        sn__file_write(&writer, line, (size_t)length);
    }
    for (int i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t *t = mesh->triangles + 3 * i;
        int length = snprintf(line, sizeof line, "f %u %u %u\n", t[0] + 1, t[1] + 1, t[2] + 1);
        sn__file_write(&writer, line, (size_t)length);
    }
    return sn__file_end(&writer);
}
