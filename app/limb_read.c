#include "app/limb_read.h"

#include "app/options.h"
#include "app/terminal.h"
#include "io/mesh_build.h"

#include <sinew/mesh_file.h>
#include <sinew/muscle_model.h>

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// What stands in front of the name of a muscle that is made by code, its length, m, and its triangles.
#define MODEL_PREFIX "muscle:"
#define MODEL_LENGTH 0.3f
#define MODEL_TRIANGLES 20000

static bool is_taken(const Limb *limb, const char *name) {
    for (int i = 0; i < limb->count; ++i)
        if (strcmp(limb->parts[i].name, name) == 0)
            return true;
    return false;
}

// Gives a part a name that no other has and that JSON and paths can hold.
static void name_part(const Limb *limb, LimbPart *part, const char *name, int length) {
    snprintf(part->name, sizeof part->name, "%.*s", length, name);
    for (char *c = part->name; *c; ++c)
        if ((unsigned char)*c < 0x20 || strchr("\"\\/,", *c))
            *c = '_';
    char plain[sizeof part->name];
    memcpy(plain, part->name, sizeof plain);
    for (int i = 2; is_taken(limb, part->name); ++i)
        snprintf(part->name, sizeof part->name, "%.50s %d", plain, i);
}

static LimbPart *add_part(Limb *limb) {
    LimbPart *parts = realloc(limb->parts, ((size_t)limb->count + 1) * sizeof *parts);
    if (parts == NULL) {
        say_error("no memory for %d meshes", limb->count + 1);
        return NULL;
    }
    limb->parts = parts;
    parts[limb->count] = (LimbPart){0};
    return &parts[limb->count];
}

// A muscle made by code, by the name of its shape.
static bool add_model(Limb *limb, const char *path) {
    const char *shape = path + sizeof MODEL_PREFIX - 1, *names[SN_MUSCLE_SHAPE_COUNT];
    int found = -1;
    for (int i = 0; i < SN_MUSCLE_SHAPE_COUNT; ++i) {
        names[i] = sn_muscle_shape_name((SnMuscleShape)i);
        if (strcmp(shape, names[i]) == 0)
            found = i;
    }
    if (found < 0) {
        char hint[80];
        options_suggest(hint, sizeof hint, shape, MODEL_PREFIX, names, SN_MUSCLE_SHAPE_COUNT);
        say_error("%s: no such muscle, but spindle, strap, fan, curved, bipennate and two-headed%s",
                  path, hint);
        return false;
    }
    LimbPart *part = add_part(limb);
    if (part == NULL)
        return false;
    name_part(limb, part, shape, (int)strlen(shape));
    snprintf(part->label, sizeof part->label, "%s", path);
    ++limb->count;
    SnResult result =
        sn_muscle_mesh((SnMuscleShape)found, MODEL_LENGTH, MODEL_TRIANGLES, NULL, &part->from.mesh);
    if (result.code != SN_OK)
        say_error("%s", result.message);
    return result.code == SN_OK;
}

static bool add_file(Limb *limb, const char *path) {
    PaintedMeshes meshes;
    SnResult result = sn__painted_meshes_read(path, &meshes);
    if (result.code != SN_OK) {
        say_error("%s", result.message);
        return false;
    }
    const char *slash = strrchr(path, '/'), *stem = slash ? slash + 1 : path;
    const char *dot = strrchr(stem, '.');
    int length = dot && dot > stem ? (int)(dot - stem) : (int)strlen(stem);
    bool good = true;
    for (int i = 0; i < meshes.count && good; ++i) {
        PaintedMesh *mesh = &meshes.meshes[i];
        LimbPart *part = add_part(limb);
        good = part != NULL;
        if (!good)
            break;
        // A single mesh is what the file is called.
        bool has_name = meshes.count > 1 && mesh->name[0];
        name_part(limb, part, has_name ? mesh->name : stem,
                  has_name ? (int)strlen(mesh->name) : length);
        if (meshes.count > 1)
            snprintf(part->label, sizeof part->label, "%s: %s", path, part->name);
        else
            snprintf(part->label, sizeof part->label, "%s", path);
        part->from = *mesh;
        *mesh = (PaintedMesh){0};
        ++limb->count;
    }
    sn__painted_meshes_destroy(&meshes);
    return good;
}

static int is_mesh(const struct dirent *entry) {
    return entry->d_name[0] != '.' && sn_mesh_file_is_known(entry->d_name);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool add_folder(Limb *limb, const char *path) {
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, is_mesh, by_name);
    bool good = count > 0;
    if (!good)
        say_error("%s: no meshes are in this folder: it needs files whose names end in .obj, .stl, "
                  ".ply, .glb or .gltf",
                  path);
    for (int i = 0; i < count; ++i) {
        char file[1024];
        int length = snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
        if (good && (size_t)length >= sizeof file) {
            say_error("%.200s: the path is too long", path);
            good = false;
        }
        good = good && add_file(limb, file);
        free(entries[i]);
    }
    free(entries);
    return good;
}

