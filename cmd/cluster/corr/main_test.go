package corr

import (
	"testing"

	"skyjoin/cmd/cluster/convert"
	"skyjoin/cmd/cluster/gen"
	"skyjoin/cmd/cluster/hist"
	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/join"
	"skyjoin/cmd/cluster/knn"
	"skyjoin/cmd/cluster/match"
	"skyjoin/cmd/cluster/plan"
	"skyjoin/cmd/cluster/rdf"
	"skyjoin/cmd/cluster/stat"
)

func TestMain(m *testing.M) {
	cmdtest.Main(m, New, plan.New(hist.Tiled, Tiled), gen.New, hist.New, rdf.New, stat.New, convert.New, knn.New, join.New, match.New)
}
