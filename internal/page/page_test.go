package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"html"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The script is that of the sources: 'make web' bundles them, and writes their hash at
// the beginning.
func TestScriptIsFresh(t *testing.T) {
	names, err := filepath.Glob("_web/src/*")
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, "_web/build.mjs", "_web/package.json", "_web/package-lock.json")
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(sum, strings.TrimPrefix(name, "_web/")+"\x00")
		sum.Write(append(text, 0))
	}
	want := "/*! sources sha256 " + hex.EncodeToString(sum.Sum(nil)) + "\n"
	if !strings.HasPrefix(script, want) {
		t.Errorf("asset/page.js begins with %.90q, its sources have %q: run make web", script, want)
	}
}

func TestScript(t *testing.T) {
	if n := len(script); n > 500_000 {
		t.Errorf("the script has %d bytes, at most 500,000 are allowed", n)
	}
	for _, bad := range []string{"</script", "<!--", "http://", "https://"} {
		_, code, _ := strings.Cut(script, "*/")
		code = strings.ReplaceAll(code, "http://www.w3.org/", "") // names of SVG
		if strings.Contains(strings.ToLower(code), bad) {
			t.Errorf("the script contains %s", bad)
		}
	}
	names := ""
	for _, l := range Libraries() {
		if !strings.Contains(l.Terms, "opyright") || l.Version == "" {
			t.Errorf("%s %s: terms %q", l.Name, l.Version, l.Terms)
		}
		names += l.Name + " "
	}
	if !strings.Contains(names, "twgl.js ") || !strings.Contains(names, "d3-scale ") {
		t.Errorf("libraries are %s", names)
	}
}

// Codes rise with the numbers, have all of them within half a step, and none without one.
func TestCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, v := range map[string]func(i int) float64{
		"uniform":   func(int) float64 { return 360 * r.Float64() },
		"normal":    func(int) float64 { return r.NormFloat64() },
		"outliers":  func(i int) float64 { return math.Tan(3.14 * (r.Float64() - 0.5)) },
		"constant":  func(int) float64 { return 5 },
		"large":     func(int) float64 { return 1e299 * r.NormFloat64() },
		"small":     func(int) float64 { return 1e-310 * r.Float64() },
		"two":       func(i int) float64 { return float64(i % 2) },
		"with gaps": func(i int) float64 { return []float64{r.Float64(), math.NaN(), math.Inf(1), -math.MaxFloat64}[i%4] },
		"none":      func(int) float64 { return math.NaN() },
	} {
		values := make([]float64, 2000)
		for i := range values {
			values[i] = v(i)
		}
		for _, width := range []int{2, 3} {
			q := newQuantiser(values, width)
			last, lastCode := math.Inf(-1), uint32(0)
			slices.Sort(values)
			for _, v := range values {
				c := q.code(v)
				if math.Abs(v) > largest || math.IsNaN(v) {
					if c != 0 {
						t.Errorf("%s: %v has the code %d", name, v, c)
					}
					continue
				}
				if c < 1 || c >= 1<<(8*width) || c < lastCode && v > last {
					t.Fatalf("%s: the code of %v is %d, that of %v is %d", name, v, c, last, lastCode)
				}
				last, lastCode = v, c
				s := 0
				for s < 2 && v >= q.From[s+1] {
					s++
				}
				if off := math.Abs(q.value(c) - v); q.Scale[s] != 0 && off > 0.5001/q.Scale[s]+1e-12*math.Abs(v) {
					t.Errorf("%s: %v is taken as %v, the step is %v", name, v, q.value(c), 1/q.Scale[s])
				}
			}
		}
	}
}

func TestAcrossZero(t *testing.T) {
	for _, c := range []struct {
		in, want []float64
		branches int
	}{
		{[]float64{10, 20, 30}, []float64{10, 20, 30}, 0},
		{[]float64{359, 1, 0, 358.5}, []float64{-1, 1, 0, -1.5}, 2},
		{[]float64{-1, 361, 720.5}, []float64{-1, 1, 0.5}, 3},
		{[]float64{0, 90, 180, 270}, nil, -1}, // one piece, wherever it is cut
		{[]float64{math.NaN(), 359, 1}, []float64{math.NaN(), -1, 1}, 2},
	} {
		got, branches := acrossZero(c.in)
		if c.branches >= 0 && len(branches) != c.branches {
			t.Errorf("%v: branches %v", c.in, branches)
		}
		for i, v := range got {
			if c.want != nil && v != c.want[i] && !math.IsNaN(c.want[i]) {
				t.Errorf("%v: got %v, want %v", c.in, got, c.want)
				break
			}
			if !math.IsNaN(v) && math.Abs(turned(v)-turned(c.in[i])) > 1e-9 {
				t.Errorf("%v is drawn at %v", c.in[i], v)
			}
		}
	}
}

// page returns the page of n random rows in seven columns with the names.
func pageOf(t *testing.T, n int, name string) []byte {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	m := Map{Title: name, About: name, Record: html.EscapeString(name), File: name + ".html", Rows: n, Labels: make([]int32, n), Label: Label{Name: name, Where: name, Output: name}, Panels: []Panel{{X: 0, Y: 1}}, Sky: true}
	for i := range n {
		m.Labels[i] = r.Int32N(40_000) - 1
		m.Numbers = append(m.Numbers, uint32(2*i)+r.Uint32N(2))
	}
	for range MostColumns {
		values := make([]float64, n)
		for i := range values {
			values[i] = r.NormFloat64()
		}
		m.Columns = append(m.Columns, Column{Name: name, Label: name, Where: name, Unit: name, Values: func() ([]float64, error) { return values, nil }})
	}
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Seven columns, labels and row numbers that do not compress take at most 25 bytes a row.
func TestBytesOfARow(t *testing.T) {
	const n = 20_000
	one, all := len(pageOf(t, 1, "x")), len(pageOf(t, n, "x"))
	if each := float64(all-one) / n; each > 25 {
		t.Errorf("a row takes %.2f bytes", each)
	}
}

// Names do not end the scripts and elements that they stand in, and the same data give the
// same bytes.
func TestHostileNames(t *testing.T) {
	const bad = `</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>"'&`
	b := pageOf(t, 3, bad)
	if got, want := bytes.Count(b, []byte("<script")), 2+MostColumns+3; got != want {
		t.Errorf("%d scripts, want %d", got, want)
	}
	for _, part := range []string{"alert(1)</script", "<img", "<!--"} {
		_, text, _ := bytes.Cut(b, []byte("<body>"))
		if bytes.Contains(text, []byte(part)) {
			t.Errorf("the page has %s", part)
		}
	}
	if !bytes.Equal(b, pageOf(t, 3, bad)) {
		t.Error("the same data give other bytes")
	}
}

// With node and what 'make web' has installed, the script is bundled again to the byte.
func TestScriptIsRebuilt(t *testing.T) {
	if _, err := os.Stat("_web/node_modules/esbuild"); err != nil {
		t.Skip("make web has not installed the libraries of the script")
	}
	out := filepath.Join(t.TempDir(), "page.js")
	if text, err := exec.Command("node", "_web/build.mjs", out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if built, err := os.ReadFile(out); err != nil || string(built) != script {
		t.Errorf("asset/page.js is not what its sources make (%v): run make web", err)
	}
}

func TestSplit(t *testing.T) {
	pictures, pages := Split([]string{"a.png", "b.HTML", "c.svg", "d.htm", ".html"})
	if strings.Join(pictures, " ") != "a.png c.svg" || strings.Join(pages, " ") != "b.HTML d.htm .html" {
		t.Errorf("%q, %q", pictures, pages)
	}
}
