#include "io/gltf_source.h"

#include "io/file.h"

#include <stdlib.h>
#include <string.h>

static SnResult no_memory(const char *path) {
    return sn_error(SN_ERROR_MEMORY, "%s: no memory to read it", path);
}

int64_t sn__source_int(const GltfSource *source, const Json *object, const char *key,
                       int64_t otherwise) {
    const Json *value = sn__json_member(&source->doc, object, key);
    if (value == NULL)
        return otherwise;
    bool whole = value->kind == JSON_NUMBER && value->number >= 0 &&
                 value->number <= 4294967295.0 && (double)(int64_t)value->number == value->number;
    return whole ? (int64_t)value->number : -1;
}

const Json *sn__source_item(const GltfSource *source, int list, const Json *object,
                            const char *key) {
    int64_t index = sn__source_int(source, object, key, -1);
    return index >= 0 && index < source->counts[list] ? source->lists[list][index] : NULL;
}

const Json *sn__source_first(const GltfSource *source, const Json *object, const char *key) {
    const Json *list = sn__json_member(&source->doc, object, key);
    return list && list->kind == JSON_ARRAY ? sn__json_first(list) : NULL;
}

static SnResult make_lists(GltfSource *source) {
    static const char *const names[SOURCE_LISTS] = {
        "buffers", "bufferViews", "accessors", "meshes",   "nodes", "scenes",
        "skins",   "animations",  "materials", "textures", "images"};
    const Json *root = sn__json_root(&source->doc);
    for (int list = 0; list < SOURCE_LISTS; ++list) {
        const Json *array = sn__json_member(&source->doc, root, names[list]);
        size_t count = array && array->kind == JSON_ARRAY ? array->count : 0;
        source->lists[list] = malloc((count + 1) * sizeof *source->lists[list]);
        if (source->lists[list] == NULL)
            return no_memory(source->path);
        const Json *item = sn__source_first(source, root, names[list]);
        for (; item; item = sn__json_next(&source->doc, item))
            source->lists[list][source->counts[list]++] = item;
    }
    return sn_ok();
}

static int digit64(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

// "data:…;base64,…", decoded.
static SnResult decode(const char *path, const char *uri, GltfBytes *out) {
    const char *text = strstr(uri, ";base64,");
    if (text == NULL)
        return sn_error(SN_ERROR_FORMAT, "%s: a buffer's data is not base64", path);
    text += strlen(";base64,");
    size_t length = strlen(text), size = 0;
    unsigned char *bytes = malloc(length / 4 * 3 + 3);
    if (bytes == NULL)
        return no_memory(path);
    uint32_t word = 0;
    int bits = 0;
    for (size_t i = 0; i < length && text[i] != '='; ++i) {
        int digit = digit64(text[i]);
        if (digit < 0) {
            free(bytes);
            return sn_error(SN_ERROR_FORMAT, "%s: a buffer's base64 is damaged", path);
        }
        word = word << 6 | (uint32_t)digit;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes[size++] = (unsigned char)(word >> bits);
        }
    }
    *out = (GltfBytes){bytes, size, (char *)bytes};
    return sn_ok();
}

static int hex(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// Whether a path stays in the folder it is seen from: what a file asks to be read is not trusted.
static bool stays_inside(const char *path) {
    if (path[0] == '/' || strchr(path, ':') || strchr(path, '\\'))
        return false;
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return false;
    }
    return true;
}

// A file beside this one. %20 and the like stand for characters.
static SnResult read_beside(const char *path, const char *uri, GltfBytes *out) {
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    char *file = malloc(folder + strlen(uri) + 1);
    if (file == NULL)
        return no_memory(path);
    memcpy(file, path, folder);
    char *to = file + folder;
    for (const char *at = uri; *at; ++at) {
        bool coded = at[0] == '%' && hex(at[1]) >= 0 && hex(at[2]) >= 0;
        *to++ = coded ? (char)(hex(at[1]) * 16 + hex(at[2])) : *at;
        at += coded ? 2 : 0;
    }
    *to = 0;
    if (!stays_inside(file + folder)) {
        free(file);
        return sn_error(SN_ERROR_FORMAT, "%s: names \"%.80s\", which is not in its own folder",
                        path, uri);
    }
    SnResult result = sn__file_read_regular(file, GLTF_FILE_LIMIT, &out->owned, &out->size);
    out->bytes = (const unsigned char *)out->owned;
    free(file);
    return result;
}

// "data:…" or the name of a file.
static SnResult read_uri(const char *path, const char *uri, GltfBytes *out) {
    return strncmp(uri, "data:", 5) == 0 ? decode(path, uri, out) : read_beside(path, uri, out);
}

