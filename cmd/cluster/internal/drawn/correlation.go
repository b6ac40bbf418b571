package drawn

import (
	"math"
	"slices"
	"strings"

	"skyjoin/internal/each"
	"skyjoin/io/figure"
	"skyjoin/stats2b"
)

// A Correlation is a correlation function as figures show it.
type Correlation struct {
	Kind         string // as --kind of corr names it
	Bins, Across stats2b.Bins
	Xi, Error    []float64 // Error is nil if there is none
	Unit         string    // of distances
	AcrossUnit   string
	Name         string // in a legend
}

// axisNames are the names of functions and of distances on axes.
var axisNames = map[string][2]string{
	"w":    {"w(θ)", "θ"},
	"xi":   {"ξ(r)", "r"},
	"rppi": {"ξ(r_{p}, π)", "r_{p}"},
	"smu":  {"ξ(s, μ)", "s"},
	"wp":   {"w_{p}(r_{p})", "r_{p}"},
	"xi0":  {"ξ_{0}(s)", "s"},
	"xi2":  {"ξ_{2}(s)", "s"},
	"rdf":  {"g(r)", "r"},
}

// axes are those of distances and of the function.
func (c *Correlation) axes() (x, y figure.Axis) {
	names := axisNames[c.Kind]
	y.Name = names[0]
	if c.Kind == "wp" {
		y.Unit = c.Unit
	}
	return figure.Axis{Name: names[1], Unit: c.Unit}, y
}

// Plane is a function of two variables.
func (c *Correlation) Plane() figure.HeatMap {
	x, y := c.axes()
	across := figure.Axis{Name: "μ"}
	if c.Kind == "rppi" {
		across = figure.Axis{Name: "π", Unit: c.AcrossUnit}
	}
	return figure.HeatMap{X: c.Bins, Y: c.Across, Values: c.Xi, Name: y.Name, XAxis: x, YAxis: across, Compress: 0.1}
}

// Matrix is the correlation of the bins, or their covariance itself.
func (c *Correlation) Matrix(covariance [][]float64, raw bool) (figure.HeatMap, error) {
	x, _ := c.axes()
	if raw {
		return figure.CovarianceMatrix(covariance, c.Bins, x)
	}
	return figure.CorrelationMatrix(covariance, c.Bins, x)
}

// Points are functions of one variable and of one kind, over each other, with an axis as
// --plot-y names it: "" is log, or symlog where a value is not positive.
func Points(axis string, all ...Correlation) figure.Points {
	series := each.Of(all, func(c Correlation) figure.Series {
		return figure.Series{Name: c.Name, X: each.To(c.Bins.Len(), c.Bins.Centre), Y: c.Xi, Err: c.Error}
	})
	x, y := all[0].axes()
	f := figure.Points{LogX: all[0].Bins.Log(), XAxis: x, YAxis: y}
	if all[0].Kind == "rdf" {
		f.Levels = []float64{1}
		axis = "linear"
	}
	positive := !slices.ContainsFunc(all, func(c Correlation) bool {
		return slices.ContainsFunc(c.Xi, func(v float64) bool { return v <= 0 })
	})
	switch {
	case axis == "scaled":
		all[0].scale(&f, series)
	case axis == "log" || axis == "" && positive:
		f.LogY = true
	case axis != "linear":
		f.SymLogY = true
	}
	if !f.LogY && f.Levels == nil {
		f.Levels = []float64{0}
	}
	f.Name, f.X, f.Y, f.Err, f.More = series[0].Name, series[0].X, series[0].Y, series[0].Err, series[1:]
	return f
}

// scale multiplies functions and their errors by Power of the distance, and names the
// axis after it.
func (c *Correlation) scale(f *figure.Points, series []figure.Series) {
	for i, s := range series {
		series[i].Y, series[i].Err = c.Scaled(s.X, s.Y), c.Scaled(s.X, s.Err)
	}
	name, unit := f.XAxis.Name, f.XAxis.Unit
	if c.power() == 2 {
		name += "²"
	}
	f.YAxis.Name = name + " " + f.YAxis.Name
	if unit != "" {
		if c.power() == 2 || f.YAxis.Unit != "" {
			unit = strings.ReplaceAll(unit, "/", "2/") + "2"
		}
		f.YAxis.Unit = unit
	}
}

// power is that of the distance which makes a power law of galaxies nearly flat: ξ is
// multiplied by r², w(θ) and wp by θ and rp.
func (c *Correlation) power() float64 {
	if c.Kind == "w" || c.Kind == "wp" {
		return 1
	}
	return 2
}

// Scaled are values at distances x, times the power of the distance.
func (c *Correlation) Scaled(x, v []float64) []float64 {
	scaled := slices.Clone(v)
	for i := range scaled {
		scaled[i] *= math.Pow(x[i], c.power())
	}
	return scaled
}
