package main

import (
	"bytes"
	"fmt"
	"image/png"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// The place in the window of values of the columns of a panel.
func (c *chromium) at(panel int, x, y float64) (px, py float64) {
	c.t.Helper()
	var to [2]float64
	c.eval(fmt.Sprintf(`(() => {
		const p = skyjoin.panels[%d], r = p.plot.getBoundingClientRect();
		return [r.left + p.px((%v - p.x.middle) / p.x.half), r.top + p.py((%v - p.y.middle) / p.y.half)];
	})()`, panel, x, y), &to)
	return to[0], to[1]
}

// drawn checks that every panel shows its rows.
func (c *chromium) drawn() {
	c.t.Helper()
	var most []float64
	c.eval(`skyjoin.panels.map(p => {
		const { data } = p.base.getContext('2d').getImageData(0, 0, p.base.width, p.base.height);
		return data.reduce((n, v, i) => n + (i % 4 === 3 && v > 0), 0);
	})`, &most)
	if least := slices.Min(most); least < 100 {
		c.t.Errorf("panels show %v dots", most)
	}
}

// brush selects a box of values of the columns of a panel.
func (c *chromium) brush(panel int, x0, y0, x1, y1 float64) {
	c.t.Helper()
	ax, ay := c.at(panel, x0, y0)
	bx, by := c.at(panel, x1, y1)
	c.drag(ax, ay, bx, by)
}

// sameRows compares the rows that a page saves as selected with those that the exported
// --where takes from the file, by a column of the catalog.
func sameRows(t *testing.T, c *chromium, from, column string, least int) []string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(c.text("skyjoin.csv()")), "\n")
	saved := cmdtest.Write(t, "saved.csv", strings.Join(lines, "\n")+"\n")
	where := c.text("skyjoin.selection.where().text")
	out := filepath.Join(t.TempDir(), "taken.csv")
	cmdtest.Succeed(t, "convert", from, "--where", where, "-o", out, "-q")
	got, want := cmdtest.Column(t, saved, column), cmdtest.Column(t, out, column)
	if !slices.Equal(got, want) || len(got) < least {
		t.Errorf("the page selects %d rows, --where %q %d, of at least %d", len(got), where, len(want), least)
	}
	if n := c.text("skyjoin.selected.length"); n != fmt.Sprint(len(got)) {
		t.Errorf("the page saves %d rows of %s", len(got), n)
	}
	return got
}

