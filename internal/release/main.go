// Release builds what a release consists of: programs for all systems with their
// licences and lists of parts, archives of them, packages of Debian, the source with
// all modules that it needs, the library for go get, and checksums. It also renames the
// module.
//
// The same commit gives the same bytes wherever and whenever it is built with the
// same version of Go, and of the C compiler for the program with GPU support. It runs
// on Linux, and needs dpkg-deb for the packages. See docs/release.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// A release is what is built: all of one commit.
type release struct {
	root    string    // of the checkout
	dir     string    // where it is left
	version string    // without a v
	commit  string    // HASH TIME, as the program is told
	at      time.Time // of the commit: the time of all files in archives
	shared  []entry   // files that all archives have
	terms   []byte    // of what a program of this machine contains
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	out := flag.String("o", "bin/release", "the `folder` to write to, which is emptied first")
	only := flag.String("targets", "", "the `targets` to build, as linux/amd64,linux/amd64/gpu (default all)")
	source := flag.Bool("source", true, "archive the source, with its modules")
	module := flag.String("module", "", "the `path` of the module in the archive for go get (default that of the checkout)")
	renamed := flag.String("rename", "", "give the module of the checkout this `path`, and do no more")
	weigh := flag.Bool("sizes", false, "write what the programs consist of into docs/release.md, and do no more")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	switch {
	case *renamed != "":
		err = renameCheckout(ctx, *renamed)
	case *weigh:
		err = sizes(ctx)
	default:
		err = run(ctx, *out, *only, *module, *source)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out, only, module string, source bool) error {
	wanted, err := chosen(only)
	if err != nil {
		return err
	}
	r, err := begin(ctx, out)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := r.document(ctx, filepath.Join(work, "here")); err != nil {
		return err
	}
	for _, t := range wanted {
		log.Printf("%s", t)
		if err := r.make(ctx, t, filepath.Join(work, t.name())); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	if source {
		log.Printf("source")
		if err := r.source(ctx, filepath.Join(work, "source")); err != nil {
			return fmt.Errorf("source: %w", err)
		}
		if err := r.goproxy(ctx, module, filepath.Join(work, "goproxy")); err != nil {
			return fmt.Errorf("module: %w", err)
		}
	}
	return r.sums()
}

// begin reads which commit and version the checkout has, and makes the folder.
func begin(ctx context.Context, out string) (*release, error) {
	root, err := output(ctx, "", nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	r := &release{root: root, dir: out}
	if changed, err := output(ctx, root, nil, "git", "status", "--porcelain"); err != nil {
		return nil, err
	} else if changed != "" {
		return nil, fmt.Errorf("a release is of a commit, and the checkout has changes:\n%s", changed)
	}
	if r.commit, err = output(ctx, root, []string{"TZ=UTC"}, "git", "show", "-s", "--date=iso-strict-local", "--format=%H %cd"); err != nil {
		return nil, err
	}
	if r.at, err = time.Parse(time.RFC3339, strings.Fields(r.commit)[1]); err != nil {
		return nil, err
	}
	r.at = r.at.UTC()
	if r.version, err = versionOf(filepath.Join(root, "cmd", "cluster", "main.go")); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(out); err != nil {
		return nil, err
	}
	return r, os.MkdirAll(out, 0o777)
}

// make builds a target, and what is handed out of it.
func (r *release) make(ctx context.Context, t target, work string) error {
	program := filepath.Join(work, t.program())
	if err := r.build(ctx, t, program); err != nil {
		return err
	}
	parts, err := partsOf(ctx, r.root, program)
	if err != nil {
		return err
	}
	bom, err := r.bom(t, program, parts)
	if err != nil {
		return err
	}
	licences, err := thirdParty(parts)
	if err != nil {
		return err
	}
	binary, err := fileEntry(t.program(), program, 0o755)
	if err != nil {
		return err
	}
	files := append([]entry{binary, {thirdPartyName, licences, 0o644}, {"sbom.cdx.json", bom, 0o644}}, r.shared...)
	if err := write(filepath.Join(r.dir, t.archive(r.version)+".cdx.json"), bom); err != nil {
		return err
	}
	if err := r.archive(t, files); err != nil {
		return err
	}
	if t.os == "linux" {
		return r.deb(ctx, t, files, filepath.Join(work, "deb"))
	}
	return nil
}

// document makes the files that all archives have: texts, manual pages, completions,
// by a program for this machine.
func (r *release) document(ctx context.Context, work string) error {
	here := target{os: runtime.GOOS, arch: runtime.GOARCH}
	program := filepath.Join(work, here.program())
	if err := r.build(ctx, here, program); err != nil {
		return err
	}
	parts, err := partsOf(ctx, r.root, program)
	if err != nil {
		return err
	}
	if r.terms, err = thirdParty(parts); err != nil {
		return err
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff"} {
		e, err := fileEntry(name, filepath.Join(r.root, name), 0o644)
		if err != nil {
			return err
		}
		r.shared = append(r.shared, e)
	}
	for shell, name := range completions {
		text, err := exec.CommandContext(ctx, program, "completion", shell).Output()
		if err != nil {
			return fmt.Errorf("completion %s: %w", shell, err)
		}
		r.shared = append(r.shared, entry{"completions/" + name, text, 0o644})
	}
	pages := filepath.Join(work, "man1")
	if _, err := output(ctx, "", nil, program, "man", pages); err != nil {
		return err
	}
	found, err := filepath.Glob(filepath.Join(pages, "*.1"))
	for _, path := range found {
		e, failed := fileEntry("man1/"+filepath.Base(path), path, 0o644)
		if failed != nil {
			return failed
		}
		r.shared = append(r.shared, e)
	}
	return err
}

// completions are the shells, with the names of the files.
var completions = map[string]string{"bash": "cluster.bash", "zsh": "_cluster", "fish": "cluster.fish", "powershell": "cluster.ps1"}
