// JSON: what is accepted, what is refused and where, and that no bytes whatsoever crash it.
#include "io/json.h"
#include "io/json_write.h"
#include "io/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char sample[] =
    "{\n"
    "  \"name\": \"bras d'\\u00e9l\\u00e9phant \\ud83d\\udc18 é\",\n"
    "  \"numbers\": [0, -0, 1.5, -2.25e-3, 1E+2, 123456789012345678901234567890],\n"
    "  \"empty\": [{}, [], \"\"],\n"
    "  \"nested\": {\"a\": {\"b\": [true, false, null, {\"c/d~e\": 7}]}}\n"
    "}\n";

static void parse_ok(const char *text, JsonDoc *doc) {
    SnResult result = sn__json_parse("t.json", text, strlen(text), doc, NULL, NULL);
    if (result.code != SN_OK)
        fail_msg("%s", result.message);
}

static void reads_the_sample(void **state) {
    (void)state;
    JsonDoc doc;
    parse_ok(sample, &doc);
    const Json *root = sn__json_root(&doc);
    assert_int_equal(root->count, 4);
    const Json *name = sn__json_member(&doc, root, "name");
    assert_string_equal(sn__json_string(&doc, name), "bras d'éléphant 🐘 é");
    static const double expected[] = {0,        -0.0, 1.5,
                                      -2.25e-3, 100,  123456789012345678901234567890.0};
    int i = 0;
    const Json *numbers = sn__json_member(&doc, root, "numbers");
    for (const Json *v = sn__json_first(numbers); v; v = sn__json_next(&doc, v))
        assert_true(v->number == expected[i++]);
    assert_int_equal(i, 6);
    assert_null(sn__json_member(&doc, root, "nam"));
    assert_null(sn__json_member(&doc, numbers, "name"));
    sn__json_free(&doc);
}

static void knows_paths_and_places(void **state) {
    (void)state;
    JsonDoc doc;
    parse_ok(sample, &doc);
    const Json *a = sn__json_member(&doc, sn__json_root(&doc), "nested");
    const Json *b = sn__json_member(&doc, sn__json_member(&doc, a, "a"), "b");
    const Json *object = sn__json_first(b);
    for (int i = 0; i < 3; ++i)
        object = sn__json_next(&doc, object);
    const Json *seven = sn__json_first(object);
    char path[64];
    sn__json_path(&doc, seven, path, sizeof path);
    assert_string_equal(path, "/nested/a/b/3/c~1d~0e");
    sn__json_path(&doc, seven, path, 12);
    assert_string_equal(path, "/nested/a/b");
    sn__json_path(&doc, sn__json_root(&doc), path, sizeof path);
    assert_string_equal(path, "/");
    int line, column;
    sn__json_position(&doc, seven, &line, &column);
    assert_int_equal(line, 5);
    assert_int_equal(column, 55);
    sn__json_free(&doc);
}

typedef struct Bad {
    const char *text, *message;
} Bad;

