package flags

import (
	"math"
	"testing"

	"github.com/spf13/pflag"
)

// FuzzFlags gives any text to flags of every type. What is taken stays within its
// bounds, and is the same when it is given again as it is shown.
func FuzzFlags(f *testing.F) {
	for _, text := range []string{"1.5arcsec", "8GiB", `a,"b,c"`, "10,0,3", "1e400", "-5", " 7 ", "0x1p-3", "NaN", "µas", "1:9:5", "xi:0.05"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, pair := range [][2]pflag.Value{
			{&Length{}, &Length{}}, {&Length{Zero: true}, &Length{Zero: true}}, {&Number{}, &Number{}}, {&Integer{Least: 1}, &Integer{Least: 1}},
			{new(Seed), new(Seed)}, {&Bytes{}, &Bytes{}}, {&Box{}, &Box{}}, {&List{}, &List{}}, {&Bins{}, &Bins{}},
		} {
			a, b := pair[0], pair[1]
			if err := a.Set(text); err != nil {
				if err.Error() == "" {
					t.Fatalf("%s %q: an error without a word", a.Type(), text)
				}
				continue
			}
			if err := b.Set(a.String()); err != nil || a.String() != b.String() {
				t.Fatalf("%s %q is shown as %q, which is %q, %v", a.Type(), text, a, b, err)
			}
			switch v := a.(type) {
			case *Length:
				if math.IsInf(v.Value, 0) || !(v.Value > 0 || v.Zero && v.Value == 0) {
					t.Fatalf("length %q is %v", text, v.Value)
				}
			case *Bytes:
				if v.Bytes < 1 {
					t.Fatalf("size %q is %d", text, v.Bytes)
				}
			case *Box:
				for _, side := range *v {
					if !(side >= 0) || math.IsInf(side, 1) {
						t.Fatalf("box %q is %v", text, *v)
					}
				}
			}
		}
		bins := Bins{text}
		if bins.File() == "" {
			for _, angle := range []bool{false, true} {
				b, _, err := bins.Parse("--bins", angle)
				if err == nil && len(b.Edges()) < 2 {
					t.Fatalf("bins %q have the edges %v", text, b.Edges())
				}
			}
		}
	})
}
