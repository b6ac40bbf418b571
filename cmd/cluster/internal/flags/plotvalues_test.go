package flags

import (
	"image/color"
	"slices"
	"strings"
	"testing"

	"skyjoin/io/figure"
)

func TestColors(t *testing.T) {
	var c colors
	if err := c.Set("darkorange, #0072B2"); err != nil || !slices.Equal(c.given, []color.NRGBA{{255, 140, 0, 255}, {0, 0x72, 0xb2, 255}}) {
		t.Errorf("%v (%v)", c.given, err)
	}
	for _, bad := range []string{"", "blu", "#12345", "#12345g", "red,", "red;blue", "0072b2"} {
		if err := (&colors{}).Set(bad); err == nil || !strings.Contains(err.Error(), "is no color") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestLimits(t *testing.T) {
	for text, want := range map[string]figure.Limits{"0,1": {Lo: 0, Hi: 1}, "-1e3, 2.5": {Lo: -1000, Hi: 2.5}} {
		var l limits
		if err := l.Set(text); err != nil || l.Limits != want || l.String() != text {
			t.Errorf("%q: %v (%v)", text, l, err)
		}
	}
	for text, want := range map[string]string{"1": "FROM,TO", "": "FROM,TO", "1,2,3": "FROM,TO", "1,inf": "FROM,TO", "a,b": "FROM,TO", "2,1": "2 is not below 1", "1,1": "1 is not below 1"} {
		if err := (&limits{}).Set(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
