#include "app/sinks.h"

#include "app/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

const char *sinks_wrong_ending(const Sinks *sinks, Sink *out_sink) {
    static const char *const endings[SINK_COUNT] = {
        [SINK_GLB] = ".glb", [SINK_CACHE] = ".pc2", [SINK_IMAGE] = ".png", [SINK_VIDEO] = ".mp4"};
    for (int i = 0; i < SINK_COUNT; ++i) {
        const char *path = sinks->paths[i];
        size_t length = path ? strlen(path) : 0, ending = endings[i] ? strlen(endings[i]) : 0;
        if (path && endings[i] &&
            (length <= ending || strcasecmp(path + length - ending, endings[i]) != 0)) {
            *out_sink = (Sink)i;
            return endings[i];
        }
    }
    return NULL;
}

// Statistics are written from their beginning to their end, so a pipe or a device will do.
static SnResult check_place(const char *path, Sink sink) {
    struct stat about;
    if (strcmp(path, "-") == 0)
        return sn_error(SN_ERROR_FILE,
                        "-: outputs go to files, not to the standard output; give a path%s",
                        sink == SINK_STATS ? ", or /dev/stdout" : "");
    if (stat(path, &about) == 0) {
        if (S_ISDIR(about.st_mode))
            return sn_error(SN_ERROR_FILE, "%s: is a folder; give the path of a file", path);
        if (sink != SINK_STATS && !S_ISREG(about.st_mode))
            return sn_error(SN_ERROR_FILE, "%s: is not a regular file", path);
        return sn_ok();
    }
    const char *slash = strrchr(path, '/');
    char folder[4096] = ".";
    if (slash && (size_t)(slash - path) < sizeof folder) {
        size_t length = slash == path ? 1 : (size_t)(slash - path);
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    if (stat(folder, &about) != 0 || access(folder, W_OK) != 0)
        return sn_error(SN_ERROR_FILE, "%s: cannot write there: %s", path, strerror(errno));
    return sn_ok();
}

// Whatever the paths look like.
static bool is_same_file(const char *a, const char *b) {
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

static SnResult check_others(const Sinks *sinks, const SnScene *scene, Sink sink) {
    const char *path = sinks->paths[sink];
    for (int i = 0; i < sn_scene_file_count(scene); ++i)
        if (is_same_file(path, sn_scene_file(scene, i)))
            return sn_error(SN_ERROR_FILE,
                            "%s: is a file that the scene is read from; give another path", path);
    for (int i = 0; i < (int)sink; ++i)
        if (sinks->paths[i] &&
            (strcmp(path, sinks->paths[i]) == 0 || is_same_file(path, sinks->paths[i])))
            return sn_error(SN_ERROR_FILE, "%s: is given for two outputs; give another path", path);
    return sn_ok();
}

void sinks_check_places(Sinks *sinks, const SnScene *scene) {
    for (int i = 0; i < SINK_COUNT; ++i) {
        SnResult result = sinks->paths[i] ? check_place(sinks->paths[i], (Sink)i) : sn_ok();
        if (sinks->paths[i] && result.code == SN_OK)
            result = check_others(sinks, scene, (Sink)i);
        if (result.code != SN_OK)
            sinks_fail(sinks, (Sink)i, result);
    }
}

bool sinks_wants(const Sinks *sinks, Sink sink) {
    return sinks->paths[sink] && !sinks->failed[sink];
}

bool sinks_any_wanted(const Sinks *sinks) {
    for (int i = 0; i < SINK_COUNT; ++i)
        if (sinks_wants(sinks, (Sink)i))
            return true;
    return false;
}

bool sinks_any_failed(const Sinks *sinks) {
    for (int i = 0; i < SINK_COUNT; ++i)
        if (sinks->failed[i])
            return true;
    return false;
}

bool sinks_all_failed(const Sinks *sinks) {
    return sinks_any_failed(sinks) && !sinks_any_wanted(sinks);
}

void sinks_fail(Sinks *sinks, Sink sink, SnResult error) {
    say_error("%s", error.message);
    sinks->failed[sink] = true;
}

void sinks_finish(Sinks *sinks, Sink sink, SnResult result) {
    if (result.code != SN_OK)
        sinks_fail(sinks, sink, result);
    else
        sinks->made[sink] = true;
}

static void print_size(const char *path) {
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return;
    double bytes = (double)about.st_size;
    if (bytes < 1.0e6)
        say_result(" (%.1f kB)", bytes * 1.0e-3);
    else
        say_result(" (%.1f MB)", bytes * 1.0e-6);
}

void sinks_print(const Sinks *sinks) {
    for (int i = 0; i < SINK_COUNT; ++i)
        if (sinks->made[i]) {
            say_result("  %s", sinks->paths[i]);
            print_size(sinks->paths[i]);
            putchar('\n');
        }
}
