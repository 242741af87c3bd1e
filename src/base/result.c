#include <sinew/base.h>

#include <stdarg.h>
#include <stdio.h>

SnResult sn_ok(void) {
    SnResult result;
    result.code = SN_OK;
    result.message[0] = '\0';
    return result;
}

// The last character of a message that was cut may have lost some of its bytes: takes it off then.
static void drop_partial_character(char *text, size_t length) {
    size_t lead = length;
    while (lead > 0 && ((unsigned char)text[lead - 1] & 0xC0) == 0x80)
        --lead;
    if (lead == 0)
        return;
    --lead;
    unsigned char first = (unsigned char)text[lead];
    size_t wanted = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
    if (length - lead < wanted)
        text[lead] = '\0';
}

SnResult sn_error(SnCode code, const char *format, ...) {
    SnResult result;
    result.code = code;
    result.message[0] = '\0';
    if (format == NULL)
        return result;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(result.message, sizeof result.message, format, arguments);
    va_end(arguments);
    if (length < 0)
        result.message[0] = '\0';
    else if ((size_t)length >= sizeof result.message)
        drop_partial_character(result.message, sizeof result.message - 1);
    return result;
}
