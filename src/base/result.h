// Making results: the one way errors leave the library.
#pragma once

#include <sinew/base.h>

SnResult sn_ok(void);

// Formats as printf does. A message that is too long is cut between two UTF-8 characters.
SnResult sn_error(SnCode code, const char *format, ...) __attribute__((format(printf, 2, 3)));
