package gen

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/geometry"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/each"
	"skyjoin/internal/healpix"
	"skyjoin/internal/mock"
	"skyjoin/io/catalog"
	"skyjoin/neighbors"
)

// randomFlags say where 'gen randoms' puts its rows.
type randomFlags struct {
	ra, dec   angleRange
	footprint string
	columns   flags.List
	nside     flags.Integer
	draw      string
	beyond    float64 // share of the area of the pixels of footprint that has no data, by an estimate
}

func (f *randomFlags) register(fs *pflag.FlagSet) {
	f.nside = flags.Integer{Least: 1}
	fs.Var(&f.ra, "ra", "RA of randoms in degrees: FROM,TO eastwards, as in 350,10 across 0")
	fs.Var(&f.dec, "dec", "Dec of randoms in degrees: FROM,TO")
	fs.StringVar(&f.footprint, "footprint", "", "a catalog, a `file`: randoms are spread over the HEALPix pixels that it has rows in, whole pixels at its edges, too")
	fs.VarP(&f.columns, "columns", "c", "RA and Dec of --footprint (default: found in the file)")
	fs.Var(&f.nside, "nside", "resolution of the pixels, a power of two (default: the finest with 20 rows in a pixel on average)")
	fs.StringVar(&f.draw, "draw", "", "numeric `column` of --footprint, such as redshifts: every random takes the value of one of its rows")
	flags.Needs(fs, []string{"columns", "nside", "draw"}, "footprint")
}

// An angleRange is a flag of two angles.
type angleRange []float64

func (r *angleRange) String() string { return flags.JoinFloats(*r) }

func (r *angleRange) Type() string { return "from,to" }

func (r *angleRange) Set(s string) (err error) {
	*r, err = flags.ParseItems(s, func(item string) (float64, error) {
		v, err := strconv.ParseFloat(item, 64)
		if err != nil || v-v != 0 {
			return 0, fmt.Errorf("%q is not a number", item)
		}
		return v, nil
	})
	if err == nil && len(*r) != 2 {
		return fmt.Errorf("it is FROM,TO in degrees, as in 350,10")
	}
	return err
}

// options turns the flags into the footprint; it reads --footprint.
func (f *randomFlags) options(ctx context.Context, threads int) (fp mock.Footprint, err error) {
	if f.footprint == "" {
		if f.ra != nil {
			fp.RA = &[2]float64{f.ra[0], f.ra[1]}
		}
		if f.dec != nil {
			fp.Dec = &[2]float64{f.dec[0], f.dec[1]}
		}
		return fp, nil
	}
	if f.ra != nil || f.dec != nil {
		return fp, exit.Usagef("--footprint %s and a box in RA and Dec: give one of them", f.footprint)
	}
	return exit.Await(ctx, func() (mock.Footprint, error) { return f.read(ctx, threads) })
}

// read finds the pixels of the catalog.
func (f *randomFlags) read(ctx context.Context, threads int) (fp mock.Footprint, err error) {
	cat, err := flags.OpenCatalog(ctx, []string{f.footprint}, catalog.Options{Threads: threads})
	if err != nil {
		return fp, err
	}
	defer cat.Close()
	geometry := geometry.Flags{Columns: f.columns, Metric: flags.Choice{Value: "sky", Values: []string{"sky"}}}
	g, err := geometry.Resolve(cat)
	if err != nil {
		return fp, err
	}
	if len(g.Columns) != 2 {
		return fp, exit.Usagef("--columns %s: RA and Dec are needed", &f.columns)
	}
	// The drawn column as weights: its unusable rows are left out too.
	sel, err := cat.Select(ctx, g.Request(&flags.Read{}, f.draw))
	if err != nil {
		return fp, err
	}
	if f.draw != "" {
		field, err := cat.Field(f.draw)
		if err != nil {
			return fp, err
		}
		fp.Draw, fp.DrawName, fp.DrawUnit = sel.Weights, f.draw, field.Unit
	}
	fp.NSide = int(f.nside.Value)
	if fp.NSide > 0 {
		fp.Pixels, f.beyond, err = pixels(sel.Points, fp.NSide)
		return fp, err
	}
	const rows, finest = 20, 1 << 12
	for fp.NSide = finest; fp.NSide >= 1; fp.NSide /= 2 {
		if fp.Pixels, f.beyond, err = pixels(sel.Points, fp.NSide); err != nil || sel.Points.Len() >= rows*len(fp.Pixels) || fp.NSide == 1 {
			break
		}
	}
	return fp, err
}

// pixels returns the pixels that have points, in ascending order, and the share
// of their area that lies beyond the edges of the points.
func pixels(p *neighbors.Points, nside int) (some []int64, beyond float64, err error) {
	m, err := healpix.New(nside)
	if err != nil {
		return nil, 0, exit.Usagef("--nside %d: it must be a power of two from 1 to 2^29", nside)
	}
	all := each.To(p.Len(), func(i int) int64 { return m.Pixel(neighbors.UnitVector(p.Column(0).At(i), p.Column(1).At(i))) })
	slices.Sort(all)
	var counts []int
	for i, pixel := range all {
		if i == 0 || pixel != all[i-1] {
			some, counts = append(some, pixel), append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	return some, beyondEdges(counts), nil
}

// beyondEdges estimates the share of the area of pixels that lies beyond the
// edges of a catalog, from the rows in each: pixels at an edge have fewer than
// the one in the middle of all. Catalogs that cluster have more in a few, and
// the estimate is too low then. Few rows in a pixel say nothing: 0.
func beyondEdges(counts []int) float64 {
	const least = 5 // in a pixel; a mean of less is as far from the median by chance
	rows := 0
	for _, n := range counts {
		rows += n
	}
	if len(counts) == 0 || rows < least*len(counts) {
		return 0
	}
	slices.Sort(counts)
	return max(0, 1-float64(rows)/float64(len(counts))/float64(counts[len(counts)/2]))
}

// beyondShare is the least share of randoms beyond the edges that is reported: the
// w(θ) of points without correlation would come out as about this.
const beyondShare = 0.05

type footprint struct {
	Pixels int64 `json:"pixels" jsonschema:"pixels of the footprint"`
}

type beyond struct {
	Share float64 `json:"beyond_edges" jsonschema:"least share of the randoms beyond the edges of the catalog"`
}

// report says where the randoms are.
func (f *randomFlags) report(j *job.Job, fp mock.Footprint) {
	if f.footprint == "" {
		return
	}
	j.Sum.Result.Add(footprint{int64(len(fp.Pixels))})
	if f.beyond < beyondShare {
		return
	}
	if j.Run.AsJSON() {
		j.Sum.Result.Add(beyond{f.beyond})
	}
	width := healpix.Width(bits.TrailingZeros(uint(fp.NSide))) / flags.Radians("deg")
	j.Sum.Note("randoms", "at least about %.0f%% lie beyond the edges of the catalog, as pixels are %.2g deg wide; correlations come out too high: give --ra and --dec, or a larger --nside",
		100*f.beyond, width)
}

// parameters names what the rows depend on.
func (f *randomFlags) parameters(p *report.Parameters, fp mock.Footprint) {
	if f.ra != nil {
		p.Add("ra", []float64(f.ra), f.ra.String())
	}
	if f.dec != nil {
		p.Add("dec", []float64(f.dec), f.dec.String())
	}
	if f.footprint != "" {
		p.Text("footprint", f.footprint)
		p.Int("nside", int64(fp.NSide))
	}
	p.Text("draw", f.draw)
}
