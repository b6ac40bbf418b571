#!/bin/sh
# A mock Gaia field with true memberships, clustered on sky position, proper
# motion and parallax. Everything it makes is in demo/.
set -eu
cluster=bin/cluster
mkdir -p demo

run() {
	printf '\n$ %s\n' "$*"
	"$@"
}

find="--columns ra,dec,pmra,pmdec,parallax --metric sky --scale 0.25deg,0.6,0.6,0.2 --eps 1 --min-points 40"

run $cluster gen sky -n 40000 --seed 1 --force -o demo/field.parquet
run $cluster dbscan demo/field.parquet $find --force \
	-o demo/labelled.parquet --clusters demo/clusters.csv -p demo/map.png

printf '\ntrue cluster   stars   found   as cluster   pure\n'
$cluster dbscan demo/field.parquet $find -q -o - | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ truth = $at["true_cluster"]; label = $at["cluster"]
	  stars[truth]++; size[label]++; both[truth, label]++ }
	END { for (truth = 0; truth in stars; truth++) {
		best = -1
		for (label = 0; label in size; label++)
			if (best < 0 || both[truth, label] > both[truth, best]) best = label
		printf "%12d %7d %6.0f%% %12d %5.0f%%\n", truth, stars[truth],
			100 * both[truth, best] / stars[truth], best, 100 * both[truth, best] / size[best] } }'
printf '\nLook at demo/map.png and demo/clusters.csv.\n'
