package plot

import (
	"context"
	"fmt"
	"slices"

	"skyjoin/cmd/cluster/internal/drawn"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/io/figure"
	"skyjoin/stats2b"
)

// histograms draws tables of hist over each other.
func (d *drawing) histograms(ctx context.Context) error {
	var all []figure.Histogram
	err := d.each(ctx, "lo", func(i int, t *table) error {
		value := "count"
		if t.has("weight") {
			value = "weight"
		}
		v, err := t.numbers(ctx, "lo", "hi", value)
		if err != nil {
			return err
		}
		b, err := t.binsOf(v[0], v[1])
		all = append(all, figure.Histogram{Bins: b, Values: v[2], Unit: t.unit("lo"), Weighted: value == "weight", Name: d.name(i)})
		return err
	})
	if err != nil {
		return err
	}
	h := all[0]
	h.More, h.Style = all[1:], d.Out.Of()
	for _, o := range h.More {
		if o.Unit != h.Unit || o.Weighted != h.Weighted {
			return exit.Usagef("histograms in %q and in %q, or of pairs and of weights, are not drawn over each other", h.Unit, o.Unit)
		}
	}
	return d.show(ctx, h)
}

// correlations draws functions over each other, or one of two variables.
func (d *drawing) correlations(ctx context.Context) error {
	var all []drawn.Correlation
	err := d.each(ctx, "lo", func(i int, t *table) error {
		c, err := t.correlation(ctx)
		if err == nil {
			c.Name = d.name(i)
			all = append(all, *c)
		}
		return err
	})
	if err != nil {
		return err
	}
	if first := all[0]; first.Across.Len() > 0 {
		switch {
		case len(all) > 1:
			return exit.Usagef("%s: heat maps of two variables are not drawn over each other", d.paths[0])
		case d.plotY.Value != "":
			return exit.Usagef("--plot-y %s: a function of two variables is a heat map", d.plotY.Value)
		}
		plane := first.Plane()
		plane.Style = d.Out.Of()
		return d.show(ctx, plane)
	}
	for i, c := range all {
		if c.Kind != all[0].Kind || c.Unit != all[0].Unit {
			return exit.Usagef("%s has %s in %q, %s has %s in %q: they have no common axes", d.paths[0], all[0].Kind, all[0].Unit, d.paths[i], c.Kind, c.Unit)
		}
	}
	if all[0].Kind == "rdf" && d.plotY.Value != "" {
		return exit.Usagef("--plot-y %s: it is for functions of corr; that of rdf has a linear axis", d.plotY.Value)
	}
	points := drawn.Points(d.plotY.Value, all...)
	points.Style = d.Out.Of()
	return d.show(ctx, points)
}

// correlation is the function of a table of corr or rdf. CSV does not say of which kind
// it is, but its columns and units do in part.
func (t *table) correlation(ctx context.Context) (*drawn.Correlation, error) {
	c := &drawn.Correlation{Kind: t.parameter("kind"), Unit: t.unit("lo")}
	value := "xi"
	switch {
	case !t.has("xi"):
		c.Kind, value = "rdf", "g"
	case c.Kind != "":
	case t.has("mu_lo"):
		c.Kind = "smu"
	case t.has("pi_lo"):
		c.Kind = "rppi"
	case slices.Contains([]string{"arcsec", "arcmin", "deg", "rad"}, c.Unit):
		c.Kind = "w"
	default:
		c.Kind = "xi"
	}
	v, err := t.numbers(ctx, "lo", "hi", value)
	if err != nil {
		return nil, err
	}
	c.Xi = v[2]
	if t.has("error") {
		e, err := t.numbers(ctx, "error")
		if err != nil {
			return nil, err
		}
		c.Error = e[0]
	}
	if across := map[string]string{"smu": "mu", "rppi": "pi"}[c.Kind]; across != "" && t.has(across+"_lo") {
		return c, t.plane(ctx, c, v[0], v[1], across)
	}
	c.Bins, err = t.binsOf(v[0], v[1])
	return c, err
}

// plane takes apart the bins of two variables, of which the second runs faster.
func (t *table) plane(ctx context.Context, c *drawn.Correlation, lo, hi []float64, across string) error {
	v, err := t.numbers(ctx, across+"_lo", across+"_hi")
	if err != nil {
		return err
	}
	n := 1
	for n < len(lo) && lo[n] == lo[0] {
		n++
	}
	if len(lo)%n != 0 {
		return exit.Usagef("%s: %d rows are no whole plane of bins, %d of them in the first; leave --where out", t.path, len(lo), n)
	}
	var first [2][]float64
	for i := 0; i < len(lo); i += n {
		first[0], first[1] = append(first[0], lo[i]), append(first[1], hi[i])
	}
	c.AcrossUnit = t.unit(across + "_lo")
	if c.Bins, err = t.binsOf(first[0], first[1]); err == nil {
		c.Across, err = t.binsOf(v[0][:n], v[1][:n])
	}
	return err
}

// covariance draws the matrix of a table of corr.
func (d *drawing) covariance(ctx context.Context) error {
	t, err := d.table(ctx, "lo")
	if err != nil {
		return err
	}
	if !t.has("cov_0") {
		return exit.Usagef("%s: it has no covariance, as 'cluster corr --patches' computes", t.path)
	}
	c, err := t.correlation(ctx)
	if err != nil {
		return err
	}
	if c.Across.Len() > 0 {
		return exit.Usagef("%s: the covariance of a function of two variables is not drawn", t.path)
	}
	n := c.Bins.Len()
	matrix := make([][]float64, n)
	for k := range n {
		column, err := t.numbers(ctx, fmt.Sprintf("cov_%d", k))
		if err != nil {
			return err
		}
		for i, v := range column[0] {
			matrix[i] = append(matrix[i], v)
		}
	}
	m, err := c.Matrix(matrix, d.matrix.Value == "covariance")
	if err != nil {
		return err
	}
	m.Style = d.Out.Of()
	return d.show(ctx, m)
}

// separations draws how far matched rows are apart.
func (d *drawing) separations(ctx context.Context) error {
	t, err := d.table(ctx, "distance")
	if err != nil {
		return err
	}
	apart := t.sel.Points.Column(0)
	most := 0.0
	for i := range apart.Len() {
		most = max(most, apart.At(i))
	}
	bins, err := stats2b.LinearBins(0, max(most, 1e-300)*(1+1e-9), min(max(apart.Len()/25, 10), 60))
	if err != nil {
		return err
	}
	h := figure.Histogram{Bins: bins, Values: make([]float64, bins.Len()), Unit: t.unit("distance"), What: "matches", Style: d.Out.Of()}
	for i := range apart.Len() {
		h.Values[min(int(apart.At(i)/bins.Edge(bins.Len())*float64(bins.Len())), bins.Len()-1)]++
	}
	return d.show(ctx, h)
}