// A field on the page: what is brushed, chosen, pointed at and saved.
func TestPageOfField(t *testing.T) {
	c := openChromium(t)
	dir := t.TempDir()
	field, labelled, page := filepath.Join(dir, "field.parquet"), filepath.Join(dir, "labelled.parquet"), filepath.Join(dir, "map.html")
	cmdtest.Succeed(t, "gen", "sky", "-n", "8000", "--seed", "1", "-o", field, "-q")
	args := []string{"dbscan", field, "-c", "ra,dec,pmra,pmdec,parallax", "--scale", "0.25deg,0.6,0.6,0.2", "--eps", "1", "--min-points", "20", "-q"}
	cmdtest.Succeed(t, append(args, "-o", labelled, "-p", page, "--html-columns", "source_id,ra,bp_rp")...)
	if line := cmdtest.Succeed(t, "again", page).Stdout; !strings.Contains(line, "--html-columns=source_id,ra,bp_rp") || !strings.Contains(line, "--plot="+page) {
		t.Errorf("the page records %s", line)
	}
	c.open(page)
	if panels := c.text("skyjoin.panels.map(p => p.x.name + '/' + p.y.name).join()"); panels != "ra/dec,pmra/pmdec,bp_rp/phot_g_mean_mag,phot_g_mean_mag/parallax" {
		t.Errorf("the panels are %s", panels)
	}
	c.drawn()
	if c.text("skyjoin.panels[0].px(skyjoin.panels[0].x.hi) < skyjoin.panels[0].px(skyjoin.panels[0].x.lo)") != "true" {
		t.Error("right ascension does not grow to the left")
	}

	// Brushed in one panel, then also in another.
	c.brush(1, -12, -12, 0, 0)
	wide := sameRows(t, c, field, "source_id", 500)
	c.brush(2, 0, 10, 1.2, 17)
	if both := sameRows(t, c, field, "source_id", 50); len(both) >= len(wide) {
		t.Errorf("brushed in two panels: %d rows, in one %d", len(both), len(wide))
	}
	again := filepath.Join(dir, "again.parquet")
	cmdtest.Succeed(t, append(slices.Clone(args), "--where", c.text("skyjoin.selection.where().text"), "-o", again)...)
	used := 0
	for _, label := range cmdtest.Column(t, convertCSV(t, again), "cluster") {
		if label != "" {
			used++
		}
	}
	if n := c.text("skyjoin.selected.length"); n != fmt.Sprint(used) {
		t.Errorf("%s rows are selected, dbscan uses %d", n, used)
	}

	// Saved by the buttons.
	c.eval("document.getElementById('csv').click()", nil)
	if saved := string(c.file("map-selection.csv")); saved != c.text("skyjoin.csv()") || !strings.HasPrefix(saved, "row,cluster,source_id,ra,bp_rp\n") {
		t.Errorf("saved CSV begins with %.60q", saved)
	}
	rows := cmdtest.Column(t, filepath.Join(c.saved, "map-selection.csv"), "row")
	ids, saved := cmdtest.Column(t, convertCSV(t, field), "source_id"), cmdtest.Column(t, filepath.Join(c.saved, "map-selection.csv"), "source_id")
	for i, row := range rows {
		n := 0
		fmt.Sscan(row, &n)
		if ids[n] != saved[i] {
			t.Fatalf("row %s is %s, the catalog has %s", row, saved[i], ids[n])
		}
	}
	c.eval("document.getElementById('png').click()", nil)
	if picture, err := png.Decode(bytes.NewReader(c.file("map.png"))); err != nil || picture.Bounds().Dx() < 1000 {
		t.Errorf("saved PNG: %v", err)
	}
	c.eval("document.getElementById('svg').click()", nil)
	if svg := string(c.file("map.svg")); !strings.Contains(svg, "<text") || !strings.Contains(svg, "data:image/png;base64,") {
		t.Errorf("saved SVG begins with %.80q", svg)
	}

	// Chosen in the list.
	c.key("Escape")
	c.until("skyjoin.selected === null")
	c.eval("[...document.querySelectorAll('#list input')].find(e => e.dataset.label === '0').click()", nil)
	if n := len(sameRows(t, c, labelled, "source_id", 20)); strings.Count(strings.Join(cmdtest.Column(t, convertCSV(t, labelled), "cluster"), "\n")+"\n", "\n0\n") < n-1 {
		t.Errorf("%d rows of cluster 0", n)
	}
	if command := c.text("skyjoin.command()"); !strings.Contains(command, labelled) {
		t.Errorf("the command is %s", command)
	}

	again = filepath.Join(dir, "again.html")
	cmdtest.Succeed(t, "plot", labelled, "-p", again, "-q", "--html-columns", "source_id")
	c.open(again)
	c.eval("[...document.querySelectorAll('#list input')].find(e => e.dataset.label === '0').click()", nil)
	sameRows(t, c, labelled, "source_id", 20)
	if command := c.text("skyjoin.command()"); !strings.Contains(command, labelled) {
		t.Errorf("the command is %s", command)
	}
	cmdtest.Refuse(t, 2, []string{"plot", labelled, "--kind", "panels", "-p", again, "--force"}, "a page is of a map")

	// Pointed at.
	var place [2]float64
	c.eval("(() => { const p = skyjoin.panels[0], r = p.plot.getBoundingClientRect(), i = skyjoin.selected[0]; return [r.left + p.px(p.x.u[i]), r.top + p.py(p.y.u[i])]; })()", &place)
	c.mouse("mouseMoved", place[0], place[1], 0)
	c.until("!document.getElementById('tip').hidden")
	if tip := c.text("document.getElementById('tip').innerText"); !strings.Contains(tip, "source_id") || !strings.Contains(tip, "≈") {
		t.Errorf("pointed at: %q", tip)
	}

	// By the keyboard alone.
	c.key("Escape")
	c.eval("skyjoin.panels[1].el.focus()", nil)
	for _, key := range []string{"+", "+", "ArrowLeft", "s"} { // zooms, moves, selects
		c.key(key)
	}
	sameRows(t, c, field, "source_id", 100)
	before := c.text("document.documentElement.dataset.theme")
	c.key("t")
	c.until("document.documentElement.dataset.theme !== '" + before + "'")

	// In panels smaller than any canvas is at first.
	c.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 900, "height": 460, "deviceScaleFactor": 1, "mobile": false})
	c.open(page)
	c.drawn()

	// As near as it goes, a step of the codes is no more than a pixel.
	c.eval("for (let i = 0; i < 200; i++) skyjoin.panels[1].zoom(0.5, 200, 150)", nil)
	if c.text("(p => Math.abs(p.window.x1 - p.window.x0) / p.box.w >= p.x.step(p.window.x0, p.window.x1) * 0.999)(skyjoin.panels[1])") != "true" {
		t.Error("a pixel is narrower than a step of the codes")
	}
	if len(c.errors) > 0 {
		t.Errorf("errors: %v", c.errors)
	}
}

// convertCSV is a table as CSV.
func convertCSV(t *testing.T, path string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "table.csv")
	cmdtest.Succeed(t, "convert", path, "-o", out, "-q")
	return out
}

