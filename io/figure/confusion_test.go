package figure

import (
	"errors"
	"testing"
)

func TestScoresThatCannotBeDrawn(t *testing.T) {
	for what, f := range map[string]interface{ Figure() (*Figure, error) }{
		"no classes":       ConfusionMatrix{},
		"a row missing":    ConfusionMatrix{Classes: []string{"a", "b"}, Count: [][]int64{{1, 2}}},
		"a column missing": ConfusionMatrix{Classes: []string{"a"}, Outside: "(none)", Count: [][]int64{{1}}},
		"no scores":        ScoreCurve{Name: "accuracy"},
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
		c := shade(float64(i) / 100)
		if sum := int(c.R) + int(c.G) + int(c.B); sum >= last {
			t.Fatalf("the shade of %d %% is no darker than the one before", i)
		} else {
			last = sum
		}
	}
}
