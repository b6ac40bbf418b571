package join

import (
	"testing"

	"skyjoin/cmd/cluster/classify"
	"skyjoin/cmd/cluster/convert"
	"skyjoin/cmd/cluster/dbscan"
	"skyjoin/cmd/cluster/gen"
	"skyjoin/cmd/cluster/hist"
	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/knn"
	"skyjoin/cmd/cluster/match"
	"skyjoin/cmd/cluster/predict"
	"skyjoin/cmd/cluster/stat"
)

func TestMain(m *testing.M) {
	cmdtest.Main(m, New, convert.New, knn.New, dbscan.New, predict.New, hist.New, stat.New, match.New, classify.New, gen.New)
}
