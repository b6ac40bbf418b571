package plot

import (
	"testing"

	"skyjoin/cmd/cluster/classify"
	"skyjoin/cmd/cluster/convert"
	"skyjoin/cmd/cluster/corr"
	"skyjoin/cmd/cluster/dbscan"
	"skyjoin/cmd/cluster/gen"
	"skyjoin/cmd/cluster/hdbscan"
	"skyjoin/cmd/cluster/hist"
	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/kdist"
	"skyjoin/cmd/cluster/match"
	"skyjoin/cmd/cluster/optics"
	"skyjoin/cmd/cluster/rdf"
	"skyjoin/cmd/cluster/scan"
)

func TestMain(m *testing.M) {
	cmdtest.Main(m, New, classify.New, convert.New, corr.New, dbscan.New, gen.New, hdbscan.New, hist.New, kdist.New, match.New, optics.New, rdf.New, scan.New)
}
