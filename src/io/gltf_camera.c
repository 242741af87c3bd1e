// The camera of a recording: it looks along −z of its node.
#include "base/null.h"
#include "io/gltf_put.h"
#include "math/vec.h"

#define NEAREST 0.01f // m

SnResult sn_gltf_set_camera(SnGltf *gltf, const SnGltfCamera *camera) {
    if (gltf == NULL || camera == NULL)
        return sn__null(gltf ? "gltf: camera" : "gltf");
    float distance = sn_vec3_length(sn_vec3_sub(camera->target, camera->position));
    if (!(distance > 0.0f && distance < 1.0e9f))
        return sn_error(SN_ERROR_INVALID,
                        "gltf: the camera is %g m from its target; it must be finite and not 0",
                        (double)distance);
    if (!(camera->fov > 0.0f && camera->fov < 180.0f))
        return sn_error(SN_ERROR_INVALID, "gltf: camera fov %g is not between 0 and 180 degrees",
                        (double)camera->fov);
    gltf->camera = *camera;
    gltf->has_camera = true;
    return sn_ok();
}

// Turns −z to where it looks: first about x by the pitch, then about y by the heading.
static SnQuat rotation_of(const SnGltfCamera *camera) {
    SnVec3 d = sn_vec3_sub(camera->target, camera->position);
    float heading = 0.5f * atan2f(-d.x, -d.z);
    float pitch = 0.5f * atan2f(d.y, sqrtf(d.x * d.x + d.z * d.z));
    return sn_quat_multiply((SnQuat){0, sinf(heading), 0, cosf(heading)},
                            (SnQuat){sinf(pitch), 0, 0, cosf(pitch)});
}

void sn__gltf_put_camera_node(const SnGltf *gltf, JsonWriter *w) {
    SnQuat q = rotation_of(&gltf->camera);
    const float rotation[4] = {q.x, q.y, q.z, q.w};
    sn__json_open(w, '{');
    put_string(w, "name", "camera");
    put_int(w, "camera", 0);
    put_floats(w, "translation", &gltf->camera.position.x, 3);
    put_floats(w, "rotation", rotation, 4);
    sn__json_close(w, '}');
}

void sn__gltf_put_camera(const SnGltf *gltf, JsonWriter *w) {
    const float angle = gltf->camera.fov * 0.017453292f, nearest = NEAREST;
    open_member(w, "cameras", '[');
    sn__json_open(w, '{');
    put_string(w, "type", "perspective");
    open_member(w, "perspective", '{');
    sn__json_put_key(w, "yfov");
    sn__json_put_float(w, angle);
    sn__json_put_key(w, "znear");
    sn__json_put_float(w, nearest);
    sn__json_close(w, '}');
    sn__json_close(w, '}');
    sn__json_close(w, ']');
}
