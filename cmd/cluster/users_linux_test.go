package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// Of two users who may write to one folder, neither can replace, compute or remove the
// plan of the other, who each get the answer of their own.
func TestPlansOfTwoUsers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be two users")
	}
	t.Chdir(forOthers(t))
	cmdtest.Succeed(t, "gen", "sky", "-n", "2000", "-o", "sky.parquet", "-q")
	if err := os.Chmod("sky.parquet", 0o644); err != nil {
		t.Fatal(err)
	}
	as := func(user uint32, line string) (string, error) {
		cmd := exec.Command("./cluster", append(strings.Fields(line), "-q")...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	const one, other = 61001, 61002
	const plan = "plan dbscan sky.parquet --eps 3arcmin --min-points 5 --tiles 3 --force -o "
	var both sync.WaitGroup
	for user, name := range map[uint32]string{one: "a", other: "b"} {
		both.Go(func() {
			for _, line := range []string{plan + name, "submit local " + name + " --processes 2", "merge " + name + " -o " + name + ".parquet"} {
				if out, err := as(user, line); err != nil {
					t.Errorf("user %d: %s: %v %s", user, line, err, out)
				}
			}
		})
	}
	both.Wait()
	a, errA := os.ReadFile("a.parquet")
	b, errB := os.ReadFile("b.parquet")
	if errA != nil || errB != nil || string(a) != string(b) {
		t.Errorf("the answers differ (errors %v, %v)", errA, errB)
	}
	for _, line := range []string{plan + "a", "tile a --index 0 --force", "submit local a --force", "merge a -o a.parquet --force", "relabel a -o a"} {
		if out, err := as(other, line); err == nil || strings.Count(out, "\n") > 2 || !strings.HasPrefix(out, "cluster: ") {
			t.Errorf("%s of another user: %v, %q", line, err, out)
		}
	}
	if out, err := as(one, "merge a -o again.parquet"); err != nil {
		t.Errorf("after that: %v %s", err, out)
	}
	for _, name := range append(cmdtest.Names(t, "."), cmdtest.Names(t, "a/tiles")...) {
		if strings.HasPrefix(name, ".") {
			t.Errorf("%s is left", name)
		}
	}
}

// A user who may start few threads gets the answer, or one line.
func TestFewThreads(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("the limit does not hold for root, and others cannot be another user")
	}
	shell, err := exec.LookPath("bash") // of which ulimit knows -u
	if err != nil {
		t.Skip("there is no bash")
	}
	dir := forOthers(t)
	for _, threads := range []string{"14", "40"} {
		cmd := exec.Command(shell, "-c", "ulimit -u "+threads+"; exec ./cluster gen sky -n 20000 -q -o - >/dev/null")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOMAXPROCS=2")
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 61003, Gid: 61003}}
		out, err := cmd.CombinedOutput()
		if said := string(out); err == nil && said != "" || err != nil && (!strings.HasPrefix(said, "cluster: no thread can be started") || strings.Count(said, "\n") != 1) {
			t.Errorf("%s threads: %v: %s", threads, err, said)
		}
	}
}

// forOthers returns a folder which others can enter, with the compiled command.
func forOthers(t *testing.T) string {
	t.Helper()
	binary := cmdtest.Binary(t)
	dir, err := os.MkdirTemp("", "users")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	text, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cluster"), text, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	return dir
}
