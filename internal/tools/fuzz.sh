#!/usr/bin/env bash
# Fuzzes every reader, and what else takes text or files of others.
#
#   fuzz.sh build DIR                   compiles all targets into DIR, with their
#                                       inputs; DIR can be carried to a machine
#                                       without Go
#   DIR/fuzz.sh run DIR OUT [SECONDS [CORES [TARGETS]]]
#                                       runs each target for so many CPU seconds (60),
#                                       as many targets at once as there are cores; OUT
#                                       gets corpus/, from which the next run goes on,
#                                       crashers/, logs/, and the table summary.txt
set -euo pipefail

build() {
	mkdir -p "$1"
	out=$(realpath "$1")
	: >"$out/targets"
	for package in $(${GO:-go} list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}' ./...); do
		targets=$(grep -hoE '^func Fuzz[A-Za-z0-9]+' "$package"/*_test.go | cut -d' ' -f2) || continue
		name=${package#"$PWD"/}
		${GO:-go} test -c -trimpath -ldflags='-s -w' -fuzz=. -o "$out/$name/test" "$package"
		[ ! -d "$package/testdata" ] || cp -r "$package/testdata" "$out/$name/"
		for target in $targets; do echo "$name $target" >>"$out/targets"; done
	done
	cp "${BASH_SOURCE[0]}" "$out/fuzz.sh"
}

# one runs a target in a copy of the folders, where Go leaves what fails. A target that
# has failed goes on without what it failed on, a few times.
one() {
	dir=$1 out=$2 seconds=$3 package=$4 target=$5
	id=${package//\//-}-$target
	work=$out/work/$id corpus=$out/corpus/$id log=$out/logs/$id.log
	mkdir -p "$work/tmp" "$corpus" "$out/logs"
	(cd "$dir" && find . -path '*/testdata/*' -type f -print0 | xargs -0 cp --parents -t "$work")
	mkdir -p "$work/$package"
	cd "$work/$package"
	export TMPDIR=$work/tmp GOMAXPROCS=1 TIMEFORMAT='%U %S'
	ulimit -v 8000000 # a reader that takes so much has failed
	cpu=0 crashes=0 execs=0 before=$(find "$corpus" -type f | wc -l)
	while [ $cpu -lt "$seconds" ] && [ $crashes -lt 8 ]; do
		left=$((seconds - cpu)) status=0
		[ $left -lt 100 ] || left=100 # cobra keeps the flags of every command line
		{ time timeout -k 10 $((left + 60)) "$dir/$package/test" -test.run='^$' -test.fuzz="^$target\$" -test.fuzztime="${left}s" \
			-test.fuzzminimizetime=50x -test.parallel=1 -test.fuzzcachedir="$corpus" >"$log.part" 2>&1; } 2>"$log.time" || status=$?
		read -r user system <"$log.time"
		user=${user%.*} system=${system%.*}
		cpu=$((cpu + user + system + 1))
		cat "$log.part" >>"$log"
		n=$(grep -oE 'execs: [0-9]+' "$log.part" | tail -n 1 | cut -d' ' -f2) || true
		execs=$((execs + ${n:-0}))
		rm -rf "$work"/tmp/*
		[ $status -ne 0 ] || continue
		crashes=$((crashes + 1))
		for f in testdata/fuzz/"$target"/*; do
			[ -e "$f" ] && [ ! -e "$dir/$package/$f" ] || continue
			mkdir -p "$out/crashers/$package/$target"
			mv "$f" "$out/crashers/$package/$target/"
		done
	done
	after=$(find "$corpus" -type f | wc -l)
	printf '%-28s %-16s %11d %8d %8d %8d %8d\n' "$package" "$target" "$execs" "$cpu" "$after" $((after - before)) "$crashes" >>"$out/lines"
	cd / && rm -rf "$work" "$log.part" "$log.time"
}

case ${1-} in
build) build "$2" ;;
run)
	dir=$(realpath "$2")
	mkdir -p "$3"
	out=$(realpath "$3")
	rm -rf "$out/work" "$out/logs" "$out/lines" "$out/crashers"
	grep -E "${6:-.}" "$dir/targets" | xargs -P "${5:-$(nproc)}" -L 1 "$dir/fuzz.sh" one "$dir" "$out" "${4:-60}"
	{
		printf '%-28s %-16s %11s %8s %8s %8s %8s\n' package target execs 'CPU s' inputs new crashes
		sort "$out/lines"
		awk '{e += $3; c += $4; n += $6; k += $7} END {printf "%-28s %-16d %11d %8d %8s %8d %8d\n", "all", NR, e, c, "", n, k}' "$out/lines"
	} | tee "$out/summary.txt"
	rm -rf "$out/work"
	awk '{k += $7} END {exit k > 0}' "$out/lines"
	;;
one) shift && one "$@" ;;
*) sed -n '2,/^set/{/^set/d;s/^# \?//;p}' "$0" >&2 && exit 2 ;;
esac
