package figure

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image/color"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/vg"
)

func TestSameBytes(t *testing.T) {
	for _, g := range figures {
		for format := range formats {
			first, err := g.make()
			if err != nil {
				t.Fatal(err)
			}
			second, err := g.make()
			if err != nil {
				t.Fatal(err)
			}
			b := encode(t, first, format)
			if !bytes.Equal(b, encode(t, first, format)) {
				t.Errorf("%s: the same figure as %s twice differs", g.name, format)
			}
			if !bytes.Equal(b, encode(t, second, format)) {
				t.Errorf("%s: figures of the same data as %s differ", g.name, format)
			}
		}
	}
}

func TestPDFDates(t *testing.T) {
	f, err := KDistance{K: 1}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	b := encode(t, f, "pdf")
	for _, key := range []string{"/CreationDate (D:20000101000000)", "/ModDate (D:20000101000000)"} {
		if bytes.Count(b, []byte(key)) != 1 {
			t.Errorf("PDF has %d times %s, want 1", bytes.Count(b, []byte(key)), key)
		}
	}
}

// Text is text, in fonts that the file has: of PDF with the characters of each letter,
// of SVG as elements of text. Letters that fonts in PDF cannot have are outlines.
func TestTextIsText(t *testing.T) {
	for _, serifed := range []bool{false, true} {
		f, err := Points{X: []float64{1}, Y: []float64{2}, Title: "AV & 𝔸", XAxis: Axis{"μ_{α∗}", "″"}, YAxis: Axis{"M", "10¹⁴ h⁻¹ M☉"}, Style: Style{Serif: serifed}}.Figure()
		if err != nil {
			t.Fatal(err)
		}
		name := "DejaVu Sans"
		if serifed {
			name = "DejaVu Serif"
		}
		svg := encode(t, f, "svg")
		for _, part := range []string{">μ</text>", ">α∗</text>", ">(″)</text>", ">A</text>", ">V &amp; ", "@font-face{font-family:\"" + name + "\";src:url(data:font/ttf;base64,"} {
			if !bytes.Contains(svg, []byte(part)) {
				t.Errorf("SVG has no %s", part)
			}
		}
		pdf := encode(t, f, "pdf")
		for _, part := range []string{"/Subtype /CIDFontType2", "/ToUnicode", "/FontFile2", "/BaseFont /utf8" + strings.ToLower(strings.ReplaceAll(name, " ", ""))} {
			if !bytes.Contains(pdf, []byte(part)) {
				t.Errorf("PDF has no %s", part)
			}
		}
	}
}

// A font within SVG has the letters that are used, with the outlines that they have.
func TestFontSubset(t *testing.T) {
	for _, face := range []*typeface{sans, serif} {
		ttf, err := face.subset("ÅGVαμ☉⁻¹")
		if err != nil {
			t.Fatal(err)
		}
		if len(ttf) > 60e3 {
			t.Errorf("%s: %d bytes for a few letters", face.name(), len(ttf))
		}
		cut, err := opentype.Parse(ttf)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range "ÅGVαμ☉⁻¹" {
			size := vg.Length(10)
			used := textRuns(face.font, string(r))[0].font
			if used != face.font {
				continue // of the other typeface
			}
			want, got := piece{face.font, size, vg.Point{}, string(r)}.outline(), piece{cut, size, vg.Point{}, string(r)}.outline()
			if len(want) == 0 || !slices.EqualFunc(want, got, func(a, b vg.PathComp) bool { return a.Type == b.Type && a.Pos == b.Pos }) {
				t.Errorf("%s: the outline of %c is another", face.name(), r)
			}
		}
	}
}

// What a figure says about itself comes back from each format.
func TestInfo(t *testing.T) {
	for _, want := range []Info{
		{},
		{Title: "A <B> & “C” ☉", Tool: "skyjoin 1.2", Parameters: []Parameter{{"command", "dbscan"}, {"min-points", "5"}, {"run", `["dbscan","a\u0001 \"b\".fits","--where=x < 3 & y","--plot"]`}}},
	} {
		for format := range formats {
			f, err := KDistance{K: 1}.Figure()
			if err != nil {
				t.Fatal(err)
			}
			f.Info = want
			if got := ReadInfo(encode(t, f, format)); !reflect.DeepEqual(got, want) {
				t.Errorf("%s says %+v, want %+v", format, got, want)
			}
		}
	}
	for _, broken := range []string{"", "<x:xmpmeta ", "<x:xmpmeta </x:xmpmeta>", "<x:xmpmeta a='</x:xmpmeta>'>"} {
		if got := ReadInfo([]byte(broken)); !reflect.DeepEqual(got, Info{}) {
			t.Errorf("%q says %+v", broken, got)
		}
	}
}

