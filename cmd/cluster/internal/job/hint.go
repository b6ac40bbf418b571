package job

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// Hints reports whether hints will be shown.
func (j *Job) Hints() bool { return j.Run.JSON || !j.Run.Quiet }

// The rows up to which distances are looked at for a hint, which takes a fraction of
// a second, and how many neighbours.
const (
	mostHinted     = 1 << 20
	hintNeighbours = 1 << 20
	hintRows       = 1000
)

// HalfWithin returns the distance, in the unit in which it is printed, within which
// half of a sample of the rows have their k nearest others: a radius that separates
// dense places from others. It is "" if there are too few rows, or too many to
// search.
func (j *Job) HalfWithin(ctx context.Context, k int, unit string) (string, error) {
	points := j.Sel.Points
	n := points.Len()
	if k < 1 || k >= n || n > mostHinted {
		return "", nil
	}
	some := min(n, hintRows, max(hintNeighbours/(k+1), 1))
	sample := make([]uint32, some)
	for i := range sample {
		sample[i] = uint32(int64(i) * int64(n) / int64(some))
	}
	in := neighbors.Input{Query: points.Subset(sample), Data: points, Metric: j.Metric, Threads: j.Run.Count()}
	table, err := exit.Await(ctx, func() (*neighbors.Table, error) {
		plan, err := neighbors.Prepare(ctx, in, neighbors.Nearest{K: k + 1}) // with the row itself
		if err != nil {
			return nil, err
		}
		return neighbors.Collect(ctx, j.CPU(), plan, 0)
	})
	if err != nil {
		return "", err
	}
	farthest := make([]float64, table.Len())
	for i := range farthest {
		farthest[i] = table.Dists(i)[k]
	}
	slices.Sort(farthest)
	if math.IsInf(farthest[len(farthest)/2], 1) {
		return "", nil // its square is too large
	}
	half := j.InUnit(farthest[len(farthest)/2], unit)
	if !j.Geo.Angle {
		unit = ""
	}
	others := human.Plural(int64(k), "other", "others")
	return fmt.Sprintf("half of the rows have %s within %s", others, strconv.FormatFloat(half, 'g', 4, 64)+unit), nil
}

// HintRadius adds a hint: what is wrong with the radius of a clustering in which a
// row is core with k others near it, and a radius to start from.
func (j *Job) HintRadius(ctx context.Context, k int, unit, wrong string) error {
	half, err := j.HalfWithin(ctx, k, unit)
	if err != nil {
		return err
	}
	if half != "" {
		wrong += "; " + half
	}
	j.Sum.Hint("%s; 'cluster kdist -k %d' advises on radii", wrong, k)
	return nil
}

// hintOfItself adds a hint if the second catalog is the first.
func (j *Job) hintOfItself() {
	a, b := j.Cat.Files(), j.B.Cat.Files()
	first, second := j.Read, *j.ReadB()
	if len(a) != len(b) || first.Where != second.Where || !slices.Equal(j.Geo.Columns, j.B.Geo.Columns) {
		return
	}
	for i := range a {
		if !SameFile(a[i], b[i]) {
			return
		}
	}
	j.Sum.Hint("both catalogs are the same file, so that every row meets itself; name it once for the pairs or groups within it")
}

// SameFile reports whether two files of catalogs are the same table.
func SameFile(a, b catalog.File) bool {
	at, errA := os.Stat(a.Path)
	bt, errB := os.Stat(b.Path)
	return errA == nil && errB == nil && os.SameFile(at, bt) && a.Extension == b.Extension
}
