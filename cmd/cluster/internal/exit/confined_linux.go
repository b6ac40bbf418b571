package exit

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Where the address space or the number of threads is limited, the runtime of Go ends a
// process that meets the limit with pages of stacks, and nothing in the process can
// keep it from that. There the program runs as a child of itself, and the parent
// reports the cause in one line.

// confinedVariable tells the child that it is one.
const confinedVariable = "SKYJOIN_CONFINED"

// fewThreads is a limit of threads that this program may reach.
const fewThreads = 1024

// Confined runs the program in a child where limits are tight, and returns the
// exit status and true; elsewhere it returns false.
func Confined(stderr io.Writer) (status int, done bool) {
	if os.Getenv(confinedVariable) != "" || !tight() {
		return 0, false
	}
	self, err := os.Executable()
	if err != nil {
		return 0, false
	}
	runtime.LockOSThread() // the child ends with the thread that has started it
	cmd := exec.Command(self, os.Args[1:]...)
	said := &fatalFilter{to: stderr}
	cmd.Env = append(os.Environ(), confinedVariable+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if err := cmd.Start(); err != nil {
		return 0, false
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s) // it may have ended
		}
	}()
	err = cmd.Wait()
	if line := said.end(); line != "" {
		io.WriteString(stderr, "cluster: "+line+"\n")
		return Failed, true
	}
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		if w, ok := e.Sys().(syscall.WaitStatus); ok && w.Signaled() {
			return 128 + int(w.Signal()), true
		}
		return e.ExitCode(), true
	}
	if err != nil {
		return Failed, true
	}
	return Done, true
}

// tight reports whether a limit on the address space, or a low one on threads, is
// in force.
func tight() bool {
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &r) == nil && r.Cur != unix.RLIM_INFINITY {
		return true
	}
	if unix.Getrlimit(unix.RLIMIT_NPROC, &r) == nil && r.Cur < fewThreads {
		return true
	}
	text, err := os.ReadFile("/sys/fs/cgroup/pids.max") // of a container
	n, bad := strconv.Atoi(strings.TrimSpace(string(text)))
	return err == nil && bad == nil && n < fewThreads
}

// A fatalFilter passes on what a process prints until its runtime gives up.
type fatalFilter struct {
	to    io.Writer
	line  []byte // that is not complete
	fatal []byte
}

// ends begin the lines with which the runtime gives up.
var ends = [][]byte{[]byte("fatal error: "), []byte("runtime: "), []byte("runtime/cgo: "), []byte("SIGABRT: ")}

// Write implements io.Writer.
func (f *fatalFilter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		if f.fatal != nil {
			if len(f.fatal) < 4096 {
				f.fatal = append(f.fatal, rest...)
			}
			break
		}
		line, more, whole := bytes.Cut(rest, []byte("\n"))
		f.line, rest = append(f.line, line...), more
		for _, end := range ends {
			if bytes.HasPrefix(f.line, end) {
				f.fatal = append(f.line[:len(f.line):len(f.line)], '\n')
			}
		}
		switch {
		case f.fatal != nil:
			f.fatal = append(f.fatal, more...)
			return len(p), nil
		case whole:
			f.to.Write(append(f.line, '\n'))
			f.line = f.line[:0]
		case !bytes.HasPrefix(f.line, []byte("f")) && !bytes.HasPrefix(f.line, []byte("r")) && !bytes.HasPrefix(f.line, []byte("S")):
			f.to.Write(f.line) // progress has no ends of lines
			f.line = f.line[:0]
		}
	}
	return len(p), nil
}

// end returns what ended the process, "" if its runtime has not given up.
func (f *fatalFilter) end() string {
	text := string(f.fatal)
	switch {
	case text == "":
		f.to.Write(f.line)
		return ""
	case strings.HasPrefix(text, "runtime: out of memory"), strings.HasPrefix(text, "fatal error: out of memory"), strings.HasPrefix(text, "runtime: cannot allocate memory"):
		return "there is no more memory within the limit of the address space (ulimit -v); raise it, or lower --memory or --threads"
	case strings.Contains(text, "pthread_create failed"), strings.Contains(text, "failed to create new OS thread"):
		return "no thread can be started within the limits (ulimit -u, ulimit -v, or pids of the container); raise them, or lower --threads"
	}
	first, _, _ := strings.Cut(text, "\n")
	return first
}