// What is chosen on pages of scans, reachability and trees is what the command finds
// that they show.
func TestPageOfCharts(t *testing.T) {
	c := openChromium(t)
	dir := t.TempDir()
	field := filepath.Join(dir, "field.parquet")
	cmdtest.Succeed(t, "gen", "sky", "-n", "3000", "--seed", "3", "-o", field, "-q")
	for _, k := range []struct{ name, keys, args string }{
		{"scan", "ArrowRight ArrowRight ArrowRight", "scan FIELD -c ra,dec --min-points 8 --unit arcmin -p PAGE"},
		{"reachability", "ArrowUp ArrowUp", "optics FIELD -c ra,dec --min-samples 8 --unit arcmin --plot-reachability PAGE"},
		{"tree", "ArrowUp", "hdbscan FIELD -c ra,dec --min-cluster-size 20 --unit arcmin --plot-tree PAGE -o OUT"},
	} {
		page := filepath.Join(dir, k.name+".html")
		cmdtest.Succeed(t, strings.Fields(strings.NewReplacer("FIELD", field, "PAGE", page, "OUT", filepath.Join(dir, "labelled.parquet")).Replace(k.args+" -q"))...)
		c.open(page)
		for _, key := range strings.Fields(k.keys) {
			c.key(key)
		}
		var at [2]float64
		c.eval("(() => { const r = skyjoin.plot.getBoundingClientRect(), b = skyjoin.box; return [r.left + b.x + 0.5 * b.w, r.top + b.y + 0.45 * b.h]; })()", &at)
		before := c.text("skyjoin.command")
		c.mouse("mousePressed", at[0], at[1], 1)
		c.mouse("mouseReleased", at[0], at[1], 0)
		if c.text("skyjoin.command") == before {
			t.Errorf("%s: a click leaves %s", k.name, before)
		}
		var words []string
		c.eval("skyjoin.words", &words)
		line, key := 2, "clusters"
		if k.name == "tree" { // the cluster there is a selected one
			line, key = 4, "rows"
		}
		words[slices.Index(words, "-o")+1] = filepath.Join(dir, k.name+".csv")
		found := cmdtest.ResultOf(t, cmdtest.Succeed(t, append(words, "--json")...).Stdout)
		shown := c.text(fmt.Sprintf("document.querySelector('#list tr:nth-child(%d) td:last-child').textContent.replace(',', '')", line))
		if got := fmt.Sprint(found[key]); got != shown || shown == "0" {
			t.Errorf("%s: the page shows %s %s, %q finds %s", k.name, shown, key, words, got)
		}
		c.eval("document.getElementById('svg').click()", nil)
		if svg := string(c.file(k.name + ".svg")); !strings.Contains(svg, "<text") {
			t.Errorf("%s: saved SVG begins with %.80q", k.name, svg)
		}
	}
	if len(c.errors) > 0 {
		t.Errorf("errors: %v", c.errors)
	}
}

// A field across RA 0 is in one piece, and what is brushed across it is so, too. Names
// that would end the scripts of the page do nothing.
func TestPageAcrossZero(t *testing.T) {
	c := openChromium(t)
	const bad = `</script><script>document.title='x'</script>`
	lines := []string{`id,ra,dec,"` + bad + `"`}
	for i := range 400 {
		lines = append(lines, fmt.Sprintf("%d,%v,%v,%d", i, float64((i*37)%400)/100-2+360*float64(1-min(1, (i*37)%400/200)), float64(i%20)/10-1, i*i%97))
	}
	catalog := cmdtest.Write(t, "zero.csv", strings.Join(lines, "\n")+"\n")
	page := filepath.Join(t.TempDir(), "zero.html")
	cmdtest.Succeed(t, "dbscan", catalog, "-c", "ra,dec", "--eps", "0.2deg", "--min-points", "3", "-q", "-p", page, "--html-columns", `id,"`+bad+`"`)
	c.open(page)
	if width := c.text("(p => (p.x.hi - p.x.lo) * p.x.half)(skyjoin.panels[0])"); !strings.HasPrefix(width, "3.9") {
		t.Errorf("the field is %s degrees wide", width)
	}
	c.brush(0, -0.6, -0.55, 0.7, 0.75)
	rows := sameRows(t, c, catalog, "id", 20)
	if where := c.text("skyjoin.selection.where().text"); !strings.Contains(where, " or ") {
		t.Errorf("%d rows by %s", len(rows), where)
	}
	// An exact column on an axis.
	c.eval(`(async () => {
		const s = skyjoin.panels[0].el.querySelector('select.y');
		s.value = String(skyjoin.columns.findIndex(k => k.name.startsWith('</script')));
		s.dispatchEvent(new Event('change'));
	})()`, nil)
	c.until("skyjoin.panels[0].y.name.startsWith('</script')")
	c.brush(0, -0.6, 10, 0.7, 60)
	sameRows(t, c, catalog, "id", 20)
	if title := c.text("document.title"); title == "x" || len(c.errors) > 0 {
		t.Errorf("title %s, errors %v", title, c.errors)
	}
}
