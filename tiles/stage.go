package tiles

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
)

// Staged rows are a file for each tile and set, of blocks of rows in their
// order. A block is the number of its rows and the CRC-32C of what follows,
// both 4 bytes, little endian as everything, and then column by column: row
// numbers (8 bytes each), what the tile has to do with the row (1 byte), the
// coordinates (4 or 8 bytes) and the weights (8 bytes). A block of no rows
// ends the file.

const stageHead = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// What a tile has to do with a row.
const (
	haloRow   = 0
	ownRow    = 1
	sharedRow = 2 // an own row that is in the halo of another tile
)

func (s *Set) rowBytes() int {
	n := 8 + 1
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

// stageBuffer is how many bytes of rows are held, of all tiles, before they are
// written.
const stageBuffer = 64 << 20

// stage reads all sets once and writes the rows of each tile.
func (p *Plan) stage(ctx context.Context, dir string, d division, threads int, progress func(rows int64)) error {
	if err := os.Mkdir(filepath.Join(dir, rowsDir), 0o777); err != nil {
		return err
	}
	for set := range p.Sets {
		s := &p.Sets[set]
		most := max(stageBuffer/len(p.Tiles)/s.rowBytes(), 256)
		out := make([]*rows, len(p.Tiles))
		for t := range out {
			out[t] = newRows(s, int64(most))
			out[t].shared = make([]bool, 0, most)
		}
		all := make([]int, len(p.parts[set]))
		for i := range all {
			all[i] = i
		}
		var buf []byte
		flush := func(t int) (err error) {
			if buf, err = appendBlock(buf[:0], out[t]); err != nil {
				return err
			}
			out[t].clear()
			return appendFile(stagePath(dir, t, set), buf)
		}
		err := p.eachBlock(ctx, set, all, threads, func(b *block) error {
			placed := placeAll(d, b, threads)
			for i := range b.sel.Points.Len() {
				owner, near := placed.at(i)
				for _, t := range near {
					if t == owner {
						continue
					}
					out[t].add(b, i, false)
					out[t].shared = append(out[t].shared, false)
					if len(out[t].row) == most {
						if err := flush(int(t)); err != nil {
							return err
						}
					}
				}
				r := out[owner]
				r.add(b, i, true)
				r.shared = append(r.shared, len(near) > 1)
				if len(r.row) == most {
					if err := flush(int(owner)); err != nil {
						return err
					}
				}
			}
			progress(b.sel.Total)
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		for t := range out {
			for range 2 { // what is left, and the end
				if err := flush(t); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (r *rows) clear() {
	r.row, r.own, r.shared, r.weights = r.row[:0], r.own[:0], r.shared[:0], r.weights[:0:cap(r.weights)]
	for j := range r.cols {
		if r.cols[j].Float32 != nil {
			r.cols[j].Float32 = r.cols[j].Float32[:0]
		} else {
			r.cols[j].Float64 = r.cols[j].Float64[:0]
		}
	}
}

func appendFile(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// appendBlock encodes rows.
func appendBlock(b []byte, r *rows) ([]byte, error) {
	if len(r.row) > math.MaxInt32 {
		return nil, fmt.Errorf("a block of %d rows", len(r.row))
	}
	le := binary.LittleEndian
	start := len(b)
	b = le.AppendUint64(b, uint64(uint32(len(r.row))))
	for _, v := range r.row {
		b = le.AppendUint64(b, uint64(v))
	}
	for i, own := range r.own {
		switch {
		case r.shared[i]:
			b = append(b, sharedRow)
		case own:
			b = append(b, ownRow)
		default:
			b = append(b, haloRow)
		}
	}
	for _, c := range r.cols {
		for _, v := range c.Float32 {
			b = le.AppendUint32(b, math.Float32bits(v))
		}
		for _, v := range c.Float64 {
			b = le.AppendUint64(b, math.Float64bits(v))
		}
	}
	for _, v := range r.weights {
		b = le.AppendUint64(b, math.Float64bits(v))
	}
	le.PutUint32(b[start+4:], crc32.Checksum(b[start+stageHead:], castagnoli))
	return b, nil
}

// unstage reads the staged rows of a tile.
func (p *Plan) unstage(tile, set int) (*rows, error) {
	s := &p.Sets[set]
	path := stagePath(p.dir, tile, set)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	damaged := func(why string) error { return planf("%s is damaged (%s); make the plan anew", path, why) }
	out := newRows(s, st.Size()/int64(s.rowBytes()))
	in := bufio.NewReaderSize(f, 1<<20)
	var head [stageHead]byte
	var b []byte
	le := binary.LittleEndian
	for left := st.Size(); ; {
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return nil, damaged("it ends early")
		}
		n := int(le.Uint32(head[:]))
		left -= stageHead + int64(n)*int64(s.rowBytes())
		if left < 0 {
			return nil, damaged("it ends early")
		}
		if n == 0 {
			break
		}
		if need := n * s.rowBytes(); cap(b) < need {
			b = make([]byte, need)
		} else {
			b = b[:need]
		}
		if _, err := io.ReadFull(in, b); err != nil {
			return nil, damaged("it ends early")
		}
		if crc32.Checksum(b, castagnoli) != le.Uint32(head[4:]) {
			return nil, damaged("its checksum is wrong")
		}
		v := b
		for range n {
			out.row = append(out.row, int64(le.Uint64(v)))
			v = v[8:]
		}
		for _, what := range v[:n] {
			out.own = append(out.own, what != haloRow)
			if len(p.Sets) > 1 {
				out.shared = append(out.shared, what == sharedRow)
			}
		}
		v = v[n:]
		for j := range out.cols {
			c := &out.cols[j]
			for range n {
				if s.Narrow[j] {
					c.Float32 = append(c.Float32, math.Float32frombits(le.Uint32(v)))
					v = v[4:]
				} else {
					c.Float64 = append(c.Float64, math.Float64frombits(le.Uint64(v)))
					v = v[8:]
				}
			}
		}
		for range n {
			if s.Weights == "" {
				break
			}
			out.weights = append(out.weights, math.Float64frombits(le.Uint64(v)))
			v = v[8:]
		}
	}
	return out, nil
}
