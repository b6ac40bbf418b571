package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// goproxy writes an archive of the library from which go get takes it: a folder as
// module proxies lay it out (go.dev/ref/mod#goproxy-protocol), with the version of the
// release. The module has the given path, or that of the checkout.
func (r *release) goproxy(ctx context.Context, path, work string) error {
	if err := r.checkout(ctx, work); err != nil {
		return err
	}
	if path != "" {
		names, err := output(ctx, r.root, nil, "git", "ls-files")
		if err == nil {
			err = rename(work, strings.Split(names, "\n"), path)
		}
		if err != nil {
			return err
		}
	}
	files, err := proxied(work, r.version, r.at)
	if len(files) == 0 || err != nil {
		return err
	}
	name := "skyjoin-" + r.version + "-goproxy"
	b, err := r.tarball(name, files)
	if err != nil {
		return err
	}
	return write(filepath.Join(r.dir, name+".tar.gz"), b)
}

// proxied are the files of a proxy for the module in a folder; none where its path is no
// address.
func proxied(root, version string, at time.Time) ([]entry, error) {
	path, err := pathOf(root)
	if err != nil {
		return nil, err
	}
	if err := module.CheckPath(path); err != nil {
		log.Printf("no archive for go get: %v; MODULE=host/owner/skyjoin gives it a path", err)
		return nil, nil
	}
	m := module.Version{Path: path, Version: "v" + version}
	escaped, err := module.EscapePath(path)
	if err != nil {
		return nil, err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	info, err := json.Marshal(map[string]any{"Version": m.Version, "Time": at})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := zip.CreateFromDir(&b, m, root); err != nil {
		return nil, err
	}
	in := escaped + "/@v/"
	const mode = fs.FileMode(0o644)
	return []entry{{in + "list", []byte(m.Version + "\n"), mode}, {in + m.Version + ".info", info, mode}, {in + m.Version + ".mod", mod, mode}, {in + m.Version + ".zip", b.Bytes(), mode}}, nil
}
