package par

import (
	"context"
	"strings"
	"testing"
)

// A panic of any worker comes to the caller, however the work is divided.
func TestPanicComesToTheCaller(t *testing.T) {
	for name, run := range map[string]func(){
		"Chunks": func() { Chunks(3, 30, func(c, _, _ int) { fail(c == 1) }) },
		"Pool":   func() { _ = NewPool(3).Run(context.Background(), 9, func(i int) error { fail(i == 4); return nil }) },
		"InOrder": func() {
			n := 0
			next := func() (int, bool, error) { n++; return n, n < 9, nil }
			work := func(i int) (int, error) { fail(i == 4); return i, nil }
			_ = InOrder(context.Background(), NewPool(3), next, work, func(int) error { return nil })
		},
		"Group in Group": func() {
			var g Group
			g.Go(func() { Chunks(2, 2, func(c, _, _ int) { fail(c == 1) }) })
			g.Wait()
		},
	} {
		func() {
			defer func() {
				p, ok := recover().(*Panic)
				if !ok || p.Value != "worker" || !strings.Contains(p.Error(), "par.fail") {
					t.Errorf("%s: recovered %v", name, p)
				}
			}()
			run()
		}()
	}
}

func fail(now bool) {
	if now {
		panic("worker")
	}
}