static SnResult open_buffers(GltfSource *source, const GltfChunks *chunks) {
    int count = source->counts[SOURCE_BUFFERS];
    source->buffers = calloc((size_t)count + 1, sizeof *source->buffers);
    SnResult result = source->buffers ? sn_ok() : no_memory(source->path);
    for (int i = 0; i < count && result.code == SN_OK; ++i) {
        const Json *buffer = source->lists[SOURCE_BUFFERS][i];
        const Json *uri = sn__json_member(&source->doc, buffer, "uri");
        if (uri == NULL)
            source->buffers[i] = (GltfBytes){chunks->binary, chunks->binary_size, NULL};
        else if (uri->kind != JSON_STRING)
            result =
                sn_error(SN_ERROR_FORMAT, "%s: buffer %d: uri is not a string", source->path, i);
        else
            result =
                read_uri(source->path, sn__json_string(&source->doc, uri), &source->buffers[i]);
    }
    return result;
}

// Extensions of light and look change no shape and no motion.
static bool is_harmless(const char *extension) {
    static const char materials[] = "KHR_materials_";
    return strncmp(extension, materials, sizeof materials - 1) == 0 ||
           strcmp(extension, "KHR_lights_punctual") == 0;
}

static SnResult check_asset(const GltfSource *source) {
    const Json *root = sn__json_root(&source->doc);
    if (sn__json_member(&source->doc, root, "asset") == NULL)
        return sn_error(SN_ERROR_FORMAT, "%s: is not glTF: it has no \"asset\"", source->path);
    const Json *needed = sn__source_first(source, root, "extensionsRequired");
    for (; needed; needed = sn__json_next(&source->doc, needed)) {
        const char *name =
            needed->kind == JSON_STRING ? sn__json_string(&source->doc, needed) : "?";
        if (!is_harmless(name))
            return sn_error(SN_ERROR_FORMAT,
                            "%s: needs the extension %.60s, which is not understood", source->path,
                            name);
    }
    return sn_ok();
}

SnResult sn__source_open(const char *path, GltfSource *out) {
    *out = (GltfSource){.path = path};
    GltfChunks chunks;
    SnResult result = sn__file_read_regular(path, GLTF_FILE_LIMIT, &out->file, &out->file_size);
    if (result.code == SN_OK)
        result = sn__gltf_find_chunks(path, out->file, out->file_size, &chunks);
    if (result.code == SN_OK)
        result = sn__json_parse(path, chunks.text, chunks.text_size, &out->doc, NULL, NULL);
    if (result.code != SN_OK) {
        free(out->file);
        return result;
    }
    result = check_asset(out);
    if (result.code == SN_OK)
        result = make_lists(out);
    if (result.code == SN_OK)
        result = open_buffers(out, &chunks);
    if (result.code != SN_OK)
        sn__source_close(out);
    return result;
}

void sn__source_close(GltfSource *source) {
    for (int i = 0; i < source->counts[SOURCE_BUFFERS] && source->buffers; ++i)
        free(source->buffers[i].owned);
    free(source->buffers);
    for (int list = 0; list < SOURCE_LISTS; ++list)
        free(source->lists[list]);
    sn__json_free(&source->doc);
    free(source->file);
}

static int component_size(int64_t component) {
    switch (component) {
    case GLTF_I8:
    case GLTF_U8:
        return 1;
    case GLTF_I16:
    case GLTF_U16:
        return 2;
    case GLTF_U32:
    case GLTF_FLOAT:
        return 4;
    default:
        return 0;
    }
}

static int type_width(const char *type) {
    return strcmp(type, "SCALAR") == 0 ? 1
           : strcmp(type, "VEC2") == 0 ? 2
           : strcmp(type, "VEC3") == 0 ? 3
           : strcmp(type, "VEC4") == 0 ? 4
                                       : 16;
}

// The bytes a buffer view stands for.
static SnResult view_bytes(const GltfSource *source, const Json *view, GltfBytes *out) {
    int64_t buffer = sn__source_int(source, view, "buffer", -1);
    int64_t offset = sn__source_int(source, view, "byteOffset", 0);
    int64_t length = sn__source_int(source, view, "byteLength", -1);
    if (buffer < 0 || buffer >= source->counts[SOURCE_BUFFERS] || offset < 0 || length < 0)
        return sn_error(SN_ERROR_FORMAT, "%s: a buffer view points nowhere", source->path);
    const GltfBytes *whole = &source->buffers[buffer];
    if ((uint64_t)offset > whole->size || (uint64_t)length > whole->size - (uint64_t)offset)
        return sn_error(SN_ERROR_FORMAT, "%s: a buffer view ends at byte %lld of a buffer of %zu",
                        source->path, (long long)(offset + length), whole->size);
    *out = (GltfBytes){whole->bytes + offset, (size_t)length, NULL};
    return sn_ok();
}

SnResult sn__source_image(const GltfSource *source, const Json *image, GltfBytes *out_bytes) {
    const Json *uri = sn__json_member(&source->doc, image, "uri");
    const Json *view = sn__source_item(source, SOURCE_VIEWS, image, "bufferView");
    *out_bytes = (GltfBytes){0};
    if (uri && uri->kind == JSON_STRING)
        return read_uri(source->path, sn__json_string(&source->doc, uri), out_bytes);
    if (view == NULL)
        return sn_error(SN_ERROR_FORMAT, "%s: an image without bytes", source->path);
    return view_bytes(source, view, out_bytes);
}

