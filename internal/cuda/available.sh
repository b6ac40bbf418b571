#!/bin/sh
# Says "yes" where GPU support can be built, otherwise why it cannot: it takes
# Linux on a processor that trampolines.c knows, and a C compiler with its
# headers. The argument is the go command.
set -u
go=${1:-go}
target=$("$go" env GOOS)/$("$go" env GOARCH)
case $target in
linux/amd64 | linux/arm64) ;;
*)
	echo "GPU support is for Linux on amd64 and arm64, not for $target"
	exit
	;;
esac
if [ "$("$go" env CGO_ENABLED)" = 0 ]; then
	# Go turns cgo off by itself where it finds no C compiler.
	echo "there is no C compiler, or CGO_ENABLED is 0"
	exit
fi
cc=$("$go" env CC)
if printf '#include <dlfcn.h>\n#include <stdlib.h>\nint main(void) { return 0; }\n' | $cc -x c -o /dev/null - 2>/dev/null; then
	echo yes
else
	echo "the C compiler, $cc, does not work"
fi
