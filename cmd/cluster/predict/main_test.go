package predict

import (
	"testing"

	"skyjoin/cmd/cluster/dbscan"
	"skyjoin/cmd/cluster/gen"
	"skyjoin/cmd/cluster/hdbscan"
	"skyjoin/cmd/cluster/info"
	"skyjoin/cmd/cluster/internal/cmdtest"
)

func TestMain(m *testing.M) { cmdtest.Main(m, New, dbscan.New, hdbscan.New, gen.New, info.New) }
