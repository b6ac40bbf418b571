package file

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
)

func TestTogether(t *testing.T) {
	for _, c := range []struct {
		name      string
		meanwhile func(a, b string, cancel func())
		want      error
		a, b      string // what they hold then
	}{
		{"all new", func(a, b string, cancel func()) {}, nil, "new a", "new b"},
		{"one has appeared", func(a, b string, cancel func()) { put(t, b, "other", 0o644) }, ErrRefused, "old a", "other"},
		{"cancelled", func(a, b string, cancel func()) { put(t, b, "other", 0o644); cancel() }, context.Canceled, "old a", "other"},
	} {
		dir := t.TempDir()
		a, b := put(t, filepath.Join(dir, "a"), "old a", 0o644), filepath.Join(dir, "b")
		ctx, cancel := context.WithCancel(t.Context())
		together, set := Together(ctx)
		for path, text := range map[string]string{a: "new a", b: "new b"} {
			o, err := Create(path, Options{Force: path == a})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := o.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
			if err := o.Commit(together); err != nil {
				t.Fatal(err)
			}
			o.Abort() // the set has it
		}
		says(t, a, "old a")
		c.meanwhile(a, b, cancel)
		if err := set.Commit(ctx); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		set.Abort()
		says(t, a, c.a)
		says(t, b, c.b)
		holds(t, dir, "a", "b")
		cancel()
	}
}
