#!/usr/bin/env bash
# The GPU tests on a card. "build" makes the test binaries, "run" runs them,
# and neither does both: the machine with the card needs no Go.
#
#   gpu/test-gpu.sh build       bin/gpu.test, bin/cuda.test; see the Makefile for the environment
#   gpu/test-gpu.sh run         the tests, then a short part under compute-sanitizer
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

# What the checkers run: every join kernel and two published patterns in every
# dimension, in open space, periodic boxes and joins of two sets; DBSCAN; finer
# cells; the K nearest; sky and scaled metrics, float32 columns, points in one
# place. They slow kernels down by a factor of 10 to 100. What is left out: other
# orders and numbers of threads, which choose no other code, and large inputs.
short='TestEveryKernel|TestPatternsConform/./(float32|five_columns)|TestConformance/(float32|five_columns|scaled_box|sphere|poles|identical|corner|box3d)|TestFineCellsConform|TestClusterEqualsCPU'

build() {
	mkdir -p bin
	"${GO:-go}" test -tags cuda -c -o bin/gpu.test ./gpu
	"${GO:-go}" test -tags cuda -c -o bin/cuda.test ./internal/cuda
}

run() {
	export SKYJOIN_GPU=1
	(cd internal/cuda && "$root/bin/cuda.test" -test.timeout 5m)
	(cd gpu && "$root/bin/gpu.test" -test.timeout 10m)
	if ! command -v compute-sanitizer >/dev/null; then
		echo "compute-sanitizer is not installed: kernels are not checked for races and stray accesses" >&2
		exit 1
	fi
	for tool in memcheck racecheck; do
		echo "compute-sanitizer --tool $tool"
		(cd gpu && SKYJOIN_GPU_CACHE=off compute-sanitizer --tool "$tool" --error-exitcode 1 "$root/bin/gpu.test" -test.short -test.timeout 10m -test.run "${SKYJOIN_SANITIZE:-$short}")
	done
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
