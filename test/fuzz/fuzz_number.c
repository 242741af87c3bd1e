// Any bytes as a number: it is what strtod reads, and what is written of it reads back as the same.
#include "io/number.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[256], again[NUMBER_SIZE];
    double value, back;
    size_t length = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, data, length);
    text[length] = '\0';
    size_t used = sn__number_parse(text, length, &value);
    if (used > length)
        abort();
    if (used == 0)
        return 0;
    text[used] = '\0';
    char *end;
    if (strtod(text, &end) != value || end != text + used)
        abort();
    sn__number_format_double(again, value);
    if (isfinite(value) && (sn__number_parse(again, strlen(again), &back) == 0 || back != value))
        abort();
    return 0;
}
