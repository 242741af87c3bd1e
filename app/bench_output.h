// Rows of a benchmark as a table, as JSON and as CSV.
#pragma once

#include "bench/bench.h"

// To stdout.
void bench_print(const Bench *bench, const char *name, bool json);
// To FOLDER/NAME-ISA.csv.
SnResult bench_write_csv(const Bench *bench, const char *name, const char *folder);
