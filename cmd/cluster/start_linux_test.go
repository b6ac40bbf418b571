//go:build cgo

package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// Limits with which the runtime of Go cannot even start give one line that says what is
// enough.
func TestStartWithinLimits(t *testing.T) {
	shell, err := exec.LookPath("bash") // of which ulimit knows -u
	if err != nil {
		t.Skip("there is no bash")
	}
	dir := forOthers(t)
	for limit, want := range map[string]string{
		"-v 100000":  "limited to 100000 KiB (ulimit -v), the program takes 1900000 to start",
		"-v 800000":  "limited to 800000 KiB (ulimit -v), the program takes 1900000 to start",
		"-v 1600000": "limited to 1600000 KiB (ulimit -v), the program takes 1900000 to start",
		"-v 1900000": "",
		"-u 2":       "within the 2 of this user (ulimit -u), the program takes 12 to start",
		"-u 10":      "within the 10 of this user (ulimit -u), the program takes 12 to start",
	} {
		cmd := exec.Command(shell, "-c", "ulimit "+limit+"; exec ./cluster info nowhere.csv")
		if cmd.Dir = dir; strings.HasPrefix(limit, "-u") {
			if os.Getuid() != 0 {
				continue // this user may have any number of threads
			}
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 61004, Gid: 61004}}
		}
		out, err := cmd.CombinedOutput()
		if text := string(out); err == nil || !strings.HasPrefix(text, "cluster: ") || !strings.Contains(text, want) || strings.Count(text, "\n") != 1 {
			t.Errorf("ulimit %s: %v: %s", limit, err, text)
		}
	}
}
