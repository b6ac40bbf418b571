package figure

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestTimeline(t *testing.T) {
	bars := []Bar{{0, "gpu 0", 0, 1}, {1, "gpu 0", 0.5, 2}, {3, "cpu", 0, 1.5}}
	fig, err := Timeline{Bars: bars}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	svg, err := fig.svg()
	if err != nil {
		t.Fatal(err)
	}
	// Two bars and the sample of the legend in the first colour, one and one in
	// the second.
	for colour, want := range map[string]int{"#0072B2": 3, "#D55E00": 2} {
		if got := strings.Count(strings.ToUpper(string(svg)), colour); got != want {
			t.Errorf("%d shapes of colour %s, want %d", got, colour, want)
		}
	}
	if _, err := (Timeline{}).Figure(); err != nil {
		t.Errorf("no bars: %v", err)
	}
	for _, b := range []Bar{{-1, "", 0, 1}, {0, "", 2, 1}, {0, "", 0, math.NaN()}, {0, "", 0, math.Inf(1)}} {
		if _, err := (Timeline{Bars: []Bar{b}}).Figure(); !errors.Is(err, ErrRequest) {
			t.Errorf("%+v: %v", b, err)
		}
	}
}
