package report

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// clock is a time that the test moves.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

// drive reports 1000 steps of 10 rows, one every step of time.
func drive(mode progressMode, step time.Duration) string {
	var out bytes.Buffer
	c := &clock{time.Unix(0, 0)}
	r := &Reporter{w: &out, mode: mode, now: c.now}
	p := r.Phase("join", 10000)
	for range 1000 {
		c.t = c.t.Add(step)
		p.Add(10)
	}
	p.End()
	return out.String()
}

// Case C43: a log takes at most a line for each tenth, without carriage
// returns or escapes.
func TestPlainProgress(t *testing.T) {
	for _, c := range []struct {
		mode  progressMode
		step  time.Duration
		lines int
	}{
		{progressLines, time.Microsecond, 10},
		{progressLines, time.Second, 10},
		{progressSlow, time.Second, 10},
		{progressSlow, 4 * time.Millisecond, 6}, // 4 s in all, the first 2 in silence
		{progressSlow, time.Millisecond, 0},     // over before anyone waits
		{progressNone, time.Second, 0},
	} {
		out := drive(c.mode, c.step)
		if n := strings.Count(out, "\n"); n != c.lines {
			t.Errorf("mode %d, %v a step: %d lines, want %d:\n%s", c.mode, c.step, n, c.lines, out)
		}
		if strings.ContainsAny(out, "\r\x1b") {
			t.Errorf("mode %d: control bytes in %q", c.mode, out)
		}
	}
	out := drive(progressLines, time.Second)
	if want := "join: 50%, 5,000 of 10,000 rows, 10 rows/s, 8 m 20 s left\n"; !strings.Contains(out, want) {
		t.Errorf("no line %q in\n%s", want, out)
	}
	if !strings.HasSuffix(out, "join: 100%, 10,000 of 10,000 rows, 10 rows/s\n") {
		t.Errorf("the last line is not that of the end:\n%s", out)
	}
}

func TestPlainProgressSkipsTenths(t *testing.T) {
	var out bytes.Buffer
	r := &Reporter{w: &out, mode: progressLines, now: time.Now}
	p := r.Phase("read", 4)
	for range 4 {
		p.Add(1)
	}
	p.Add(1) // beyond the total: nothing more to say
	p.End()
	var got []string
	for line := range strings.Lines(out.String()) {
		got = append(got, strings.Fields(line)[1])
	}
	if want := "20%, 50%, 70%, 100%,"; strings.Join(got, " ") != want {
		t.Errorf("tenths %v, want %s", got, want)
	}
	none := r.Phase("empty", 0)
	none.Add(0)
	none.End()
	if strings.Contains(out.String(), "empty") {
		t.Error("a phase without rows reported")
	}
}

func TestProgressIsConcurrent(t *testing.T) {
	var out bytes.Buffer
	r := &Reporter{w: &out, mode: progressLines, now: time.Now}
	p := r.Phase("join", 8000)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 1000 {
				p.Add(1)
			}
		})
	}
	wg.Wait()
	p.End()
	if n := strings.Count(out.String(), "\n"); n != 10 || !strings.Contains(out.String(), "100%") {
		t.Errorf("%d lines:\n%s", n, out.String())
	}
}

func TestReporterMode(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, c := range []struct {
		when  string
		quiet bool
		want  progressMode
	}{
		{"auto", false, progressSlow},
		{"always", false, progressLines},
		{"never", false, progressNone},
		{"auto", true, progressNone},
		{"always", true, progressNone},
	} {
		if got := NewReporter(file, c.when, c.quiet, false).mode; got != c.want {
			t.Errorf("--progress %s, quiet %v, to a file: mode %d, want %d", c.when, c.quiet, got, c.want)
		}
	}
}

// On a terminal there is a bar, on a dumb one there is not.
func TestReporterOnTerminal(t *testing.T) {
	master, slave := openTerminal(t)
	t.Setenv("TERM", "dumb")
	if got := NewReporter(slave, "always", false, false).mode; got != progressLines {
		t.Errorf("dumb terminal: mode %d, want %d", got, progressLines)
	}
	t.Setenv("TERM", "xterm")
	r := NewReporter(slave, "auto", false, false)
	if r.mode != progressBar {
		t.Fatalf("terminal: mode %d, want %d", r.mode, progressBar)
	}
	p := r.Phase("join", 1000)
	for range 4 {
		p.Add(200)
		time.Sleep(110 * time.Millisecond) // the bar is drawn ten times a second
	}
	p.End()
	fmt.Fprint(slave, "END")
	var shown strings.Builder
	buf := make([]byte, 4096)
	for !strings.Contains(shown.String(), "END") {
		n, err := master.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		shown.Write(buf[:n])
	}
	for _, part := range []string{"join", "/1000", "rows/s", "\r"} {
		if !strings.Contains(shown.String(), part) {
			t.Errorf("the bar does not show %q: %q", part, shown.String())
		}
	}
	if line := shown.String()[strings.LastIndex(shown.String(), "\r")+1:]; line != "END" {
		t.Errorf("the bar was not taken away: %q", line)
	}
}
