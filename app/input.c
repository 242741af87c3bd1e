#include "app/input.h"

#include "app/terminal.h"

#include <stdlib.h>
#include <unistd.h>

#define MAX_THREADS 64

bool load_scene(const char *path, FILE *errors_to, SnScene **out_scene) {
    SnSceneErrors *errors = calloc(1, sizeof *errors);
    SnResult result = sn_scene_load_file(path, out_scene, errors);
    if (result.code != SN_OK && (errors == NULL || errors->count == 0))
        say_to(errors_to, "%s\n", result.message);
    for (int i = 0; errors && i < errors->count; ++i)
        say_to(errors_to, "%s\n", errors->items[i].message);
    if (errors && errors->more)
        say_to(errors_to, "%s: … and more\n", path);
    free(errors);
    return result.code == SN_OK;
}

static int kind_count(const SnScene *scene, SnBodyKind kind) {
    int count = 0;
    for (int i = 0; i < sn_scene_body_count(scene); ++i)
        count += sn_scene_body(scene, i).kind == kind;
    return count;
}

int rigid_count(const SnScene *scene) { return kind_count(scene, SN_BODY_RIGID); }
int solid_count(const SnScene *scene) { return kind_count(scene, SN_BODY_SOLID); }

int rod_count(const SnScene *scene) {
    return sn_scene_body_count(scene) - rigid_count(scene) - solid_count(scene);
}

int core_count(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : (int)count;
}
