package published

import (
	"fmt"
	"slices"

	"skyjoin/gpu"
	"skyjoin/internal/each"
	"skyjoin/neighbors"
)

// A way measures columns of a table for every subject of it. before are the values of
// the columns to the left.
type way struct {
	columns []Column
	measure func(b *bench, s *subject, before []float64) ([]float64, error)
}

// A line is a row of a table of ways: the data, and the published values, if there are.
type line struct {
	set
	published []float64
}

// lines are those of sets without published values.
func lines(sets ...set) []line {
	return each.Of(sets, func(s set) line { return line{s, nil} })
}

// compare makes a table in which ways are measured on the data of every line.
func compare(t Table, ways []way, lines ...line) *Table {
	for _, w := range ways {
		t.Columns = append(t.Columns, w.columns...)
	}
	for _, l := range lines {
		t.rows = append(t.rows, row{l.name(), l.published, l.family(), l.along(), func(b *bench) ([]float64, error) {
			if !b.card && !slices.ContainsFunc(t.Columns, onHost) {
				return slices.Repeat([]float64{none}, len(t.Columns)), nil
			}
			s, err := b.subject(l.set)
			if err != nil {
				return nil, err
			}
			return measureWays(b, s, ways)
		}})
	}
	return &t
}

func measureWays(b *bench, s *subject, ways []way) (all []float64, err error) {
	for _, w := range ways {
		if !b.card && !slices.ContainsFunc(w.columns, onHost) {
			all = append(all, slices.Repeat([]float64{none}, len(w.columns))...)
			continue
		}
		got, err := w.measure(b, s, all)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.columns[0].Name, err)
		}
		all = append(all, got...)
	}
	return all, nil
}

// onHost reports whether a column is measured without a GPU.
func onHost(c Column) bool { return !c.Card }

// one is a way of a single column.
func one(name string, card bool, scales int, f func(*bench, *subject) (float64, error)) way {
	return way{[]Column{{name, scales, card}}, func(b *bench, s *subject, _ []float64) ([]float64, error) {
		v, err := f(b, s)
		return []float64{v}, err
	}}
}

// kernels times a join on the GPU.
func kernels(name string, cfg gpu.Config) way {
	return one(name+", s", true, 1, func(b *bench, s *subject) (took float64, err error) {
		err = b.on(cfg, func(j *gpu.Joiner) error { took, err = b.join(s, j, nil); return err })
		return took, err
	})
}

// lanes measures the warp execution efficiency of a published kernel, by the lanes that
// compare a candidate in each step of a warp, and times the join.
func lanes(name string, cfg gpu.Config) way {
	return way{[]Column{{name + ", WEE %", 0, true}, {name + ", s", 1, true}}, func(b *bench, s *subject, _ []float64) (v []float64, err error) {
		err = b.on(cfg, func(j *gpu.Joiner) error {
			p, err := b.plan(s)
			if err != nil {
				return err
			}
			lanes, _, _, err := activeLanes(j, p)
			if err != nil {
				return err
			}
			active, steps := lanes[0], lanes[1]
			if active == steps { // an emulated card runs one lane at a time
				steps = lanes[2]
			}
			took, err := b.join(s, j, nil)
			v = []float64{100 * float64(active) / float64(32*steps), took}
			return err
		})
		return v, err
	}}
}

// rival times a join on all threads of the CPU.
func rival(name string, a neighbors.Algorithm) way {
	return one(name+", s", false, 1, func(b *bench, s *subject) (float64, error) { return b.join(s, b.cpu(a), nil) })
}

// sequential times the search of an R-tree by one thread, the tree being there, for
// blocks of queries spread over all, and takes the others to be like them.
func sequential(name string) way {
	return one(name+", s", false, 1, func(b *bench, s *subject) (float64, error) {
		p, err := b.plan(s)
		if err != nil {
			return 0, err
		}
		j := neighbors.CPU{Threads: 1, Algorithm: neighbors.RTree}
		if err := neighbors.Index(b.ctx, j, p); err != nil {
			return 0, err
		}
		rows := p.Work().Take(p.Len(), 0)
		var sample []uint32
		for lo := 0; lo < len(rows); lo += treeBlock * treeStride {
			sample = append(sample, rows[lo:min(lo+treeBlock, len(rows))]...)
		}
		took, err := seconds(func() error {
			return neighbors.Visit(b.ctx, j, p, neighbors.NewWork(sample, nil), func(int, *neighbors.Batch) error { return nil })
		})
		return took * float64(len(rows)) / float64(len(sample)), err
	})
}

// Of the queries of an R-tree, blocks of so many that follow each other are searched
// for, one in so many.
const (
	treeBlock  = 64
	treeStride = 16
)

// speedup is how many times the seconds of one column are those of another.
func speedup(name string, of, over int, card bool) way {
	return way{[]Column{{name, 0, card}}, func(_ *bench, _ *subject, before []float64) ([]float64, error) {
		return []float64{before[of] / before[over]}, nil
	}}
}
