#!/usr/bin/env bash
# Fuzzes every reader, and what else takes text or files of others.
#
#   fuzz.sh build DIR                   compiles all targets into DIR, with their
#                                       inputs; DIR can be carried to a machine
#                                       without Go
#   DIR/fuzz.sh run DIR OUT [SECONDS [CORES [TARGETS]]]
#                                       runs each target for so long (60) on all cores;
#                                       OUT gets corpus/, from which the next run goes
#                                       on, crashers/ and logs/, and the table summary.txt
set -euo pipefail

build() {
	mkdir -p "$1"
	out=$(realpath "$1")
	: >"$out/targets"
	for package in $(${GO:-go} list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}' ./...); do
		targets=$(grep -hoE '^func Fuzz[A-Za-z0-9]+' "$package"/*_test.go | cut -d' ' -f2) || continue
		name=${package#"$PWD"/}
		name=${name//\//-}
		${GO:-go} test -c -trimpath -ldflags='-s -w' -fuzz=. -o "$out/$name/test" "$package"
		[ ! -d "$package/testdata" ] || cp -r "$package/testdata" "$out/$name/"
		for target in $targets; do echo "$name $target" >>"$out/targets"; done
	done
	cp "${BASH_SOURCE[0]}" "$out/fuzz.sh"
}

# one runs a target on two cores, in a folder of its own, where Go leaves what fails.
one() {
	dir=$1 out=$2 seconds=$3 package=$4 target=$5
	work=$out/work/$package-$target
	mkdir -p "$work" "$out/corpus/$package-$target" "$out/logs"
	cp -rT "$dir/$package" "$work"
	log=$out/logs/$package-$target.log
	cd "$work"
	export TMPDIR=$work/tmp
	mkdir -p tmp
	ulimit -v 8000000 # a reader that takes so much has failed
	status=0
	timeout -k 30 $((seconds + 120)) ./test -test.run='^$' -test.fuzz="^$target\$" -test.fuzztime="${seconds}s" -test.fuzzminimizetime=50x \
		-test.parallel=2 -test.fuzzcachedir="$out/corpus/$package-$target" >"$log" 2>&1 || status=$?
	found=0
	if [ -d "testdata/fuzz/$target" ]; then
		mkdir -p "$out/crashers/$package/$target"
		for f in testdata/fuzz/"$target"/*; do
			[ -e "$dir/$package/$f" ] || { cp "$f" "$out/crashers/$package/$target/"; found=$((found + 1)); }
		done
	fi
	execs=$(grep -oE 'execs: [0-9]+' "$log" | tail -n 1 | cut -d' ' -f2) || true
	printf '%-28s %-14s %6d s x 2  %12s execs  %5d inputs  status %d, %d crashers\n' "$package" "$target" "$seconds" "${execs:-0}" \
		"$(find "$out/corpus/$package-$target" -type f | wc -l)" $status $found >>"$out/summary.txt"
	rm -rf "$work"
}

case ${1-} in
build) build "$2" ;;
run)
	dir=$(realpath "$2")
	mkdir -p "$3"
	out=$(realpath "$3")
	cores=${5:-$(nproc)}
	grep -E "${6:-.}" "$dir/targets" | xargs -P $(((cores + 1) / 2)) -L 1 "$dir/fuzz.sh" one "$dir" "$out" "${4:-60}"
	rm -rf "$out/work"
	sort -o "$out/summary.txt" "$out/summary.txt"
	cat "$out/summary.txt"
	[ ! -d "$out/crashers" ]
	;;
one) shift && one "$@" ;;
*) sed -n '2,/^set/{/^set/d;s/^# \?//;p}' "$0" >&2 && exit 2 ;;
esac
