#!/usr/bin/env bash
# The results of the 2-body paper on a card. "build" makes bin/pairs.test, "run"
# runs it, and neither does both: the machine with the card needs no Go.
#
#   PAIRS   sections: sdh, tiling, output, copies, balance, buffer, rdf, generated,
#           join, grid, columns, cards; all but the last if it is not set
#   POINTS  of buffer, columns and cards instead of theirs
#   CARDS   runs of cards, as BUCKETS:GPUS,… (500:1,500:2,500:4, which takes about
#           260 s of four H100 for 20 million points)
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

build() {
	mkdir -p bin
	"${GO:-go}" test -tags cuda -c -o bin/pairs.test ./gpu
}

run() {
	cd gpu
	SKYJOIN_GPU=1 SKYJOIN_PAIRS=${PAIRS:-} SKYJOIN_PAIRS_POINTS=${POINTS:-} SKYJOIN_PAIRS_CARDS=${CARDS:-} "$root/bin/pairs.test" -test.run TestPairsOfThePaper -test.timeout 20m
}

case ${1:-all} in
build) build ;;
run) run ;;
all)
	build
	run
	;;
esac
