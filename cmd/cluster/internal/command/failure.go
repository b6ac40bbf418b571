package command

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
)

// A Failure is what --json writes of a run that fails.
type Failure struct {
	report.Head
	Error Error `json:"error" jsonschema:"why there is no result"`
}

// An Error is an error for programs.
type Error struct {
	Kind    string `json:"kind" jsonschema:"what kind of error it is"`
	Message string `json:"message" jsonschema:"what is wrong, with the value"`
	Hint    string `json:"hint,omitempty" jsonschema:"what would be right, or what helps"`
	Status  int    `json:"status" jsonschema:"exit status"`
}

// Report says why the command line failed: on stderr, and with --json on stdout too.
func Report(a *job.App, args []string, err error) {
	text := exit.Message(err)
	what, hint, _ := strings.Cut(text, "; ")
	e := Error{exit.Kind(err), what, hint, exit.Status(err)}
	if given(args, "log-format", "json") {
		slog.New(slog.NewJSONHandler(a.Stderr, nil)).Error(what, "kind", e.Kind, "hint", hint, "status", e.Status)
	} else {
		fmt.Fprintln(a.Stderr, "cluster: "+text)
	}
	if !given(args, "json", "") {
		return
	}
	if err := report.WriteLine(a.Stdout, Failure{report.NewHead(nameOf(args), a.Version), e}); err != nil {
		fmt.Fprintln(a.Stderr, "cluster: "+exit.Message(err))
	}
}

// given reports whether a flag is among the arguments, with a value unless that is
// "". They are looked at as they are, since they may be what is wrong.
func given(args []string, flag, value string) bool {
	for i, arg := range args {
		name, with, has := strings.Cut(arg, "=")
		switch {
		case arg == "--":
			return false
		case name != "--"+flag:
		case value == "":
			return !has || with == "true"
		case has && with == value, !has && slices.Contains(args[i+1:min(i+2, len(args))], value):
			return true
		}
	}
	return false
}

// nameOf is the command that a command line begins with, which may have a second word.
func nameOf(args []string) string {
	n := 0
	for n < len(args) && n < 2 && !strings.HasPrefix(args[n], "-") && (n == 0 || slices.Contains(compound, args[0])) {
		n++
	}
	return strings.Join(args[:n], " ")
}

// compound are the commands that have others below them.
var compound = []string{"plan", "submit", "help", "completion"}
