package tiles

import (
	"math"
	"path/filepath"
	"slices"

	"skyjoin/dbscan"
	"skyjoin/internal/healpix"
)

// sound reports whether a plan is consistent. It is called before anything relies on
// the plan, since plans get edited and disks damage files.
func (p *Plan) sound() bool {
	c, known := commands[p.Command]
	if !known || len(p.Sets) == 0 || !c.fits(p) || !(p.Radius > 0) || math.IsInf(p.Radius, 0) {
		return false
	}
	for i := range p.Sets {
		if s := &p.Sets[i]; !s.sound() || len(s.Columns) != len(p.Sets[0].Columns) {
			return false
		}
	}
	if !p.Metric.sound(len(p.Sets[0].Columns)) {
		return false
	}
	if p.Metric.onSky() {
		return soundCuts(p.cuts)
	}
	return soundTree(p.tree, len(p.Sets[0].Columns))
}

func (s *Set) sound() bool {
	if len(s.Files) == 0 || len(s.Columns) == 0 || len(s.Narrow) != len(s.Columns) || len(s.Units) != len(s.Columns) || !(s.Largest >= 0) || math.IsInf(s.Largest, 0) {
		return false
	}
	rows := int64(0)
	for _, f := range s.Files {
		if !filepath.IsAbs(f.Path) || filepath.Clean(f.Path) != f.Path || f.Rows < 0 || f.Rows > s.Rows-rows {
			return false
		}
		rows += f.Rows
	}
	return rows == s.Rows
}

func (d *DBSCAN) sound() bool {
	_, err := dbscan.ParseBorder(d.Border)
	return err == nil
}

func soundCuts(cuts []int64) bool {
	n := len(cuts)
	return n >= 2 && n-1 <= MaxTiles && cuts[0] == 0 && cuts[n-1] == healpix.Cells(healpix.MaxOrder) && slices.IsSorted(cuts)
}

// soundTree reports whether nodes are a tree: each but the first has one parent,
// before it, and leaves are numbered in their order.
func soundTree(tree []boxNode, axes int) bool {
	parents := make([]int, len(tree))
	leaves := 0
	for i, n := range tree {
		switch {
		case n.Axis >= axes || math.IsNaN(n.Cut):
			return false
		case n.Axis >= 0:
			if n.Left <= i || n.Right <= i || n.Left >= len(tree) || n.Right >= len(tree) {
				return false
			}
			parents[n.Left]++
			parents[n.Right]++
		case n.Left != leaves:
			return false
		default:
			leaves++
		}
	}
	for i, n := range parents {
		if n != min(i, 1) {
			return false
		}
	}
	return leaves > 0 && leaves <= MaxTiles
}
