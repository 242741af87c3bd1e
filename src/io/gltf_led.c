// Frames that skins of a recording follow beside bodies.
#include "io/gltf_data.h"

#include <assert.h>

static bool is_same(SnFrameId a, SnFrameId b) {
    return a.index == b.index && a.generation == b.generation;
}

int sn__gltf_list_led(const SnGltfDef *def, SnFrameId *out_led) {
    int count = 0;
    for (int s = 0; s < def->skin_count; ++s)
        for (int i = 0; i < def->skins[s].frame_count; ++i) {
            SnFrameId frame = def->skins[s].frames[i];
            int k = 0;
            while (k < count && !is_same(out_led[k], frame))
                ++k;
            out_led[k] = frame;
            count = k == count ? count + 1 : count;
        }
    return count;
}

int sn__gltf_find_led(const SnGltf *gltf, SnFrameId frame) {
    for (int r = gltf->body_count; r < gltf->led_end; ++r)
        if (is_same(gltf->led[r - gltf->body_count], frame))
            return r;
    assert(false && "every frame of a skin was listed");
    return -1;
}

void sn__gltf_move_led(SnGltf *gltf, const SnPoses *poses) {
    for (int k = 0; k < gltf->led_end - gltf->body_count; ++k)
        for (int i = 0; i < poses->led_count; ++i)
            if (is_same(gltf->led[k], poses->led[i])) {
                gltf->led_poses[k] = poses->led_poses[i];
                break;
            }
}