func TestResolution(t *testing.T) {
	f, err := KDistance{K: 1}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	b := encode(t, f, "png")
	i := bytes.Index(b, []byte("pHYs"))
	if i != 37 {
		t.Fatalf("pHYs at byte %d, want 37, right after IHDR", i)
	}
	if x, y, unit := binary.BigEndian.Uint32(b[i+4:]), binary.BigEndian.Uint32(b[i+8:]), b[i+12]; x != 11811 || y != 11811 || unit != 1 {
		t.Errorf("resolution %d × %d, unit %d, want 11811 dots per metre (300 dpi)", x, y, unit)
	}
	// 84 mm at 300 dpi.
	if w := pixels(t, b).Rect.Dx(); w != 992 {
		t.Errorf("figure of one column is %d pixels wide, want 992", w)
	}
}

func TestFormat(t *testing.T) {
	for path, want := range map[string]string{"a.png": "png", "dir.x/b.SVG": "svg", "c.pdf": "pdf"} {
		if got, err := Format(path); got != want || err != nil {
			t.Errorf("Format(%q) = %q, %v, want %q", path, got, err, want)
		}
	}
	for _, path := range []string{"", "map", "map.jpg", "map.png.gz", "png"} {
		_, err := Format(path)
		if !errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), ".png, .svg and .pdf") {
			t.Errorf("Format(%q): error %v, want one that lists the formats", path, err)
		}
		if filepath.Ext(path) == "" && !strings.Contains(err.Error(), "has no extension") {
			t.Errorf("Format(%q): error %v, want one about the extension", path, err)
		}
	}
	f, err := KDistance{K: 1}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Encode(&bytes.Buffer{}, "eps"); !errors.Is(err, ErrRequest) {
		t.Errorf("Encode as eps: error %v, want ErrRequest", err)
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	f, err := KDistance{K: 1}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "k.svg")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, encode(t, f, "svg")) {
		t.Errorf("saved file differs from the encoded figure (error %v)", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o400 == 0 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
	if err := os.Mkdir(filepath.Join(dir, "dir.png"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"k.gif", "absent/k.png", "dir.png"} {
		err := f.Save(filepath.Join(dir, bad))
		if err == nil {
			t.Errorf("saving %s succeeded", bad)
			continue
		}
		if strings.Contains(err.Error(), ".tmp") || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), bad) {
			t.Errorf("saving %s: error %q, want one line that names the file asked for", bad, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			t.Errorf("temporary file %s left behind", e.Name())
		}
	}
}

func TestStyleOutOfRange(t *testing.T) {
	for _, s := range []Style{{Width: -1}, {Width: 5}, {Width: 1e9}, {DPI: -300}, {DPI: 1e6}, {FontSize: 0.1}, {FontSize: 500}} {
		if _, err := (KDistance{K: 1, Style: s}).Figure(); !errors.Is(err, ErrRequest) {
			t.Errorf("style %+v: error %v, want ErrRequest", s, err)
		}
	}
}

// TestPDFUpright renders a raster map as PDF: the cluster with the higher Dec
// must be higher on the page, as it is in PNG.
func TestPDFUpright(t *testing.T) {
	tool, err := exec.LookPath("pdftoppm")
	if err != nil {
		t.Skip("pdftoppm is not installed")
	}
	p, err := twoClusters(30000).panel()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "map.pdf")
	if err := p.figure().Save(path); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(tool, "-png", "-singlefile", "-r", "100", path, filepath.Join(dir, "map")).CombinedOutput(); err != nil {
		t.Fatalf("pdftoppm: %v\n%s", err, out)
	}
	b, err := os.ReadFile(filepath.Join(dir, "map.png"))
	if err != nil {
		t.Fatal(err)
	}
	img := pixels(t, b)
	first, second := centre(t, img, p, palette[0]), centre(t, img, p, palette[1])
	if !(first.y > second.y) {
		t.Errorf("cluster 0 at Dec 1 has y = %v, cluster 1 at Dec 3 has y = %v from the top: the image is upside down", first.y, second.y)
	}
}

// near compares colours loosely enough for anti-aliasing.
func near(a, b color.Color, tolerance int) bool {
	r0, g0, b0, _ := a.RGBA()
	r1, g1, b1, _ := b.RGBA()
	d := func(x, y uint32) bool { return max(int(x>>8)-int(y>>8), int(y>>8)-int(x>>8)) <= tolerance }
	return d(r0, r1) && d(g0, g1) && d(b0, b1)
}

// A scan of one radius shows its values as dots, since a line of one point
// cannot be seen.
func TestScanOfOneRadius(t *testing.T) {
	svg := func(s EpsilonScan) string {
		f, err := s.Figure()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := f.Encode(&b, "svg"); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	one := EpsilonScan{Epsilon: []float64{1}, Clustered: []float64{.9}, Largest: []float64{.4}, Stability: []float64{math.NaN()}, Clusters: []int{2}}
	low := one
	low.Clustered = []float64{.1}
	if svg(one) == svg(low) {
		t.Error("two scans with other values look the same")
	}
}
