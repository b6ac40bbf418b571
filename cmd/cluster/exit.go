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
	"skyjoin/internal/suggest"
	"skyjoin/io/catalog"
	"skyjoin/io/figure"
	"skyjoin/neighbors"
	"skyjoin/tiles"
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
	{tiles.ErrPlan, statusFailed},
	{tiles.ErrUnfinished, statusFailed},
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
	for i, line := range lines {
		lines[i] = shortLine(printable(line))
	}
	return strings.Join(lines, "\n  ")
}

// longestLine is how many letters of a line of a message are shown: names and
// cells of a damaged file can be of any length.
const longestLine = 500

// shortLine leaves out the middle of a line that is too long.
func shortLine(line string) string {
	letters := []rune(line)
	if len(letters) <= longestLine {
		return line
	}
	return string(letters[:longestLine*2/3]) + " … " + string(letters[len(letters)-longestLine/3:])
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
		if near := suggest.Near(name, names); len(near) > 0 {
			return usagef("unknown flag --%s, did you mean --%s? (%s)", name, near[0], help)
		}
		return usagef("unknown flag --%s; %s", name, help)
	}
	return usagef("%v; %s", err, help)
}

// refuseEmpty refuses flags that are given as nothing, such as -o "$out" where
// the shell has no out: taken as left out, they would lose the result.
func refuseEmpty(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		empty := f.Value.Type() == "string" && f.Value.String() == "" // others check their own
		if s, ok := f.Value.(pflag.SliceValue); ok {
			empty = slices.Contains(s.GetSlice(), "")
		}
		if empty && err == nil {
			err = usagef("--%s is empty; give it a value or leave it out", f.Name)
		}
	})
	return err
}
