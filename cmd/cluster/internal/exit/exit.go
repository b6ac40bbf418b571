// Package exit says how a run ends: the exit statuses, the errors of a wrong request, the
// message of any error, and the end of work that is interrupted or panics.
package exit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/gpu"
	"skyjoin/internal/file"
	"skyjoin/internal/mock"
	"skyjoin/internal/vo"
	"skyjoin/io/catalog"
	"skyjoin/io/figure"
	"skyjoin/neighbors"
	"skyjoin/tiles"
)

// The exit statuses.
const (
	Done        = 0
	Failed      = 1
	Request     = 2
	Interrupted = 130
)

// Help ends the help of every command.
const Help = `Exit status:
  0    done
  1    the run failed: missing or bad file, no usable row, device, full disk
  2    the request is wrong: flag, column, parameter, a result over --memory
  130  interrupted`

// errUsage marks a command line that cannot be right.
var errUsage = errors.New("usage")

// kinds are the words for errors in JSON; what matches none is of kind "failed".
var kinds = []struct {
	is   error
	kind string
}{
	{context.Canceled, "interrupted"},
	{errUsage, "usage"},
	{neighbors.ErrMemory, "memory"},
	{catalog.ErrEmpty, "empty"},
	{file.ErrRefused, "output"},
	{neighbors.ErrRequest, "request"},
	{catalog.ErrRequest, "request"},
	{figure.ErrRequest, "request"},
	{mock.ErrRequest, "request"},
	{tiles.ErrPlan, "plan"},
	{tiles.ErrUnfinished, "plan"},
	{vo.ErrPlain, "credentials"},
	{vo.ErrCredentials, "credentials"},
	{vo.ErrService, "service"},
	{vo.ErrNetwork, "network"},
	{fs.ErrNotExist, "missing"},
	{fs.ErrPermission, "permission"},
	{syscall.ENOSPC, "full"},
}

// Kind is the kind of an error, a word for programs.
func Kind(err error) string {
	for _, k := range kinds {
		if errors.Is(err, k.is) {
			return k.kind
		}
	}
	switch crash := (*Crash)(nil); {
	case errors.As(err, &crash):
		return "internal"
	case gpu.IsFailure(err):
		return "device"
	}
	return "failed"
}

// Kinds are all kinds of errors.
func Kinds() []string {
	all := []string{"device", "failed", "internal"}
	for _, k := range kinds {
		all = append(all, k.kind)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// exits maps errors to exit statuses; what matches none is a failed run.
var exits = []struct {
	is     error
	status int
}{
	{context.Canceled, Interrupted},
	{errUsage, Request},
	{neighbors.ErrRequest, Request},
	{neighbors.ErrMemory, Request},
	{catalog.ErrRequest, Request}, // of io/table too
	{figure.ErrRequest, Request},
	{file.ErrRefused, Request},
	{mock.ErrRequest, Request},
	{tiles.ErrPlan, Failed},
	{tiles.ErrUnfinished, Failed},
}

func Status(err error) int {
	for _, e := range exits {
		if errors.Is(err, e.is) {
			return e.status
		}
	}
	return Failed
}

// A usageError is a message about the command line; it is errUsage to
// errors.Is.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func (e *usageError) Is(target error) bool { return target == errUsage }

// Usagef returns a usageError.
func Usagef(format string, a ...any) error {
	return &usageError{fmt.Sprintf(format, a...)}
}

// Message is the text of an error for the user: at most two lines, without the
// names of the sentinels, which mean something only to programs.
func Message(err error) string {
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
		lines[i] = shortLine(human.Printable(line))
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

// OverMemory adds the cure to an error about memory.
func OverMemory(err error) error {
	if errors.Is(err, neighbors.ErrMemory) {
		return fmt.Errorf("%w; give it more with --memory, or use fewer rows", err)
	}
	return err
}

func First(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
