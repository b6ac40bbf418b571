package main

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// source writes the archive of the source: the commit, with all modules that it is
// built of in vendor, what these may be used under, and the commit's name in COMMIT.
func (r *release) source(ctx context.Context, work string) error {
	if err := r.checkout(ctx, work); err != nil {
		return err
	}
	if _, err := output(ctx, work, []string{"GOFLAGS="}, "go", "mod", "vendor"); err != nil {
		return err
	}
	files := []entry{{"COMMIT", []byte(r.commit + "\n"), 0o644}, {thirdPartyName, r.terms, 0o644}}
	err := filepath.WalkDir(work, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(work, path)
		if err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		e, err := fileEntry(filepath.ToSlash(name), path, mode)
		files = append(files, e)
		return err
	})
	if err != nil {
		return err
	}
	name := "skyjoin-" + r.version + "-source"
	b, err := r.tarball(name, files)
	if err != nil {
		return err
	}
	return write(filepath.Join(r.dir, name+".tar.gz"), b)
}

// checkout unpacks the files of the commit into a folder.
func (r *release) checkout(ctx context.Context, to string) error {
	cmd := exec.CommandContext(ctx, "git", "archive", "--format=tar", "HEAD")
	cmd.Dir = r.root
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = unpack(tar.NewReader(out), to)
	_, _ = io.Copy(io.Discard, out) // so that git ends
	return errors.Join(err, cmd.Wait())
}

func unpack(r *tar.Reader, to string) error {
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		path := filepath.Join(to, filepath.FromSlash(h.Name))
		switch h.Typeflag {
		case tar.TypeDir, tar.TypeXGlobalHeader:
			continue
		case tar.TypeReg:
		default:
			return fmt.Errorf("%s is no file", h.Name)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := write(path, b); err != nil {
			return err
		}
		if err := os.Chmod(path, h.FileInfo().Mode().Perm()); err != nil {
			return err
		}
	}
}
