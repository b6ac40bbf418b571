package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/runfile"
	"skyjoin/internal/each"
)

// A step is a step of a pipeline.
type step struct {
	Step
	cmd     *cobra.Command
	section runfile.Section
	reads   []string // files, folders and patterns
	after   []*step  // that write what it reads
	memory  int64    // bytes, 0 for no limit
	threads int      // 0: as the step says, or the command has no such flag
	depth   int      // steps before it, one after the other

	ok bool
}

// load reads a pipeline. The keys before the first table are flags of run.
func load(cmd *cobra.Command, path string) ([]*step, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sections, err := runfile.Parse(path, text)
	if err != nil {
		return nil, err
	}
	if k, found := sections[0].Take(runfile.Inputs); found {
		return nil, exit.Usagef("%s:%d: inputs are of a step: put them below a [name]", path, k.Line)
	}
	if _, err := sections[0].Apply(cmd); err != nil {
		return nil, err
	}
	if len(sections) == 1 {
		return nil, exit.Usagef("%s has no steps; one is a table with a command, as in\n[label]  command = \"dbscan\"  inputs = \"gaia.vot\"  output = \"labelled.parquet\"", path)
	}
	var all []*step
	for _, section := range sections[1:] {
		s, err := newStep(cmd.Root(), section)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, link(all)
}

// newStep reads a step.
func newStep(root *cobra.Command, section runfile.Section) (*step, error) {
	s := &step{Step: Step{Name: section.Name}, section: section}
	refuse := func(line int, format string, a ...any) error {
		return exit.Usagef("%s:%d: [%s] "+format, append([]any{section.Path, line, section.Name}, a...)...)
	}
	k, found := section.Take(runfile.Command)
	if !found {
		return nil, refuse(section.Line, `has no command, as in command = "dbscan"`)
	}
	words := strings.Fields(strings.Join(k.Values, " "))
	c, rest, err := root.Find(words)
	switch {
	case err != nil || c == root || len(rest) > 0:
		return nil, refuse(k.Line, "command %q: there is none; see 'cluster --help'", strings.Join(k.Values, " "))
	case c.Flags().Lookup("output") == nil && c.Flags().Lookup("clusters") == nil || slices.Contains([]string{"again", "run"}, words[0]):
		return nil, refuse(k.Line, "'cluster %s' writes no file by itself, and is no step", strings.Join(words, " "))
	}
	args, err := section.Args(c)
	if err != nil {
		return nil, err
	}
	in, _ := section.Take(runfile.Inputs)
	s.cmd, s.reads = c, slices.Clone(in.Values)
	s.Line = slices.Concat(words, in.Values, args)
	for _, key := range section.Keys {
		f := c.Flags().Lookup(key.Name)
		if f == nil {
			continue // inputs and command
		}
		for _, value := range key.Values {
			switch file, isEdges := strings.CutPrefix(value, "@"); {
			case flags.Writes(f) && value == flags.Stdout:
				return nil, refuse(key.Line, "%s = %q: a step writes to files", key.Name, value)
			case flags.Writes(f):
				s.Outputs = append(s.Outputs, value)
			case flags.NamesFiles(f):
				s.reads = append(s.reads, value)
			case isEdges:
				s.reads = append(s.reads, file)
			}
		}
	}
	if len(s.Outputs) == 0 {
		return nil, refuse(section.Line, `writes nothing; name a file, as in output = "labelled.parquet"`)
	}
	return s, nil
}

// link finds which steps write what others read.
func link(all []*step) error {
	by := map[string]*step{}
	for _, s := range all {
		for _, path := range s.Outputs {
			path = filepath.Clean(path)
			if first := by[path]; first != nil {
				return exit.Usagef("%s: [%s] and [%s] both write %s", s.section.Path, first.Name, s.Name, path)
			}
			by[path] = s
		}
	}
	for _, s := range all {
		for _, read := range s.reads {
			for path, from := range by {
				if from != s && meets(read, path) && !slices.Contains(s.after, from) {
					s.after = append(s.after, from)
				}
			}
		}
	}
	for range all { // each turn finds the depth of one more step
		for _, s := range all {
			for _, before := range s.after {
				s.depth = max(s.depth, before.depth+1)
			}
		}
	}
	for _, s := range all {
		if s.depth >= len(all) {
			names := each.Of(slices.DeleteFunc(slices.Clone(all), func(s *step) bool { return s.depth < len(all) }), func(s *step) string { return s.Name })
			return exit.Usagef("%s: steps wait for each other: %s", s.section.Path, strings.Join(names, ", "))
		}
	}
	return nil
}

// meets reports whether what is read, a file, a folder or a pattern, has a file that is
// written in it, or is in a folder that is written.
func meets(read, written string) bool {
	if i := strings.LastIndex(read, "["); i > 0 && strings.HasSuffix(read, "]") {
		if base := filepath.Clean(read[:i]); base == written { // a table of a FITS file
			return true
		}
	}
	read = filepath.Clean(read)
	if match, err := filepath.Match(read, written); err == nil && match {
		return true
	}
	return read == written || inside(written, read) || inside(read, written)
}

func inside(path, folder string) bool {
	return strings.HasPrefix(path, folder+string(filepath.Separator)) || folder == "." && filepath.IsLocal(path)
}
