package command

import (
	_ "embed"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"skyjoin/cmd/cluster/internal/job"
)

// versionText is what --version prints: the version on a line that scripts can read,
// the commit, and what the program was built for.
func versionText(a *job.App) string {
	text := "cluster " + a.Version + "\n"
	if s := a.Source; s.Commit != "" {
		text += "commit " + s.Commit
		if !s.Time.IsZero() {
			text += s.Time.UTC().Format(" of 2006-01-02")
		}
		if s.Modified {
			text += ", with changes"
		}
		text += "\n"
	}
	gpus := "without GPUs"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-tags" && strings.Contains(","+s.Value+",", ",cuda,") {
				gpus = "with NVIDIA GPUs"
			}
		}
	}
	return text + fmt.Sprintf("built by %s for %s/%s, %s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, gpus)
}

// citation is what papers cite, in BibTeX. CITATION.cff says the same.
//
//go:embed citation.bib
var citation string
