package jointest

import (
	"math"
	"math/rand/v2"

	"skyjoin/internal/each"
	"skyjoin/neighbors"
)

// A testCase is one input. Coordinates are kept by column.
type testCase struct {
	name   string
	query  [][]float64
	data   [][]float64 // nil: self-join
	narrow []int       // columns given as float32
	metric neighbors.Metric
	kind   kind
	side   []float64 // for periodic
	scale  []float64 // as given to Scaled
	radii  []float64

	supports func(*neighbors.Plan) bool // plans that are asked for
}

// kind tells the reference how to lower the columns.
type kind int

const (
	plain kind = iota
	periodic
	sky         // RA, Dec in degrees
	skyPosition // RA, Dec, distance
)

func (c *testCase) points(columns [][]float64) *neighbors.Points {
	cols := make([]neighbors.Column, len(columns))
	for j, v := range columns {
		cols[j] = neighbors.Float64s(v)
		for _, n := range c.narrow {
			if n == j {
				f := make([]float32, len(v))
				for i, x := range v {
					f[i] = float32(x) // exact: the corpus rounds first
				}
				cols[j] = neighbors.Float32s(f)
			}
		}
	}
	p, err := neighbors.NewPoints(cols...)
	if err != nil {
		panic(err)
	}
	return p
}

func (c *testCase) input() neighbors.Input {
	in := neighbors.Input{Query: c.points(c.query), Metric: c.metric}
	if c.data != nil {
		in.Data = c.points(c.data)
	}
	return in
}

// generator makes coordinates.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator { return generator{rand.New(rand.NewPCG(seed, 77))} }

// columns returns d columns of n values each made by f.
func columns(n, d int, f func(i, j int) float64) [][]float64 {
	c := make([][]float64, d)
	for j := range c {
		c[j] = each.To(n, func(i int) float64 { return f(i, j) })
	}
	return c
}

func (g generator) uniform(n, d int, lo, hi float64) [][]float64 {
	return columns(n, d, func(_, _ int) float64 { return lo + (hi-lo)*g.Float64() })
}

// A builder collects test cases.
type builder struct{ all []testCase }

func (b *builder) add(c testCase) { b.all = append(b.all, c) }

// self adds a self-join of the columns.
func (b *builder) self(name string, columns [][]float64, radii ...float64) {
	b.add(testCase{name: name, query: columns, radii: radii})
}

func corpus() []testCase {
	b := &builder{}
	b.euclidean()
	b.extreme()
	b.twoSided()
	b.periodic()
	b.sky()
	return b.all
}

