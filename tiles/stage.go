package tiles

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"skyjoin/internal/each"
	"skyjoin/neighbors"
)

// Staging copies the rows that each tile reads into the plan: one file of blocks for
// each tile and set. The flags of a row give its role in the tile; its coordinates
// (4 or 8 bytes each) and its weight (8 bytes) follow.

// The roles of a row in a tile.
const (
	haloRow   = 0
	ownRow    = 1
	sharedRow = 2 // an own row that is in the halo of another tile
)

// valueBytes returns the size in bytes of the coordinates and weight of a row.
func (s *Set) valueBytes() (n int) {
	for _, narrow := range s.Narrow {
		if n += 8; narrow {
			n -= 4
		}
	}
	if s.Weights != "" {
		n += 8
	}
	return n
}

func stagePath(dir string, tile, set int) string {
	return filepath.Join(dir, rowsDir, fmt.Sprintf("%05d-%d.rows", tile, set))
}

// stageBuffer is how many bytes of rows are buffered for all tiles together, at most;
// each tile gets at least stageBlock.
const (
	stageBuffer = 64 << 20
	stageBlock  = 8 << 10
)

// stage reads all sets once and writes the rows of each tile.
func (p *Plan) stage(ctx context.Context, dir string, d division, r *Request) error {
	buffer, done := stageBuffer, int64(0)
	if r.Memory > 0 {
		buffer = int(min(int64(buffer), r.Memory/4))
	}
	if err := os.Mkdir(filepath.Join(dir, rowsDir), 0o777); err != nil {
		return err
	}
	d.complete()
	for set := range p.Sets {
		s := &p.Sets[set]
		most := max(min(buffer/len(p.Tiles), int(s.Rows)*(s.valueBytes()+2)), stageBlock)
		out := each.To(len(p.Tiles), func(t int) *blockWriter { return newBlockWriter(stagePath(dir, t, set), most, s.valueBytes()) })
		all := each.To(len(p.parts[set]), func(i int) int { return i })
		err := p.eachBlock(ctx, set, all, r.Threads, func(b *block) error {
			placed := placeAll(d, b, r.Threads)
			values := b.values()
			for i := range b.sel.Points.Len() {
				owner, near := placed.at(i)
				what := uint64(ownRow)
				if len(near) > 1 {
					what = sharedRow
				}
				if err := values.append(out[owner], i, what); err != nil {
					return err
				}
				for _, t := range near {
					if t == owner {
						continue
					}
					if err := values.append(out[t], i, haloRow); err != nil {
						return err
					}
				}
			}
			done += b.sel.Total
			r.Progress("divide", done, p.Rows())
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		for _, w := range out {
			if err := w.end(); err != nil {
				return err
			}
		}
	}
	return nil
}

// values are the columns of a block that are staged.
type values struct {
	b       *block
	cols    []neighbors.Column
	weights []float64
}

func (b *block) values() *values {
	v := &values{b: b, weights: b.sel.Weights}
	for j := range b.sel.Points.Dim() {
		v.cols = append(v.cols, b.sel.Points.Column(j))
	}
	return v
}

// append appends row i of the block.
func (v *values) append(w *blockWriter, i int, what uint64) error {
	if err := w.begin(v.b.row(i), what); err != nil {
		return err
	}
	le := binary.LittleEndian
	for j := range v.cols {
		if c := &v.cols[j]; c.Float32 != nil {
			w.b = le.AppendUint32(w.b, math.Float32bits(c.Float32[i]))
		} else {
			w.b = le.AppendUint64(w.b, math.Float64bits(c.Float64[i]))
		}
	}
	if v.weights != nil {
		w.b = le.AppendUint64(w.b, math.Float64bits(v.weights[i]))
	}
	return nil
}

// unstage reads the staged rows of a tile.
func (p *Plan) unstage(tile, set int) (*rows, error) {
	s := &p.Sets[set]
	path := stagePath(p.dir, tile, set)
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	size := s.valueBytes()
	out := newRows(s, st.Size()/int64(size+1)+1)
	le := binary.LittleEndian
	err = readBlocks(path, 0, math.MaxInt64, func(n int, b []byte) error {
		in := &blockRow{b: b}
		for range n {
			row, what, err := in.next(size)
			if err != nil {
				return err
			}
			out.row, out.own = append(out.row, row), append(out.own, what != haloRow)
			if len(p.Sets) > 1 {
				out.shared = append(out.shared, what == sharedRow)
			}
			v := in.b
			for j := range out.cols {
				c := &out.cols[j]
				if s.Narrow[j] {
					c.Float32 = append(c.Float32, math.Float32frombits(le.Uint32(v)))
					v = v[4:]
				} else {
					c.Float64 = append(c.Float64, math.Float64frombits(le.Uint64(v)))
					v = v[8:]
				}
			}
			if s.Weights != "" {
				out.weights = append(out.weights, math.Float64frombits(le.Uint64(v)))
			}
			in.b = in.b[size:]
		}
		return nil
	})
	if errors.Is(err, errDamaged) {
		return nil, planf("%s is damaged (%w); make the plan anew", path, err)
	}
	return out, err
}
