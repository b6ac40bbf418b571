package tiles

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"skyjoin/internal/file"
	"skyjoin/internal/healpix"
	"skyjoin/internal/size"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// A Request says what to plan. Sets, Command, Metric, Radius and what the
// command takes are those of Plan, the files of sets excepted.
type Request struct {
	Plan     *Plan
	Catalogs []*catalog.Catalog // opened, one for each set

	Tiles    int   // number of tiles; 0: by TileRows or Memory
	TileRows int64 // rows of a tile, halo excepted
	Memory   int64 // bytes that a tile may take
	Stage    Staging
	Threads  int
	Progress func(stage string, done, total int64) // may be nil
}

// Staging says whether the plan copies the coordinates of each tile's rows into
// its folder.
type Staging string

// Staging is worth it where the rows of a tile are all over the files.
const (
	StageAuto Staging = "auto" // if tiles would have to decode most rows more than once
	StageYes  Staging = "yes"
	StageNo   Staging = "no"
)

// partRows is how many rows of Parquet files are read at once.
const partRows = 1 << 20

// MaxTiles bounds the number of tiles.
const MaxTiles = 20000

// Make makes a plan in a folder, which must not exist.
func Make(ctx context.Context, dir string, r Request) (*Plan, error) {
	p := r.Plan
	if r.Progress == nil {
		r.Progress = func(string, int64, int64) {}
	}
	p.parts = make([][]catalog.Part, len(p.Sets))
	for i, cat := range r.Catalogs {
		if err := p.describeSet(i, cat); err != nil {
			return nil, err
		}
	}
	for _, s := range p.Sets {
		if s.Rows == 0 && len(p.Sets) == 1 {
			return nil, fmt.Errorf("%s: the table has no rows", s.Files[0].Path)
		}
	}
	if err := p.largestWeights(ctx, &r); err != nil {
		return nil, err
	}
	if p.Match != nil {
		if err := p.reachOfMatch(ctx); err != nil {
			return nil, err
		}
	}
	s, err := p.sample(ctx, &r)
	if err != nil {
		return nil, err
	}
	if err := p.cut(&r, s); err != nil {
		return nil, err
	}
	d := p.division(-1)
	p.expect(d, s)
	wanted := p.needs(d, &r)
	p.Staged = r.Stage == StageYes || r.Stage != StageNo && wanted > 2*p.Rows()
	if p.Staged {
		for i := range p.Tiles {
			p.Tiles[i].Read = 0
		}
	}
	err = file.Folder(dir, false, func(tmp string) error {
		if p.Staged {
			done := int64(0)
			if err := p.stage(ctx, tmp, d, r.Threads, func(rows int64) {
				done += rows
				r.Progress("divide", done, p.Rows())
			}); err != nil {
				return err
			}
		}
		return p.save(ctx, tmp)
	})
	if err != nil {
		return nil, err
	}
	return Open(ctx, dir)
}

// describeSet notes what a set consists of.
func (p *Plan) describeSet(i int, cat *catalog.Catalog) (err error) {
	s := &p.Sets[i]
	if s.Files, err = files(cat); err != nil {
		return err
	}
	s.Rows = cat.Rows()
	p.parts[i] = cat.Parts(partRows)
	// The fields of no rows at all are those of all.
	none, err := cat.Part(catalog.Part{Groups: 0}).Select(context.Background(), p.request(i))
	if err != nil {
		return err
	}
	s.Units, s.Narrow = nil, nil
	for j, f := range none.Fields {
		s.Units = append(s.Units, f.Unit)
		s.Narrow = append(s.Narrow, none.Points.Column(j).Float32 != nil)
	}
	return nil
}

