package main

import (
	"bytes"
	"context"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// renameCheckout gives the module of the checkout another path.
func renameCheckout(ctx context.Context, to string) error {
	root, err := output(ctx, "", nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	names, err := output(ctx, root, nil, "git", "ls-files")
	if err != nil {
		return err
	}
	return rename(root, strings.Split(names, "\n"), to)
}

// rename gives the module in a folder another path: its files, as far as they are of
// Go, pages or tests, name the packages by it, and docs/library.md says how it is got.
func rename(root string, names []string, to string) error {
	if err := module.CheckPath(to); err != nil {
		return err
	}
	own, err := pathOf(root)
	if err != nil || own == to {
		return err
	}
	uses := usesOf(own, names)
	for _, name := range names {
		if !slices.Contains([]string{".go", ".mod", ".md", ".py"}, filepath.Ext(name)) || name == "CHANGELOG.md" {
			continue
		}
		path := filepath.Join(root, name)
		old, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := old
		for _, use := range uses {
			text = use.ReplaceAll(text, []byte("${1}"+to+"${2}"))
		}
		if name == "docs/library.md" {
			text = address.ReplaceAllLiteral(text, fmt.Appendf(nil, addressed, to))
		}
		if bytes.Equal(text, old) {
			continue
		}
		if filepath.Ext(name) == ".go" { // imports are in the order of their paths
			if text, err = format.Source(text); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// pathOf reads the path of a module.
func pathOf(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	return modfile.ModulePath(text), err
}

// usesOf matches a path where it is that of a module in go.mod, and where it begins that
// of a package in one of the folders.
func usesOf(own string, names []string) [2]*regexp.Regexp {
	var folders []string
	for _, name := range names {
		if folder, _, ok := strings.Cut(name, "/"); ok && filepath.Ext(name) == ".go" && !slices.Contains(folders, folder) {
			folders = append(folders, regexp.QuoteMeta(folder))
		}
	}
	own = regexp.QuoteMeta(own)
	return [2]*regexp.Regexp{
		regexp.MustCompile("(?m)^(module |require |replace )" + own + "($| v\\d| =>)"),
		regexp.MustCompile("(?m)(^module |[\"`( \\t])" + own + "(/(?:" + strings.Join(folders, "|") + ")\\b)"),
	}
}

// address is what docs/library.md says of the path, and addressed what it says of one
// that go get takes.
var address = regexp.MustCompile(`(?s)<!-- address -->.*<!-- end of address -->`)

const addressed = "<!-- address -->\n```text\ngo get %s@latest\n```\n\ngets the library from its address. Other ways are a checkout and the archive of a release.\n<!-- end of address -->"
