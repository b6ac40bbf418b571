package knnclass

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"skyjoin/internal/each"
	"skyjoin/internal/pyref"
	"skyjoin/neighbors"
)

func points(t testing.TB, cols ...[]float64) *neighbors.Points {
	t.Helper()
	var c []neighbors.Column
	for _, v := range cols {
		c = append(c, neighbors.Float64s(v))
	}
	p, err := neighbors.NewPoints(c...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func classifier(t testing.TB, train *neighbors.Points, labels []int32, weights []float64) *Model {
	t.Helper()
	m, err := NewClassifier(train, neighbors.Euclidean(), labels, int(slices.Max(labels))+1, weights)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func predicted(t testing.TB, m *Model, query *neighbors.Points, o Options) *Prediction {
	t.Helper()
	o.Probabilities = m.classes > 0
	p, err := m.Predict(t.Context(), query, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Case C15: a tie goes to the nearer class, whatever the classes are called.
func TestTies(t *testing.T) {
	train, query := points(t, []float64{1, -2}), points(t, []float64{0})
	for _, labels := range [][]int32{{1, 0}, {0, 1}} {
		for _, threads := range []int{1, 2, 8} {
			p := predicted(t, classifier(t, train, labels, nil), query, Options{K: 2, Threads: threads})
			if p.Class[0] != labels[0] || !p.Tie[0] || p.Ties != 1 || p.Share[0] != 0.5 || !slices.Equal(p.Probability, []float64{0.5, 0.5}) {
				t.Errorf("labels %v: %+v", labels, *p)
			}
		}
	}
	// Equal sums of distances: 1 + 4 = 2 + 3, the nearest row decides.
	train = points(t, []float64{1, 2, 3, 4})
	for _, labels := range [][]int32{{0, 1, 1, 0}, {1, 0, 0, 1}} {
		if p := predicted(t, classifier(t, train, labels, nil), query, Options{K: 4}); p.Class[0] != labels[0] || !p.Tie[0] {
			t.Errorf("labels %v: %+v", labels, *p)
		}
	}
	// A third class that overtakes two that tie leaves no tie.
	train = points(t, []float64{1, 2, 3, 4})
	if p := predicted(t, classifier(t, train, []int32{0, 1, 2, 2}, nil), query, Options{K: 4}); p.Class[0] != 2 || p.Tie[0] {
		t.Errorf("%+v", *p)
	}
}

// Case C17: rows at distance 0 take the whole vote.
func TestExactMatches(t *testing.T) {
	m := classifier(t, points(t, []float64{0, 1, 0}, []float64{0, 0, 1}), []int32{1, 0, 0}, nil)
	p := predicted(t, m, points(t, []float64{0}, []float64{0}), Options{K: 3, Vote: ByDistance})
	if p.Class[0] != 1 || p.Tie[0] || !slices.Equal(p.Probability, []float64{0, 1}) {
		t.Errorf("out-voted: %+v", *p)
	}
	for _, c := range []struct {
		x, y []float64
		want float64
	}{{[]float64{1, 2, 3}, []float64{10, 20, 30}, 10}, {[]float64{1, 1, 3}, []float64{10, 30, 70}, 20}} {
		r, err := NewRegressor(points(t, c.x), neighbors.Euclidean(), c.y, nil)
		if err != nil {
			t.Fatal(err)
		}
		if p := predicted(t, r, points(t, []float64{1}), Options{K: 3, Vote: ByDistance}); p.Value[0] != c.want {
			t.Errorf("%v: %v, want %v", c.x, p.Value[0], c.want)
		}
	}
}

func TestSampleWeights(t *testing.T) {
	train, query := points(t, []float64{1, 2, 3}), points(t, []float64{0})
	p := predicted(t, classifier(t, train, []int32{0, 1, 1}, []float64{5, 1, 2}), query, Options{K: 3})
	if p.Class[0] != 0 || !slices.Equal(p.Probability, []float64{0.625, 0.375}) {
		t.Errorf("%+v", *p)
	}
	r, err := NewRegressor(train, neighbors.Euclidean(), []float64{10, 20, 30}, []float64{2, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	if p := predicted(t, r, query, Options{K: 3}); p.Value[0] != 17.5 {
		t.Errorf("%+v", *p)
	}
}

func TestRadius(t *testing.T) {
	m := classifier(t, points(t, []float64{3, 0, 1}), []int32{1, 0, 1}, nil)
	p := predicted(t, m, points(t, []float64{0.5, 50, 2.9}), Options{Radius: 1})
	if !slices.Equal(p.Class, []int32{0, Outlier, 1}) || p.Outliers != 1 || !slices.Equal(p.Tie, []bool{true, false, false}) {
		t.Errorf("%+v", *p)
	}
	if !slices.Equal(p.Probability, []float64{0.5, 0.5, 0, 0, 0, 1}) {
		t.Errorf("probabilities %v", p.Probability)
	}
}

// Blocks of any size give the same, and the rows in their places.
func TestBlocks(t *testing.T) {
	tr := newTrial(4)
	m := classifier(t, points(t, columns(tr.Train)...), tr.Labels, nil)
	query := points(t, columns(tr.Query)...)
	want, explained := "", ""
	for _, block := range []int{0, 1, 7, 50, 51} {
		o := Options{K: 5, Block: block}
		if got := fmt.Sprint(*predicted(t, m, query, o)); want == "" {
			want = got
		} else if got != want {
			t.Errorf("in blocks of %d:\n%s\nwant\n%s", block, got, want)
		}
		var text string
		err := m.Explain(t.Context(), query, o, 0, func(row uint32, train []uint32, dist, share []float64) error {
			text += fmt.Sprint(row, train, dist, share)
			return nil
		})
		if explained == "" {
			explained = text
		}
		if err != nil || text != explained || text == "" {
			t.Errorf("in blocks of %d: %s, want %s (%v)", block, text, explained, err)
		}
	}
	if p, err := m.Predict(t.Context(), points(t, make([][]float64, query.Dim())...), Options{K: 5}); err != nil || len(p.Class) != 0 {
		t.Errorf("no query rows: %v, %v", p, err)
	}
	if _, err := m.Predict(t.Context(), points(t, []float64{}, []float64{}, []float64{}, []float64{}, []float64{}, []float64{}, []float64{}), Options{K: 5}); !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("no query rows of other columns: %v", err)
	}
}

// trial is a random problem.
type trial struct {
	Train, Query [][]float64 // by row
	Labels       []int32
	Values       []float64
	K            int
	Vote         string
}

func newTrial(seed uint64) trial {
	r := rand.New(rand.NewPCG(seed, 9))
	dim, n, classes := 1+r.IntN(6), 20+r.IntN(200), 2+r.IntN(4)
	t := trial{K: 1 + r.IntN(15), Vote: Votes()[r.IntN(2)]}
	row := func() []float64 {
		x := make([]float64, dim)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		return x
	}
	for range n {
		t.Train = append(t.Train, row())
		t.Labels = append(t.Labels, int32(r.IntN(classes)))
		t.Values = append(t.Values, r.NormFloat64()*100)
	}
	for range 50 {
		t.Query = append(t.Query, row())
	}
	t.Query[0] = t.Train[3]
	copy(t.Labels, []int32{0, 1, 2, 3, 4, 5}[:classes])
	return t
}

func columns(rows [][]float64) [][]float64 {
	cols := make([][]float64, len(rows[0]))
	for _, row := range rows {
		for j, x := range row {
			cols[j] = append(cols[j], x)
		}
	}
	return cols
}

func (tr trial) run(t *testing.T) (class *Prediction, value *Prediction, classes int) {
	vote, err := ParseVote(tr.Vote)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{K: tr.K, Vote: vote}
	train, query := points(t, columns(tr.Train)...), points(t, columns(tr.Query)...)
	c := classifier(t, train, tr.Labels, nil)
	r, err := NewRegressor(train, neighbors.Euclidean(), tr.Values, nil)
	if err != nil {
		t.Fatal(err)
	}
	return predicted(t, c, query, o), predicted(t, r, query, o), c.classes
}

const sklearnProgram = `
import json, sys
import numpy as np
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
out = []
for t in json.load(sys.stdin):
    train, query = np.array(t["Train"]), np.array(t["Query"])
    c = KNeighborsClassifier(t["K"], weights=t["Vote"]).fit(train, t["Labels"])
    r = KNeighborsRegressor(t["K"], weights=t["Vote"]).fit(train, t["Values"])
    out.append({"class": c.predict(query).tolist(), "probability": c.predict_proba(query).ravel().tolist(), "value": r.predict(query).tolist()})
json.dump(out, sys.stdout)
`

func TestAgreesWithScikitLearn(t *testing.T) {
	trials := make([]trial, 100)
	for i := range trials {
		trials[i] = newTrial(uint64(i))
	}
	type answer struct {
		Class              []int32
		Probability, Value []float64
	}
	answers := pyref.Ask[answer](t, "sklearn, numpy", sklearnProgram, trials)
	for i, want := range answers {
		got, value, _ := trials[i].run(t)
		for row := range got.Class {
			if !got.Tie[row] && got.Class[row] != want.Class[row] {
				t.Errorf("trial %d, row %d: class %d, scikit-learn has %d", i, row, got.Class[row], want.Class[row])
			}
			if math.Abs(value.Value[row]-want.Value[row]) > 1e-9 {
				t.Errorf("trial %d, row %d: value %v, scikit-learn has %v", i, row, value.Value[row], want.Value[row])
			}
		}
		for k, p := range got.Probability {
			if math.Abs(p-want.Probability[k]) > 1e-12 {
				t.Errorf("trial %d: probability %d is %v, scikit-learn has %v", i, k, p, want.Probability[k])
			}
		}
	}
}

// Predictions are what the definition says, on any number of threads.
func TestPredictIsByDefinition(t *testing.T) {
	for seed := range uint64(30) {
		tr := newTrial(seed)
		got, value, classes := tr.run(t)
		for row, q := range tr.Query {
			order := make([]int, len(tr.Train))
			dist := make([]float64, len(tr.Train))
			for i, x := range tr.Train {
				order[i] = i
				d2 := 0.0
				for j := range q {
					d := q[j] - x[j]
					d2 += float64(d * d)
				}
				dist[i] = math.Sqrt(d2)
			}
			slices.SortStableFunc(order, func(a, b int) int {
				switch {
				case dist[a] < dist[b]:
					return -1
				case dist[a] > dist[b]:
					return 1
				}
				return 0
			})
			probability := make([]float64, classes)
			total, sum := 0.0, 0.0
			for _, i := range order[:tr.K] {
				w := 1.0
				if tr.Vote == "distance" {
					if w = 1 / dist[i]; dist[order[0]] == 0 {
						w = map[bool]float64{true: 1, false: 0}[dist[i] == 0]
					}
				}
				probability[tr.Labels[i]] += w
				total += w
				sum += w * tr.Values[i]
			}
			for c := range probability {
				if p := got.Probability[row*classes+c]; math.Abs(p-probability[c]/total) > 1e-12 {
					t.Fatalf("trial %d, row %d: probability %v of class %d, want %v", seed, row, p, c, probability[c]/total)
				}
			}
			if best := slices.Max(probability); probability[got.Class[row]] < best*(1-1e-12) {
				t.Fatalf("trial %d, row %d: class %d has %v, the best %v", seed, row, got.Class[row], probability[got.Class[row]], best)
			}
			if math.Abs(value.Value[row]-sum/total) > 1e-9 {
				t.Fatalf("trial %d, row %d: value %v, want %v", seed, row, value.Value[row], sum/total)
			}
		}
	}
}

// Leave-one-out is prediction by the other rows, for every k at once.
func TestLeaveOneOut(t *testing.T) {
	tr := newTrial(77)
	m := classifier(t, points(t, columns(tr.Train)...), tr.Labels, nil)
	for _, vote := range []Vote{Uniform, ByDistance} {
		ks := []int{1, 2, 5, 8}
		all, err := m.LeaveOneOut(t.Context(), ks, Options{Vote: vote})
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range ks {
			ties := int64(0)
			for row := range tr.Train {
				others := slices.Delete(slices.Clone(tr.Train), row, row+1)
				labels := slices.Delete(slices.Clone(tr.Labels), row, row+1)
				one, err := NewClassifier(points(t, columns(others)...), neighbors.Euclidean(), labels, m.classes, nil)
				if err != nil {
					t.Fatal(err)
				}
				p := predicted(t, one, points(t, columns(tr.Train[row:row+1])...), Options{K: k, Vote: vote})
				if p.Class[0] != all[i].Class[row] || p.Tie[0] != all[i].Tie[row] || p.Share[0] != all[i].Share[row] {
					t.Fatalf("k=%d, row %d: class %d, by the others %d", k, row, all[i].Class[row], p.Class[0])
				}
				ties += p.Ties
			}
			if ties != all[i].Ties {
				t.Errorf("k=%d: %d ties, want %d", k, all[i].Ties, ties)
			}
		}
	}
}

func TestFolds(t *testing.T) {
	labels := make([]int32, 103)
	for i := range labels {
		labels[i] = int32(i % 7 / 3)
	}
	a, err := Folds(len(labels), 5, labels, 1)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := Folds(len(labels), 5, labels, 1)
	c, _ := Folds(len(labels), 5, labels, 2)
	if !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Error("folds do not depend on the seed alone")
	}
	plain, _ := Folds(103, 5, nil, 1)
	for name, folds := range map[string][]int32{"by class": a, "plain": plain} {
		size := map[int32]int{}
		class := map[[2]int32]int{}
		for i, f := range folds {
			size[f]++
			class[[2]int32{f, labels[i]}]++
		}
		for f := range int32(5) {
			if size[f] < 20 || size[f] > 21 {
				t.Errorf("%s: fold %d has %d rows", name, f, size[f])
			}
			for l := range int32(3) {
				if lo, hi := class[[2]int32{0, l}]-1, class[[2]int32{0, l}]+1; name == "by class" && (class[[2]int32{f, l}] < lo || class[[2]int32{f, l}] > hi) {
					t.Errorf("fold %d has %d rows of class %d, fold 0 has %d", f, class[[2]int32{f, l}], l, class[[2]int32{0, l}])
				}
			}
		}
	}
	for _, parts := range []int{0, 1, 104} {
		if _, err := Folds(103, parts, nil, 1); !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("%d parts: %v", parts, err)
		}
	}
}

// Every row is predicted by the other folds, and what is learned comes from
// them alone.
func TestCrossValidate(t *testing.T) {
	tr := newTrial(5)
	train := points(t, columns(tr.Train)...)
	m := classifier(t, train, tr.Labels, nil)
	fold, err := Folds(m.Len(), 4, tr.Labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	all, err := m.CrossValidate(t.Context(), fold, []int{1, 4}, func(p *neighbors.Points) (neighbors.Metric, error) {
		sizes = append(sizes, p.Len())
		scale := make([]float64, p.Dim())
		for j := range scale {
			scale[j] = 1 + math.Abs(p.Column(j).At(0))
		}
		return neighbors.Euclidean().Scaled(scale...), nil
	}, Options{Probabilities: true})
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, n := range sizes {
		total += m.Len() - n
	}
	if len(sizes) != 4 || total != m.Len() {
		t.Errorf("training sets of %v rows", sizes)
	}
	for part := range int32(4) {
		var in, out []uint32
		for row, f := range fold {
			if f == part {
				out = append(out, uint32(row))
			} else {
				in = append(in, uint32(row))
			}
		}
		scale := make([]float64, train.Dim())
		for j := range scale {
			scale[j] = 1 + math.Abs(train.Column(j).At(int(in[0])))
		}
		one, err := NewClassifier(train.Subset(in), neighbors.Euclidean().Scaled(scale...), each.At(tr.Labels, in), m.classes, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := predicted(t, one, train.Subset(out), Options{K: 4})
		for i, row := range out {
			if p.Class[i] != all[1].Class[row] || !slices.Equal(p.Probability[i*m.classes:][:m.classes], all[1].Probability[int(row)*m.classes:][:m.classes]) {
				t.Fatalf("row %d of part %d: class %d, want %d", row, part, all[1].Class[row], p.Class[i])
			}
		}
	}
}

func TestScores(t *testing.T) {
	c, err := Confuse([]int32{0, 0, 1, 1, 1, -1, 2}, []int32{0, 1, 1, 1, Outlier, 1, 0}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if c.Rows != 6 || c.Right() != 3 || c.Accuracy() != 0.5 || c.At(1, Outlier) != 1 || c.At(2, 0) != 1 {
		t.Errorf("%+v", *c)
	}
	if got := fmt.Sprint(c.Score(0), c.Score(1), c.Score(2)); got != fmt.Sprint(Score{.5, .5, .5, 2}, Score{2. / 3, 2. / 3, 2. / 3, 3}, Score{math.NaN(), 0, 0, 1}) {
		t.Error(got)
	}
	f, err := Compare([]float64{1, 2, 3, math.NaN(), 5}, []float64{1, 2, 5, 9, math.NaN()})
	if err != nil || f.Rows != 3 || f.R2 != -1 || f.MAE != 2./3 || f.RMSE != math.Sqrt(4./3) {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestExplain(t *testing.T) {
	m := classifier(t, points(t, []float64{4, 1, 2}), []int32{0, 0, 1}, nil)
	for name, o := range map[string]Options{"k": {K: 2, Vote: ByDistance}, "radius": {Radius: 3, Vote: ByDistance}} {
		var got []string
		err := m.Explain(t.Context(), points(t, []float64{0, 3}), o, 1, func(row uint32, train []uint32, dist, share []float64) error {
			got = append(got, fmt.Sprint(row, train, dist, share))
			return nil
		})
		want := []string{"0 [1 2] [1 2] [0.6666666666666666 0.3333333333333333]", "1 [0 2] [1 1] [0.5 0.5]"}
		if name == "radius" {
			want[1] = "1 [0 2 1] [1 1 2] [0.4 0.4 0.2]"
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestEncode(t *testing.T) {
	classes, index := Encode([]string{"star", "galaxy", "star", ""})
	if fmt.Sprint(classes, index) != "[ galaxy star] [2 1 2 0]" {
		t.Errorf("%q, %v", classes, index)
	}
}

func TestRefuses(t *testing.T) {
	p := points(t, []float64{1, 2})
	empty := points(t, []float64{})
	m := classifier(t, p, []int32{0, 1}, nil)
	newC := func(p *neighbors.Points, l []int32, w []float64) error {
		_, err := NewClassifier(p, neighbors.Euclidean(), l, 2, w)
		return err
	}
	newR := func(p *neighbors.Points, v, w []float64) error {
		_, err := NewRegressor(p, neighbors.Euclidean(), v, w)
		return err
	}
	predict := func(o Options) error { _, err := m.Predict(t.Context(), p, o); return err }
	for name, err := range map[string]error{
		"no rows": newC(empty, nil, nil), "nil": newC(nil, nil, nil), "labels": newC(p, []int32{1}, nil), "class": newC(p, []int32{0, 2}, nil),
		"weights": newC(p, []int32{0, 1}, []float64{1}), "weight": newC(p, []int32{0, 1}, []float64{1, 0}),
		"values": newR(p, []float64{1}, nil), "value": newR(p, []float64{1, math.NaN()}, nil), "r weight": newR(p, []float64{1, 2}, []float64{1, math.Inf(1)}), "r nil": newR(nil, nil, nil),
		"k": predict(Options{}), "large k": predict(Options{K: 3}), "both": predict(Options{K: 1, Radius: 1}), "vote": predict(Options{K: 1, Vote: 7}), "radius": predict(Options{Radius: -1}),
	} {
		if !errors.Is(err, neighbors.ErrRequest) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := m.LeaveOneOut(t.Context(), []int{0, 1}, Options{}); !errors.Is(err, neighbors.ErrRequest) {
		t.Error(err)
	}
	if _, err := m.LeaveOneOut(t.Context(), []int{}, Options{}); !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("no k: %v", err)
	}
	if _, err := m.CrossValidate(t.Context(), []int32{0, -1}, []int{1}, nil, Options{}); !errors.Is(err, neighbors.ErrRequest) {
		t.Errorf("part -1: %v", err)
	}
	if _, err := ParseVote("majority"); !errors.Is(err, neighbors.ErrRequest) {
		t.Error(err)
	}
	for l, r := range map[string]error{"short": func() error { _, err := Confuse([]int32{1}, nil, 2); return err }(), "class": func() error { _, err := Confuse([]int32{2}, []int32{0}, 2); return err }()} {
		if !errors.Is(r, neighbors.ErrRequest) {
			t.Errorf("%s: %v", l, r)
		}
	}
}

// Votes and values at the ends of what float64 holds: distances whose squares
// overflow, weights whose votes vanish or overflow, and sums that do.
func TestExtremeVotes(t *testing.T) {
	const most = math.MaxFloat64
	for name, c := range map[string]struct {
		x, weights, values []float64
		query              float64
		vote               Vote
		class              int32
		share, value       float64
	}{
		"all infinitely far": {[]float64{0, 1}, nil, []float64{3, 5}, 1e200, ByDistance, 0, .5, 4},
		"one infinitely far": {[]float64{0, 1e200}, nil, []float64{3, 5}, 1, ByDistance, 0, 1, 3},
		"votes vanish":       {[]float64{0, 0}, []float64{1e-300, 3e-300}, []float64{3, 5}, 1e100, ByDistance, 1, .75, 4.5},
		"votes overflow":     {[]float64{1e-100, -1e-100}, []float64{3e300, 1e300}, []float64{3, 5}, 0, ByDistance, 0, .75, 3.5},
		"sum overflows":      {[]float64{0, 1}, []float64{most, most}, []float64{3, 5}, 0, Uniform, 0, .5, 4},
		"values overflow":    {[]float64{0, 1}, nil, []float64{most, most}, 0, Uniform, 0, .5, most},
		"values vanish":      {[]float64{0, 1}, []float64{1e-200, 1e-200}, []float64{1e-200, 3e-200}, 0, Uniform, 0, .5, 2e-200},
	} {
		train, query := points(t, c.x), points(t, []float64{c.query})
		r, err := NewRegressor(train, neighbors.Euclidean(), c.values, c.weights)
		if err != nil {
			t.Fatal(err)
		}
		p := predicted(t, classifier(t, train, []int32{0, 1}, c.weights), query, Options{K: 2, Vote: c.vote})
		v := predicted(t, r, query, Options{K: 2, Vote: c.vote})
		if p.Class[0] != c.class || math.Abs(p.Share[0]-c.share) > 1e-15 || math.Abs(v.Value[0]/c.value-1) > 1e-15 {
			t.Errorf("%s: class %d with %v, value %v; want %d with %v, %v", name, p.Class[0], p.Share[0], v.Value[0], c.class, c.share, c.value)
		}
	}
}
