package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/internal/format/all"
)

// Expand returns the files that paths name, in the order of their rows. A path
// is a file, a pattern (see [filepath.Match]) or a directory, which stands for
// the catalog files at any depth below it. Only files of one format are taken,
// the first format in the order Parquet, FITS, VOTable, text, ARFF, MRT, RDB that has any,
// so that text files that accompany a partitioned Parquet catalog are not read
// as rows. Folders of 'cluster plan' are left out. A HATS collection stands for its primary table; name a margin cache
// or an index to read it. Names that start with "_" or "." are left out below
// directories, and from the matches of patterns that do not start with them. A
// table of a FITS file is named as in events.fits[2] or events.fits[GTI]. The
// files of patterns and directories are in natural order: file2 before file10.
func Expand(paths []string) ([]string, error) { return expandAll(paths, false) }

// expandAll is Expand, except that "-" may be no file but standard input.
func expandAll(paths []string, stdin bool) ([]string, error) {
	if len(paths) == 0 {
		return nil, format.Requestf("no input files")
	}
	var files []string
	for _, p := range paths {
		if stdin && p == Stdin {
			files = append(files, p)
			continue
		}
		more, err := expand(p)
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	return files, nil
}

func expand(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return walk(path)
	case err == nil:
		return []string{path}, nil
	case !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(path, "*?["):
		return nil, plainPathError(path, err)
	}
	if _, _, ok := cutExtension(path); ok {
		return []string{path}, nil
	}
	matches, err := filepath.Glob(path)
	if err != nil {
		return nil, format.Requestf("%s: bad pattern", path)
	}
	if len(matches) == 0 {
		return nil, format.Mark(fmt.Errorf("%s: no file matches", path), fs.ErrNotExist)
	}
	matches = slices.DeleteFunc(matches, func(m string) bool { return setAside(path, m) })
	if len(matches) == 0 {
		return nil, fmt.Errorf("%s: only files match whose names start with _ or ., which are left out", path)
	}
	slices.SortFunc(matches, natural)
	var files []string
	for _, m := range matches {
		info, err := os.Stat(m)
		switch {
		case err != nil:
			return nil, plainPathError(m, err)
		case info.IsDir():
			more, err := walk(m)
			if err != nil {
				return nil, err
			}
			files = append(files, more...)
		default:
			files = append(files, m)
		}
	}
	return files, nil
}

// cutExtension splits a path that names a table of a FITS file, as in
// events.fits[2]: there is no file of the whole name, but one of the name before
// the bracket.
func cutExtension(path string) (file, extension string, ok bool) {
	rest, found := strings.CutSuffix(path, "]")
	at := strings.LastIndexByte(rest, '[')
	if !found || at <= 0 || at == len(rest)-1 {
		return "", "", false
	}
	if _, err := os.Stat(path); err == nil {
		return "", "", false
	}
	info, err := os.Stat(rest[:at])
	return rest[:at], rest[at+1:], err == nil && info.Mode().IsRegular()
}

// setAside reports whether a match of a pattern has a name, of a file or of a
// folder above it, that starts with "_" or "." where the pattern does not: the
// files that are no rows of partitioned catalogs, and those being written.
func setAside(pattern, match string) bool {
	ps, ms := strings.Split(filepath.ToSlash(filepath.Clean(pattern)), "/"), strings.Split(filepath.ToSlash(match), "/")
	for i, m := range ms {
		if m != "" && (m[0] == '_' || m[0] == '.') && i < len(ps) && !strings.HasPrefix(strings.TrimPrefix(ps[i], `\`), m[:1]) {
			return true
		}
	}
	return false
}

// plainPathError wraps a file error so that it names the path only once.
func plainPathError(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// walk returns the catalog files below dir. Symbolic links to files are
// followed, those to directories are not.
func walk(dir string) ([]string, error) {
	byFormat := make([][]string, len(all.Inputs))
	root := os.DirFS(dir)
	only := map[string]string{} // of folders of which one folder is read, that one
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return plainPathError(filepath.Join(dir, name), err)
		}
		if base := d.Name(); name != "." && (base[0] == '_' || base[0] == '.') {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			if one := only[path.Dir(name)]; name != "." && one != "" && one != d.Name() {
				return fs.SkipDir
			}
			if isPlan(root, name) {
				if name == "." {
					return fmt.Errorf("%s is a plan of 'cluster plan', not a catalog", dir)
				}
				return fs.SkipDir
			}
			skip, one, err := hatsFolder(root, name)
			if err != nil {
				return fmt.Errorf("%s: %w", filepath.Join(dir, name), format.Bare(err))
			}
			if skip {
				return fs.SkipDir
			}
			only[name] = one
			return nil
		}
		for i, in := range all.Inputs {
			if in.HasExtension(name) {
				byFormat[i] = append(byFormat[i], name)
				break
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, names := range byFormat {
		if len(names) == 0 {
			continue
		}
		slices.SortFunc(names, natural)
		for i, n := range names {
			names[i] = filepath.Join(dir, filepath.FromSlash(n))
		}
		return names, nil
	}
	return nil, format.Mark(fmt.Errorf("%s: no catalog files in this directory", dir), fs.ErrNotExist)
}

// natural orders paths component by component, numbers in them by value.
func natural(a, b string) int {
	as, bs := strings.Split(filepath.ToSlash(a), "/"), strings.Split(filepath.ToSlash(b), "/")
	for i := range min(len(as), len(bs)) {
		if c := naturalName(as[i], bs[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(as), len(bs))
}

func naturalName(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		nx, ny := digits(x), digits(y)
		if nx > 0 && ny > 0 {
			vx, vy := strings.TrimLeft(x[:nx], "0"), strings.TrimLeft(y[:ny], "0")
			if c := cmp.Or(cmp.Compare(len(vx), len(vy)), cmp.Compare(vx, vy)); c != 0 {
				return c
			}
			x, y = x[nx:], y[ny:]
			continue
		}
		if x[0] != y[0] {
			return cmp.Compare(x[0], y[0])
		}
		x, y = x[1:], y[1:]
	}
	// Names that differ in leading zeros only still need an order.
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

// digits returns the length of the run of digits that s starts with.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}