func (b *builder) euclidean() {
	g := newGenerator(1)
	// Radii at which a point has about 1, 10 and 100 neighbours.
	radii := [][]float64{1: {.17, 1.7, 17}, 2: {3, 9, 29}, 3: {9, 20, 43}, 4: {17, 30, 53}, 5: {25, 40, 65}, 6: {33, 50, 75}, 7: {41, 60, 84}, 8: {50, 68, 94}, 10: {65, 84, 110}}
	names := []string{"", "uniform1d", "uniform2d", "uniform3d", "uniform4d", "uniform5d", "uniform6d", "uniform7d", "uniform8d", "", "uniform10d"}
	for d, r := range radii {
		if r != nil {
			b.self(names[d], g.uniform(300, d, 0, 100), r...)
		}
	}
	for n := range 4 {
		b.self([]string{"empty", "one", "two", "three"}[n], g.uniform(n, 2, 0, 1), .5, 2)
	}
	line := columns(10, 1, func(i, _ int) float64 { return float64(i) / 2 })
	b.self("line", line, .5, 1, 4.5)
	b.self("lattice2d", columns(225, 2, func(i, j int) float64 { return float64([]int{i % 15, i / 15}[j]) / 2 }), .5, math.Sqrt2/2, 1, 2.5)
	b.self("lattice3d", columns(216, 3, func(i, j int) float64 { return float64([]int{i % 6, i / 6 % 6, i / 36}[j]) }), 1, math.Sqrt2, math.Sqrt(3), 2, 3)
	b.self("tenths", columns(121, 2, func(i, j int) float64 { return float64([]int{i % 11, i / 11}[j]) * .1 }), .1, .2, .30000000000000004, .3)
	b.self("sqrt3", [][]float64{{0, 1}, {0, 1}, {0, 1}}, 1.7320508075688772, 1.732050807568877)
	b.self("identical", columns(300, 3, func(_, j int) float64 { return float64(j + 1) }), .1)
	b.self("duplicates", columns(300, 2, func(_, _ int) float64 { return float64(g.IntN(5)) }), .5, 1, 1.5)
	b.self("skewed", columns(400, 2, func(_, _ int) float64 { return math.Pow(g.Float64(), 12) }), 1e-6, 1e-3, .1)
	b.self("clump", columns(400, 3, func(i, _ int) float64 {
		if i < 300 {
			return 50 + g.NormFloat64()*.01
		}
		return 100 * g.Float64()
	}), .001, .02, 5)
	b.self("collinear", columns(300, 3, func(i, _ int) float64 { return float64(i*i%307) * 1.1 }), 1.1*math.Sqrt(3), 2.2*math.Sqrt(3), 10)
	b.self("constant", columns(300, 3, func(_, j int) float64 { return []float64{7, 10 * g.Float64(), 10 * g.Float64()}[j] }), .1, 1, 40)
	b.self("negative", g.uniform(300, 2, -1, 1), .05, .5)
	f32 := columns(300, 3, func(_, _ int) float64 { return float64(float32(100 * g.Float64())) })
	b.add(testCase{name: "float32", query: f32, narrow: []int{0, 1, 2}, radii: []float64{9, 30}})
	b.add(testCase{name: "mixed", query: f32, narrow: []int{1}, radii: []float64{9, 30}})
	b.add(testCase{name: "scaled", query: g.uniform(300, 2, 0, 100), scale: []float64{3, 7}, metric: neighbors.Euclidean().Scaled(3, 7), radii: []float64{1, 3}})
}

func (b *builder) extreme() {
	g := newGenerator(2)
	b.self("offset", columns(300, 2, func(_, _ int) float64 { return 1e9 + float64(g.IntN(2000))/64 }), .25, 1, 3)
	b.self("wide", columns(300, 3, func(i, _ int) float64 { return float64(i%3)*1e9 + g.Float64() }), .1, .4)
	b.self("two islands", columns(300, 3, func(i, _ int) float64 { return float64(i%2)*1e12 + g.Float64()*.01 }), 1e-3, 1e-2)
	b.self("eight wide", columns(300, 8, func(i, _ int) float64 { return float64(i%7)*1e15 + float64(g.IntN(3)) }), 1, 2)
	spread := columns(300, 4, func(_, _ int) float64 { return g.NormFloat64() * math.Exp(20*g.NormFloat64()) })
	b.self("heavy tails", spread, 1e-9, 1, 1e6)
	for _, far := range []float64{1e18, 1e300, -math.MaxFloat64} {
		c := g.uniform(250, 2, 0, 100)
		c[0][17], c[1][99] = far, -far
		b.self(map[float64]string{1e18: "outlier18", 1e300: "outlier300", -math.MaxFloat64: "outliermax"}[far], c, 3, 20, 1e155, 1e300)
	}
	b.self("extent overflows", columns(60, 2, func(i, _ int) float64 { return float64(i%2*2-1) * (1.7e308 - float64(i%5)*1e292) }), 1e292, 1e150, 1.7e308)
	for _, tiny := range []float64{1e-140, 1e-152, 1e-155, 1e-160, 1e-170, 5e-324} {
		names := map[float64]string{1e-140: "1e-140", 1e-152: "1e-152", 1e-155: "1e-155", 1e-160: "1e-160", 1e-170: "1e-170", 5e-324: "subnormal"}
		b.self(names[tiny], columns(150, 2, func(_, _ int) float64 { return float64(g.IntN(100)) * tiny }), tiny, 10*tiny)
	}
	b.self("tiny radius", g.uniform(200, 2, 0, 100), 5e-324, 1e-300, 1e-160)
}