// largestWeights finds the largest weight of usable rows, which weights are
// rounded by, or the largest error, which bounds a match: all rows are read for
// it.
func (p *Plan) largestWeights(ctx context.Context, r *Request) error {
	for i := range p.Sets {
		if p.Sets[i].Weights == "" {
			continue
		}
		all := make([]int, len(p.parts[i]))
		for k := range all {
			all[k] = k
		}
		done := int64(0)
		err := p.eachBlock(ctx, i, all, r.Threads, func(b *block) error {
			for _, w := range b.sel.Weights {
				if w < 0 && p.Match != nil {
					return fmt.Errorf("%w: column %s has the error %v; errors are not negative, --where leaves out such rows", neighbors.ErrRequest, p.Sets[i].Weights, w)
				}
				p.Sets[i].Largest = max(p.Sets[i].Largest, math.Abs(w))
			}
			done += b.sel.Total
			r.Progress("weights", done, p.Sets[i].Rows)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// cut chooses the number of tiles and cuts.
func (p *Plan) cut(r *Request, s *sample) error {
	n := r.Tiles
	if n == 0 && r.TileRows > 0 {
		n = int((p.Rows() + r.TileRows - 1) / r.TileRows)
	}
	if n > MaxTiles {
		return fmt.Errorf("%w: %d tiles, at most %d can be; give tiles more rows", neighbors.ErrRequest, n, MaxTiles)
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
			return fmt.Errorf("%w: a tile takes %s however many there are, as the radius reaches so many rows; %s are allowed", neighbors.ErrMemory, need, allowed)
		}
		if n%4 == 0 {
			last = largest
		}
		if n == 1 { // tiles that have too many rows without halos need not be cut
			for tileMemory(p.Tiles[0].Rows/int64(n+1), columns, sky) > r.Memory && n < MaxTiles {
				n++
			}
		}
	}
}

func (p *Plan) cutInto(n int, s *sample) {
	if p.Metric.onSky() {
		p.Cuts = cutSky(s.sky, n, p.Metric.angle(p.Radius), s.bounds)
	} else {
		p.Tree = cutBox(s.box, n, p.Radius)
	}
}

// hatsName finds the cell of a HATS partition in its path.
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

// needs finds which tiles need which parts, and returns how many rows all tiles
// decode together.
func (p *Plan) needs(d division, r *Request) (total int64) {
	p.reads = make([][][]int, len(p.Tiles))
	for t := range p.reads {
		p.reads[t] = make([][]int, len(p.Sets))
	}
	for set, cat := range r.Catalogs {
		req := p.request(set)
		for k, part := range p.parts[set] {
			need := map[int32]bool{}
			d.touch(cat.Bounds(part, req), need)
			for t := range need {
				p.reads[t][set] = append(p.reads[t][set], k)
				p.Tiles[t].Read += part.Rows
				total += part.Rows
			}
		}
	}
	return total
}

// expect fills in what tiles are expected to take, from the sample.
func (p *Plan) expect(d division, s *sample) {
	n := d.tiles()
	p.Tiles = make([]Tile, n)
	rows, halo, work := make([]float64, n), make([]float64, n), make([]float64, n)
	add := func(owner int32, near []int32, weight, w float64) {
		rows[owner] += weight
		work[owner] += w
		for _, t := range near {
			if t != owner {
				halo[t] += weight
				work[t] += w / 3 // its neighbours are not asked for, but for those that are own
			}
		}
	}
	if p.Metric.onSky() {
		slices.SortFunc(s.sky, func(a, b skyPoint) int { return cmp.Compare(a.cell, b.cell) })
		w := skyWork(s.sky, p.Metric.angle(p.Radius))
		sd := d.(*skyDivision)
		for i, q := range s.sky {
			owner, near := sd.at(q.cell)
			add(owner, near, q.weight, w[i])
		}
	} else {
		w := slices.Clone(s.box)
		(&boxCutter{}).weigh(w, p.Radius)
		sc := &scratch{}
		bd := d.(*boxDivision)
		for _, q := range w { // in another order than s.box
			sc.x = append(sc.x[:0], q.x...)
			owner, near := bd.at(sc)
			add(owner, near, q.rows, q.weight)
		}
	}
	for t := range p.Tiles {
		p.Tiles[t].Rows, p.Tiles[t].Halo = int64(math.Round(rows[t])), int64(math.Round(halo[t]))
		p.Tiles[t].Memory = tileMemory(p.Tiles[t].Rows+p.Tiles[t].Halo, len(p.Sets[0].Columns), p.Metric.onSky())
		p.Tiles[t].Seconds = work[t] * workSeconds
	}
}

// Memory is about how many bytes it takes to cluster so many rows at once.
func Memory(rows int64, columns int, sky bool) int64 {
	if sky {
		columns++ // positions are unit vectors
	}
	return fixedMemory + rows*int64(rowMemory+coordinateMemory*columns)
}

// tileMemory is Memory with what a tile reads.
func tileMemory(rows int64, columns int, sky bool) int64 { return Memory(rows, columns, sky) * 4 / 3 }

// What tiles take, measured with sky catalogs on one core of a processor with
// AVX-512: bytes a row and a coordinate, with the memory that is garbage for a
// while, and the time of one unit of work, see rowWork.
const (
	fixedMemory      = 64 << 20
	rowMemory        = 48
	coordinateMemory = 32
	workSeconds      = 6e-9
)
