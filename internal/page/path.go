package page

import (
	"path/filepath"
	"strings"
)

// Is reports whether a figure of that name is a page.
func Is(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".html" || ext == ".htm"
}

// Split tells pictures and pages apart.
func Split(paths []string) (pictures, pages []string) {
	for _, path := range paths {
		if Is(path) {
			pages = append(pages, path)
		} else {
			pictures = append(pictures, path)
		}
	}
	return pictures, pages
}
