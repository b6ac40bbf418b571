package tiles

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"skyjoin/internal/healpix"
	"skyjoin/internal/size"
	"skyjoin/neighbors"
)

// cut chooses how many tiles there are and where the cuts lie.
func (p *Plan) cut(r *Request, s *sample) error {
	n := r.Tiles
	if n == 0 && r.TileRows > 0 {
		n = int((p.Rows() + r.TileRows - 1) / r.TileRows)
	}
	if n > MaxTiles {
		return fmt.Errorf("%w: %d tiles, there can be at most %d; give tiles more rows", neighbors.ErrRequest, n, MaxTiles)
	}
	if n > 0 || r.Memory == 0 {
		p.cutInto(max(n, 1), s)
		return nil
	}
	columns, sky := len(p.Sets[0].Columns), p.Metric.onSky()
	if least := tileMemory(1, columns, sky); least > r.Memory {
		need, allowed := size.Texts(least, r.Memory)
		return fmt.Errorf("%w: a tile takes %s at least, %s are allowed", neighbors.ErrMemory, need, allowed)
	}
	last := int64(math.MaxInt64)
	for n = 1; ; n += max(1, n/3) {
		p.cutInto(n, s)
		p.expect(p.division(-1), s)
		largest := int64(0)
		for _, t := range p.Tiles {
			largest = max(largest, t.Memory)
		}
		switch {
		case largest <= r.Memory:
			return nil
		case n > 64 && largest >= last-last/10 || n > MaxTiles:
			need, allowed := size.Texts(largest, r.Memory)
			return fmt.Errorf("%w: a tile takes %s however many there are, because so many rows are within the radius; %s are allowed", neighbors.ErrMemory, need, allowed)
		}
		if n%4 == 0 {
			last = largest
		}
		if n == 1 { // tiles that have too many rows even without halos need not be cut
			for tileMemory(p.Tiles[0].Rows/int64(n+1), columns, sky) > r.Memory && n < MaxTiles {
				n++
			}
		}
	}
}

func (p *Plan) cutInto(n int, s *sample) {
	if p.Metric.onSky() {
		p.cuts = cutSky(s.sky, n, p.Metric.angle(p.Radius), s.bounds)
	} else {
		p.tree = cutBox(s.box, n, p.Radius)
	}
}

// hatsName matches the cell of a HATS partition in its path.
var hatsName = regexp.MustCompile(`Norder=(\d{1,2})/(?:Dir=\d+/)?Npix=(\d{1,18})`)

// partitions returns where the HATS partitions of a catalog begin, as cells of
// the finest order, and their rows; nil if it is not partitioned so.
func partitions(s *Set) (begin []int64) {
	for _, f := range s.Files {
		m := hatsName.FindStringSubmatch(filepath.ToSlash(f.Path))
		if m == nil {
			return nil
		}
		order, _ := strconv.Atoi(m[1])
		cell, _ := strconv.ParseInt(m[2], 10, 64)
		if order > healpix.MaxOrder || cell >= healpix.Cells(order) {
			return nil
		}
		lo, hi := healpix.Range(order, cell)
		begin = append(begin, lo, hi)
	}
	slices.Sort(begin)
	return slices.Compact(begin)
}
