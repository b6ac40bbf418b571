package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/internal/mock"
	"skyjoin/io/catalog"
	"skyjoin/io/figure"
	"skyjoin/neighbors"
)

// The exit statuses.
const (
	statusDone        = 0
	statusFailed      = 1
	statusRequest     = 2
	statusInterrupted = 130
)

// exitHelp ends the help of every command.
const exitHelp = `Exit status:
  0    done
  1    the run failed: missing or bad file, no usable row, device, full disk
  2    the request is wrong: flag, column, parameter, a result over --memory
  130  interrupted`

// errUsage marks a command line that cannot be right.
var errUsage = errors.New("usage")

// exits maps errors to exit statuses; what matches none is a failed run.
var exits = []struct {
	is     error
	status int
}{
	{context.Canceled, statusInterrupted},
	{errUsage, statusRequest},
	{neighbors.ErrRequest, statusRequest},
	{neighbors.ErrMemory, statusRequest},
	{catalog.ErrRequest, statusRequest}, // of io/table too
	{figure.ErrRequest, statusRequest},
	{mock.ErrRequest, statusRequest},
}

func exitStatus(err error) int {
	for _, e := range exits {
		if errors.Is(err, e.is) {
			return e.status
		}
	}
	return statusFailed
}

// A usageError is a message about the command line; it is errUsage to
// errors.Is.
type usageError struct{ text string }

func (e *usageError) Error() string        { return e.text }
func (e *usageError) Is(target error) bool { return target == errUsage }

// usagef returns a usageError.
func usagef(format string, a ...any) error {
	return &usageError{fmt.Sprintf(format, a...)}
}

// message is what is said of an error: at most two lines, without the names of
// the sentinels, which mean something to programs only.
func message(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	text := strings.TrimSpace(err.Error())
	for _, e := range exits {
		text = strings.TrimPrefix(text, e.is.Error()+": ")
	}
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) > 2 {
		lines = append(lines[:1], strings.Join(lines[1:], " "))
	}
	return strings.Join(lines, "\n  ")
}

// flagError turns what the flag library says of a bad flag into a usageError
// that names the value, what is wrong with it, and the flag that was meant.
func flagError(cmd *cobra.Command, err error) error {
	var (
		invalid *pflag.InvalidValueError
		unknown *pflag.NotExistError
		missing *pflag.ValueRequiredError
	)
	help := fmt.Sprintf("see '%s --help'", cmd.CommandPath())
	switch {
	case errors.As(err, &invalid):
		return usagef("--%s %s: %v", invalid.GetFlag().Name, invalid.GetValue(), invalid.Unwrap())
	case errors.As(err, &missing):
		return usagef("%s; %s", strings.TrimPrefix(err.Error(), "flag "), help)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		name := unknown.GetSpecifiedName()
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := nearest(name, names); near != "" {
			return usagef("unknown flag --%s, did you mean --%s? (%s)", name, near, help)
		}
		return usagef("unknown flag --%s; %s", name, help)
	}
	return usagef("%v; %s", err, help)
}

// nearest returns the name that is the fewest edits away from word, "" if none
// is within a third of its letters. A name that word begins counts as one edit.
func nearest(word string, names []string) string {
	best, limit := "", max(1, len(word)/3)+1
	for _, name := range slices.Sorted(slices.Values(names)) {
		d := editDistance(word, name)
		if strings.HasPrefix(name, word) {
			d = min(d, 1)
		}
		if d < limit {
			best, limit = name, d
		}
	}
	return best
}

// editDistance is the number of letters to change, add, take away or swap with
// the next that make one word of the other (optimal string alignment), in
// bytes.
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
