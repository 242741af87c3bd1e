// Muscles that sinew flesh places on a character.
#include "app/flesh.h"
#include "app/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALONG "along:"

static bool find_places(Flesh *flesh) {
    size_t count = (size_t)sn_skeleton_joint_count(flesh->skeleton);
    SnTransform *locals = calloc(count, sizeof *locals);
    SnMap *maps = calloc(count, sizeof *maps);
    flesh->places = calloc(count, sizeof *flesh->places);
    bool good = locals && maps && flesh->places;
    if (good) {
        sn_skeleton_rest(flesh->skeleton, locals);
        sn_skeleton_maps(flesh->skeleton, locals, NULL, maps);
        for (size_t i = 0; i < count; ++i)
            flesh->places[i] = maps[i].origin;
    }
    free(locals);
    free(maps);
    return good;
}

static SnResult place_on_humanoid(Flesh *flesh) {
    SnResult result = sn_humanoid_find(flesh->skeleton, flesh->joints);
    if (result.code != SN_OK)
        return result;
    flesh->humanoid = true;
    flesh->muscles = calloc(SN_MAX_HUMAN_MUSCLES, sizeof *flesh->muscles);
    if (flesh->muscles == NULL || !find_places(flesh))
        return sn_error(SN_ERROR_MEMORY, "no memory");
    return sn_humanoid_muscles(flesh->skeleton, flesh->joints, flesh->muscles,
                               &flesh->muscle_count);
}

static SnResult place_on_bone(Flesh *flesh, const char *name, size_t length) {
    char joint[128];
    snprintf(joint, sizeof joint, "%.*s", (int)length, name);
    int number = sn_skeleton_find_joint(flesh->skeleton, joint);
    if (number < 0)
        return sn_error(SN_ERROR_INVALID,
                        "it has no joint \"%.100s\"; sinew info CHARACTER lists them", joint);
    size_t room = (size_t)flesh->muscle_count + SN_BONE_MUSCLES;
    SnFleshMuscle *muscles = realloc(flesh->muscles, room * sizeof *muscles);
    if (muscles == NULL)
        return sn_error(SN_ERROR_MEMORY, "no memory");
    flesh->muscles = muscles;
    int count = 0;
    SnResult result =
        sn_bone_muscles(flesh->skeleton, number, muscles + flesh->muscle_count, &count);
    flesh->muscle_count += count;
    return result;
}

static SnResult place_along(Flesh *flesh, const char *names) {
    SnResult result = sn_ok();
    while (*names && result.code == SN_OK) {
        size_t length = strcspn(names, ",");
        result = place_on_bone(flesh, names, length);
        names += length + (names[length] == ',');
    }
    return result;
}

bool flesh_place_muscles(Flesh *flesh, const char *preset) {
    SnResult result;
    if (strcmp(preset, "humanoid") == 0)
        result = place_on_humanoid(flesh);
    else if (strncmp(preset, ALONG, sizeof ALONG - 1) == 0)
        result = place_along(flesh, preset + sizeof ALONG - 1);
    else
        result =
            sn_error(SN_ERROR_INVALID,
                     "--muscles: \"%.100s\" is neither humanoid nor along:JOINT,JOINT...", preset);
    if (result.code != SN_OK)
        say_error("%s: %s", flesh->path, result.message);
    return result.code == SN_OK;
}
