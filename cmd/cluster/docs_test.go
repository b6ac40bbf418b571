package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/internal/vo/votest"
)

var updateDocs = flag.Bool("update-docs", false, "write the output of the commands into the pages of docs")

// volatile is what differs from run to run and from machine to machine.
var volatile = []struct {
	what *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`(?m)^time +.*$`), "time"},
	{regexp.MustCompile(`(?m)^memory +.*$`), "memory"},
	{regexp.MustCompile(`(?m)^threads +.*$`), "threads"},
	{regexp.MustCompile(`"kernels": *\[[^\]]*\], *`), ""},
	{regexp.MustCompile(`"(seconds)": *\{[^}]*\}`), `"$1"`},
	{regexp.MustCompile(`"((?:peak|driver)_memory_bytes|threads|version)": *("[^"]*"|\d+)`), `"$1"`},
	{regexp.MustCompile(`cluster version \S+|cluster [0-9]\S*`), "cluster version"},
	{regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "TIME"},
	{regexp.MustCompile(` +\n`), "\n"},
}

func settled(s string) string {
	s = strings.TrimSpace(s) + "\n"
	for _, v := range volatile {
		s = v.what.ReplaceAllString(s, v.to)
	}
	return s
}

// archive is the proxy of the commands on the pages, and so what answers those that
// ask http://archive.example.org.
var archive *votest.Service

// TestDocs runs every command of the README and of the pages in docs, page by
// page, each in a folder of its own. In a block marked console the commands
// stand after "$ " and what they print below them, which must be what they
// print now; a block marked sh is commands alone.
func TestDocs(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	pages := []string{filepath.Join(root, "README.md")}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		more, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, more...)
	}
	if len(pages) < 5 {
		t.Fatalf("only %d pages found", len(pages))
	}
	bin := cmdtest.Binary(t)
	archive = votest.New(t)
	for _, page := range pages {
		name, _ := filepath.Rel(root, page)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runPage(t, page, root, bin)
		})
	}
}

