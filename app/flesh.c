// sinew flesh: from a rigged character to a scene in which its skin is an implicit one.
#include "app/flesh.h"
#include "app/commands.h"
#include "app/options.h"
#include "app/terminal.h"

#include <sinew/character_model.h>
#include <sinew/skeleton_file.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// What stands in front of the name of a character that is made by code.
#define MODEL_PREFIX "model:"

typedef struct FleshOptions {
    const char *output, *clip, *image, *muscles;
    bool quiet;
} FleshOptions;

static bool read_model(Flesh *flesh) {
    const char *names[SN_CHARACTER_COUNT];
    flesh->model = flesh->path + sizeof MODEL_PREFIX - 1;
    for (int i = 0; i < SN_CHARACTER_COUNT; ++i) {
        names[i] = sn_character_name((SnCharacter)i);
        if (strcmp(names[i], flesh->model) == 0)
            return sn_character_skeleton((SnCharacter)i, NULL, &flesh->skeleton).code == SN_OK;
    }
    char hint[80];
    options_suggest(hint, sizeof hint, flesh->model, MODEL_PREFIX, names, SN_CHARACTER_COUNT);
    say_error("%s: no such model, but arm, leg and figure%s", flesh->path, hint);
    return false;
}

static bool read_character(Flesh *flesh) {
    if (strncmp(flesh->path, MODEL_PREFIX, sizeof MODEL_PREFIX - 1) == 0)
        return read_model(flesh);
    SnResult result = sn_skeleton_load_file(flesh->path, NULL, &flesh->skeleton);
    if (result.code != SN_OK)
        say_error("%s", result.message);
    return result.code == SN_OK;
}

// The clip that is asked for, or the first that moves anything.
static bool find_clip(const FleshOptions *o, Flesh *flesh) {
    int count = sn_skeleton_clip_count(flesh->skeleton);
    flesh->clip = -1;
    if (o->clip) {
        flesh->clip = sn_skeleton_find_clip(flesh->skeleton, o->clip);
        if (flesh->clip < 0)
            say_error("%s: it has no clip \"%s\"; sinew info lists them", flesh->path, o->clip);
        return flesh->clip >= 0;
    }
    for (int i = count - 1; i >= 0; --i)
        if (sn_skeleton_clip(flesh->skeleton, i).channel_count > 0)
            flesh->clip = i;
    return true;
}

static bool fit_skin(Flesh *flesh) {
    SnImplicitDef def = sn_default_implicit_def();
    def.skeleton = flesh->skeleton;
    def.name = flesh->path;
    def.thread_count = 0;
    double began = sn_now_ms();
    SnResult result = sn_implicit_create(&def, NULL, &flesh->skin);
    flesh->seconds = 1e-3 * (sn_now_ms() - began);
    if (result.code != SN_OK)
        say_error("%s", result.message);
    return result.code == SN_OK;
}

static void print_flesh(const Flesh *flesh) {
    SnImplicitInfo info = sn_implicit_info(flesh->skin);
    say_result("%s: %d parts, %d of %d points follow them, fitted in %.2f s\n", flesh->path,
               info.part_count, info.tracked, info.point_count, flesh->seconds);
    printf("  fields lie %.2g %% of its size from the skin, on average\n",
           100.0 * info.fit / info.height);
    for (int i = 0; i < info.part_count; ++i) {
        int joint = sn_implicit_part_joint(flesh->skin, i);
        say_result("  part \"%s\"\n", sn_skeleton_joint(flesh->skeleton, joint).name);
    }
    double litres = 0.0;
    for (int i = 0; i < flesh->muscle_count; ++i)
        litres += 1000.0 * (double)flesh->muscles[i].volume;
    if (flesh->muscle_count > 0)
        say_result("  %d muscles, %.2g litres\n", flesh->muscle_count, litres);
    if (flesh->clip >= 0)
        say_result("  plays \"%s\"\n", sn_skeleton_clip(flesh->skeleton, flesh->clip).name);
}