func (b *builder) twoSided() {
	g := newGenerator(3)
	add := func(name string, query, data [][]float64, radii ...float64) {
		b.add(testCase{name: name, query: query, data: data, radii: radii})
	}
	for d, name := range []string{"", "cross1d", "cross2d", "cross3d", "cross4d", "cross5d", "cross6d"} {
		if d > 0 {
			add(name, g.uniform(200, d, 0, 100), g.uniform(333, d, 0, 100), 3, 20, 50)
		}
	}
	add("cross9d", g.uniform(100, 9, 0, 100), g.uniform(100, 9, 0, 100), 80, 120)
	add("no queries", g.uniform(0, 2, 0, 1), g.uniform(50, 2, 0, 1), .5)
	add("no data", g.uniform(50, 2, 0, 1), g.uniform(0, 2, 0, 1), .5)
	add("nothing", g.uniform(0, 2, 0, 1), g.uniform(0, 2, 0, 1), .5)
	add("apart", g.uniform(50, 2, 0, 1), g.uniform(50, 2, 10, 11), .5, 12)
	add("few in many", g.uniform(3, 3, 0, 10), g.uniform(900, 3, 0, 10), 1, 4)
	add("many in few", g.uniform(900, 3, 0, 10), g.uniform(3, 3, 0, 10), 1, 4)
	same := g.uniform(150, 2, 0, 10)
	add("itself", same, same, .5, 2)
	far := g.uniform(100, 2, 0, 10)
	far[0][3], far[1][3] = 1e300, -1e300
	add("outlier in data", g.uniform(150, 2, 0, 10), far, .5, 2)
	add("ties", columns(60, 2, func(i, j int) float64 { return float64([]int{i % 8, i / 8}[j]) }), columns(60, 2, func(i, j int) float64 { return float64([]int{i % 8, i / 8}[j]) + .5 }), math.Sqrt2/2, math.Sqrt(2.5))
}

func (b *builder) periodic() {
	g := newGenerator(4)
	add := func(name string, side []float64, query, data [][]float64, radii ...float64) {
		b.add(testCase{name: name, kind: periodic, query: query, data: data, side: side, metric: neighbors.Periodic(side...), radii: radii})
	}
	edges := []float64{0, 10, -10, 20, 9.999999999999998, 5e-324, -5e-324, 5, 2.5, 7.5, -1e-17, 1e17}
	add("box1d", []float64{10}, [][]float64{append(g.uniform(150, 1, -10, 20)[0], edges...)}, nil, .1, 1, 2.4, 3.4, 4.9, 5)
	add("box2d", []float64{10, 10}, g.uniform(300, 2, 0, 10), nil, .3, 1, 2.6, 5)
	add("box3d", []float64{10, 10, 10}, g.uniform(400, 3, 0, 10), nil, .6, 1.5, 3.3, 5)
	add("box4d", []float64{10, 10, 10, 10}, g.uniform(300, 4, 0, 10), nil, 1, 2, 5)
	add("box7d", []float64{10, 10, 10, 10, 10, 10, 10}, g.uniform(200, 7, 0, 10), nil, 4, 5)
	add("box with open axis", []float64{10, 0, 7}, g.uniform(300, 3, 0, 30), nil, .6, 2, 3.5)
	add("flat box", []float64{100, 1}, g.uniform(300, 2, 0, 100), nil, .1, .5)
	add("box lattice", []float64{6, 6}, columns(36, 2, func(i, j int) float64 { return float64([]int{i % 6, i / 6}[j]) }), nil, 1, math.Sqrt2, 2, 3)
	add("box cross", []float64{10, 10}, g.uniform(200, 2, 0, 10), g.uniform(300, 2, -5, 5), .3, 2, 5)
	add("clump in box", []float64{1e6, 1e6, 1e6}, columns(200, 3, func(_, _ int) float64 { return g.NormFloat64() }), nil, .1, .7)
	add("vast box", []float64{1e15, 1e15}, columns(200, 2, func(_, _ int) float64 { return float64(g.IntN(100)) / 8 }), nil, .125, 1)
	add("corner", []float64{1, 1}, [][]float64{{0, 1, 0, 1, .5}, {0, 0, 1, 1, .5}}, nil, 1e-3, .5)
	add("box of open axes", []float64{0, 0}, g.uniform(300, 2, -10, 10), nil, .3, 1, 20)
	scaled := func(name string, c [][]float64, side, scale []float64, radii ...float64) {
		add(name, side, c, nil, radii...)
		last := &b.all[len(b.all)-1]
		last.scale, last.metric = scale, last.metric.Scaled(scale...)
	}
	scaled("scaled box", g.uniform(300, 2, 0, 10), []float64{10, 10}, []float64{3, .7}, .1, 1, 1.6)
	scaled("box scaled to infinity", columns(300, 2, func(_, j int) float64 { return g.Float64() * []float64{1e-100, 10}[j] }), []float64{1e300, 0}, []float64{1e-100, 10}, .1, .5)
	scaled("box scaled to nothing", columns(300, 2, func(_, j int) float64 { return g.Float64() * []float64{1e-300, 10}[j] }), []float64{1e-300, 0}, []float64{1e300, 10}, .1, .5)
}

