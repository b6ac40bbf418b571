package main

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// sizes writes into docs/release.md what the programs for linux/amd64 consist of: the
// parts of the file, and what each module has in it.
func sizes(ctx context.Context) error {
	root, err := output(ctx, "", nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "sizes-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r := &release{root: root}
	var tables string
	for _, t := range []target{{os: "linux", arch: "amd64"}, {os: "linux", arch: "amd64", gpu: true}} {
		program := filepath.Join(work, t.name())
		if err := r.buildWith(ctx, t, "", program); err != nil {
			return err
		}
		table, err := sizesOf(program)
		if err != nil {
			return err
		}
		if t.gpu { // what is embedded has no symbols
			packed, err := filepath.Glob(filepath.Join(root, "gpu", "kernels", "*.zst"))
			if err != nil {
				return err
			}
			var all int64
			for _, path := range packed {
				info, err := os.Stat(path)
				if err != nil {
					return err
				}
				all += info.Size()
			}
			table += fmt.Sprintf("| kernels of GPUs, compiled and packed | %.1f |\n", float64(all)/1e6)
		}
		tables += "\n**" + t.String() + "**\n\n" + table
	}
	page := filepath.Join(root, "docs", "release.md")
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	const begin, end = "<!-- sizes -->\n", "<!-- end of sizes -->"
	text = regexp.MustCompile("(?s)"+begin+".*"+end).ReplaceAllLiteral(text, []byte(begin+tables+"\n"+end))
	return os.WriteFile(page, text, 0o666)
}

// sections are the parts of a program that are loaded, by the names of sections.
var sections = []struct{ what, names string }{
	{"machine code", ".text"},
	{"Go's tables of functions and lines, for stack traces and the collector", ".gopclntab"},
	{"types, strings, constants", ".rodata .typelink .itablink .go.type"},
	{"tables and what is embedded", ".data .noptrdata .go.module .data.rel.ro"},
}

// sizesOf describes a program with symbols, in MB.
func sizesOf(program string) (string, error) {
	f, err := elf.Open(program)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var b strings.Builder
	row := func(what string, size uint64) {
		fmt.Fprintf(&b, "| %s | %.1f |\n", what, float64(size)/1e6)
	}
	var all, named uint64
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 && s.Type != elf.SHT_NOBITS {
			all += s.Size
		}
	}
	b.WriteString("| parts | MB |\n|---|---|\n")
	for _, part := range sections {
		var size uint64
		for name := range strings.FieldsSeq(part.names) {
			if s := f.Section(name); s != nil {
				size += s.Size
			}
		}
		named += size
		row(part.what, size)
	}
	row("other sections", all-named)
	row("all", all)
	by, err := byModule(f, program)
	if err != nil {
		return "", err
	}
	b.WriteString("\n| code and data of | MB |\n|---|---|\n")
	names := sortedKeys(by)
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(by[y], by[x]) })
	var rest uint64
	for _, name := range names {
		if by[name] < 100e3 {
			rest += by[name]
			continue
		}
		row(name, by[name])
	}
	row("modules below 0.1 MB, together", rest)
	return b.String(), nil
}

// byModule adds up the symbols of a program by the modules that they are of.
func byModule(f *elf.File, program string) (map[string]uint64, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	modules := []string{info.Main.Path}
	for _, m := range info.Deps {
		modules = append(modules, m.Path)
	}
	slices.SortFunc(modules, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	symbols, err := f.Symbols()
	by := map[string]uint64{}
	for _, s := range symbols {
		if int(s.Section) >= len(f.Sections) || f.Sections[s.Section].Type == elf.SHT_NOBITS {
			continue
		}
		of := "Go and its standard library"
		name := strings.ReplaceAll(s.Name, "%2e", ".")
		for _, m := range modules {
			if strings.HasPrefix(name, m+"/") || strings.HasPrefix(name, m+".") {
				of = m
				break
			}
		}
		by[of] += s.Size
	}
	return by, err
}
