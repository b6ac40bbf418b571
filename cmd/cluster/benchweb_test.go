package main

import (
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/websocket"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

var (
	webRows  = flag.Int("web.rows", 0, "rows of the page that TestBenchWeb measures")
	webShots = flag.String("web.shots", "", "folder for the pictures of pages that TestShots takes")
)

// TestBenchWeb measures a page of many rows in a browser that draws in software: from
// opening the file to the first pictures, and moves of a brush of a tenth of the rows.
// 'make bench-web' runs it.
func TestBenchWeb(t *testing.T) {
	if *webRows == 0 {
		t.Skip("a measurement: make bench-web")
	}
	c := openChromium(t)
	dir := t.TempDir()
	field, page := filepath.Join(dir, "field.parquet"), filepath.Join(dir, "map.html")
	cmdtest.Succeed(t, "gen", "sky", "-n", fmt.Sprint(*webRows), "--seed", "2", "-o", field, "-q")
	cmdtest.Succeed(t, "dbscan", field, "-c", "ra,dec,pmra,pmdec,parallax", "--scale", "0.05deg,0.3,0.3,0.1", "--eps", "1", "--min-points", "60", "-q", "-p", page)
	info, err := os.Stat(page)
	if err != nil {
		t.Fatal(err)
	}
	load, _ := os.ReadFile("/proc/loadavg")
	t.Logf("%d rows, %d bytes, %.1f a row; %d processors, load %s", *webRows, info.Size(), float64(info.Size())/float64(*webRows), runtime.NumCPU(), strings.Fields(string(load) + " ?")[0])
	for range 5 {
		used := c.processorTime()
		start := time.Now()
		c.open(page)
		c.drawn() // it waits for what draws
		loaded, used := time.Since(start), c.processorTime()-used
		var brushed struct {
			Rows int
			Ms   []float64
		}
		c.eval(`(async () => {
			const p = skyjoin.panels[1], ms = [];
			for (let k = 0; k < 15; k++) {
				p.dragged = { x0: -1, x1: 0.08 + 0.002 * k, y0: -0.6, y1: 0.2 };
				const start = performance.now();
				skyjoin.brushing(p);
				await new Promise(done => requestAnimationFrame(done));
				ms.push(performance.now() - start);
			}
			const rows = skyjoin.selected.length;
			p.dragged = null;
			skyjoin.changed(p);
			ms.sort((a, b) => a - b);
			return { Rows: rows, Ms: ms };
		})()`, &brushed)
		n := len(brushed.Ms)
		t.Logf("loaded in %.2f s, %.2f s of processor time; %d rows brushed in %.0f ms (median of %d moves, least %.0f, most %.0f)", loaded.Seconds(), used, brushed.Rows, brushed.Ms[n/2], n, brushed.Ms[0], brushed.Ms[n-1])
	}
}

// processorTime is what all processes of the browser have used, in seconds.
func (c *chromium) processorTime() (seconds float64) {
	page := c.conn
	defer func() { c.conn = page }()
	var err error
	if c.conn, err = websocket.Dial(c.browser, "", "http://127.0.0.1"); err != nil {
		c.t.Fatal(err)
	}
	defer c.conn.Close()
	for _, p := range c.call("SystemInfo.getProcessInfo", nil)["processInfo"].([]any) {
		seconds += p.(map[string]any)["cpuTime"].(float64)
	}
	return seconds
}

// TestShots takes the pictures of the documentation. 'make web-shots' runs it.
func TestShots(t *testing.T) {
	if *webShots == "" {
		t.Skip("it takes pictures: make web-shots")
	}
	c := openChromium(t)
	folder, err := filepath.Abs(*webShots)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	field, page, tree := "field.parquet", "map.html", "tree.html"
	cmdtest.Succeed(t, "gen", "sky", "-n", "40000", "--seed", "1", "-o", field, "-q")
	columns := []string{field, "-c", "ra,dec,pmra,pmdec,parallax", "--scale", "0.25deg,0.6,0.6,0.2", "-q"}
	cmdtest.Succeed(t, append([]string{"dbscan", "--eps", "1", "--min-points", "40", "-p", page, "--html-columns", "source_id", "--title", "A mock field"}, columns...)...)
	cmdtest.Succeed(t, append([]string{"hdbscan", "--min-cluster-size", "60", "--plot-tree", tree, "--title", "A mock field"}, columns...)...)
	c.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1040, "height": 600, "deviceScaleFactor": 1, "mobile": false})
	for _, k := range []struct{ page, name, scheme string }{{page, "explore-light", "light"}, {page, "explore-dark", "dark"}, {tree, "explore-tree", "light"}} {
		c.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": k.scheme}}})
		c.open(k.page)
		if k.page == page {
			c.drawn()
		}
		if k.scheme == "dark" {
			c.brush(1, -11.5, -7, -8.5, -3.5)
			c.brush(2, 0, 8, 2.4, 16.5)
		}
		c.eval("new Promise(done => setTimeout(done, 300))", nil)
		data, err := base64.StdEncoding.DecodeString(c.call("Page.captureScreenshot", map[string]any{"format": "png"})["data"].(string))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, k.name+".png"), data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
