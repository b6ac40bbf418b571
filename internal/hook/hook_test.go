package hook

import (
	"strings"
	"testing"
)

func TestGetReturnsWhatWasProvided(t *testing.T) {
	Provide("test.Double", func(x int) int { return 2 * x })
	if got := Get[func(int) int]("test.Double")(21); got != 42 {
		t.Errorf("got %d, want 42", got)
	}
	for name, f := range map[string]func(){
		"test.Double":  func() { Get[func(int) string]("test.Double") },
		"test.Missing": func() { Get[func(int) int]("test.Missing") },
		"twice":        func() { Provide("test.Double", func() {}) },
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.Contains(s, "hook: test.") {
					t.Errorf("%s: recovered %q", name, s)
				}
			}()
			f()
			t.Errorf("%s: no panic", name)
		}()
	}
}
