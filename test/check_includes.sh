#!/usr/bin/env bash
# check_includes.sh PROGRAM SOURCE_DIR: each folder includes only itself and folders above it, and the
# program and the renderer see the core through its public headers only.
#
# PROGRAM is not used. After the tree itself the check is turned on small trees that break each of
# its rules, so that it cannot rot into one that always passes.
set -euo pipefail
source_dir=$2

# The order of the house. A folder may include the ones before it and itself.
core="base math geom skeleton collide body rod stiff rigid solid muscle field skin implicit flesh fit world"
order="$core io cuda view bench app"

# Lines "FILE:LINE:INCLUDED" for every #include of every source and header below DIR.
list_includes() {
    find "$1" -name '*.[ch]' -exec grep -HnE '^[[:space:]]*#[[:space:]]*include' {} + |
        sed -E 's/^([^:]*:[0-9]+):[^<"]*[<"]([^>"]*)[>"].*/\1:\2/' || true
}

# Whether FILE of folder NAME may see the private headers of the core. A source of bench/ may; its
# headers are what app/ includes, so they may not.
sees_core() { # FILE NAME
    case $2 in
        app | view) false ;;
        bench) [[ $1 == *.c ]] ;;
        *) true ;;
    esac
}

# Prints what breaks the rules in one folder; nothing if it is in order.
check_folder() { # ROOT PATH_OF_FOLDER NAME
    local root=$1 path=$2 name=$3
    [ -d "$root/$path" ] || return 0
    list_includes "$root/$path" | while IFS=: read -r file line included; do
        local first=${included%%/*}
        if [[ $included == *..* ]]; then
            echo "$file:$line: \"$included\": write the path from src/, not a relative one"
        elif [[ $included == */* && " $order " == *" $first "* ]]; then
            # What is left of the order after this folder's own name is below it.
            local below=" ${order#*"$name"} "
            if [[ $first != "$name" && $below == *" $first "* ]]; then
                echo "$file:$line: $name/ may not include $first/ (\"$included\")"
            elif [[ " $core " == *" $first "* ]] && ! sees_core "$file" "$name"; then
                echo "$file:$line: \"$included\" is private to the core: include <sinew/...>"
            fi
        fi
    done
}

# The public headers stand alone: they may not see a private one.
check_public() { # ROOT
    [ -d "$1/include" ] || return 0
    list_includes "$1/include" | while IFS=: read -r file line included; do
        if [[ $included == */* && $included != sinew/* ]]; then
            echo "$file:$line: a public header may not include \"$included\""
        fi
    done
}

check_tree() { # ROOT
    local name
    check_public "$1"
    for name in $order; do
        case $name in
            view | bench | app) check_folder "$1" "$name" "$name" ;;
            *) check_folder "$1" "src/$name" "$name" ;;
        esac
    done
}

failures=$(check_tree "$source_dir")
for folder in "$source_dir"/src/*/; do
    name=$(basename "$folder")
    if [[ " $order " != *" $name "* ]]; then
        failures+=$'\n'"$folder: not in the order of folders: add it to test/check_includes.sh"
    fi
done
if [ -n "$failures" ]; then
    echo "$failures"
    exit 1
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# expect allowed|refused FILE INCLUDE_LINE
expect() {
    rm -rf "$scratch/tree"
    mkdir -p "$scratch/tree/$(dirname "$2")"
    echo "$3" >"$scratch/tree/$2"
    local found verdict=allowed
    found=$(check_tree "$scratch/tree")
    [ -z "$found" ] || verdict=refused
    if [ $verdict != "$1" ]; then
        echo "the check itself is wrong: $3 in $2 should be $1"
        exit 1
    fi
}

expect allowed src/rod/a.c '#include "base/memory.h"'
expect allowed src/rod/a.c '#include "rod/a.h"'
expect allowed src/rod/a.c '#include <math.h>'
expect allowed src/base/a.c '#include <sinew/world.h>'
expect allowed src/world/a.c '#include "rod/rod.h" // not "io/scene.h"'
expect allowed app/a.c '#include "view/view.h"'
expect allowed app/a.c '#include "bench/bench.h"'
expect allowed app/a.c '#include "io/file.h"'
expect allowed app/a.h '#include "app/b.h"'
expect allowed app/a.c '#include <sinew/rod.h>'
expect allowed view/a.c '#include "view/vec.h"'
expect allowed view/a.h '#include <sinew/math.h>'
expect allowed bench/a.c '#include "stiff/stiff.h"'
expect allowed bench/a.h '#include <sinew/world.h>'
expect allowed include/sinew/a.h '#include "base.h"'
expect refused src/base/a.c '#include "math/vec.h"'
expect refused src/base/deep/a.h '#  include <math/vec.h>'
expect refused src/rod/a.h '    #include "world/world.h"'
expect refused src/rod/a.c '#include "../base/memory.h"'
expect refused src/world/a.c '#include "io/scene.h"'
expect refused src/io/a.c '#include "view/view.h"'
expect refused view/a.c '#include "app/main.h"'
expect refused view/a.c '#include "bench/bench.h"'
expect refused view/a.c '#include "base/hash.h"'
expect refused view/a.h '#include "math/vec.h"'
expect refused app/a.c '#include "world/world.h"'
expect refused app/a.c '#include <base/memory.h>'
expect refused app/a.h '    #  include "stiff/stiff.h"'
expect refused bench/a.h '#include "stiff/stiff.h"'
expect refused bench/a.c '#include "app/options.h"'
expect refused include/sinew/a.h '#include "rod/rod.h"'
echo "includes are in order"