// An accessor of this type with components that are allowed, which `fits` says.
static SnResult find_elements(const GltfSource *source, const Json *accessor, const char *type,
                              bool (*fits)(int64_t component), const char *what,
                              GltfElements *out) {
    const Json *own = sn__json_member(&source->doc, accessor, "type");
    const Json *view = sn__source_item(source, SOURCE_VIEWS, accessor, "bufferView");
    const Json *normalised = sn__json_member(&source->doc, accessor, "normalized");
    int64_t component = sn__source_int(source, accessor, "componentType", -1);
    int64_t count = sn__source_int(source, accessor, "count", -1);
    int64_t offset = sn__source_int(source, accessor, "byteOffset", 0);
    size_t size = (size_t)(component_size(component) * type_width(type));
    bool right = own && own->kind == JSON_STRING &&
                 strcmp(sn__json_string(&source->doc, own), type) == 0 && fits(component);
    if (accessor == NULL || view == NULL || !right || size == 0 || count < 1 || offset < 0 ||
        sn__json_member(&source->doc, accessor, "sparse"))
        return sn_error(SN_ERROR_FORMAT, "%s: %s without plain data of type %s", source->path, what,
                        type);
    GltfBytes bytes = {0};
    SnResult result = view_bytes(source, view, &bytes);
    if (result.code != SN_OK)
        return result;
    int64_t stride = sn__source_int(source, view, "byteStride", (int64_t)size);
    if (stride < (int64_t)size || (uint64_t)offset > bytes.size ||
        (uint64_t)(count - 1) > (bytes.size - (uint64_t)offset) / (uint64_t)stride ||
        (uint64_t)(count - 1) * (uint64_t)stride + size > bytes.size - (uint64_t)offset)
        return sn_error(SN_ERROR_FORMAT, "%s: %lld elements do not fit into %zu bytes",
                        source->path, (long long)count, bytes.size);
    if (count > INT32_MAX)
        return sn_error(SN_ERROR_LIMIT, "%s: %lld elements are too many", source->path,
                        (long long)count);
    *out = (GltfElements){.bytes = bytes.bytes + offset,
                          .stride = (size_t)stride,
                          .count = (int)count,
                          .component = (int)component,
                          .normalised = normalised && normalised->boolean};
    return result;
}

static bool is_index(int64_t component) {
    return component == GLTF_U8 || component == GLTF_U16 || component == GLTF_U32;
}

static bool is_float(int64_t component) { return component == GLTF_FLOAT; }

static bool is_number(int64_t component) { return component != GLTF_U32; }

SnResult sn__source_indices(const GltfSource *source, const Json *accessor, const char *what,
                            GltfElements *out) {
    return find_elements(source, accessor, "SCALAR", is_index, what, out);
}

SnResult sn__source_numbers(const GltfSource *source, const Json *accessor, const char *type,
                            bool integers, const char *what, GltfElements *out) {
    return find_elements(source, accessor, type, integers ? is_number : is_float, what, out);
}

uint32_t sn__element_index(const GltfElements *e, int i, int c) {
    int size = component_size(e->component);
    const unsigned char *at = e->bytes + e->stride * (size_t)i + (size_t)(size * c);
    uint32_t value = 0;
    for (int b = 0; b < size; ++b)
        value |= (uint32_t)at[b] << 8 * b;
    return value;
}

double sn__element_number(const GltfElements *e, int i, int c) {
    uint32_t bits = sn__element_index(e, i, c);
    float number;
    memcpy(&number, &bits, sizeof number);
    double scale, value;
    switch (e->component) {
    case GLTF_I8:
        scale = 127;
        value = (int8_t)bits;
        break;
    case GLTF_I16:
        scale = 32767;
        value = (int16_t)bits;
        break;
    case GLTF_U8:
    case GLTF_U16:
        scale = e->component == GLTF_U8 ? 255 : 65535;
        value = bits;
        break;
    default:
        return (double)number;
    }
    double part = value / scale;
    return !e->normalised ? value : part < -1 ? -1 : part;
}

bool sn__source_array(const GltfSource *source, const Json *object, const char *key, double *out,
                      int count) {
    const Json *v = sn__source_first(source, object, key);
    int read = 0;
    for (; v && read < count && v->kind == JSON_NUMBER; ++read) {
        out[read] = v->number;
        v = sn__json_next(&source->doc, v);
    }
    return read == count;
}

const char *sn__source_name(const GltfSource *source, const Json *object) {
    const Json *name = sn__json_member(&source->doc, object, "name");
    return name && name->kind == JSON_STRING ? sn__json_string(&source->doc, name) : "";
}
