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

	"skyjoin/cmd/cluster/again"
	"skyjoin/cmd/cluster/calibrate"
	"skyjoin/cmd/cluster/classify"
	"skyjoin/cmd/cluster/config"
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
	"skyjoin/cmd/cluster/internal/paircount"
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
	"skyjoin/cmd/cluster/plot"
	"skyjoin/cmd/cluster/predict"
	"skyjoin/cmd/cluster/rdf"
	"skyjoin/cmd/cluster/relabel"
	"skyjoin/cmd/cluster/reproduce"
	"skyjoin/cmd/cluster/run"
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
	{Name: "info", New: info.New, Results: []any{info.Result{}, info.Several{}}},
	{Name: "convert", New: convert.New, Results: []any{convert.Result{}}},
	{Name: "get", New: get.New, Results: []any{get.Result{}, get.Aborted{}}},
	{Name: "dbscan", New: dbscan.New, Results: []any{dbscan.Result{}}},
	{Name: "hdbscan", New: hdbscan.New, Results: []any{hdbscan.Result{}}},
	{Name: "optics", New: optics.New, Results: []any{optics.Result{}}},
	{Name: "outliers", New: outliers.New, Results: []any{outliers.Result{}}},
	{Name: "validity", New: validity.New, Results: []any{validity.Result{}}},
	{Name: "predict", New: predict.New, Results: []any{predict.Result{}}},
	{Name: "kdist", New: kdist.New, Results: []any{kdist.Result{}}},
	{Name: "scan", New: scan.New, Results: []any{scan.Result{}}},
	{Name: "join", New: join.New, Results: []any{join.Result{}}},
	{Name: "knn", New: knn.New, Results: []any{knn.Result{}}},
	{Name: "match", New: match.New, Results: []any{match.Result{}, match.Groups{}}},
	{Name: "classify", New: classify.New, Results: []any{classify.Result{}, classify.Scores{}}},
	{Name: "hist", New: hist.New, Results: []any{paircount.Result{}}},
	{Name: "corr", New: corr.New, Results: []any{corr.Result{}}},
	{Name: "rdf", New: rdf.New, Results: []any{rdf.Result{}}},
	{Name: "stat", New: stat.New, Results: []any{stat.Result{}}},
	{Name: "plan", New: plan.New(planned...), Results: []any{tiled.Planned{}, corr.Planned{}}},
	{Name: "tile", New: tile.New, Results: []any{tile.Result{}}},
	{Name: "merge", New: merge.New(planned...), Results: []any{tiled.Assembled{}, match.Merged{}, hist.Merged{}, corr.Result{}}},
	{Name: "relabel", New: relabel.New, Results: []any{relabel.Result{}}},
	{Name: "status", New: status.New, JSON: status.Progress{}},
	{Name: "submit", New: submit.New(planned...)},
	{Name: "gen", New: gen.New, Results: []any{gen.Result{}}},
	{Name: "devices", New: devices.New, JSON: devices.Survey{}},
	{Name: "calibrate", New: calibrate.New, Results: []any{calibrate.Result{}}},
	{Name: "plot", New: plot.New, Results: []any{plot.Result{}}},
	{Name: "reproduce", New: reproduce.New, JSON: reproduce.Result{}},
	{Name: "config", New: config.New},
	{Name: "again", New: again.New, JSON: again.Recorded{}},
	{Name: "run", New: run.New, JSON: run.Result{}},
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
	args, app := os.Args[1:], &job.App{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Version: version, Source: job.SourceOf(commit)}
	late := func(err error) { command.Report(app, args, err) }
	status := exit.Within(ctx, late, func() int { return command.Run(ctx, app, args, command.Needed(table, args)...) })
	file.Clear() // the temporary files of interrupted work
	os.Exit(status)
}
