package hdbscan

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/hdbscan"
	"skyjoin/io/catalog"
)

// treeColumns are the columns of a --tree that a selection needs.
var treeColumns = []string{"min_cluster_size", "parent", "child", "row", "height", "weight"}

// restore reads the condensed trees of --from-tree and selects clusters from them.
func (r *result) restore(ctx context.Context) error {
	cat, err := flags.OpenCatalog(ctx, []string{r.options.fromTree}, catalog.Options{Threads: r.job.Run.Count()})
	if err != nil {
		return err
	}
	defer cat.Close()
	if err := r.origin(cat.Metadata()); err != nil {
		return err
	}
	for i, name := range treeColumns {
		f, err := cat.Field(name)
		if err != nil {
			return exit.Usagef("--from-tree %s: it is not a file of --tree: %s", r.options.fromTree, exit.Message(err))
		}
		if whole := i >= 1 && i <= 3; !f.Type.IsNumber() || whole && !f.Type.IsInteger() {
			return exit.Usagef("--from-tree %s: %s is %s, which no --tree has", r.options.fromTree, name, f.Text)
		}
	}
	cols, err := job.ReadColumns(ctx, cat, treeColumns...)
	if err != nil {
		return err
	}
	used, next := r.job.Rows(), 0 // which ascend, as those of a tree do
	var stored []*hdbscan.Stored
	var seen [][]bool
	for i := range cols[0].Len() {
		size, parent, child, row := number(&cols[0], i), cols[1].Int64[i], cols[2].Int64[i], cols[3].Int64[i]
		if len(stored) == 0 || stored[len(stored)-1].MinClusterSize != size {
			n := len(used)
			stored = append(stored, &hdbscan.Stored{MinClusterSize: size, Cluster: make([]int32, n), Height: make([]float64, n), Weights: make([]float64, n), Threads: r.job.Run.Count()})
			seen = append(seen, make([]bool, n))
		}
		s := stored[len(stored)-1]
		if parent < 0 || parent > math.MaxInt32 {
			return r.foreign("parent", parent)
		}
		if child >= 0 {
			if child != int64(len(s.Parents)+1) {
				return r.foreign("child", child)
			}
			s.Parents, s.Births = append(s.Parents, int32(parent)), append(s.Births, number(&cols[4], i))
			continue
		}
		at, ok := next, next < len(used) && used[next] == row
		if !ok {
			at, ok = slices.BinarySearch(used, row)
		}
		if next = at + 1; !ok || seen[len(seen)-1][at] {
			return r.foreign("row", row)
		}
		seen[len(seen)-1][at] = true
		s.Cluster[at], s.Height[at], s.Weights[at] = int32(parent), number(&cols[4], i), number(&cols[5], i)
	}
	if len(stored) == 0 {
		return exit.Usagef("--from-tree %s: it has no rows", r.options.fromTree)
	}
	for k, s := range stored {
		for at, ok := range seen[k] {
			if !ok {
				return exit.Usagef("--from-tree %s: it does not have row %d of the catalog; it is the tree of other rows", r.options.fromTree, used[at])
			}
		}
		if err := r.selectFrom(s); err != nil {
			return err
		}
	}
	return nil
}

// geometryKeys are the parameters that distances depend on.
var geometryKeys = []string{"columns", "metric", "distance", "h0", "omega-m", "box", "scale"}

// origin refuses a tree whose metadata say that it was built from other rows or with
// other distances, and takes its alpha from them. CSV has no metadata.
func (r *result) origin(metadata []catalog.KeyValue) error {
	tree, run := values(metadata), values(r.job.Params.Metadata)
	if tree["metric"] == "" {
		return nil
	}
	for _, key := range geometryKeys {
		if tree[key] != run[key] {
			return exit.Usagef("--from-tree %s: its tree was built with --%s %s, and this run has %s", r.options.fromTree, key, cmp.Or(tree[key], "none"), cmp.Or(run[key], "none"))
		}
	}
	if alpha, err := strconv.ParseFloat(tree["alpha"], 64); err == nil {
		r.alpha = alpha
	}
	r.origins = tree
	if was := tree[coordinatesKey]; was != "" && was != r.coordinates() {
		return exit.Usagef("--from-tree %s: its tree was built from rows with other coordinates; give the catalog of the run that wrote it", r.options.fromTree)
	}
	return nil
}

// originParameters names how the tree of --from-tree was built, as 'cluster predict' needs
// to build it again.
func (r *result) originParameters() {
	p := r.job.Params
	for _, name := range []string{"min-samples", "alpha"} {
		if v, err := strconv.ParseFloat(r.origins[name], 64); err == nil {
			p.Number(name, v)
		}
	}
	p.Text("weights", r.origins["weights"])
	p.Text("ties", r.origins["ties"])
}

// coordinatesKey is the parameter of a tree that tells its rows from others.
const coordinatesKey = "coordinates"

// coordinates is a checksum (FNV-1a, 64 bits) of the coordinates of all rows used.
func (r *result) coordinates() string {
	points, sum := r.job.Sel.Points, fnv.New64a()
	var b [8]byte
	for j := range points.Dim() {
		column := points.Column(j)
		for i := range points.Len() {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(column.At(i)+0)) // -0 is 0
			sum.Write(b[:])
		}
	}
	return fmt.Sprintf("%016x", sum.Sum64())
}

// values are the parameters of a run by name.
func values(metadata []catalog.KeyValue) map[string]string {
	m := map[string]string{}
	for _, kv := range metadata {
		if name, ok := strings.CutPrefix(kv.Key, report.MetadataPrefix); ok {
			m[name] = kv.Value
		}
	}
	return m
}

// foreign is the error for a value that the tree of this catalog cannot have.
func (r *result) foreign(column string, value int64) error {
	return exit.Usagef("--from-tree %s: %s %d does not belong to the rows that are used; give the catalog, --where and columns of the run that wrote it", r.options.fromTree, column, value)
}

// selectFrom selects clusters from one tree.
func (r *result) selectFrom(s *hdbscan.Stored) error {
	even := true
	for _, w := range s.Weights {
		even = even && w == 1
	}
	if even {
		s.Weights = nil
	}
	c, err := s.Restore()
	if err != nil {
		return err
	}
	k, err := c.Select(r.selection)
	if err != nil {
		return err
	}
	r.answers = append(r.answers, answer{size: s.MinClusterSize, condensed: c, clustering: k})
	return nil
}

// number returns a value of a column of numbers.
func number(c *catalog.Column, i int) float64 {
	switch {
	case c.Float64 != nil:
		return c.Float64[i]
	case c.Float32 != nil:
		return float64(c.Float32[i])
	case c.Uint64 != nil:
		return float64(c.Uint64[i])
	}
	return float64(c.Int64[i])
}
