package stat

import (
	"testing"

	"skyjoin/cmd/cluster/corr"
	"skyjoin/cmd/cluster/gen"
	"skyjoin/cmd/cluster/hist"
	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/join"
	"skyjoin/cmd/cluster/knn"
	"skyjoin/cmd/cluster/plan"
)

func TestMain(m *testing.M) {
	cmdtest.Main(m, New, plan.New(hist.Tiled), gen.New, hist.New, join.New, knn.New, corr.New)
}
