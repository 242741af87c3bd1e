// strtod and snprintf know everything about rounding, but write and read the decimal point of the
// current locale. So digits are handed to them, and taken from them, without a point.
#include "io/number.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// No double needs more digits to be rounded correctly; the rest only matters as "not zero".
#define MAX_DIGITS 800

// A decimal number 0.DIGITS × 10^exponent, as digits and the exponent of the last one.
typedef struct Decimal {
    char digits[MAX_DIGITS + 1];
    int count;
    long exponent; // of the last digit kept
    bool negative;
} Decimal;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits past the limit are dropped; if one of them is not zero, the last one kept must not look
// exact, which decides a tie the right way.
static void push_digit(Decimal *decimal, char digit, bool after_point) {
    if (decimal->count == 0 && digit == '0') {
        decimal->exponent -= after_point;
    } else if (decimal->count < MAX_DIGITS) {
        decimal->digits[decimal->count++] = digit;
        decimal->exponent -= after_point;
    } else {
        if (digit != '0' && decimal->digits[MAX_DIGITS - 1] == '0')
            decimal->digits[MAX_DIGITS - 1] = '1';
        decimal->exponent += !after_point;
    }
}

static size_t scan_digits(const char *text, size_t size, size_t at, Decimal *decimal, bool point) {
    while (at < size && is_digit(text[at]))
        push_digit(decimal, text[at++], point);
    return at;
}

// The part after "e"; 0 if it is none.
static size_t scan_exponent(const char *text, size_t size, size_t at, long *out_exponent) {
    bool negative = at < size && text[at] == '-';
    if (at < size && (text[at] == '-' || text[at] == '+'))
        ++at;
    if (at >= size || !is_digit(text[at]))
        return 0;
    long value = 0;
    for (; at < size && is_digit(text[at]); ++at)
        value = value < 1000000000 ? value * 10 + (text[at] - '0') : value;
    *out_exponent = negative ? -value : value;
    return at;
}

static double decimal_value(Decimal *decimal) {
    if (decimal->count == 0)
        return decimal->negative ? -0.0 : 0.0;
    // The exponent of the first digit decides before the text gets an exponent too long to read.
    long first = decimal->exponent + decimal->count;
    if (first > 400 || first < -400) {
        double extreme = first > 0 ? (double)INFINITY : 0.0;
        return decimal->negative ? -extreme : extreme;
    }
    char text[MAX_DIGITS + 32];
    decimal->digits[decimal->count] = '\0';
    snprintf(text, sizeof text, "%s%se%ld", decimal->negative ? "-" : "", decimal->digits,
             decimal->exponent);
    return strtod(text, NULL);
}

size_t sn__number_parse(const char *text, size_t size, double *out_value) {
    Decimal decimal;
    decimal.count = 0;
    decimal.exponent = 0;
    decimal.negative = size > 0 && text[0] == '-';
    size_t at = decimal.negative;
    size_t start = at;
    at = scan_digits(text, size, at, &decimal, false);
    if (at == start || (text[start] == '0' && at > start + 1))
        return 0; // no digit, or a zero in front of others
    if (at < size && text[at] == '.') {
        start = ++at;
        at = scan_digits(text, size, at, &decimal, true);
        if (at == start)
            return 0;
    }
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        long exponent = 0;
        at = scan_exponent(text, size, at + 1, &exponent);
        if (at == 0)
            return 0;
        decimal.exponent += exponent;
    }
    *out_value = decimal_value(&decimal);
    return at;
}

// The digits and the exponent of the first one from the text of "%.*e".
static void split_scientific(const char *text, Decimal *decimal, long *first_exponent) {
    decimal->negative = text[0] == '-';
    decimal->count = 0;
    const char *c = text;
    for (; *c && *c != 'e'; ++c)
        if (is_digit(*c))
            decimal->digits[decimal->count++] = *c;
    *first_exponent = *c ? strtol(c + 1, NULL, 10) : 0;
    while (decimal->count > 1 && decimal->digits[decimal->count - 1] == '0')
        --decimal->count;
    decimal->digits[decimal->count] = '\0';
}

// Writes plain digits for exponents people read easily, and d.ddde±x for the others.
static void write_decimal(char *text, const Decimal *decimal, long first) {
    char *out = text;
    if (decimal->negative)
        *out++ = '-';
    int count = decimal->count;
    if (first >= 0 && first < 15) {
        int whole = (int)first + 1;
        for (int i = 0; i < whole || i < count; ++i) {
            if (i == whole)
                *out++ = '.';
            *out++ = i < count ? decimal->digits[i] : '0';
        }
        *out = '\0';
    } else if (first < 0 && first >= -5) {
        *out++ = '0';
        *out++ = '.';
        for (long i = -1; i > first; --i)
            *out++ = '0';
        memcpy(out, decimal->digits, (size_t)count + 1);
    } else {
        *out++ = decimal->digits[0];
        if (count > 1) {
            *out++ = '.';
            memcpy(out, decimal->digits + 1, (size_t)count - 1);
            out += count - 1;
        }
        snprintf(out, 8, "e%d", (int)first);
    }
}

// A decimal of `sure` digits survives the way through the type, so trailing zeros of that precision
// are all there is to shorten; above it, each precision is tried.
static void format(char text[NUMBER_SIZE], double value, int sure, int most, bool as_float) {
    if (!isfinite(value) || value == 0) {
        strcpy(text, "0");
        return;
    }
    for (int precision = sure; precision <= most; ++precision) {
        char scientific[64];
        snprintf(scientific, sizeof scientific, "%.*e", precision - 1, value);
        Decimal decimal;
        long first = 0;
        split_scientific(scientific, &decimal, &first);
        decimal.exponent = first - decimal.count + 1;
        char back[64];
        snprintf(back, sizeof back, "%s%.32se%ld", decimal.negative ? "-" : "", decimal.digits,
                 decimal.exponent);
        bool same = as_float ? strtof(back, NULL) == (float)value : strtod(back, NULL) == value;
        if (same || precision == most) {
            write_decimal(text, &decimal, first);
            return;
        }
    }
}

void sn__number_format_float(char text[NUMBER_SIZE], float value) {
    format(text, (double)value, 6, 9, true);
}

void sn__number_format_double(char text[NUMBER_SIZE], double value) {
    format(text, value, 15, 17, false);
}
