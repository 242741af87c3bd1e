// The statistics file of a run, written frame by frame.
#pragma once

#include "app/simulation.h"

typedef struct Stats Stats;

// A file takes its place when it is complete; a pipe or a device gets the frames as they come.
SnResult stats_open(const char *path, const Simulation *simulation, int threads, Stats **out_stats);
void stats_add(Stats *stats, const Simulation *simulation, const SnMeasures *measures);
// Ends the document and closes the file, whatever happened before. The result says whether all of
// it was written.
SnResult stats_close(Stats *stats);
