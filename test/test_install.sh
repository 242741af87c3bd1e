#!/usr/bin/env bash
# test_install.sh PROGRAM SOURCE_DIR: installs the build PROGRAM belongs to into a new prefix, moves
# that, and builds and runs hello.c (the core) and a reader of scenes (io) against it through
# find_package and through pkg-config.
set -euo pipefail
build_dir=$(dirname "$1")
source_dir=$2

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build_dir" --prefix "$scratch/first" >/dev/null
prefix=$scratch/moved # nothing installed may depend on where it was put
mv "$scratch/first" "$prefix"

header_version=$(sed -nE 's/^#define SN_VERSION_(MAJOR|MINOR|PATCH) //p' \
    "$prefix/include/sinew/base.h" | paste -sd.)

echo "== find_package"
mkdir "$scratch/user"
cp "$source_dir/test/hello.c" "$scratch/user/"
cat >"$scratch/user/scene.c" <<'END'
#include <sinew/scene.h>
int main(void) {
    SnScene *scene;
    return sn_scene_load_text("half", "{", 1, &scene, NULL).code == SN_ERROR_FORMAT ? 0 : 1;
}
END
cat >"$scratch/user/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(user LANGUAGES C)
find_package(sinew $header_version REQUIRED)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE sinew::sinew)
add_executable(scene scene.c)
target_link_libraries(scene PRIVATE sinew::io)
END
cmake -S "$scratch/user" -B "$scratch/user/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$scratch/user/build" >/dev/null
"$scratch/user/build/hello"
"$scratch/user/build/scene"

# As a part of a project that says nothing of the kind of build, the engine is optimised and quiet.
echo "== add_subdirectory"
mkdir "$scratch/part"
cp "$source_dir/test/hello.c" "$scratch/part/"
cat >"$scratch/part/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.20)
project(part LANGUAGES C)
add_subdirectory($source_dir sinew)
add_executable(hello hello.c)
target_link_libraries(hello PRIVATE sinew::sinew)
END
cmake -S "$scratch/part" -B "$scratch/part/build" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
    >"$scratch/part/words"
grep -q "sinew: no CMAKE_BUILD_TYPE is set" "$scratch/part/words"
python3 - "$scratch/part/build/compile_commands.json" <<'END'
import json, sys
for entry in json.load(open(sys.argv[1])):
    inside = "/src/" in entry["file"]
    assert inside == (" -O2 " in entry["command"]), entry["command"]
END

echo "== pkg-config"
pc_file=$(find "$prefix" -name sinew.pc)
export PKG_CONFIG_PATH=${pc_file%/*}
LD_LIBRARY_PATH=$(pkg-config --variable=libdir sinew)
export LD_LIBRARY_PATH
for name in hello scene; do
    # The flags are a list of words on purpose.
    # shellcheck disable=SC2046
    "${CC:-cc}" -std=c99 -Wall -Wextra -Wpedantic -Werror "$scratch/user/$name.c" \
        $(pkg-config --cflags --libs sinew) -o "$scratch/$name"
    "$scratch/$name"
done

package_version=$(pkg-config --modversion sinew)
if [ "$header_version" != "$package_version" ]; then
    echo "sinew.pc says $package_version, the header $header_version"
    exit 1
fi

if [ -x "$1" ]; then
    for file in bin/sinew share/man/man1/sinew.1 share/bash-completion/completions/sinew; do
        if [ ! -s "$prefix/$file" ]; then
            echo "$file was not installed"
            exit 1
        fi
    done
fi