// runPage runs the commands of one page.
func runPage(t *testing.T, path, root, bin string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"bin/cluster": bin, "demo.sh": filepath.Join(root, "demo.sh")} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	changed := false
	printed := "" // by the last program
	for _, b := range pageBlocks(string(text)) {
		switch b.kind {
		case "go":
			if !strings.HasPrefix(b.text, "package main") {
				t.Errorf("a block of Go is not a whole program:\n%s", b.text)
				continue
			}
			if printed, err = program(t, dir, root, b.text); err != nil {
				t.Errorf("%v\n%s\n%s", err, printed, b.text)
			}
		case "output": // of the program above
			if printed != b.text {
				changed = true
				if !*updateDocs {
					t.Errorf("the program prints\n%s\nbut the page shows\n%s", printed, b.text)
				}
				b.text = printed
			}
		case "sh":
			for _, c := range shellCommands(b.text) {
				if got, err := shell(t, dir, c); err != nil {
					t.Errorf("%s\n%v\n%s", c, err, got)
				}
			}
		case "console":
			now := &strings.Builder{}
			for _, c := range session(b.text) {
				got, err := shell(t, dir, c.command)
				if err != nil && !strings.Contains(c.output, "cluster: ") {
					t.Errorf("%s\n%v\n%s", c.command, err, got)
				}
				if err == nil && strings.Contains(c.output, "cluster: ") && !strings.Contains(got, "cluster: ") {
					t.Errorf("%s\nsucceeded; the page shows an error", c.command)
				}
				want := c.output
				if cut, ok := strings.CutSuffix(want, "…\n"); ok { // only the beginning is shown
					lines := strings.SplitAfter(got, "\n")
					n := strings.Count(cut, "\n")
					got = strings.Join(lines[:min(n, len(lines))], "") + "…\n"
				}
				if settled(got) != settled(want) {
					changed = true
					if !*updateDocs {
						t.Errorf("$ %s\nprints\n%s\nbut the page shows\n%s\n(go test ./cmd/cluster -run TestDocs -update-docs rewrites it)", c.command, got, want)
					}
				} else {
					got = want
				}
				fmt.Fprintf(now, "$ %s\n%s", strings.ReplaceAll(strings.ReplaceAll(c.command, "\n", "\n> "), "> \n", ">\n"), got)
			}
			b.text = now.String()
		}
		out.WriteString(b.String())
	}
	compareGallery(t, path, dir, string(text))
	if changed && *updateDocs {
		if err := os.WriteFile(path, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// inGallery are the figures that a page shows and that its commands have drawn.
var inGallery = regexp.MustCompile(`\]\((gallery/([^)]+\.png))\)`)

// compareGallery compares the figures of a page with those that its commands draw now,
// dot by dot, as the bytes of PNG depend on the version of Go. Machines with fused
// multiply-add round otherwise.
func compareGallery(t *testing.T, path, dir, text string) {
	for _, m := range inGallery.FindAllStringSubmatch(text, -1) {
		shown := filepath.Join(filepath.Dir(path), m[1])
		got, err := os.ReadFile(filepath.Join(dir, m[2]))
		if err != nil {
			t.Error(err)
			continue
		}
		want, err := os.ReadFile(shown)
		if err == nil && (runtime.GOARCH != "amd64" || samePicture(got, want)) {
			continue
		}
		if !*updateDocs {
			t.Errorf("%s is not what the page's commands draw (make gallery renews it): %v", m[1], err)
		} else if err := os.WriteFile(shown, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// samePicture reports whether two PNG files have the same dots.
func samePicture(a, b []byte) bool {
	x, errX := png.Decode(bytes.NewReader(a))
	y, errY := png.Decode(bytes.NewReader(b))
	if errX != nil || errY != nil || x.Bounds() != y.Bounds() {
		return false
	}
	for i := range x.Bounds().Dx() {
		for k := range x.Bounds().Dy() {
			if x.At(i, k) != y.At(i, k) {
				return false
			}
		}
	}
	return true
}

// program runs a program of a page.
func program(t *testing.T, dir, root, text string) (string, error) {
	t.Helper()
	path := filepath.Join(dir, "main.go")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		return "", err
	}
	exe := filepath.Join(dir, "program")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", exe, path)
	build.Dir = root // whose module the imports are of
	if out, err := build.CombinedOutput(); err != nil {
		return string(out), err
	}
	c := exec.CommandContext(t.Context(), exe)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return string(out), err
}

// shell runs a command of a page and returns all that it prints.
func shell(t *testing.T, dir, command string) (string, error) {
	t.Helper()
	if m := strings.Fields(command); len(m) > 1 && m[0] == "make" {
		switch m[1] {
		case "demo": // less the building
			command = "./demo.sh"
		default: // CI runs them, or a person; they have to be there
			makefile, err := os.ReadFile("../../Makefile")
			if err != nil || !regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(m[1])+`:`).Match(makefile) {
				return "", fmt.Errorf("the Makefile has no %s (%v)", m[1], err)
			}
			return "", nil
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "bash", "-c", "set -euo pipefail\n"+command)
	c.Dir = dir
	c.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "LC_ALL=C.UTF-8", "HTTP_PROXY="+archive.URL)
	out, err := c.CombinedOutput()
	if c.ProcessState != nil && c.ProcessState.ExitCode() == 128+13 { // cut off by head
		err = nil
	}
	return string(out), err
}

// A pageBlock is a part of a page: prose, or fenced text of a kind.
type pageBlock struct {
	fence, kind, text string
}

func (b pageBlock) String() string {
	if b.fence == "" {
		return b.text
	}
	return b.fence + b.kind + "\n" + b.text + b.fence + "\n"
}

// pageBlocks splits a page at its fences, which begin a line.
func pageBlocks(page string) []pageBlock {
	var all []pageBlock
	cur := pageBlock{}
	for line := range strings.Lines(page) {
		switch {
		case cur.fence == "" && strings.HasPrefix(line, "```"):
			all = append(all, cur)
			cur = pageBlock{fence: "```", kind: strings.TrimSpace(line[3:])}
		case cur.fence != "" && strings.TrimSpace(line) == cur.fence:
			all = append(all, cur)
			cur = pageBlock{}
		default:
			cur.text += line
		}
	}
	return append(all, cur)
}

// shellCommands splits a block of commands; a line that ends in \ goes on.
func shellCommands(text string) []string {
	var all []string
	cur := ""
	for line := range strings.Lines(text) {
		if cur == "" && (strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#")) {
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		cur += line
		if !strings.HasSuffix(strings.TrimRight(line, " \n"), "\\") {
			all = append(all, strings.TrimSpace(cur))
			cur = ""
		}
	}
	return all
}

// A step is a command and what it prints.
type step struct{ command, output string }

// session splits a console block; "> " goes on with a command, and ">" with an empty line.
func session(text string) []step {
	var all []step
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "$ "):
			all = append(all, step{command: strings.TrimRight(line[2:], "\n")})
		case len(all) == 0:
		case all[len(all)-1].output == "" && (strings.HasPrefix(line, "> ") || line == ">\n"):
			all[len(all)-1].command += "\n" + strings.TrimPrefix(strings.TrimRight(line[1:], "\n"), " ")
		default:
			all[len(all)-1].output += line
		}
	}
	return all
}

// The parts of a page put together are the page.
func TestDocBlocks(t *testing.T) {
	page := "# A\n\n```sh\nx \\\n  y\n# no\nz   # why\n```\ntext\n```console\n$ a \\\n> b\nout\n$ c\n```\nend"
	var got strings.Builder
	for _, b := range pageBlocks(page) {
		got.WriteString(b.String())
	}
	if got.String() != page {
		t.Errorf("put together:\n%s", got.String())
	}
	if c := shellCommands("x \\\n  y\n# no\nz\n"); len(c) != 2 || c[0] != "x \\\n  y" || c[1] != "z" {
		t.Errorf("commands %q", c)
	}
	if s := session("$ a \\\n>\n> b\nout\n$ c\n"); len(s) != 2 || s[0].command != "a \\\n\nb" || s[0].output != "out\n" || s[1] != (step{"c", ""}) {
		t.Errorf("session %q", s)
	}
}
