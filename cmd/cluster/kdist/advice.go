package kdist

import (
	"fmt"
	"math"
	"strconv"

	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/dbscan"
)

// A findings is what a curve says about radii, in its own unit.
type findings struct {
	curve       []float64 // in ascending order
	knee, elbow float64   // NaN for none
	scan        *dbscan.Scan
	plateau     dbscan.Plateau
	flat        bool    // whether there is a plateau
	per         float64 // radii of the scan are in units that are 1/per of those of the curve
}

// find looks for the knee, the elbow and the plateau.
func find(curve []float64, scan *dbscan.Scan, per float64) *findings {
	f := &findings{curve: curve, knee: math.NaN(), elbow: math.NaN(), scan: scan, per: per}
	if knee, _ := dbscan.FindKnee(curve); knee.Distance > 0 {
		f.knee = knee.Distance
	}
	if elbow, found := dbscan.FindElbow(curve); found {
		f.elbow = elbow.Distance
	}
	if scan != nil {
		f.plateau, f.flat = scan.Plateau()
	}
	return f
}

func (o *Options) report(j *job.Job, f *findings, unit string) {
	r := &j.Sum.Result
	n := len(f.curve)
	least, median, most := math.NaN(), math.NaN(), math.NaN()
	if n > 0 {
		least, median, most = f.curve[0], f.curve[n/2], f.curve[n-1]
	}
	r.Add(curve{int64(n), report.Float(least), report.Float(median), report.Float(most), report.Float(f.elbow), report.Float(f.knee)})
	suffix := ""
	if j.Geo.Angle {
		suffix = unit
	}
	minPoints := " --min-points " + strconv.FormatInt(o.k.Value+1, 10)
	advise := func(eps, what string) { j.Sum.Advice = append(j.Sum.Advice, "--eps "+eps+suffix+minPoints+", "+what) }
	switch {
	case f.flat:
		step := f.scan.Steps[f.plateau.Step]
		first, last, eps := f.scan.Steps[f.plateau.First].Epsilon/f.per, f.scan.Steps[f.plateau.Last].Epsilon/f.per, f.plateau.Epsilon/f.per
		r.Add(advised{eps, "plateau"})
		r.Add(Plateau{report.Range{First: first, Last: last, Ratio: last / first, Clusters: int64(step.Clusters), Largest: step.Largest}})
		advise(short(eps), fmt.Sprintf("the plateau, %s to %s, where most clusters last: %s", short(first), short(last), found(step)))
	case f.knee > 0:
		r.Add(advised{roundedUp(f.knee), "knee"})
	}
	j.Unit(unit)
	r.Add(density{o.k.Value + 1})
	if f.knee > 0 {
		advise(human.FloatText(roundedUp(f.knee)), "the knee: most rows are in clusters"+f.near(f.knee))
	}
	if f.elbow > 0 {
		advise(human.FloatText(roundedUp(f.elbow)), "the elbow: clusters are few rows in a field"+f.near(f.elbow))
	}
	switch {
	case len(j.Sum.Advice) == 0:
		j.Sum.Advice = []string{"the curve has no knee, so it does not tell --eps"}
	case f.scan == nil:
		j.Sum.Advice = append(j.Sum.Advice, "'cluster scan"+minPoints+"' looks for the radii at which clusters stay the same, which takes a while for so many rows")
	}
}

// near describes what the scan finds at the radius nearest to the given one, "" if the
// scan ended before.
func (f *findings) near(radius float64) string {
	if f.scan == nil || len(f.scan.Steps) == 0 {
		return ""
	}
	best, away := 0, math.Inf(1)
	for i, s := range f.scan.Steps {
		if d := math.Abs(math.Log(s.Epsilon / f.per / radius)); d < away {
			best, away = i, d
		}
	}
	if away > math.Log(1.1) {
		return ""
	}
	return "; near it " + found(f.scan.Steps[best])
}

// found describes what DBSCAN finds at a radius.
func found(s dbscan.ScanStep) string {
	if s.Clusters == 1 {
		return fmt.Sprintf("1 cluster of %s", human.Plural(s.Largest, "row", "rows"))
	}
	return fmt.Sprintf("%s of %s, the largest of %s", human.Plural(int64(s.Clusters), "cluster", "clusters"), human.Plural(s.Core+s.Border, "row", "rows"), human.Commas(s.Largest))
}

// short writes a radius for people: four digits are finer than the steps.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
