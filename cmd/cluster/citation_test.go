package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

// A cited work is what both forms of a citation say of it.
type citedWork struct {
	Title, DOI, Version string
	Year                string
	Authors             []struct {
		Family string `yaml:"family-names"`
	}
}

// CITATION.cff and 'cluster --citation' say the same.
func TestCitation(t *testing.T) {
	text, err := os.ReadFile("../../CITATION.cff")
	if err != nil {
		t.Fatal(err)
	}
	var cff struct {
		citedWork  `yaml:",inline"`
		References []citedWork
	}
	if err := yaml.Unmarshal(text, &cff); err != nil {
		t.Fatal(err)
	}
	if cff.Version != version {
		t.Errorf("CITATION.cff is of version %s, the program of %s", cff.Version, version)
	}
	bib := cmdtest.Succeed(t, "--citation").Stdout
	entries := regexp.MustCompile(`(?s)\n@\w+\{.*?\n\}\n`).FindAllString(bib, -1)
	works := append([]citedWork{cff.citedWork}, cff.References...)
	if len(entries) != len(works) {
		t.Fatalf("%d entries of BibTeX, %d works in CITATION.cff", len(entries), len(works))
	}
	for i, w := range works {
		for _, want := range []string{"{" + w.Title + "}", w.DOI, w.Year} {
			if !strings.Contains(entries[i], want) {
				t.Errorf("entry %d does not say %q:%s", i, want, entries[i])
			}
		}
		for _, a := range w.Authors {
			if !strings.Contains(strings.ReplaceAll(entries[i], `{\"o}`, "ö"), a.Family) {
				t.Errorf("entry %d does not name %s", i, a.Family)
			}
		}
	}
	if !strings.Contains(entries[0], "{"+cmdtest.Version+"}") {
		t.Errorf("not of the program's version: %s", entries[0])
	}
}

func TestVersion(t *testing.T) {
	got := cmdtest.Succeed(t, "--version").Stdout
	if !regexp.MustCompile(`^cluster ` + regexp.QuoteMeta(cmdtest.Version) + `\n(commit .*\n)?built by go1\.\d+\S* for \w+/\w+, with(out GPUs| NVIDIA GPUs)\n$`).MatchString(got) {
		t.Errorf("%q", got)
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`).MatchString(version) {
		t.Errorf("%s is not a semantic version", version)
	}
}
