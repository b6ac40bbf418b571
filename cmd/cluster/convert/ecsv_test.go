package convert

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/internal/pyref"
)

// astropyDiffers prints, for pairs of files, in what the second differs from the
// first as astropy opens them, columns that only the second has aside.
const astropyDiffers = `
import sys, json, warnings
warnings.simplefilter("ignore")
from astropy.table import QTable
def differs(first, second):
    a, b = QTable.read(first), QTable.read(second)
    out = ["no " + c for c in a.colnames if c not in b.colnames]
    for c in a.colnames:
        if c not in b.colnames:
            continue
        x, y = a[c], b[c]
        if type(x) != type(y):
            out.append("%s: %s is %s" % (c, type(x), type(y)))
        for k in "unit", "format", "description", "meta", "shape", "dtype":
            v, w = (getattr(z, k, None) if k == "shape" else getattr(z.info, k, None) for z in (x, y))
            if v != w and not (k == "dtype" and str(v) == "object"):
                out.append("%s.%s: %r is %r" % (c, k, v, w))
        if hasattr(x, "separation"):
            if x.frame.name != y.frame.name or x.equinox != y.equinox or x.separation(y).max().deg > 0:
                out.append(c + " moved")
        else:
            out += ["%s[%d]: %r is %r" % (c, i, v, w) for i, (v, w) in enumerate(zip(x, y)) if repr(v) != repr(w)]
    own = {k: v for k, v in b.meta.items() if not k.startswith("skyjoin")}
    if dict(a.meta) != own:
        out.append("meta: %r is %r" % (dict(a.meta), own))
    return out
print(json.dumps([differs(*q) for q in json.load(sys.stdin)]))`

// A table of SkyCoord, Time, Quantity, masked values, arrays, objects and complex
// numbers stays what it is to astropy through dbscan, match and other formats.
func TestECSVStaysWhatItIs(t *testing.T) {
	const in = "testdata/mixins.ecsv"
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	one := cmdtest.CSVOf(t, "x,y", "10,1")
	cmdtest.Succeed(t, "dbscan", in, "--eps", "1arcmin", "--min-points", "2", "-o", at("dbscan.ecsv"), "-q")
	cmdtest.Succeed(t, "convert", in, "--where", "id > 0", "-o", at("rows.ecsv"), "-q")
	var pairs [][2]string
	for _, ext := range []string{"fits", "vot", "parquet"} {
		cmdtest.Succeed(t, "convert", in, "-o", at("t."+ext), "-q")
		cmdtest.Succeed(t, "convert", at("t."+ext), "-o", at(ext+".ecsv"), "-q")
		pairs = append(pairs, [2]string{in, at(ext + ".ecsv")})
	}
	cmdtest.Succeed(t, "convert", in, "--columns", "id,sc.ra,sc.dec,t,q,m,b,o", "-o", at("few.ecsv"), "-q")
	cmdtest.Succeed(t, "match", at("few.ecsv"), one, "-c", "sc.ra,sc.dec", "--columns-b", "x,y", "--radius", "1arcsec", "--metric", "sky", "--join", "all1", "-o", at("match.ecsv"), "-q")
	pairs = append(pairs, [2]string{in, at("dbscan.ecsv")}, [2]string{in, at("rows.ecsv")}, [2]string{at("few.ecsv"), at("match.ecsv")})

	// Without astropy: rows and what is made of columns are as they were.
	before, after := text(t, in), text(t, at("dbscan.ecsv"))
	for line := range strings.Lines(before) {
		line = strings.TrimSuffix(line, "\n")
		switch line {
		case "# ---", "# schema: astropy-2.0":
		default:
			if !strings.Contains(after, line) {
				t.Errorf("dbscan lost %q", line)
			}
		}
	}
	for i, differs := range pyref.Ask[[]string](t, "astropy", astropyDiffers, pairs) {
		for _, what := range differs {
			t.Errorf("%s: %s", filepath.Base(pairs[i][1]), what)
		}
	}
}

// A match of a table with itself has the objects of both sides.
func TestMatchHasObjectsOfBothSides(t *testing.T) {
	const in = "testdata/mixins.ecsv"
	out := filepath.Join(t.TempDir(), "match.ecsv")
	cmdtest.Succeed(t, "match", in, in, "--radius", "1arcsec", "-o", out, "-q")
	header := text(t, out)
	for _, want := range []string{
		"#     sc_1:\n", "#     sc_2:\n", `{name: "sc.dec_1"}`, `{name: "sc.dec_2"}`, "&id001_1 ", "*id001_2\n", `- {name: "q_2", unit: km / s, datatype: float64}`,
	} {
		if !strings.Contains(header, want) {
			t.Errorf("no %q in\n%s", want, header)
		}
	}
	const kinds = `
import sys, json, warnings
warnings.simplefilter("ignore")
from astropy.table import QTable
t = QTable.read(json.load(sys.stdin)[0])
print(json.dumps([" ".join(type(t[c]).__name__ for c in ("sc_1", "sc_2", "t_1", "t_2", "q_2", "m_2"))]))`
	got := pyref.Ask[string](t, "astropy", kinds, []string{out})[0]
	if want := "SkyCoord SkyCoord Time Time Quantity MaskedQuantity"; got != want {
		t.Errorf("astropy opens %s, want %s", got, want)
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
