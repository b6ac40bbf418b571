package plot

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/dbscan"
	"skyjoin/internal/each"
	"skyjoin/io/figure"
)

// kDistance draws the curve of kdist with its knee and elbow, and with the plateau, which
// is of a scan, if the table records it.
func (d *drawing) kDistance(ctx context.Context) error {
	t, err := d.table(ctx, "kdist")
	if err != nil {
		return err
	}
	v, err := t.numbers(ctx, "kdist")
	if err != nil {
		return err
	}
	curve := slices.Sorted(slices.Values(v[0]))
	k, _ := strconv.Atoi(t.parameter("k")) // 0 if the table does not say
	f := figure.KDistance{Distances: curve, K: k, Unit: t.unit("kdist"), Style: d.Out.Of()}
	f.Plateau, _ = strconv.ParseFloat(t.parameter("plateau"), 64)
	if knee, _ := dbscan.FindKnee(curve); knee.Distance > 0 {
		f.Knee = knee.Distance
	}
	if elbow, found := dbscan.FindElbow(curve); found {
		f.Elbow = elbow.Distance
	}
	return d.show(ctx, f)
}

// scan draws the curves of one --min-points with the plateau.
func (d *drawing) scan(ctx context.Context) error {
	t, err := d.table(ctx, "eps")
	if err != nil {
		return err
	}
	v, err := t.numbers(ctx, "eps", "clusters", "core", "border", "noise", "largest", "stability", "min_points")
	if err != nil {
		return err
	}
	f := figure.EpsilonScan{Unit: t.unit("eps"), Style: d.Out.Of()}
	for i := range v[0] {
		if v[7][i] != v[7][0] {
			return exit.Usagef("%s: scans of --min-points %v and %v; choose one, as in --where \"min_points == %v\"", t.path, v[7][0], v[7][i], v[7][0])
		}
		clustered := v[2][i] + v[3][i]
		rows := max(clustered+v[4][i], 1)
		f.Epsilon, f.Clustered = append(f.Epsilon, v[0][i]), append(f.Clustered, clustered/rows)
		f.Largest, f.Stability = append(f.Largest, v[5][i]/rows), append(f.Stability, v[6][i])
		f.Clusters, f.MinPoints = append(f.Clusters, int(v[1][i])), int(v[7][i])
	}
	if radii := parameterList(t.parameter(fmt.Sprintf("plateau-%d", f.MinPoints))); len(radii) == 3 {
		step := func(text string) int {
			eps, _ := strconv.ParseFloat(text, 64)
			return slices.Index(f.Epsilon, eps)
		}
		if first, last, chosen := step(radii[0]), step(radii[1]), step(radii[2]); first >= 0 && first <= chosen && chosen <= last {
			f.First, f.Last, f.Chosen = first, last, chosen
		}
	}
	return d.show(ctx, f)
}

// reachability draws the rows of optics in its order.
func (d *drawing) reachability(ctx context.Context) error {
	t, err := d.table(ctx, "order")
	if err != nil {
		return err
	}
	v, err := t.numbers(ctx, "order", "reachability")
	if err != nil {
		return err
	}
	labels, err := d.labelsOf(ctx, t)
	if err != nil {
		return err
	}
	at := each.To(len(v[0]), func(i int) int { return i })
	slices.SortStableFunc(at, func(a, b int) int { return int(v[0][a] - v[0][b]) })
	f := figure.Reachability{Unit: t.unit("reachability"), Style: d.Out.Of()}
	for _, i := range at {
		r := v[1][i]
		if math.IsNaN(r) {
			r = math.Inf(1)
		}
		f.Reachability = append(f.Reachability, r)
		if labels != nil {
			f.Labels = append(f.Labels, labels[i])
		}
	}
	return d.show(ctx, f)
}