bool limb_read(Limb *limb, const char *path) {
    struct stat status;
    if (strncmp(path, MODEL_PREFIX, sizeof MODEL_PREFIX - 1) == 0)
        return add_model(limb, path);
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return add_folder(limb, path);
    return add_file(limb, path);
}

static bool is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

// Words in names that tell bones from muscles.
static bool sounds_like_bone(const char *name) {
    static const char *const words[] = {
        "bone",   "humerus", "radius",  "ulna",     "clavicle", "scapula",   "femur",  "tibia",
        "fibula", "patella", "sternum", "rib",      "pelvis",   "hip_bone",  "sacrum", "skull",
        "carpal", "tarsal",  "phalanx", "vertebra", "mandible", "metacarpal"};
    // "brachioradialis" and "tibialis" are muscles: a word ends where the letters do.
    for (size_t w = 0; w < sizeof words / sizeof words[0]; ++w)
        for (const char *at = name; *at; ++at) {
            size_t length = strlen(words[w]);
            bool starts = at == name || !is_letter(at[-1]);
            if (starts && strncasecmp(at, words[w], length) == 0 && !is_letter(at[length]))
                return true;
        }
    return false;
}

const char *limb_next_name(const char **at, int *out_length) {
    const char *name = *at;
    if (name == NULL)
        return NULL;
    while (*name == ' ')
        ++name;
    const char *comma = strchr(name, ','), *end = comma ? comma : name + strlen(name);
    *at = comma ? comma + 1 : NULL;
    while (end > name && end[-1] == ' ')
        --end;
    *out_length = (int)(end - name);
    return name;
}

// Names of all meshes, or of the bones among them, and which of these are alike. Says that none of them, or that
// several may be the one that is asked for.
static void say_missing(const Limb *limb, const char *option, const char *name, int length,
                        bool bones, bool several) {
    const char **names = calloc((size_t)limb->count + 1, sizeof *names);
    char wanted[64], all[400] = "", hint[80] = "";
    int count = 0;
    snprintf(wanted, sizeof wanted, "%.*s", length, name);
    for (int i = 0; i < limb->count; ++i) {
        size_t used = strlen(all);
        if (bones && !limb->parts[i].is_bone)
            continue;
        if (used + 80 < sizeof all)
            snprintf(all + used, sizeof all - used, "%s%s", count > 0 ? ", " : "",
                     limb->parts[i].name);
        if (names)
            names[count] = limb->parts[i].name;
        ++count;
    }
    if (names)
        options_suggest(hint, sizeof hint, wanted, "", names, count);
    if (several)
        say_error("%s: %s may be several of these, give the whole name: %s", option, wanted, all);
    else if (count > 0)
        say_error("%s: no %s is called %s; there are: %s%s", option, bones ? "bone" : "mesh",
                  wanted, all, hint);
    else
        say_error("%s: no mesh is a bone: add that of %s, or say which are with --bones", option,
                  wanted);
    free(names);
}

// Whether a word of a name begins with this text, as of "FMA23130_humerus_r" with "humerus".
static bool has_word(const char *name, const char *text, int length) {
    for (const char *at = name; *at; ++at)
        if ((at == name || !isalnum((unsigned char)at[-1])) &&
            strncmp(at, text, (size_t)length) == 0)
            return true;
    return false;
}

// The mesh, or the bone, of this name, or the only one that has it as a word. −1: none; −2: several.
static int find_part(const Limb *limb, const char *name, int length, bool bones) {
    int found = -1;
    for (int i = 0; i < limb->count && length > 0; ++i) {
        const LimbPart *part = &limb->parts[i];
        if (bones && !part->is_bone)
            continue;
        if ((int)strlen(part->name) == length && strncmp(part->name, name, (size_t)length) == 0)
            return i;
        if (has_word(part->name, name, length))
            found = found == -1 ? i : -2;
    }
    return found;
}

bool limb_tell_bones(Limb *limb, const char *names) {
    const char *at = names, *name;
    int length;
    for (int i = 0; i < limb->count; ++i)
        limb->parts[i].is_bone =
            names == NULL && limb->count > 1 && sounds_like_bone(limb->parts[i].name);
    while ((name = limb_next_name(&at, &length)) != NULL) {
        int part = find_part(limb, name, length, false);
        if (part < 0) {
            say_missing(limb, "--bones", name, length, false, part == -2);
            return false;
        }
        limb->parts[part].is_bone = true;
    }
    return true;
}

int limb_find_bone(const Limb *limb, const char *option, const char *name, int length) {
    int part = find_part(limb, name, length, true);
    if (part < 0)
        say_missing(limb, option, name, length, true, part == -2);
    return part < 0 ? -1 : part;
}
