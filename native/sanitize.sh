#!/bin/sh
# Builds the kernels with the address and undefined-behavior sanitizers into a folder of its own and runs the
# kernel tests on that build. Usage: native/sanitize.sh [PYTHON]. Needs gcc, cmake and the dev extra.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
python=${1:-python}
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

flags="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_COMPILER="${CXX:-g++}" \
    -DCMAKE_CXX_FLAGS="$flags" -DPython_EXECUTABLE="$("$python" -c 'import sys; print(sys.executable)')" \
    -Dnanobind_DIR="$("$python" -m nanobind --cmake_dir)" >"$build/configure.log" || { cat "$build/configure.log"; exit 1; }
cmake --build "$build" --parallel 2 >"$build/build.log" 2>&1 || { cat "$build/build.log"; exit 1; }

# The interpreter itself is not instrumented, so the runtime comes first, and every object is allocated by malloc to
# have a guard around it; leaks of the interpreter at exit are not ours.
LD_PRELOAD="$("${CXX:-g++}" -print-file-name=libasan.so) $("${CXX:-g++}" -print-file-name=libubsan.so)" \
    PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 CLEARTITLE_NATIVE="$(ls "$build"/native/_native*.so)" \
    "$python" -m pytest -q -s -n 0 -p no:cacheprovider "$root/tests/similarity/test_similarity_kernels.py" "$root/tests/trace/test_trace_kernels.py"
