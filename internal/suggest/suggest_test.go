package suggest

import (
	"slices"
	"testing"
)

func TestNear(t *testing.T) {
	for _, c := range []struct {
		name  string
		names []string
		want  []string
	}{
		{"Dec", []string{"ra", "dec", "deg"}, []string{"dec"}},
		{"parallx", []string{"parallax", "parallax_error", "pmra"}, []string{"parallax"}},
		{"pmar", []string{"pmra", "pmdec"}, []string{"pmra"}},
		{"x", []string{"y", "z"}, nil},
		{"colour", []string{"magnitude"}, nil},
		{"", []string{"a"}, nil},
	} {
		if got := Near(c.name, c.names); !slices.Equal(got, c.want) {
			t.Errorf("Near(%q, %q) = %q, want %q", c.name, c.names, got, c.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"", "xy", 2}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
