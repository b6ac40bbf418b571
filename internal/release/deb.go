package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"debug/elf"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// deb makes the Debian package of a target in a folder, with dpkg-deb.
func (r *release) deb(ctx context.Context, t target, files []entry, work string) error {
	name, depends := "skyjoin", ""
	if t.gpu {
		glibc, err := needsGlibc(files)
		if err != nil {
			return err
		}
		name, depends = "skyjoin-gpu", "Depends: libc6 (>= "+glibc+")\nProvides: skyjoin\nConflicts: skyjoin\nReplaces: skyjoin\n"
	}
	size := 0
	for _, e := range files {
		at, ok := debian(e.name, name)
		if !ok {
			continue
		}
		if strings.HasSuffix(at, ".gz") {
			var b bytes.Buffer
			z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is one
			if _, err := z.Write(e.data); err != nil {
				return err
			}
			if err := z.Close(); err != nil {
				return err
			}
			e.data = b.Bytes()
		}
		size += len(e.data)
		to := filepath.Join(work, at)
		if err := write(to, e.data); err != nil {
			return err
		}
		if err := os.Chmod(to, e.mode); err != nil {
			return err
		}
	}
	version := strings.ReplaceAll(r.version, "-", "~")
	control := fmt.Sprintf(`Package: %s
Version: %s
Architecture: %s
Maintainer: The skyjoin developers <skyjoin@example.org>
Section: science
Priority: optional
Installed-Size: %d
%sDescription: clusters and neighbours in astronomical catalogs
 Exact clustering by density, cross-matches, neighbour searches, two-point
 statistics and correlation functions of catalogs in Parquet, FITS, VOTable,
 ECSV and CSV, on all cores, GPUs and clusters of machines.
`, name, version, t.arch, (size+1023)/1024, depends)
	if err := write(filepath.Join(work, "DEBIAN", "control"), []byte(control)); err != nil {
		return err
	}
	if err := plainFolders(work); err != nil {
		return err
	}
	to := filepath.Join(r.dir, name+"_"+version+"_"+t.arch+".deb")
	_, err := output(ctx, "", []string{"SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.at.Unix(), 10)}, "dpkg-deb", "--root-owner-group", "-Zxz", "--threads-max=1", "--build", work, to)
	return err
}

// debian is where Debian's policy puts a file of an archive, for a package.
func debian(name, pkg string) (at string, ok bool) {
	doc := "usr/share/doc/" + pkg + "/"
	switch dir, base := path.Split(name); {
	case name == "cluster":
		return "usr/bin/cluster", true
	case dir == "man1/":
		return "usr/share/man/man1/" + base + ".gz", true
	case name == "completions/cluster.bash":
		return "usr/share/bash-completion/completions/cluster", true
	case name == "completions/_cluster":
		return "usr/share/zsh/vendor-completions/_cluster", true
	case name == "completions/cluster.fish":
		return "usr/share/fish/vendor_completions.d/cluster.fish", true
	case name == "LICENSE":
		return doc + "copyright", true
	case name == "CHANGELOG.md":
		return doc + "changelog.gz", true
	case dir == "":
		return doc + name, true
	}
	return "", false
}

// needsGlibc is the version of the C library that a program needs at least.
func needsGlibc(files []entry) (string, error) {
	f, err := elf.NewFile(bytes.NewReader(files[0].data))
	if err != nil {
		return "", err
	}
	symbols, err := f.ImportedSymbols()
	least := 0
	for _, s := range symbols {
		if minor, ok := strings.CutPrefix(s.Version, "GLIBC_2."); ok {
			n, _ := strconv.Atoi(strings.SplitN(minor, ".", 2)[0])
			least = max(least, n)
		}
	}
	return "2." + strconv.Itoa(least), err
}

// plainFolders gives all folders the mode that packages have, whatever the umask.
func plainFolders(work string) error {
	return filepath.WalkDir(work, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o755)
		}
		return err
	})
}
