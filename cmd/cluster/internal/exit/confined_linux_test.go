package exit

import (
	"strings"
	"testing"
)

// What a process prints is passed on as it comes, except for the end of its
// runtime, which becomes a line.
func TestFatalFilter(t *testing.T) {
	for _, c := range []struct {
		said []string
		to   string
		end  string
	}{
		{[]string{"cluster: a", "\n", "rows 3\nfatal"}, "cluster: a\nrows 3\nfatal", ""},
		{[]string{"\r 10 %", "\r 20 %"}, "\r 10 %\r 20 %", ""},
		{[]string{"note\nrun", "time: out of memory: cannot allocate 4 bytes\nfatal error: out of memory\n\ngoroutine 1"}, "note\n", "there is no more memory"},
		{[]string{"runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort\n", "PC=0x7\n"}, "", "no thread can be started"},
		{[]string{"runtime: failed to create new OS thread (have 5 already; errno=11)\n"}, "", "no thread can be started"},
		{[]string{"fatal error: concurrent map writes\n\ngoroutine 7 [running]:\n"}, "", "fatal error: concurrent map writes"},
	} {
		var to strings.Builder
		f := &fatalFilter{to: &to}
		for _, s := range c.said {
			if n, err := f.Write([]byte(s)); n != len(s) || err != nil {
				t.Errorf("%q: %d bytes, %v", s, n, err)
			}
		}
		if end := f.end(); to.String() != c.to || !strings.HasPrefix(end, c.end) || end == "" != (c.end == "") {
			t.Errorf("%q: passed on %q, ended of %q; want %q and %q", c.said, &to, end, c.to, c.end)
		}
	}
}
