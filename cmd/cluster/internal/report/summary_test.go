package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/human"
)

// The keys of the summary and their order are a contract with scripts.
func TestSummaryKeys(t *testing.T) {
	s := NewSummary("dbscan", "0.1.0", 3)
	s.Parameters.Set("eps", 0.5)
	s.Result.Set("clusters", int64(2))
	s.Result.Set("knee", math.NaN())
	s.Result.Set("far", math.Inf(1))
	s.Result.Set("halo_share", 0.2431)
	s.Result.Set("tile_seconds", 0.00102465)
	s.Result.Set("seconds", 185.2)
	s.Result.Set("tile_memory", int64(3<<30/2))
	s.Finish()
	var out bytes.Buffer
	if err := s.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if strings.Count(text, "\n") != 1 || !json.Valid(out.Bytes()) {
		t.Fatalf("not one line of JSON: %q", text)
	}
	at := -1
	for _, key := range []string{"command", "version", "input", "files", "rows", "used", "skipped", "skipped_why",
		"parameters", "eps", "device", "threads", "seconds", "read", "index", "join", "cluster", "write", "total",
		"peak_memory_bytes", "result", "clusters", "knee", "far"} {
		next := strings.Index(text[at+1:], `"`+key+`":`)
		if next < 0 {
			t.Fatalf("key %q is not there, or not in its place: %s", key, text)
		}
		at += 1 + next
	}
	out.Reset()
	if err := s.WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	if words := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(words, "knee none far +Inf") {
		t.Errorf("no knee is written otherwise than none: %s", words)
	}
	if words := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(words, "halo share 24.3% tile seconds 1.02 ms seconds 3 m 05 s tile memory 1.5 GiB") {
		t.Errorf("not in units for people: %s", words)
	}
	for _, part := range []string{`"knee":null`, `"far":null`, `"clusters":2`, `"threads":3`, `"files":[]`} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
	if s.PeakMemory < 1<<20 {
		t.Errorf("peak memory of %d bytes", s.PeakMemory)
	}
}

// What opening GPUs takes is told apart from the rest of the memory.
func TestMemoryOfTheDriver(t *testing.T) {
	s := NewSummary("dbscan", "1", 1)
	var context []byte
	fails := errors.New("no more contexts")
	if err := s.OpenGPU(func() error {
		context = bytes.Repeat([]byte{1}, 64<<20)
		return fails
	}); err != fails {
		t.Errorf("%v, want the error of the driver", err)
	}
	s.Finish()
	var table, text bytes.Buffer
	if err := errors.Join(s.WriteTable(&table), s.WriteJSON(&text)); err != nil {
		t.Fatal(err)
	}
	if s.Driver < 32<<20 || s.Driver > s.PeakMemory || !strings.Contains(table.String(), "of it for the driver") || !strings.Contains(text.String(), `"driver_memory_bytes":`) {
		t.Errorf("%d bytes of %d, with a context of %d:\n%s\n%s", s.Driver, s.PeakMemory, len(context), &table, &text)
	}
	s = NewSummary("dbscan", "1", 1)
	s.Finish()
	if text.Reset(); s.WriteJSON(&text) != nil || strings.Contains(text.String(), "driver") {
		t.Errorf("a driver without a GPU: %s", &text)
	}
}

func TestCommas(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", math.MaxInt64: "9,223,372,036,854,775,807", math.MinInt64: "-9,223,372,036,854,775,808"} {
		if got := human.Commas(n); got != want {
			t.Errorf("commas(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestTextOfTimes(t *testing.T) {
	for s, want := range map[float64]string{0.125: "0.12 s", 42: "42.0 s", 185: "3 m 05 s", 7260: "2 h 01 m"} {
		if got := human.SecondsText(s); got != want {
			t.Errorf("secondsText(%v) = %s, want %s", s, got, want)
		}
	}
}

func TestGrid(t *testing.T) {
	g := human.Grid{Right: map[int]bool{1: true}}
	g.Add("name", "n", "")
	g.Add("ε", "1,000", "x")
	var out bytes.Buffer
	if err := g.Write(&out); err != nil {
		t.Fatal(err)
	}
	if want := "name      n\nε     1,000  x\n"; out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
