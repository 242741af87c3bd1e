// Any bytes as a glTF file: its summary, its mesh, and its skeleton with clips.
#define _GNU_SOURCE // memfd_create
#include <sinew/gltf.h>

#include "io/gltf_skeleton.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    int file = memfd_create("fuzz", 0);
    if (file < 0)
        return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (write(file, data, size) == (ssize_t)size) {
        SnGltfInfo info;
        sn_gltf_info(path, &info);
        SnMesh mesh;
        if (sn_mesh_read_gltf(path, NULL, &mesh).code == SN_OK)
            sn_mesh_destroy(&mesh);
        SnSkeleton *skeleton = NULL;
        if (sn__skeleton_read_gltf(path, true, NULL, &skeleton).code == SN_OK)
            sn_skeleton_destroy(skeleton);
    }
    close(file);
    return 0;
}
