#!/bin/sh
# Builds the helper for both processors, freestanding: no C library, no start-up files.
# Needs gcc and gcc-aarch64-linux-gnu. The compiler that built it is noted beside it, and
# what it was built from.
set -eu
cd "$(dirname "$0")"
out=${1:-.}
flags='-std=gnu11 -Os -static -nostdlib -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables
	-fno-ident -fno-pie -no-pie -fno-tree-loop-distribute-patterns -Wall -Wextra -Wno-missing-field-initializers -Wno-unused
	-Wl,--build-id=none -Wl,-z,norelro -Wl,-z,noseparate-code -Wl,-N -Wl,--gc-sections -s'
# shellcheck disable=SC2086 # flags are words
{
	gcc $flags -o "$out/cage-amd64" cage.c
	aarch64-linux-gnu-gcc $flags -o "$out/cage-arm64" cage.c
}
gcc --version | head -n 1 >"$out/compiler"
sha256sum build.sh ./*.c ./*.h >"$out/sources"
