// Cluster finds clusters and neighbours in astronomical catalogs.
//
// Each command is a package below this one, which turns flags into the structs
// of the libraries, runs them, and reports the answer; here stands the table of
// all commands. What commands share is below internal: jobs, and below these
// flags and reports. See "cluster --help" for the commands and their flags.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"skyjoin/cmd/cluster/calibrate"
	"skyjoin/cmd/cluster/classify"
	"skyjoin/cmd/cluster/convert"
	"skyjoin/cmd/cluster/corr"
	"skyjoin/cmd/cluster/dbscan"
	"skyjoin/cmd/cluster/devices"
	"skyjoin/cmd/cluster/gen"
	"skyjoin/cmd/cluster/get"
	"skyjoin/cmd/cluster/hdbscan"
	"skyjoin/cmd/cluster/hist"
	"skyjoin/cmd/cluster/info"
	"skyjoin/cmd/cluster/internal/command"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/cmd/cluster/join"
	"skyjoin/cmd/cluster/kdist"
	"skyjoin/cmd/cluster/knn"
	"skyjoin/cmd/cluster/man"
	"skyjoin/cmd/cluster/match"
	"skyjoin/cmd/cluster/merge"
	"skyjoin/cmd/cluster/optics"
	"skyjoin/cmd/cluster/outliers"
	"skyjoin/cmd/cluster/plan"
	"skyjoin/cmd/cluster/predict"
	"skyjoin/cmd/cluster/rdf"
	"skyjoin/cmd/cluster/relabel"
	"skyjoin/cmd/cluster/scan"
	"skyjoin/cmd/cluster/stat"
	"skyjoin/cmd/cluster/status"
	"skyjoin/cmd/cluster/submit"
	"skyjoin/cmd/cluster/tile"
	"skyjoin/cmd/cluster/validity"
	"skyjoin/internal/file"
)

// version is a semantic version, "-dev" before its release; docs/compatibility.md says
// what it promises.
const version = "0.2.0-dev"

// commit is set by the linker, see job.SourceOf.
var commit string

// table has all commands, in the order of the help.
var table = []command.Entry{
	{Name: "info", New: info.New},
	{Name: "convert", New: convert.New},
	{Name: "get", New: get.New},
	{Name: "dbscan", New: dbscan.New},
	{Name: "hdbscan", New: hdbscan.New},
	{Name: "optics", New: optics.New},
	{Name: "outliers", New: outliers.New},
	{Name: "validity", New: validity.New},
	{Name: "predict", New: predict.New},
	{Name: "kdist", New: kdist.New},
	{Name: "scan", New: scan.New},
	{Name: "join", New: join.New},
	{Name: "knn", New: knn.New},
	{Name: "match", New: match.New},
	{Name: "classify", New: classify.New},
	{Name: "hist", New: hist.New},
	{Name: "corr", New: corr.New},
	{Name: "rdf", New: rdf.New},
	{Name: "stat", New: stat.New},
	{Name: "plan", New: plan.New(planned...)},
	{Name: "tile", New: tile.New},
	{Name: "merge", New: merge.New(planned...)},
	{Name: "relabel", New: relabel.New},
	{Name: "status", New: status.New},
	{Name: "submit", New: submit.New(planned...)},
	{Name: "gen", New: gen.New},
	{Name: "devices", New: devices.New},
	{Name: "calibrate", New: calibrate.New},
	{Name: "man", New: man.New},
}

// planned are the commands that can be computed in tiles.
var planned = []tiled.Command{dbscan.Tiled, match.Tiled, hist.Tiled, corr.Tiled}

func main() {
	if status, done := exit.Confined(os.Stderr); done {
		os.Exit(status)
	}
	// The first signal cancels the run, which then removes its temporary
	// files; AfterFunc gives the signals back to the system, so that a second
	// one kills the process at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	status := exit.Within(ctx, os.Stderr, func() int {
		return command.Run(ctx, &job.App{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Version: version, Source: job.SourceOf(commit)}, os.Args[1:], command.Needed(table, os.Args[1:])...)
	})
	file.Clear() // the temporary files of interrupted work
	os.Exit(status)
}
