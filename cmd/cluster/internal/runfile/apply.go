package runfile

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/internal/suggest"
)

// Of no flag: how the command line is run, and what it says of itself.
var notKeys = []string{"config", "help", "help-all", "version"}

// IsNoKey reports whether a flag is none of a file.
func IsNoKey(name string) bool { return slices.Contains(notKeys, name) }

// The keys that are no flags.
const (
	Command = "command" // that the file is for
	Inputs  = "inputs"  // files, as they stand on the command line
)

// Load reads a file with the flags of one command.
func Load(path string) (*Section, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all, err := Parse(path, text)
	if err != nil {
		return nil, err
	}
	if len(all) > 1 {
		return nil, exit.Usagef("%s:%d: [%s]: a file of --config has no tables; 'cluster run' carries out files with several steps", path, all[1].Line, all[1].Name)
	}
	return &all[0], nil
}

// Apply sets the flags of a command that the command line does not give, and returns
// the inputs.
func (s *Section) Apply(cmd *cobra.Command) (inputs []string, err error) {
	rest := *s
	rest.Keys = slices.Clone(s.Keys)
	if k, found := rest.Take(Command); found {
		if name := strings.TrimPrefix(cmd.CommandPath(), "cluster "); strings.Join(k.Values, " ") != name {
			return nil, exit.Usagef("%s:%d: it is for 'cluster %s', not for 'cluster %s'", s.Path, k.Line, strings.Join(k.Values, " "), name)
		}
	}
	k, _ := rest.Take(Inputs)
	for _, key := range rest.Keys {
		f := cmd.Flags().Lookup(key.Name)
		if f == nil || slices.Contains(notKeys, key.Name) {
			return nil, s.unknown(cmd, key)
		}
		if f.Changed {
			continue // the command line overrides it
		}
		for _, value := range key.texts(f) {
			if err := cmd.Flags().Set(key.Name, value); err != nil {
				if inner := (*pflag.InvalidValueError)(nil); errors.As(err, &inner) {
					err = inner.Unwrap()
				}
				return nil, exit.Usagef("%s:%d: %s = %s: %v", s.Path, key.Line, key.Name, value, err)
			}
		}
	}
	return k.Values, nil
}

// texts are the values as they are given to a flag, one after the other: a list is one
// value of flags that take lists.
func (k *Key) texts(f *pflag.Flag) []string {
	if _, several := f.Value.(pflag.SliceValue); several || !k.List {
		return k.Values
	}
	return []string{flags.JoinList(k.Values)}
}

// Args are the section as a command line, less the command.
func (s *Section) Args(cmd *cobra.Command) (args []string, err error) {
	for _, k := range s.Keys {
		switch f := cmd.Flags().Lookup(k.Name); {
		case k.Name == Command || k.Name == Inputs:
		case f == nil || slices.Contains(notKeys, k.Name) && k.Name != "config":
			return nil, s.unknown(cmd, k)
		default:
			for _, value := range k.texts(f) {
				args = append(args, "--"+k.Name+"="+value)
			}
		}
	}
	return args, nil
}

// unknown is the error of a key that no flag has.
func (s *Section) unknown(cmd *cobra.Command, k Key) error {
	names := []string{Inputs, Command}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	what := "cluster " + strings.TrimPrefix(cmd.CommandPath(), "cluster ")
	if near := suggest.Near(strings.ReplaceAll(k.Name, "_", "-"), names); len(near) > 0 {
		return exit.Usagef("%s:%d: unknown key %s, did you mean %s? (see '%s --help-all')", s.Path, k.Line, k.Name, near[0], what)
	}
	if p, found := flags.PeerOf(cmd, k.Name); found && p.Flag != "" {
		return exit.Usagef("%s:%d: unknown key %s, did you mean %s? (%s; see '%s --help-all')", s.Path, k.Line, k.Name, p.Flag, p.How, what)
	}
	return exit.Usagef("%s:%d: unknown key %s: '%s' has no such flag; see '%s --help-all'", s.Path, k.Line, k.Name, what, what)
}
