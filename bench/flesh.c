#include "bench/flesh.h"

#include <sinew/flesh.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Text that grows.
typedef struct Text {
    char *bytes;
    size_t size, room;
} Text;

static void put(Text *text, const char *format, ...) {
    char line[512];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (text->size + (size_t)length + 1 > text->room) {
        text->room = 2 * text->room + 65536;
        char *bytes = realloc(text->bytes, text->room);
        if (bytes == NULL)
            abort();
        text->bytes = bytes;
    }
    memcpy(text->bytes + text->size, line, (size_t)length + 1);
    text->size += (size_t)length;
}

static void put_muscle(Text *text, const SnSkeleton *skeleton, const SnFleshMuscle *m, bool first) {
    put(text, "%s{\"name\":\"%s\",\"points\":30,\"volume\":%.6g,\"path\":[", first ? "" : ",",
        m->name, (double)m->volume);
    for (int i = 0; i < m->point_count; ++i)
        put(text, "%s{\"frame\":\"%s\",\"position\":[%.6g,%.6g,%.6g]}", i ? "," : "",
            sn_skeleton_joint(skeleton, m->path[i].joint).name, (double)m->path[i].position.x,
            (double)m->path[i].position.y, (double)m->path[i].position.z);
    put(text, "],\"normal\":[%.6g,%.6g,%.6g]", (double)m->normal.x, (double)m->normal.y,
        (double)m->normal.z);
    put(text, ",\"rest\":{\"alpha\":%d,\"beta\":%d,\"eccentricity\":%g}", m->rest.alpha,
        m->rest.beta, (double)m->rest.eccentricity);
    put(text, ",\"active\":{\"alpha\":%d,\"beta\":%d,\"eccentricity\":%g}", m->active.alpha,
        m->active.beta, (double)m->active.eccentricity);
    if (m->drive_joint >= 0)
        put(text, ",\"activated_by\":{\"frame\":\"%s\",\"from\":%g,\"to\":%g}",
            sn_skeleton_joint(skeleton, m->drive_joint).name, (double)m->drive_from,
            (double)m->drive_to);
    put(text, "}");
}

static SnResult place(const SnSkeleton *skeleton, SnCharacter character, SnFleshMuscle *muscles,
                      int *count) {
    int joints[SN_HUMAN_JOINT_COUNT], more = 0;
    if (character == SN_CHARACTER_FIGURE) {
        SnResult result = sn_humanoid_find(skeleton, joints);
        return result.code == SN_OK ? sn_humanoid_muscles(skeleton, joints, muscles, count)
                                    : result;
    }
    SnResult result = sn_bone_muscles(skeleton, 0, muscles, count);
    if (result.code == SN_OK)
        result = sn_bone_muscles(skeleton, 1, muscles + *count, &more);
    *count += more;
    return result;
}

SnResult flesh_scene(SnCharacter character, SnScene **out_scene) {
    SnSkeleton *skeleton = NULL;
    SnFleshMuscle *muscles = calloc(SN_MAX_HUMAN_MUSCLES, sizeof *muscles);
    Text text = {0};
    int count = 0;
    SnResult result = muscles ? sn_character_skeleton(character, NULL, &skeleton)
                              : sn_error(SN_ERROR_MEMORY, "bench: no memory");
    if (result.code == SN_OK)
        result = place(skeleton, character, muscles, &count);
    if (result.code == SN_OK) {
        put(&text,
            "{\"version\":1,\"skeleton\":{\"model\":\"%s\",\"clip\":\"%s\",\"implicit\":true,",
            sn_character_name(character), sn_skeleton_clip(skeleton, 0).name);
        put(&text, "\"bones\":true},\"flesh\":[");
        for (int i = 0; i < count; ++i)
            put_muscle(&text, skeleton, &muscles[i], i == 0);
        put(&text, "]}");
        result = sn_scene_load_text("flesh.json", text.bytes, text.size, out_scene, NULL);
    }
    free(text.bytes);
    free(muscles);
    sn_skeleton_destroy(skeleton);
    return result;
}
