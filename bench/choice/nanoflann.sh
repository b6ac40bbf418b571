#!/bin/sh
# Times the choice beside nanoflann, on one thread, for 20,000 even points in 6-D
# within 11.6, and for some cells of the grid.
#
# usage: nanoflann.sh CHOICE NANOFLANN FILE.csv
set -e
beside() { "$choice" -algorithms grid -nanoflann "$nanoflann" -patience 100 -limit 60s -o "$file" "$@" >/dev/null; }
choice=$1 nanoflann=$2 file=$3
beside -data uniform -n 20000 -d 6 -radius 11.6
for data in uniform expo clumps; do
	beside -data $data -n 20000 -d 2,3,6 -s 10
	beside -data $data -n 1e6 -d 2,3 -s 10
done
beside -data uniform,expo -n 100000 -d 6,8 -s 1
