// Cluster finds clusters and neighbours in astronomical catalogs.
//
// Each command is a file of this package: flags are turned into the structs of
// the libraries, the libraries run, and the answer is printed. See
// "cluster --help" for the commands and their flags.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// The first signal cancels the run, which then removes its temporary
	// files; AfterFunc gives the signals back to the system, so that a second
	// one kills the process at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run carries out one command line and returns the exit status. It is all of
// the program but the signals, so that tests can call it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot(&app{stdout: stdout, stderr: stderr})
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := guarded(func() error {
		cmd, err := root.ExecuteContextC(ctx)
		return inFlag(cmd, err)
	})
	if err == nil {
		return statusDone
	}
	if c := (*crash)(nil); errors.As(err, &c) && os.Getenv(debugVariable) != "" {
		stderr.Write(c.stack)
	}
	fmt.Fprintln(stderr, "cluster: "+message(err))
	return exitStatus(err)
}