func (b *builder) sky() {
	g := newGenerator(5)
	const arcsec = math.Pi / 180 / 3600
	add := func(name string, query, data [][]float64, radii ...float64) {
		b.add(testCase{name: name, kind: sky, query: query, data: data, metric: neighbors.Sky(), radii: radii})
	}
	sphere := func(n int) [][]float64 {
		return columns(n, 2, func(_, j int) float64 {
			if j == 0 {
				return 360 * g.Float64()
			}
			return math.Asin(2*g.Float64()-1) * 180 / math.Pi
		})
	}
	add("sphere", sphere(300), nil, .01, .2, 1, math.Pi/2, 2, 3, math.Pi)
	add("sphere cross", sphere(100), sphere(150), .1, 1, 3.1)
	add("poles", [][]float64{{0, 180, 0, .1, 10, 200, 30, 77}, {89.9999, 89.9999, 89.9, 89.9, 90, 90, -90, -90}}, nil, arcsec, 1e-3, math.Pi)
	add("seam", columns(200, 2, func(_, j int) float64 {
		if j == 0 {
			return []float64{359.9, 0, 720, -360}[g.IntN(4)] + .1*g.Float64()
		}
		return .1 * g.Float64()
	}), nil, arcsec, 100*arcsec, 2e-3)
	add("arcsec", columns(300, 2, func(_, _ int) float64 { return 45 + g.Float64()*.01 }), nil, .001*arcsec, arcsec, 3*arcsec)
	add("antipodes", [][]float64{{0, 180, 180, 90}, {0, 0, 1e-9, 0}}, nil, math.Pi/2, 3.14, math.Pi)
	scale := []float64{.5 * math.Pi / 180, .4, .4, .1}
	stars := columns(300, 5, func(_, j int) float64 {
		return []float64{45, 20, -3, 1, 5}[j] + []float64{1, 1, 1, 1, .3}[j]*g.NormFloat64()
	})
	b.add(testCase{name: "five columns", kind: sky, query: stars, scale: scale, metric: neighbors.Sky().Scaled(scale...), radii: []float64{1, 3}})
	deep := columns(300, 3, func(_, j int) float64 { return []float64{45, 20, 100}[j] + []float64{5, 5, 20}[j]*g.Float64() })
	b.add(testCase{name: "positions", kind: skyPosition, query: deep, metric: neighbors.SkyDistance(), radii: []float64{1, 5}})
}
