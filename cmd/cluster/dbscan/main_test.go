package dbscan

import (
	"testing"

	"skyjoin/cmd/cluster/corr"
	"skyjoin/cmd/cluster/gen"
	"skyjoin/cmd/cluster/hist"
	"skyjoin/cmd/cluster/info"
	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/kdist"
	"skyjoin/cmd/cluster/rdf"
)

func TestMain(m *testing.M) {
	cmdtest.Main(m, New, gen.New, info.New, kdist.New, hist.New, corr.New, rdf.New)
}
