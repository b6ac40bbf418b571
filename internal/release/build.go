package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A target is a kind of machine that a program is built for.
type target struct {
	os, arch string
	gpu      bool // with support for NVIDIA GPUs; linked with the C library, the others are static
}

// targets are those of a release.
var targets = []target{
	{os: "linux", arch: "amd64"},
	{os: "linux", arch: "arm64"},
	{os: "darwin", arch: "arm64"},
	{os: "windows", arch: "amd64"},
	{os: "linux", arch: "amd64", gpu: true},
}

func (t target) String() string { return strings.ReplaceAll(t.name(), "-", "/") }

func (t target) name() string {
	if t.gpu {
		return t.os + "-" + t.arch + "-gpu"
	}
	return t.os + "-" + t.arch
}

func (t target) program() string {
	if t.os == "windows" {
		return "cluster.exe"
	}
	return "cluster"
}

// archive is the name of the archive without its extension, and of the folder in it.
func (t target) archive(version string) string { return "skyjoin-" + version + "-" + t.name() }

// chosen are the targets of a list of names, or all.
func chosen(names string) (all []target, err error) {
	if names == "" {
		return targets, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(targets, func(t target) bool { return t.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no target %q; they are %v", name, targets)
		}
		all = append(all, targets[i])
	}
	return all, nil
}

// build compiles the program. Nothing of the machine gets into it: no paths, no
// identifier that depends on them, no symbols.
func (r *release) build(ctx context.Context, t target, program string) error {
	return r.buildWith(ctx, t, `-s -w -buildid= -X "main.commit=`+r.commit+`"`, program)
}

// buildWith compiles the program with flags of the linker.
func (r *release) buildWith(ctx context.Context, t target, ldflags, program string) error {
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", ldflags, "-o", program}
	env := []string{"GOOS=" + t.os, "GOARCH=" + t.arch, "GOFLAGS=", "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0"}
	if t.gpu {
		args = append(args, "-tags", "cuda")
		env = append(env, "CGO_ENABLED=1", "CGO_CFLAGS='-I"+filepath.Join(r.root, "internal", "cuda", "include")+"' -O2")
	}
	_, err := output(ctx, r.root, env, "go", append(args, "./cmd/cluster")...)
	return err
}

// versionOf reads the version from the source of the program.
func versionOf(path string) (string, error) {
	text, err := os.ReadFile(path)
	m := regexp.MustCompile(`(?m)^const version = "(.*)"$`).FindSubmatch(text)
	if err == nil && m == nil {
		err = fmt.Errorf("%s has no constant version", path)
	}
	if err != nil {
		return "", err
	}
	return string(m[1]), nil
}

// output runs a command, and returns what it prints.
func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.Output()
	if e := (*exec.ExitError)(nil); errors.As(err, &e) {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, e.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}
