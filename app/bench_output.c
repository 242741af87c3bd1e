#include "app/bench_output.h"

#include "app/terminal.h"
#include "io/file.h"
#include "io/json_write.h"

#include <stdio.h>
#include <string.h>

static void print_json(const Bench *bench, const char *name) {
    JsonWriter json = {0};
    sn__json_open(&json, '{');
    sn__json_put_key(&json, "bench");
    sn__json_put_string(&json, name);
    sn__json_put_key(&json, "isa");
    sn__json_put_string(&json, sn_isa_name(bench->isa));
    sn__json_put_key(&json, "rows");
    sn__json_open(&json, '[');
    for (int i = 0; i < bench->row_count; ++i) {
        const BenchRow *row = &bench->rows[i];
        sn__json_open(&json, '{');
        sn__json_put_key(&json, "case");
        sn__json_put_string(&json, row->name);
        sn__json_put_key(&json, "threads");
        sn__json_put_int(&json, row->threads);
        sn__json_put_key(&json, "value");
        sn__json_put_float(&json, (float)row->value); // no measurement has more digits
        sn__json_put_key(&json, "unit");
        sn__json_put_string(&json, row->unit);
        sn__json_close(&json, '}');
    }
    sn__json_close(&json, ']');
    sn__json_close(&json, '}');
    puts(json.text ? json.text : "");
    sn__json_writer_free(&json);
}

// Three digits or so of a small number, all of a large one.
static int decimals(double value) { return value >= 1000.0 ? 0 : value >= 0.1 ? 3 : 5; }

static void print_table(const Bench *bench, const char *name) {
    Colours colours = terminal_colours(stdout);
    printf("%s%s, %s%s\n", colours.bold, name, sn_isa_name(bench->isa), colours.reset);
    printf("%s  %-26s %7s %12s%s\n", colours.dim, "case", "threads", "value", colours.reset);
    for (int i = 0; i < bench->row_count; ++i) {
        const BenchRow *row = &bench->rows[i];
        printf("  %-26s %7d %12.*f %s\n", row->name, row->threads, decimals(row->value), row->value,
               row->unit);
    }
}

void bench_print(const Bench *bench, const char *name, bool json) {
    if (json)
        print_json(bench, name);
    else
        print_table(bench, name);
    fflush(stdout);
}

// As Linux tells it; "unknown" elsewhere.
static void cpu_name(char *text, size_t size) {
    snprintf(text, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file)
        fclose(file);
}

SnResult bench_write_csv(const Bench *bench, const char *name, const char *folder) {
    char path[4096], text[512], cpu[128], threads[32] = "";
    const char *isa = sn_isa_name(bench->isa);
    if (snprintf(path, sizeof path, "%s/%s-%s.csv", folder, name, isa) >= (int)sizeof path)
        return sn_error(SN_ERROR_FILE, "%.100s…: the path is too long", folder);
    FileWriter writer;
    SnResult result = sn__file_begin(&writer, path);
    if (result.code != SN_OK)
        return result;
    cpu_name(cpu, sizeof cpu);
    if (bench->thread_count_count == 1)
        snprintf(threads, sizeof threads, " --threads %d", bench->thread_counts[0]);
    snprintf(text, sizeof text,
             "# cpu: %s; isa: %s; command: sinew bench %s --isa %s --runs %d%s\n"
             "case,threads,value,unit\n",
             cpu, isa, name, isa, bench->runs, threads);
    sn__file_write(&writer, text, strlen(text));
    for (int i = 0; i < bench->row_count; ++i) {
        const BenchRow *row = &bench->rows[i];
        snprintf(text, sizeof text, "%s,%d,%.6g,%s\n", row->name, row->threads, row->value,
                 row->unit);
        sn__file_write(&writer, text, strlen(text));
    }
    return sn__file_end(&writer);
}