// The picture is that of the scene, in the middle of its clip.
static int draw(const FleshOptions *o, const Flesh *flesh) {
    char seconds[32], scene[PATH_MAX], image[PATH_MAX], option[] = "--image", until[] = "--seconds",
                                                        quiet[] = "--quiet";
    double length = flesh->clip >= 0 ? sn_skeleton_clip(flesh->skeleton, flesh->clip).duration : 0;
    snprintf(seconds, sizeof seconds, "%.6g", length > 0.0 ? 0.5 * length : 0.1);
    snprintf(scene, sizeof scene, "%s", o->output);
    snprintf(image, sizeof image, "%s", o->image);
    char *line[] = {scene, option, image, until, seconds, quiet, NULL};
    return run_command(o->quiet ? 6 : 5, line);
}

static int run(const FleshOptions *o, Flesh *flesh) {
    if (!read_character(flesh) || !find_clip(o, flesh) || !fit_skin(flesh) ||
        (o->muscles && !flesh_place_muscles(flesh, o->muscles)))
        return STATUS_INPUT;
    if (!o->quiet)
        print_flesh(flesh);
    if (o->output == NULL)
        return STATUS_OK;
    SnResult result = flesh_write_scene(flesh, o->output);
    if (result.code != SN_OK) {
        say_error("%s", result.message);
        return STATUS_OUTPUT;
    }
    if (!o->quiet)
        say_result("%s: written\n", o->output);
    return o->image ? draw(o, flesh) : STATUS_OK;
}

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

int flesh_command(int argc, char **argv) {
    FleshOptions o = {0};
    const Option options[] = {
        {"output", 'o', OPTION_TEXT, &o.output, 0, 0, "OUT.json", "scene of the character"},
        {"clip", 0, OPTION_TEXT, &o.clip, 0, 0, "NAME", "what plays; default: its first clip"},
        {"muscles", 0, OPTION_TEXT, &o.muscles, 0, 0, "PRESET",
         "humanoid, or along:JOINT,JOINT... for other characters"},
        {"image", 0, OPTION_TEXT, &o.image, 0, 0, "OUT.png",
         "picture of the scene, in the middle of the clip"},
        {"quiet", 'q', OPTION_FLAG, &o.quiet, 0, 0, NULL, "only errors"},
    };
    const CommandLine line = {
        "flesh",
        "CHARACTER [options]",
        "Gives a rigged character (.glb, .gltf) a skin that neither collapses nor passes through\n"
        "itself where joints bend: fits a field to what follows each joint, says how well, and\n"
        "writes a scene for sinew run and sinew view. model:arm, model:leg and model:figure are\n"
        "characters to try it on.",
        options,
        sizeof options / sizeof options[0],
        "  sinew flesh man.glb -o man.json --image man.png\n"
        "  sinew run man.json -o out.glb --video out.mp4\n"
        "  sinew flesh man.glb --muscles humanoid -o man.json\n"
        "  sinew flesh model:arm --muscles \"along:upper arm,forearm\" -o arm.json\n"};
    int status;
    if (!options_parse(&line, &argc, argv, &status))
        return status;
    if (argc != 1)
        return options_wrong(&line, argc == 0 ? "no character given" : "one character at a time");
    if (o.output && !ends_with(o.output, ".json"))
        return options_wrong(&line, "--output: a scene's name ends in .json");
    if (o.image && !ends_with(o.image, ".png"))
        return options_wrong(&line, "--image: a picture's name ends in .png");
    if (o.image && o.output == NULL)
        return options_wrong(&line, "--image shows the scene: add --output");
    Flesh flesh = {.path = argv[0]};
    status = run(&o, &flesh);
    sn_implicit_destroy(flesh.skin);
    sn_skeleton_destroy(flesh.skeleton);
    free(flesh.muscles);
    free(flesh.places);
    return status;
}
