#include "app/input.h"

#include "app/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define MAX_THREADS 64

// What a file that is no scene is good for; NULL: nothing that its name tells.
static const char *other_use(const char *path) {
    static const struct {
        const char *endings[4], *use;
    } uses[] = {
        {{".glb", ".gltf", ".bvh", NULL},
         "a character or a motion; a scene shows it by \"skeleton\": {\"file\": …}, and "
         "sinew flesh makes one of a character"},
        {{".obj", ".stl", ".ply", ".off"},
         "a mesh; a skin or a collider of a scene has it as its \"mesh\", and "
         "sinew particles makes a soft body of it, sinew viperize a muscle"},
    };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof uses / sizeof uses[0]; ++i)
        for (int k = 0; k < 4 && uses[i].endings[k]; ++k)
            if (strcasecmp(dot, uses[i].endings[k]) == 0)
                return uses[i].use;
    return NULL;
}

bool load_scene(const char *path, FILE *errors_to, SnScene **out_scene) {
    const char *use = other_use(path);
    if (use && access(path, R_OK) == 0) {
        say_to(errors_to, "%s: is not a scene (.json), but %s\n", path, use);
        return false;
    }
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
