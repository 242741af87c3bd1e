// Where a run's results go, and what became of each. One that fails does not stop the others.
#pragma once

#include <sinew/scene.h>

typedef enum Sink { SINK_GLB, SINK_CACHE, SINK_STATS, SINK_IMAGE, SINK_VIDEO, SINK_COUNT } Sink;

typedef struct Sinks {
    const char *paths[SINK_COUNT]; // NULL: not wanted
    bool failed[SINK_COUNT];
    bool made[SINK_COUNT];
    bool meshopt; // the GLB is compressed
} Sinks;

// NULL, or what is wrong with the ending of a path: the file would not be what its name says.
const char *sinks_wrong_ending(const Sinks *sinks, Sink *out_sink);
// Fails those that could never be written, before anyone waits for them, and those that would write
// over a file of the scene or over each other.
void sinks_check_places(Sinks *sinks, const SnScene *scene);

bool sinks_wants(const Sinks *sinks, Sink sink); // and it has not failed
bool sinks_any_wanted(const Sinks *sinks);
bool sinks_any_failed(const Sinks *sinks);
bool sinks_all_failed(const Sinks *sinks); // nothing is left to do; false if none was asked for

// Says the error and fails the sink.
void sinks_fail(Sinks *sinks, Sink sink, SnResult error);
// The sink is made, or has failed, as the result of its last call tells.
void sinks_finish(Sinks *sinks, Sink sink, SnResult result);

// One line on stdout for each file that was made, with its size.
void sinks_print(const Sinks *sinks);
