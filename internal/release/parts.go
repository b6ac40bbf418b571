package main

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"skyjoin/internal/page"
)

// A part is a module that is linked into a program, or the standard library of Go.
type part struct {
	path, version string
	sum           string // of go.sum; none of the standard library
	folder        string // of its source
}

// partsOf lists what a program says that it is made of, as 'go version -m' does, with
// where the source is. The list begins with the standard library.
func partsOf(ctx context.Context, root, program string) ([]part, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	goroot, err := output(ctx, root, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	parts := []part{{path: "std", version: strings.TrimPrefix(info.GoVersion, "go"), folder: goroot}}
	args := []string{"mod", "download", "-json"}
	for _, m := range info.Deps {
		args = append(args, m.Path+"@"+m.Version)
	}
	list, err := output(ctx, root, []string{"GOFLAGS=-mod=mod"}, "go", args...)
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(strings.NewReader(list)); ; {
		var m struct{ Path, Version, Sum, Dir string }
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return parts, nil
		} else if err != nil {
			return nil, err
		}
		parts = append(parts, part{m.Path, m.Version, m.Sum, m.Dir})
	}
}

// legal matches the names of files with terms, and of folders of such files.
var legal = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|notice|patents|copyright)(s)?([-.].*)?$`)

// terms returns the licences and notices of a part, by the names of the files: those
// of its root, and of folders below it that hold what others have made; where there is
// none, the page about it.
func (p part) terms() (map[string][]byte, error) {
	all := map[string][]byte{}
	err := filepath.WalkDir(p.folder, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || p.path == "std" && path != p.folder && !strings.HasPrefix(path, filepath.Join(p.folder, "src", "vendor")) && path != filepath.Join(p.folder, "src")):
			return filepath.SkipDir
		case !d.Type().IsRegular() || !legal.MatchString(d.Name()) && !legal.MatchString(filepath.Base(filepath.Dir(path))) || strings.HasSuffix(d.Name(), ".go"):
			return nil
		}
		name, err := filepath.Rel(p.folder, path)
		if err != nil {
			return err
		}
		all[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	const readme = "README.md" // where some say it in a line
	if text, e := os.ReadFile(filepath.Join(p.folder, readme)); e == nil && len(all) == 0 && regexp.MustCompile(`(?i)\blicen[cs]e\b`).Match(text) {
		all[readme] = text
	}
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s %s has no licence in %s", p.path, p.version, p.folder)
	}
	return all, err
}

// thirdPartyName is the file with the terms of others.
const thirdPartyName = "THIRD_PARTY.txt"

// thirdParty is the text that goes with a program: the terms of all that is linked in.
func thirdParty(parts []part) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("cluster is licensed under the Apache License 2.0, see LICENSE. It contains\nthe following, under their own terms.\n")
	for _, p := range parts {
		terms, err := p.terms()
		if err != nil {
			return nil, err
		}
		for _, name := range sortedKeys(terms) {
			fmt.Fprintf(&b, "\n%s\n%s %s: %s\n\n%s\n", strings.Repeat("=", 79), p.path, p.version, name, bytes.TrimSpace(terms[name]))
		}
	}
	for _, l := range page.Libraries() {
		fmt.Fprintf(&b, "\n%s\n%s %s, in the script of pages to explore\n\n%s\n", strings.Repeat("=", 79), l.Name, l.Version, l.Terms)
	}
	return b.Bytes(), nil
}

// phrases are what the texts of licences say, by their SPDX identifiers; the first that
// is found is meant.
var phrases = []struct{ id, phrase string }{
	{"Apache-2.0", "Apache License Version 2.0"},
	{"Apache-2.0", "Licensed under the Apache License, Version 2.0"},
	{"BSD-3-Clause", "may be used to endorse or promote products derived from this software"},
	{"BSD-2-Clause", "Redistributions in binary form must reproduce the above copyright notice"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose"},
	{"OFL-1.1", "SIL OPEN FONT LICENSE Version 1.1"},
	{"CC-BY-4.0", "Creative Commons Attribution 4.0 International Public License"},
	{"FTL", "The FreeType License"},
	{"MIT", "The above copyright notice and this permission notice shall be included in all"},
	{"Unlicense", "This is free and unencumbered software released into the public domain"},
}

// licences are the SPDX identifiers of the licences of a part, as far as they are
// recognised.
func (p part) licences() (ids []string, err error) {
	terms, err := p.terms()
	for _, text := range terms {
		if id := licenceOf(string(text)); id != "" {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// licenceOf is the SPDX identifier of a licence, "" if it is not recognised.
func licenceOf(text string) string {
	words := strings.Join(strings.Fields(strings.ReplaceAll(text, "\n>", "\n")), " ") // some are quoted
	for _, l := range phrases {
		if strings.Contains(strings.ToLower(words), strings.ToLower(l.phrase)) {
			return l.id
		}
	}
	return ""
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) (keys []K) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
