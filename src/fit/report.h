// What a conversion tells its user: stages with their times, progress, messages.
#pragma once

#include <sinew/fit.h>

#include "fit/surface.h"

typedef struct FitTold {
    SnFitReport *report;
    SnFitProgress *progress;
    void *context;
    double began; // ms, the stage at hand
    bool stopped; // the user wants it to stop
} FitTold;

FitTold sn__fit_tell(SnFitReport *report, SnFitProgress *progress, void *context);
// Within a stage: says how much is done. False if the user wants it to stop, which the end of the stage
// then reports.
bool sn__fit_go_on(FitTold *told, const char *name, double done);
// Ends the stage at hand, which gets the name, and says how much is done; an error if the user wants it
// to stop.
SnResult sn__fit_end_stage(FitTold *told, const char *name, double done);
void sn__fit_say(FitTold *told, const char *format, ...) SN_PRINTF(2, 3);
// What was mended.
void sn__fit_say_mended(FitTold *told, const FitSurface *surface);
