package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/command"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
)

// There is a page for every command, with its flags.
func TestMan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "share", "man1")
	cmdtest.Succeed(t, "man", dir)
	for _, c := range command.Root(&job.App{}, commands...).Commands() {
		if !c.IsAvailableCommand() {
			continue
		}
		page, err := os.ReadFile(filepath.Join(dir, "cluster-"+c.Name()+".1"))
		if err != nil {
			t.Errorf("%s: %v", c.Name(), err)
			continue
		}
		if !strings.Contains(string(page), ".SH NAME") {
			t.Errorf("%s: no manual page:\n%.200s", c.Name(), page)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, "cluster-dbscan.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"min-points", "scikit-learn", "--eps"} {
		if !strings.Contains(strings.ReplaceAll(string(page), `\-`, "-"), want) {
			t.Errorf("cluster-dbscan.1 does not say %q", want)
		}
	}
	cmdtest.Refuse(t, exit.Request, []string{"man"}, "one folder")
	cmdtest.Refuse(t, exit.Failed, []string{"man", cmdtest.Write(t, "file", "")}, "cannot write")
}
