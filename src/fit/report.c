#include "fit/report.h"

#include <stdarg.h>
#include <stdio.h>

FitTold sn__fit_tell(SnFitReport *report, SnFitProgress *progress, void *context) {
    *report = (SnFitReport){0};
    return (FitTold){report, progress, context, sn_now_ms(), false};
}

bool sn__fit_go_on(FitTold *told, const char *name, double done) {
    if (told->progress != NULL && !told->stopped)
        told->stopped = !told->progress(name, done, told->context);
    return !told->stopped;
}

SnResult sn__fit_end_stage(FitTold *told, const char *name, double done) {
    double now = sn_now_ms();
    SnFitReport *report = told->report;
    if (report->stage_count < SN_MAX_FIT_STAGES)
        report->stages[report->stage_count++] = (SnFitStage){name, now - told->began};
    told->began = now;
    if (!sn__fit_go_on(told, name, done))
        return sn_error(SN_ERROR_INVALID, "progress: the conversion was stopped after %s", name);
    return sn_ok();
}

void sn__fit_say(FitTold *told, const char *format, ...) {
    SnFitReport *report = told->report;
    if (report->message_count == SN_MAX_FIT_MESSAGES)
        return;
    char *message = report->messages[report->message_count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof report->messages[0], format, arguments);
    va_end(arguments);
}

static const char *plural(int count) { return count == 1 ? "" : "s"; }

void sn__fit_say_mended(FitTold *told, const FitSurface *surface) {
    if (surface->degenerate > 0)
        sn__fit_say(told, "mesh: %d triangle%s without area, or given twice, left out",
                    surface->degenerate, plural(surface->degenerate));
    if (surface->shells > 1 && surface->second > 0.2)
        sn__fit_say(
            told,
            "mesh: it has %d shells, the second one %.0f %% as large as the first: only the "
            "largest is used; if they are several muscles, give each its own file",
            surface->shells, 100.0 * surface->second);
    else if (surface->shells > 1)
        sn__fit_say(told, "mesh: the largest of its %d shells is used", surface->shells);
    if (surface->turned > 0)
        sn__fit_say(told, "mesh: %d triangle%s turned to wind as the others do", surface->turned,
                    plural(surface->turned));
    if (surface->holes > 0)
        sn__fit_say(told, "mesh: it is open: %d hole%s closed, %.1f %% of its area", surface->holes,
                    plural(surface->holes), 100.0 * surface->hole_area);
    if (surface->branching_edges > 0)
        sn__fit_say(told, "mesh: %d edge%s of more than two triangles", surface->branching_edges,
                    plural(surface->branching_edges));
}
