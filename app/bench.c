// sinew bench: runs benchmarks and prints or writes their rows.
#include "bench/bench.h"

#include "app/bench_output.h"
#include "app/commands.h"
#include "app/interrupt.h"
#include "app/options.h"
#include "app/progress.h"
#include "app/terminal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define DEFAULT_RUNS 7

typedef struct BenchOptions {
    bool list, all, json;
    const char *csv;
    int threads; // 0: one, and two
    int runs;
    int most;  // bodies; 0: all cases
    SnIsa isa; // SN_ISA_BEST: the best, or with --csv every one
} BenchOptions;

static bool go_on(double done, void *context) {
    progress_update(context, done);
    return !interrupted();
}

static int report(const Bench *bench, const char *name, const BenchOptions *options) {
    bench_print(bench, name, options->json);
    if (options->csv && !bench->stopped) {
        SnResult result = bench_write_csv(bench, name, options->csv);
        if (result.code != SN_OK) {
            say_error("%s", result.message);
            return STATUS_OUTPUT;
        }
    }
    return STATUS_OK;
}

static int run_bench(const BenchEntry *entry, SnIsa isa, const BenchOptions *options) {
    char label[64];
    snprintf(label, sizeof label, "%s %s", entry->name, sn_isa_name(isa));
    Progress progress = progress_begin(label, NULL, 1.0, false);
    Bench bench = {.isa = isa,
                   .thread_counts = {options->threads ? options->threads : 1, 2},
                   .thread_count_count = options->threads ? 1 : 2,
                   .runs = options->runs,
                   .most = options->most,
                   .go_on = go_on,
                   .context = &progress};
    SnResult result = entry->function(&bench);
    progress_end(&progress);
    if (result.code != SN_OK) {
        say_error("%s: %s", entry->name, result.message);
        return STATUS_FAILED;
    }
    int status = report(&bench, entry->name, options);
    if (bench.stopped) {
        say_note("interrupted; only complete rows are shown");
        return STATUS_INTERRUPTED;
    }
    return status;
}

// The instruction sets to measure: the one asked for, every one for CSV files, else the best.
static int choose_isas(const BenchOptions *options, SnIsa *out_isas) {
    int count = 0;
    for (int isa = SN_ISA_AVX512; isa >= SN_ISA_SCALAR; --isa) {
        bool wanted = options->isa == SN_ISA_BEST || options->isa == (SnIsa)isa;
        bool enough = count > 0 && options->csv == NULL;
        if (wanted && !enough && sn_isa_available((SnIsa)isa))
            out_isas[count++] = (SnIsa)isa;
    }
    return count;
}

static int run_on_isas(const BenchEntry *entry, const BenchOptions *options) {
    SnIsa isas[SN_ISA_AVX512 + 1];
    int count = choose_isas(options, isas), status = STATUS_OK;
    for (int i = 0; i < count && status == STATUS_OK; ++i)
        status = run_bench(entry, isas[i], options);
    return status;
}

static bool selected(const BenchEntry *entry, const BenchOptions *options, int argc, char **argv) {
    bool named = options->all;
    for (int i = 0; i < argc; ++i)
        named |= strcmp(argv[i], entry->name) == 0;
    return named;
}

// Says so if a word names no benchmark.
static bool names_are_known(const CommandLine *line, int argc, char **argv, int *out_status) {
    int count;
    const BenchEntry *entries = bench_entries(&count);
    const char *names[16];
    for (int i = 0; i < count; ++i)
        names[i] = entries[i].name;
    for (int i = 0; i < argc; ++i) {
        bool known = false;
        for (int k = 0; k < count; ++k)
            known |= strcmp(argv[i], names[k]) == 0;
        if (!known) {
            char hint[80];
            options_suggest(hint, sizeof hint, argv[i], "", names, count);
            *out_status = options_wrong(line, "there is no benchmark %s%s", argv[i], hint);
            return false;
        }
    }
    return true;
}

static bool parse(BenchOptions *bench, int *argc, char **argv, int *out_status) {
    const Option options[] = {
        {"list", 0, OPTION_FLAG, &bench->list, 0, 0, NULL, "what there is"},
        {"all", 0, OPTION_FLAG, &bench->all, 0, 0, NULL, "every benchmark"},
        {"json", 0, OPTION_FLAG, &bench->json, 0, 0, NULL, "one JSON object a line"},
        {"csv", 0, OPTION_TEXT, &bench->csv, 0, 0, "DIR",
         "also write DIR/NAME-ISA.csv, for every instruction set here"},
        {"threads", 0, OPTION_INT, &bench->threads, 1, 64, "N", "threads (default: 1, then 2)"},
        {"isa", 0, OPTION_ISA, &bench->isa, 0, 0, "NAME", "instruction set (default: the best)"},
        {"runs", 0, OPTION_INT, &bench->runs, 1, 1000, "N",
         "runs of each measurement, of which the fastest counts (default: 7)"},
        {"most", 0, OPTION_INT, &bench->most, 1, INT_MAX, "N",
         "no crowds of more bodies than this (default: all)"},
    };
    const CommandLine line = {
        "bench",
        "NAME… | --all | --list [options]",
        "Measures the speed of the engine. Times in ns are per segment and sweep, all of the step\n"
        "included.",
        options,
        sizeof options / sizeof options[0],
        "  sinew bench rods --json\n"};
    if (!options_parse(&line, argc, argv, out_status))
        return false;
    if (*argc == 0 && !bench->all && !bench->list) {
        *out_status = options_wrong(&line, "no benchmark named; --list shows what there is");
        return false;
    }
    return names_are_known(&line, *argc, argv, out_status);
}

static int list(void) {
    int count;
    const BenchEntry *entries = bench_entries(&count);
    for (int i = 0; i < count; ++i)
        printf("%-12s %s\n", entries[i].name, entries[i].help);
    return STATUS_OK;
}

int bench_command(int argc, char **argv) {
    BenchOptions options = {.runs = DEFAULT_RUNS};
    int status, count;
    if (!parse(&options, &argc, argv, &status))
        return status;
    if (options.list)
        return list();
    if (options.csv && mkdir(options.csv, 0777) != 0 && errno != EEXIST) {
        say_error("%s: cannot make this folder: %s", options.csv, strerror(errno));
        return STATUS_OUTPUT;
    }
    interrupt_watch();
    const BenchEntry *entries = bench_entries(&count);
    status = STATUS_OK;
    for (int i = 0; i < count && status == STATUS_OK; ++i)
        if (selected(&entries[i], &options, argc, argv))
            status = run_on_isas(&entries[i], &options);
    return status;
}
