#!/usr/bin/env bash
# The GPU tests on a card. "build" makes the test binaries, "run" runs them,
# and neither does both: the machine with the card needs no Go.
#
#   gpu/test-gpu.sh build       bin/gpu.test, bin/cuda.test; see the Makefile for the environment
#   gpu/test-gpu.sh run         the tests, then every kernel under compute-sanitizer
#
#   JOBS        processes that share the card (4; under a checker all processors)
#   LIMIT       seconds for a part under a checker (300)
#   BENCHMARKS  also run the published comparisons, one at a time: yes
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
published='^Test(Published|Headlines|PairsOfThePaper)'

# The tests are cut into parts for a few processes: more only wait for the card.
parts() {
	seq -f '^TestEveryKernel$/^%gD$' 8 -1 1
	printf '^TestPatternsConform$/^%s_\n' full unicomp lid-unicomp brute
	echo '^TestConformance$'
	echo '^TestFineCellsConform$'
	echo '^Test(Histograms|Counts)'
}

# What memcheck runs with -short: every kernel of the image. It slows kernels
# down by a factor of 10 to 100. What is left out: other orders and numbers of
# threads, which choose no other code, and large inputs.
memcheck() {
	seq -f '^TestEveryKernel$/^%gD$' 8 -1 1
	printf '^Test%s\n' Histograms Counts '(EveryPeriodicOutput|Periodic)' '(Short|Parts|Wide|Edges)' '(Generated|TilingsOfGenerated)' ClusterEqualsCPU PointsThatShareAKey \
		'PatternsConform$/./(float32|five_columns)' 'Conformance$/(float32|five_columns|scaled_box|sphere|poles|identical|corner|box3d)'
}

# What racecheck, which looks at shared memory, runs: every kernel with any.
racecheck() {
	printf '^Test%s\n' 'EveryKernel$/^[1-4]D$/^(default|bins)$' 'EveryKernel$/D$/^(nearest|span)$' Histograms Counts '(EveryPeriodicOutput|Periodic)' EveryPairKernel '(Wide|Edges)' '(Generated|TilingsOfGenerated)'
}
shared='^(sort|scan|pairs|grid_bins|nearest|span_search)_'

build() {
	mkdir -p bin
	"${GO:-go}" test -tags cuda -c -o bin/gpu.test ./gpu
	"${GO:-go}" test -tags cuda -c -o bin/cuda.test ./internal/cuda
}

# all LOGS COMMAND…: the command for every line of the input, some at a time,
# the output of those that fail and how long each took.
all() {
	export LOGS=$1 COMMAND="${*:2}" ROOT=$root
	mkdir -p "$LOGS"
	tr '\n' '\0' | xargs -0 -P "${JOBS:-$(nproc)}" -I{} bash -c '
		cd "$ROOT/gpu"
		log=$LOGS/$(printf %s "$1" | tr -c "A-Za-z0-9\n" _)
		if SKYJOIN_KERNELS=$log.kernels $COMMAND -test.run "$1" >"$log" 2>&1; then
			echo "ok     $1, ${SECONDS} s"
		else
			echo "FAILED $1, ${SECONDS} s: exit status $?"; grep -v "^=== " "$log" | tail -50; exit 1
		fi' - {}
}

run() {
	export SKYJOIN_GPU=1
	logs=$(mktemp -d)
	trap 'rm -rf "$logs"' EXIT
	(cd internal/cuda && "$root/bin/cuda.test" -test.timeout 5m)
	parts | JOBS=${JOBS:-4} all "$logs/tests" "$root/bin/gpu.test" -test.timeout 10m
	skip="$(parts | cut -d/ -f1 | sort -u | paste -sd'|')"
	[ "${BENCHMARKS:-}" = yes ] || skip="$skip|$published"
	(cd gpu && "$root/bin/gpu.test" -test.timeout 20m -test.skip "$skip")
	if ! command -v compute-sanitizer >/dev/null; then
		echo "compute-sanitizer is not installed: kernels are not checked for races and stray accesses" >&2
		exit 1
	fi
	# Every answer of the driver is checked in Go: the tools need not.
	check="timeout ${LIMIT:-300} compute-sanitizer --error-exitcode 1 --report-api-errors no"
	export SKYJOIN_GPU_CACHE=off
	echo "compute-sanitizer --tool memcheck"
	memcheck | all "$logs/memcheck" $check --tool memcheck "$root/bin/gpu.test" -test.short
	unchecked "$logs/memcheck" .
	echo "compute-sanitizer --tool racecheck"
	racecheck | all "$logs/racecheck" $check --tool racecheck "$root/bin/gpu.test" -test.short
	unchecked "$logs/racecheck" "$shared"
}

# unchecked LOGS PATTERN: no such kernel of the image may be left that no part
# has run.
unchecked() {
	command -v cuobjdump >/dev/null || return 0
	zstd -dqf gpu/kernels/sm_90.cubin.zst -o "$1.cubin"
	cuobjdump --dump-elf-symbols "$1.cubin" | awk '/STT_FUNC/ && $NF !~ /\$/ { print $NF }' | grep -E "$2" | sort >"$1.image"
	sort -u "$1"/*.kernels >"$1.run"
	left=$(comm -23 "$1.image" "$1.run")
	if [ -n "$left" ]; then
		echo "no part runs the kernels" $left >&2
		exit 1
	fi
	echo "$(wc -l <"$1.image") kernels"
}

case ${1:-all} in
build) build ;;
run) run ;;
all)
	build
	run
	;;
*)
	echo "usage: $0 [build|run]" >&2
	exit 2
	;;
esac
