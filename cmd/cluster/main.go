// Cluster finds clusters and neighbours in astronomical catalogs.
//
// Each command is a file of this package: flags are turned into the structs of
// the libraries, the libraries run, and the answer is printed. See
// "cluster --help" for the commands and their flags.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// version is set by the linker: -X main.version=1.2.3.
var version = "0.1.0"

// commands are all commands, in the order of the help.
var commands = []func(*app) *cobra.Command{
	newInfo,
	newConvert,
	newDBSCAN,
	newPredict,
	newKDist,
	newJoin,
	newKNN,
	newMatch,
	newClassify,
	newHist,
	newCorr,
	newRDF,
	newStat,
	newPlan(planned...),
	newTile,
	newMerge(planned...),
	newRelabel,
	newStatus,
	newSubmit(planned...),
	newGen,
	newDevices,
	newCalibrate,
	newMan,
}

// planned are the commands that can be computed in tiles.
var planned = []tiledCommand{dbscanTiles, matchTiles, histTiles, corrTiles}

func main() {
	// The first signal cancels the run, which then removes its temporary
	// files; AfterFunc gives the signals back to the system, so that a second
	// one kills the process at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, &app{stdout: os.Stdout, stderr: os.Stderr, version: version}, os.Args[1:], commands...))
}