static void refuses_with_a_place(void **state) {
    (void)state;
    static const Bad cases[] = {
        {"", "t.json:1:1: expected a value, found the end of the file"},
        {"[1,]", "t.json:1:4: a comma before ']'"},
        {"{\"a\":1,}", "t.json:1:8: a comma before '}'"},
        {"[1 2]", "t.json:1:4: expected ',' or ']', found '2'"},
        {"{\"a\" 1}", "t.json:1:6: expected ':' after the key, found '1'"},
        {"{a: 1}", "t.json:1:2: expected a key in double quotes, found 'a'"},
        {"{\"a\": 1,\n \"a\": 2}", "t.json:2:7: a second value for the key \"a\""},
        {"[\n  tru]", "t.json:2:3: expected a value; did you mean true?"},
        {"nul", "t.json:1:1: expected a value; did you mean null?"},
        {"[.5]", "malformed number"},
        {"[5.]", "malformed number"},
        {"[+5]", "malformed number"},
        {"[05]", "malformed number"},
        {"[-]", "malformed number"},
        {"[1e]", "malformed number"},
        {"[1e999]", "t.json:1:2: this number is too large"},
        {"[NaN]", "t.json:1:2: expected a value, found 'N'"},
        {"[\"abc", "t.json:1:2: this string has no end"},
        {"[\"a\nb\"]", "control character 0x0A"},
        {"[\"\\x\"]", "starts no escape"},
        {"[\"\\u12g4\"]", "four hexadecimal digits"},
        {"[\"\\ud800x\"]", "half of a surrogate pair"},
        {"[\"\\ud800\\u0041\"]", "half of a surrogate pair"},
        {"[\"\\udc00\"]", "half of a surrogate pair"},
        {"[\"\xC0\xAF\"]", "byte 0xC0 is not UTF-8"},
        {"[\"\xED\xA0\x80\"]", "byte 0xED is not UTF-8"},
        {"[\"\xF5\x80\x80\x80\"]", "byte 0xF5 is not UTF-8"},
        {"[\"é\xE9\"]", "t.json:1:4: byte 0xE9 is not UTF-8"},
        {"{\"a\\u0000\": 1}", "a key may not contain"},
        {"1 2", "t.json:1:3: '2' after the end of the document"},
        {"// no", "expected a value, found '/'"},
        {"[", "found the end of the file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        JsonDoc doc;
        SnResult result =
            sn__json_parse("t.json", cases[i].text, strlen(cases[i].text), &doc, NULL, NULL);
        assert_int_equal(result.code, SN_ERROR_FORMAT);
        if (strstr(result.message, cases[i].message) == NULL)
            fail_msg("\"%s\" gave \"%s\", not \"%s\"", cases[i].text, result.message,
                     cases[i].message);
    }
}

static void limits_depth(void **state) {
    (void)state;
    enum { DEEP = 100000 };
    char *text = malloc(2 * DEEP + 1);
    memset(text, '[', DEEP);
    memset(text + DEEP, ']', DEEP);
    JsonDoc doc;
    SnResult result = sn__json_parse("t", text + DEEP - 65, 130, &doc, NULL, NULL);
    assert_int_equal(result.code, SN_ERROR_FORMAT);
    assert_string_equal(result.message, "t:1:65: nested deeper than 64 levels");
    result = sn__json_parse("t", text, 2 * DEEP, &doc, NULL, NULL);
    assert_int_equal(result.code, SN_ERROR_FORMAT);
    result = sn__json_parse("t", text + DEEP - 64, 128, &doc, NULL, NULL);
    assert_int_equal(result.code, SN_OK);
    const Json *inner = &doc.values[doc.value_count - 1];
    char path[256];
    sn__json_path(&doc, inner, path, sizeof path);
    assert_int_equal(strlen(path), 2 * 63);
    sn__json_free(&doc);
    free(text);
}

static void finds_duplicates_among_many_keys(void **state) {
    (void)state;
    enum { MANY = 20000 };
    char *text = malloc(MANY * 16);
    size_t size = 0;
    text[size++] = '{';
    for (int i = 0; i < MANY; ++i)
        size += (size_t)sprintf(text + size, "%s\"k%d\":%d", i ? "," : "", i, i);
    text[size++] = '}';
    JsonDoc doc;
    assert_int_equal(sn__json_parse("t", text, size, &doc, NULL, NULL).code, SN_OK);
    assert_int_equal(sn__json_root(&doc)->count, MANY);
    sn__json_free(&doc);
    size += (size_t)sprintf(text + size - 1, ",\"k77\":0}") - 1;
    SnResult result = sn__json_parse("t", text, size, &doc, NULL, NULL);
    assert_non_null(strstr(result.message, "a second value for the key \"k77\""));
    free(text);
}

static uint32_t random_next(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

// The text lies in memory of exactly its size, so that the sanitizers see any byte read too far.
static void parse_any(const char *text, size_t size) {
    char *exact = malloc(size ? size : 1);
    memcpy(exact, text, size);
    JsonDoc doc;
    int line = 0, column = 0;
    SnResult result = sn__json_parse("fuzz", exact, size, &doc, &line, &column);
    if (result.code == SN_OK) {
        char path[40];
        for (uint32_t i = 0; i < doc.value_count; ++i) {
            sn__json_path(&doc, &doc.values[i], path, sizeof path);
            sn__json_position(&doc, &doc.values[i], &line, &column);
        }
        sn__json_free(&doc);
    } else {
        assert_true(line > 0 && column > 0);
        assert_true(result.message[0] != '\0');
    }
    free(exact);
}

static void survives_mutations(void **state) {
    (void)state;
    static const char pieces[] = "{}[]:,\"\\u0eE+-.19tfn\xC3\xA9\xF0\x9F \n\x01";
    size_t full = sizeof sample - 1;
    for (size_t size = 0; size <= full; ++size)
        parse_any(sample, size);
    uint32_t seed = 2463534242u;
    char text[sizeof sample + 16];
    for (int round = 0; round < 20000; ++round) {
        size_t size = full;
        memcpy(text, sample, full);
        for (uint32_t change = random_next(&seed) % 8 + 1; change > 0; --change) {
            size_t at = random_next(&seed) % size;
            char byte = random_next(&seed) % 4 ? pieces[random_next(&seed) % (sizeof pieces - 1)]
                                               : (char)random_next(&seed);
            uint32_t action = random_next(&seed) % 4;
            if (action == 0 && size > 1) {
                memmove(text + at, text + at + 1, size - at - 1);
                --size;
            } else if (action == 1 && size < sizeof text) {
                memmove(text + at + 1, text + at, size - at);
                text[at] = byte;
                ++size;
            } else {
                text[at] = byte;
            }
        }
        parse_any(text, size);
    }
    for (int round = 0; round < 5000; ++round) {
        size_t size = random_next(&seed) % 40;
        for (size_t i = 0; i < size; ++i)
            text[i] = pieces[random_next(&seed) % (sizeof pieces - 1)];
        parse_any(text, size);
    }
}

static void numbers_round_trip(void **state) {
    (void)state;
    static const char *const words[][2] = {
        {"0.1", "0.1"},           {"1", "1"},
        {"-2.5", "-2.5"},         {"100000", "100000"},
        {"1e20", "1e20"},         {"1e-7", "1e-7"},
        {"0.00015", "0.00015"},   {"3.4028235e38", "3.4028235e38"},
        {"16777216", "16777216"},
    };
    char text[NUMBER_SIZE];
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        double value;
        assert_int_equal(sn__number_parse(words[i][0], strlen(words[i][0]), &value),
                         strlen(words[i][0]));
        sn__number_format_float(text, (float)value);
        assert_string_equal(text, words[i][1]);
    }
    uint32_t seed = 77;
    for (int i = 0; i < 20000; ++i) {
        uint32_t bits = random_next(&seed);
        float value;
        memcpy(&value, &bits, sizeof value);
        uint64_t wide = ((uint64_t)bits << 32) | random_next(&seed);
        double precise;
        memcpy(&precise, &wide, sizeof precise);
        double back = 0;
        if (isfinite(value)) {
            sn__number_format_float(text, value);
            assert_int_equal(sn__number_parse(text, strlen(text), &back), strlen(text));
            assert_true((float)back == value);
        }
        if (isfinite(precise)) {
            sn__number_format_double(text, precise);
            assert_int_equal(sn__number_parse(text, strlen(text), &back), strlen(text));
            assert_true(back == precise);
        }
    }
    sn__number_format_double(text, (double)NAN);
    assert_string_equal(text, "0");
}

// 2^53 + 1 lies half-way between two doubles; a digit far behind decides.
static void long_numbers_round_correctly(void **state) {
    (void)state;
    char text[2000];
    double value;
    int length = sprintf(text, "9007199254740993.");
    memset(text + length, '0', 1500);
    assert_int_equal(sn__number_parse(text, 1517, &value), 1517);
    assert_true(value == 9007199254740992.0);
    text[1516] = '1';
    sn__number_parse(text, 1517, &value);
    assert_true(value == 9007199254740994.0);
    memset(text, '9', 1000);
    sn__number_parse(text, 300, &value);
    assert_true(value == 1e300);
    sn__number_parse(text, 1000, &value);
    assert_true(isinf(value));
    sn__number_parse("1e-99999999999999999999", 23, &value);
    assert_true(value == 0.0);
}

static void writer_writes_what_the_parser_reads(void **state) {
    (void)state;
    JsonWriter writer = {0};
    sn__json_open(&writer, '{');
    sn__json_put_key(&writer, "text \"é\"");
    sn__json_put_string(&writer, "a\\b\n\x01\"c");
    sn__json_put_key(&writer, "list");
    sn__json_open(&writer, '[');
    sn__json_put_int(&writer, -12345678901LL);
    sn__json_put_float(&writer, 0.1f);
    sn__json_put_double(&writer, 0.1);
    sn__json_put_bool(&writer, true);
    sn__json_open(&writer, '{');
    sn__json_close(&writer, '}');
    sn__json_close(&writer, ']');
    sn__json_close(&writer, '}');
    assert_false(writer.out_of_memory);
    assert_string_equal(writer.text, "{\"text \\\"é\\\"\":\"a\\\\b\\u000a\\u0001\\\"c\","
                                     "\"list\":[-12345678901,0.1,0.1,true,{}]}");
    JsonDoc doc;
    parse_ok(writer.text, &doc);
    const Json *text = sn__json_first(sn__json_root(&doc));
    assert_string_equal(sn__json_key(&doc, text), "text \"é\"");
    assert_string_equal(sn__json_string(&doc, text), "a\\b\n\x01\"c");
    sn__json_free(&doc);
    sn__json_writer_free(&writer);
}

static void ignores_the_locale(void **state) {
    (void)state;
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL && setlocale(LC_ALL, "fr_FR.UTF-8") == NULL)
        skip(); // no locale with a decimal comma on this machine
    double value;
    assert_int_equal(sn__number_parse("2.75", 4, &value), 4);
    char text[NUMBER_SIZE];
    sn__number_format_double(text, value);
    setlocale(LC_ALL, "C");
    assert_string_equal(text, "2.75");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_sample),
        cmocka_unit_test(knows_paths_and_places),
        cmocka_unit_test(refuses_with_a_place),
        cmocka_unit_test(limits_depth),
        cmocka_unit_test(finds_duplicates_among_many_keys),
        cmocka_unit_test(survives_mutations),
        cmocka_unit_test(numbers_round_trip),
        cmocka_unit_test(long_numbers_round_correctly),
        cmocka_unit_test(writer_writes_what_the_parser_reads),
        cmocka_unit_test(ignores_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
