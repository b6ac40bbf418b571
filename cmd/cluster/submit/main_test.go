package submit

import (
	"testing"

	"skyjoin/cmd/cluster/convert"
	"skyjoin/cmd/cluster/corr"
	"skyjoin/cmd/cluster/dbscan"
	"skyjoin/cmd/cluster/gen"
	"skyjoin/cmd/cluster/hist"
	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/cmd/cluster/match"
	"skyjoin/cmd/cluster/merge"
	"skyjoin/cmd/cluster/plan"
	"skyjoin/cmd/cluster/relabel"
	"skyjoin/cmd/cluster/status"
	"skyjoin/cmd/cluster/tile"
)

func TestMain(m *testing.M) {
	planned := []tiled.Command{dbscan.Tiled, match.Tiled, hist.Tiled, corr.Tiled}
	cmdtest.Main(m, plan.New(planned...), tile.New, merge.New(planned...), New(planned...), relabel.New, status.New,
		dbscan.New, match.New, hist.New, corr.New, gen.New, convert.New)
}
