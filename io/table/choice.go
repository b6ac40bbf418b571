package table

import (
	"cmp"
	"path/filepath"
	"strings"

	"skyjoin/internal/file"
	"skyjoin/internal/format"
	"skyjoin/internal/format/all"
)

// outputOf finds the format of an output by its name.
func outputOf(name, stdout string) (*format.Output, error) {
	ext := strings.ToLower(filepath.Ext(name))
	if name == Stdout {
		ext = "." + cmp.Or(stdout, "csv")
	}
	var known []string
	for i := range all.Outputs {
		if all.Outputs[i].Extension == ext || name == Stdout && all.Outputs[i].Also == stdout && stdout != "" {
			return &all.Outputs[i], nil
		}
		known = append(known, all.Outputs[i].Extension)
	}
	return nil, format.Requestf("cannot tell the format of output %q from its extension: use %s, or %s for stdout",
		name, strings.Join(known, ", "), Stdout)
}

// Format returns the extension that tells the format of an output, as in
// ".parquet"; that of [Stdout] is ".csv". Any other is a [catalog.ErrRequest].
func Format(out string) (string, error) {
	f, err := outputOf(out, "")
	if err != nil {
		return "", err
	}
	return f.Extension, nil
}

// Check reports, before anything is computed, what would keep an output from
// being written: an unknown extension, a file that exists without force, an
// input of the same run, which is never overwritten, a directory that is not
// there or not writable.
func Check(out string, inputs []string, force bool) error {
	if _, err := outputOf(out, ""); err != nil || out == Stdout {
		return err
	}
	var paths file.Paths
	if err := paths.Read(inputs...); err != nil {
		return err
	}
	return refused(paths.Write("output", out, force))
}
