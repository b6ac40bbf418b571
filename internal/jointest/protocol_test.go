package jointest

import (
	"context"
	"runtime/pprof"
	"testing"
	"time"
)

// A goroutine that a test has begun, at second hand even, is found until it ends.
func TestGoroutines(t *testing.T) {
	end, ended := make(chan struct{}), make(chan struct{})
	pprof.Do(context.Background(), pprof.Labels("test", t.Name()), func(context.Context) {
		go func() {
			go func() {
				<-end
				close(ended)
			}()
		}()
	})
	for range 100 {
		time.Sleep(time.Millisecond) // the first has ended, the second goes on
	}
	if goroutines(t, t.Name()) == "" {
		t.Error("the goroutine is not found")
	}
	if goroutines(t, "another") != "" {
		t.Error("a goroutine of a test that has none")
	}
	close(end)
	<-ended
	for i := 0; goroutines(t, t.Name()) != ""; i++ {
		if i == 1000 {
			t.Fatal("the goroutine is found after its end")
		}
		time.Sleep(time.Millisecond)
	}
}
