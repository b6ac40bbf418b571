package figure

import (
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

const (
	greyLevels = 24 // few levels compress well
	tintLevels = 8
)

// A raster counts points in the cells of the data area of a panel.
type raster struct {
	sheet
	data   vg.Rectangle
	dots   int // edge of a cell in dots
	nx, ny int
	noise  []uint32
	member []uint32 // points in clusters
	owner  []int32  // the cluster that has most of them (Boyer and Moore 1981), -1 none
	lead   []uint32 // by how many votes
}

func newRaster(p *panel) *raster {
	size := p.data.Size()
	cells := func(l vg.Length) int { return max(int(l/p.cell()+0.5), 1) }
	r := &raster{sheet: p.sheet, data: p.data, dots: p.cellDots(), nx: cells(size.X), ny: cells(size.Y)}
	n := r.nx * r.ny
	r.noise, r.member, r.lead = make([]uint32, n), make([]uint32, n), make([]uint32, n)
	r.owner = slices.Repeat([]int32{-1}, n)
	return r
}

// add counts a point at fractions x, y of the data area in a cluster, -1 for
// noise.
func (r *raster) add(x, y float64, cluster int32) {
	i := min(max(int(x*float64(r.nx)), 0), r.nx-1)
	j := min(max(int(y*float64(r.ny)), 0), r.ny-1)
	k := j*r.nx + i
	if cluster < 0 {
		r.noise[k]++
		return
	}
	r.member[k]++
	switch {
	case r.lead[k] == 0:
		r.owner[k], r.lead[k] = cluster, 1
	case r.owner[k] == cluster:
		r.lead[k]++
	default:
		r.lead[k]--
	}
}

// rasterColours are blank, then the greys, then the tints of every colour of
// the palette. An image of few colours is a fraction of a full one in all
// formats. It is opaque, since viewers scale down masks unevenly.
func (s sheet) rasterColours() color.Palette {
	p := color.Palette{paper}
	for i := range greyLevels {
		g := uint8(math.Round(0xcc - (0xcc-0x80)*float64(i)/(greyLevels-1)))
		p = append(p, color.NRGBA{g, g, g, 255})
	}
	for _, c := range s.palette[:min(len(s.palette), mostHues)] {
		for i := range tintLevels {
			p = append(p, tint(c, 0.8+0.2*float64(i)/(tintLevels-1)))
		}
	}
	return p
}

// mostHues is how many colours a raster can tell apart.
const mostHues = (256 - 1 - greyLevels) / tintLevels

// image draws the cells.
func (r *raster) image() image.Image {
	var noiseMax, memberMax uint32
	for k := range r.noise {
		noiseMax, memberMax = max(noiseMax, r.noise[k]), max(memberMax, r.member[k])
	}
	img := image.NewPaletted(image.Rect(0, 0, r.nx*r.dots, r.ny*r.dots), r.rasterColours())
	for k := range r.noise {
		var c int
		switch {
		case r.member[k] > 0:
			hue := int(r.owner[k]) % min(len(r.palette), mostHues)
			c = 1 + greyLevels + hue*tintLevels + level(r.member[k], memberMax, tintLevels)
		case r.noise[k] > 0:
			c = 1 + level(r.noise[k], noiseMax, greyLevels)
		default:
			continue
		}
		x, y := k%r.nx*r.dots, (r.ny-1-k/r.nx)*r.dots
		for dy := range r.dots {
			row := img.Pix[(y+dy)*img.Stride+x:]
			for dx := range r.dots {
				row[dx] = uint8(c)
			}
		}
	}
	return img
}

// level returns log n over log largest as a level from 0, for one point, to
// levels-1.
func level(n, largest uint32, levels int) int {
	if largest <= 1 {
		return 0
	}
	return int(math.Round(math.Log(float64(n)) / math.Log(float64(largest)) * float64(levels-1)))
}

// tint mixes a colour with white.
func tint(c color.NRGBA, strength float64) color.NRGBA {
	mix := func(v uint8) uint8 { return uint8(math.Round(255 - (255-float64(v))*strength)) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 255}
}

// peak returns where a cluster is densest, the lowest and leftmost of such
// cells, and whether there is a cell that shows it.
func (r *raster) peak(cluster int32) (at vg.Point, ok bool) {
	best := -1
	for k, o := range r.owner {
		if o == cluster && (best < 0 || r.member[k] > r.member[best]) {
			best = k
		}
	}
	if best < 0 {
		return vg.Point{}, false
	}
	size := r.data.Size()
	return vg.Point{
		X: r.data.Min.X + size.X*vg.Length((float64(best%r.nx)+0.5)/float64(r.nx)),
		Y: r.data.Min.Y + size.Y*vg.Length((float64(best/r.nx)+0.5)/float64(r.ny)),
	}, true
}
