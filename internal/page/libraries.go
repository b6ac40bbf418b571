package page

import "strings"

// A Library is one that is part of the script of the pages.
type Library struct {
	Name, Version string // on npm
	Terms         string // its licence
}

// Libraries are those in the script, which begins with their terms.
func Libraries() (all []Library) {
	head, _, _ := strings.Cut(script, "*/")
	for _, part := range strings.Split(head, "\n==== ")[1:] {
		name, terms, _ := strings.Cut(part, "\n")
		name, version, _ := strings.Cut(name, " ")
		all = append(all, Library{name, version, strings.TrimSpace(terms)})
	}
	return all
}
