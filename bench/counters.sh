#!/usr/bin/env bash
# Counters that "cluster reproduce" cannot read by itself, of one of its rows:
#
#   bench/counters.sh gpu 001 "Figure 9"    ncu: occupancy achieved (001, Table 4), bandwidth of
#                                           the L1 cache (001, Table 5), warp execution
#                                           efficiency (000, Tables III to VI), use of units
#                                           (002, Tables 3 and 4)
#   bench/counters.sh cpu 004 "Figure 10"   perf: references and misses of the cache (004, Table 5)
#
# Further arguments go to the command, as --scale 0.1. Both tools read counters of the
# hardware, which many machines refuse to all but root, and virtual ones often to anyone:
# they then say so, and warp execution efficiency is only what the instrumented kernels of
# "cluster reproduce" count.
set -euo pipefail
what=$1
shift
cluster=${CLUSTER:-$(dirname "$0")/../bin/cluster}
case $what in
gpu)
	exec ncu --kernel-name 'regex:^(pattern_(pairs|count)|pairs_)' --launch-count "${LAUNCHES:-3}" --csv \
		--metrics sm__warps_active.avg.pct_of_peak_sustained_active,smsp__thread_inst_executed_per_inst_executed.pct,l1tex__t_bytes.sum.per_second,lts__t_bytes.sum.per_second,sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active,sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active,l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed \
		"$cluster" reproduce "$@"
	;;
cpu) exec perf stat -e cache-references,cache-misses "$cluster" reproduce "$@" ;;
*)
	echo "counters.sh $what: it is gpu or cpu" >&2
	exit 2
	;;
esac
