package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/websocket"
)

// A chromium is a browser without a window, driven by its DevTools protocol. It draws in
// software, as machines without a GPU do.
type chromium struct {
	t      testing.TB
	conn   *websocket.Conn
	last   int
	errors []string // exceptions, and what pages have written to the console
	saved  string   // folder of what pages have saved

	browser string // address of the browser itself
}

// openChromium starts the browser, or skips the test where there is none.
func openChromium(t testing.TB) *chromium {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil && path == "" {
			path = p
		}
	}
	if path == "" {
		t.Skip("there is no Chromium to show pages in (Debian: chromium)")
	}
	profile, err := os.MkdirTemp("", "chromium")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
		"--remote-debugging-port=0", "--remote-allow-origins=*", "--user-data-dir="+profile, "--window-size=1400,900", "--no-first-run", "--disable-background-networking", "about:blank")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &chromium{t: t, saved: t.TempDir()}
	t.Cleanup(func() {
		patience := 5 * time.Second
		if c.conn == nil || websocket.JSON.Send(c.conn, map[string]any{"id": -1, "method": "Browser.close"}) != nil {
			patience = 0
		}
		time.AfterFunc(patience, func() { cmd.Process.Kill() })
		cmd.Wait()
		os.RemoveAll(profile)
	})
	c.connect(filepath.Join(profile, "DevToolsActivePort"))
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		c.call(domain+".enable", nil)
	}
	c.call("Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": c.saved})
	return c
}

// connect connects to the first page, once the browser has written its port to a file.
func (c *chromium) connect(file string) {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		text, _ := os.ReadFile(file)
		port, rest, _ := strings.Cut(string(text), "\n")
		if rest != "" {
			c.browser = "ws://127.0.0.1:" + port + strings.TrimSpace(rest)
			var pages []struct{ Type, WebSocketDebuggerURL string }
			if r, err := http.Get("http://127.0.0.1:" + port + "/json"); err == nil {
				err = json.NewDecoder(r.Body).Decode(&pages)
				r.Body.Close()
				for _, p := range pages {
					if p.Type == "page" && err == nil {
						if c.conn, err = websocket.Dial(p.WebSocketDebuggerURL, "", "http://127.0.0.1"); err != nil {
							c.t.Fatal(err)
						}
						c.conn.MaxPayloadBytes = 1 << 30
						return
					}
				}
			}
		}
		if time.Now().After(end) {
			c.t.Fatal("Chromium does not answer")
		}
	}
}

// call carries out a method of the protocol.
func (c *chromium) call(method string, params map[string]any) map[string]any {
	c.t.Helper()
	c.last++
	if err := websocket.JSON.Send(c.conn, map[string]any{"id": c.last, "method": method, "params": params}); err != nil {
		c.t.Fatal(err)
	}
	for {
		var m struct {
			ID     int
			Method string
			Params map[string]any
			Result map[string]any
			Error  map[string]any
		}
		c.conn.SetDeadline(time.Now().Add(2 * time.Minute))
		if err := websocket.JSON.Receive(c.conn, &m); err != nil {
			c.t.Fatalf("%s: %v", method, err)
		}
		switch {
		case m.ID == c.last && m.Error != nil:
			c.t.Fatalf("%s: %v", method, m.Error)
		case m.ID == c.last:
			return m.Result
		case m.Method == "Runtime.exceptionThrown", m.Method == "Log.entryAdded",
			m.Method == "Runtime.consoleAPICalled" && m.Params["type"] != "log":
			c.errors = append(c.errors, fmt.Sprint(m.Params))
		}
	}
}

// eval evaluates an expression, or waits for a promise.
func (c *chromium) eval(expression string, to any) {
	c.t.Helper()
	r := c.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true})
	if e, thrown := r["exceptionDetails"]; thrown {
		c.t.Fatalf("%s: %v", expression, e)
	}
	if to == nil {
		return
	}
	text, err := json.Marshal(r["result"].(map[string]any)["value"])
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		c.t.Fatalf("%s: %v", expression, err)
	}
}

func (c *chromium) text(expression string) (s string) {
	c.t.Helper()
	c.eval("Promise.resolve("+expression+").then(String)", &s)
	return s
}

// until waits for an expression to be true.
func (c *chromium) until(expression string) {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if c.text(expression) == "true" {
			return
		}
		if time.Now().After(end) {
			c.t.Fatalf("%s does not become true; errors: %v", expression, c.errors)
		}
	}
}

// open shows a page, and waits until all of it is there.
func (c *chromium) open(path string) {
	c.t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		c.t.Fatal(err)
	}
	c.call("Page.navigate", map[string]any{"url": (&url.URL{Scheme: "file", Path: abs}).String()})
	c.until("document.documentElement?.dataset.ready === 'yes'")
}

func (c *chromium) mouse(kind string, x, y float64, buttons int) {
	c.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": map[bool]string{true: "left", false: "none"}[buttons > 0 || kind == "mouseReleased"], "buttons": buttons, "clickCount": 1})
}

// drag drags from one place of the window to another.
func (c *chromium) drag(x0, y0, x1, y1 float64) {
	c.mouse("mousePressed", x0, y0, 1)
	for i := 1.0; i <= 4; i++ {
		c.mouse("mouseMoved", x0+(x1-x0)*i/4, y0+(y1-y0)*i/4, 1)
	}
	c.mouse("mouseReleased", x1, y1, 0)
}

// key presses a key.
func (c *chromium) key(key string) {
	for _, kind := range []string{"keyDown", "keyUp"} {
		c.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key})
	}
}

// file returns what a page has saved under a name.
func (c *chromium) file(name string) []byte {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if b, err := os.ReadFile(filepath.Join(c.saved, name)); err == nil && len(b) > 0 {
			return b
		}
		if time.Now().After(end) {
			c.t.Fatalf("the page has not saved %s", name)
		}
	}
}
