package job

import (
	"testing"
	"time"
)

func TestSourceOf(t *testing.T) {
	at := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	for linked, want := range map[string]Source{
		"abc123 2026-11-29T10:00:00Z":       {Commit: "abc123", Time: at},
		"abc123-dirty 2026-11-29T10:00:00Z": {Commit: "abc123", Time: at, Modified: true},
		"abc123":                            {Commit: "abc123"},
	} {
		if got := SourceOf(linked); got != want {
			t.Errorf("%q: %+v, want %+v", linked, got, want)
		}
	}
}
