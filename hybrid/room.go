package hybrid

import (
	"runtime"
	"sync"
)

// crowd counts the runs that have raised GOMAXPROCS.
var crowd struct {
	sync.Mutex
	runs, before int
}

// room lets as many goroutines run at the same time as all sides have workers, until
// the function that it returns is called. Otherwise the few goroutines that feed a
// GPU would wait for their turn, 10 ms at a time, while the CPU's workers use all of
// Go's processors. They use little CPU time.
func (q *queue) room() (restore func()) {
	workers := 0
	for _, s := range q.sides {
		workers += s.workers
		if s.gpu {
			workers++
		}
	}
	crowd.Lock()
	defer crowd.Unlock()
	if crowd.runs++; crowd.runs == 1 {
		crowd.before = runtime.GOMAXPROCS(0)
	}
	if workers > runtime.GOMAXPROCS(0) {
		runtime.GOMAXPROCS(workers)
	}
	return func() {
		crowd.Lock()
		defer crowd.Unlock()
		if crowd.runs--; crowd.runs == 0 && runtime.GOMAXPROCS(0) != crowd.before {
			runtime.GOMAXPROCS(crowd.before)
		}
	}
}
