#!/usr/bin/env bash
# Clusters a sky catalog and counts pairs in tiles on a real Slurm, and compares
# what comes of it with what one process writes, byte for byte. Slurm runs on this machine, on ports and
# in folders of its own: munged, slurmctld and four virtual nodes with slurmd.
# Debian: apt-get install slurm-wlm munge.
#
#   tiles/test-slurm.sh bin/cluster [rows]
set -euo pipefail
cluster=$(realpath "$1")
rows=${2:-5000000}
dir=$(mktemp -d)
pids=()
finish() {
	status=$?
	[ $status = 0 ] || find "$dir"/log "$dir"/*/logs -name '*.log' -size +0 -exec tail -n 5 {} + 2>/dev/null || true
	for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
	wait 2>/dev/null || true
	rm -rf "$dir"
	exit $status
}
trap finish EXIT
say() { printf '%4d s  %s\n' $SECONDS "$*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

# The scheduler.
export PATH=$PATH:/usr/sbin
for program in munged slurmctld slurmd sbatch squeue scontrol scancel; do
	command -v $program >/dev/null || fail "$program is not there; install slurm-wlm and munge"
done
port=$((20000 + $$ % 20000))
export SLURM_CONF=$dir/slurm.conf
mkdir "$dir/log" "$dir/state" "$dir/spool"
chmod 755 "$dir"
(umask 077 && head -c 1024 /dev/urandom >"$dir/munge.key")
cat >"$SLURM_CONF" <<CONF
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=1
UnkillableStepTimeout=10
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=1
PriorityType=priority/basic
PropagateResourceLimits=NONE
NodeName=n[1-4] NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 4))] CPUs=1 RealMemory=4000
PartitionName=all Nodes=ALL Default=YES State=UP
CONF
munged --foreground --force --socket="$dir/munge.socket" --key-file="$dir/munge.key" --pid-file="$dir/munged.pid" \
	--log-file="$dir/log/munged.log" --seed-file="$dir/munge.seed" >"$dir/log/munged.out" 2>&1 & pids+=($!)
for _ in $(seq 50); do [ -S "$dir/munge.socket" ] && break; sleep 0.1; done
slurmctld -D -c >"$dir/log/slurmctld.log" 2>&1 & pids+=($!)
for n in 1 2 3 4; do
	mkdir "$dir/spool/n$n"
	slurmd -D -N n$n >"$dir/log/slurmd.n$n.log" 2>&1 & pids+=($!)
done
for i in $(seq 100); do
	[ "$(sinfo --noheader --format=%t%D 2>/dev/null)" = idle4 ] && break
	[ "$i" -lt 100 ] || fail "the nodes do not come up: $(sinfo 2>&1)"
	sleep 0.2
done
say "Slurm is up: $(sinfo --version), 4 nodes"

# A catalog of the whole sky, and the answer. The largest cluster is the
# Galactic plane, which many tiles cut through.
cd "$dir"
what="--eps 3arcmin --min-points 8"
"$cluster" gen galaxy -n "$rows" --seed 5 -o sky.parquet -q
"$cluster" dbscan sky.parquet $what -o one.parquet --json | grep -o '"result".*'
say "one process is done"
submit() { # folder, flags
	"$cluster" submit slurm "$1" --poll 1s --quiet --json "${@:2}" | grep -o '"result".*'
}
same() { cmp "$1" one.parquet || fail "the labels of $1 are not those of one process"; }

for tiles in 1 7 64; do
	"$cluster" plan dbscan sky.parquet $what --tiles $tiles -o plan$tiles -q
	if [ $tiles = 64 ]; then # while it runs: a tile is killed, one is run twice, a node is drained
		submit plan64 &
		submitted=$!
		for _ in $(seq 600); do
			running=$(squeue --noheader --states=R --format=%i | head -n 1)
			[ -n "$running" ] && break
			sleep 0.1
		done
		scancel --signal=KILL --full "$running" || true
		say "killed task $running"
		"$cluster" tile plan64 --index 63 -q &
		scontrol update NodeName=n4 State=DRAIN Reason=test
		wait $submitted || fail "submit of 64 tiles"
		wait %+ 2>/dev/null || true
		scontrol update NodeName=n4 State=RESUME
	else
		submit plan$tiles
	fi
	"$cluster" merge plan$tiles -o out$tiles.parquet -q
	same out$tiles.parquet
	say "$tiles tiles: the same bytes"
done

# A name that shells and Slurm would read as more than one.
odd='p '"'"'"$(touch PWNED);{}%j'
"$cluster" plan dbscan sky.parquet $what --tiles 3 -o "$odd" -q
submit "$odd" --retries 0
[ ! -e PWNED ] || fail "a name was run as a command"
ls "$odd"/logs/merge-[0-9]*.log >/dev/null || fail "the logs are elsewhere"
"$cluster" merge "$odd" -o odd.parquet -q
same odd.parquet
say "a plan with an odd name: the same bytes"

# Pairs: their bins are those of one process.
"$cluster" gen galaxy -n 20000 --seed 6 -o few.parquet -q
"$cluster" gen sphere -n 30000 --seed 7 -o random.parquet -q
bins="few.parquet --bins log:0.02deg:3deg:8"
for command in hist "corr --random random.parquet --patches healpix:2"; do
	name=${command%% *}
	"$cluster" $command $bins -o $name.csv -q
	"$cluster" plan $command $bins --tiles 5 -o $name -q
	submit $name
	"$cluster" merge $name -o $name-merged.csv -q
	cmp $name.csv $name-merged.csv || fail "the bins of $name are not those of one process"
	say "$name in 5 tiles: the same bytes"
done

# Eight partitions, one of them damaged after the plan was made: the tiles that need
# it fail, the rest stands, and merge names it.
mkdir parts
for i in 0 1 2 3 4 5 6 7; do
	"$cluster" gen sky -n $((rows / 50)) --centre $((i * 5 - 20)),$((i * 9 - 30)) --seed $i -o parts/part$i.parquet -q
done
"$cluster" plan dbscan parts --eps 20arcsec --min-points 8 --tiles 12 --stage no -o broken -q
size=$(stat --format=%s parts/part5.parquet)
touch --reference=parts/part5.parquet time # as if the disk had done it
dd if=/dev/urandom of=parts/part5.parquet bs=1 seek=$((size / 3)) count=4096 conv=notrunc status=none
touch --reference=time parts/part5.parquet
if submit broken --retries 0 2>submit.err; then fail "a damaged partition was not noticed"; fi
[ "$(wc -l <submit.err)" -le 2 ] || fail "the message has many lines: $(cat submit.err)"
if "$cluster" merge broken -q 2>merge.err; then fail "merge of what is not whole"; fi
grep -q 'part5' merge.err || fail "merge does not name the partition: $(cat merge.err)"
"$cluster" status broken --json | grep -q '"failed":\[[0-9]' || fail "status: $("$cluster" status broken)"
"$cluster" status broken --json | grep -q '"done":\[[0-9]' || fail "no tile is done: $("$cluster" status broken)"
say "a damaged partition: $(cat merge.err)"
