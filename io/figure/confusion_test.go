package figure

import (
	"errors"
	"testing"

	"gonum.org/v1/plot/vg/draw"
)

func TestScoresThatCannotBeDrawn(t *testing.T) {
	for what, f := range map[string]interface{ Figure() (*Figure, error) }{
		"no classes":       ConfusionMatrix{},
		"a row missing":    ConfusionMatrix{Classes: []string{"a", "b"}, Count: [][]int64{{1, 2}}},
		"a column missing": ConfusionMatrix{Classes: []string{"a"}, Outside: "(none)", Count: [][]int64{{1}}},
		"no scores":        ScoreCurve{Name: "accuracy"},
		"a value missing":  Curves{Curves: []Curve{{X: []float64{1, 2}, Y: []float64{1}}}},
		"a score missing":  ScoreCurve{K: []int{1, 2}, Score: []float64{0.5}},
	} {
		if _, err := f.Figure(); !errors.Is(err, ErrRequest) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Shades grow darker with the fraction.
func TestShade(t *testing.T) {
	last := 1 << 20
	for i := range 101 {
		c := sheet{style: &Style{}}.shade(float64(i) / 100)
		if sum := int(c.R) + int(c.G) + int(c.B); sum >= last {
			t.Fatalf("the shade of %d %% is no darker than the one before", i)
		} else {
			last = sum
		}
	}
}

// All names are whole, and every cell has its number and its share, in all styles.
func TestConfusionIsComplete(t *testing.T) {
	m := ConfusionMatrix{Classes: []string{"CONFIRMED", "CANDIDATE", "FALSE POSITIVE"}, Outside: "(none)", Count: [][]int64{{1904, 251, 144, 0}, {290, 1402, 729, 3}, {61, 480, 4296, 4}}}
	for _, s := range []Style{{Width: SingleColumn}, {Width: DoubleColumn, Serif: true}, Talk} {
		m.Style = s
		f, err := m.Figure()
		if err != nil {
			t.Fatal(err)
		}
		r := &reader{typeface: sans}
		if s.Serif {
			r.typeface = serif
		}
		f.draw(draw.NewCanvas(r, f.width, f.height))
		n := map[string]int{}
		for _, w := range r.texts {
			n[w.text]++
		}
		for text, want := range map[string]int{"CONFIRMED": 2, "FALSE POSITIVE": 2, "(none)": 1, "4,296": 1, "89%": 1, "0": 2, "<1%": 2, "30%": 1, "share of the true class (%)": 1} {
			if n[text] != want {
				t.Errorf("%+v: %q is there %d times, want %d", s, text, n[text], want)
			}
		}
	}
}
