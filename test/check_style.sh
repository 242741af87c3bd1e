#!/usr/bin/env bash
# check_style.sh PROGRAM SOURCE_DIR: names, increments, braces, tests of pointers, and lengths of
# functions, files and lines are as everywhere in the house (check_style.py says how).
#
# PROGRAM is not used. After the tree itself the check is turned on small trees that break each of
# its rules, and on ones that almost do.
set -euo pipefail
source_dir=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }

failures=$(python3 "$here/check_style.py" "$source_dir")
if [ -n "$failures" ]; then
    echo "$failures"
    exit 1
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# expect allowed|refused FILE TEXT: in a tree whose only public names are SnThing and sn_thing.
expect() {
    rm -rf "$scratch/tree"
    mkdir -p "$scratch/tree/include/sinew" "$scratch/tree/$(dirname "$2")"
    echo 'typedef int SnThing; SnThing sn_thing(void); // SnRumour' >"$scratch/tree/include/sinew/a.h"
    printf '%s\n' "$3" >"$scratch/tree/$2"
    local found verdict=allowed
    found=$(python3 "$here/check_style.py" "$scratch/tree")
    [ -z "$found" ] || verdict=refused
    if [ $verdict != "$1" ]; then
        echo "the check itself is wrong: this in $2 should be $1:"
        echo "$3"
        echo "$found"
        exit 1
    fi
}

inside() { # allowed|refused STATEMENTS
    expect "$1" app/a.c "void f(void) {
$2
}"
}

# Names.
expect allowed src/rod/a.c 'SnThing a; // SnOther'
expect allowed src/rod/a.c 'int a = sn__other(sn_thing(), "SnOther");'
expect allowed src/base/a.c '#ifdef SN_NO_THREADS'
expect refused src/rod/a.c 'SnOther a;'
expect refused src/rod/a.c 'SnRumour a;'
expect refused test/a.h '#define SN_OTHER 1'
expect refused view/a.c 'static int sn_other;'

# Increments.
inside allowed '    for (int i = 0; i < 3; ++i, --k)
        list[count++] = x[i--];
    int k = (int)count++;'
inside refused '    i++;'
inside refused '    if (a)
        b->list[c[i]].count--;'
inside refused '    if (a)
        g();
    else
        k++;'
inside refused '    ((Thing *)a)->count++;'
inside refused '    for (int i = 0; i < 3; i++)
        g(i);'
inside refused '    for (int i = 0; i < 3; ++k, i++)
        g(i);'

# Braces.
inside allowed '    for (int i = 0; i < 3; ++i)
        if (a) {
            g();
            h();
        }'
inside allowed '    if (a) { // why
        g();
    }'
inside allowed '    if (a) {
        g();
    } else {
        g();
        h();
    }'
inside allowed '    if (a) {
        if (b)
            g();
    } else
        h();'
inside allowed '    do {
        g();
    } while (a);
    T x = {1};'
inside refused '    if (a) {
        g();
    }'
inside refused '    for (int i = 0; i < 3; ++i) {
        g(i,
          i);
    }'
inside refused '    while (a) {
        for (;;) {
            g();
            h();
        }
    }'
inside refused '    if (a)
        g();
    else if (b) {
        h();
    }'

# Pointers.
inside allowed '    bool a;
    if (!a || !b->c || !d[0] || e == NULL)
        g();'
inside refused '    T *a;
    if (!a)
        g();'

# Lengths.
lines() { # COUNT TEXT
    for ((line = 0; line < $1; ++line)); do echo "$2"; done
}
expect allowed src/rod/a.c "void f(void) {
$(lines 78 '    g();')
}"
expect refused src/rod/a.c "void f(void) {
$(lines 79 '    g();')
}"
expect allowed src/rod/a.c "$(lines 500 'int x;')"
expect refused src/rod/a.c "$(lines 501 'int x;')"
expect allowed test/a.c "$(lines 501 'int x;')"

# Documents.
long=$(printf 'word %.0s' {1..25})
expect allowed docs/a.md "${long:0:100}"
expect refused docs/a.md "${long:0:101}d"
expect refused README.md "- $long"
expect allowed CHANGELOG.md "- https://example.org/${long// /}"
expect allowed docs/a.md "| $long |"
expect allowed docs/a.md "![$long](a.png)"
expect allowed docs/a.md '```
'"$long"'
```'
expect refused docs/a.md '```
```
'"$long"
echo "the style is that of the house"
