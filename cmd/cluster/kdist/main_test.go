package kdist

import (
	"testing"

	"skyjoin/cmd/cluster/dbscan"
	"skyjoin/cmd/cluster/gen"
	"skyjoin/cmd/cluster/internal/cmdtest"
)

func TestMain(m *testing.M) { cmdtest.Main(m, New, dbscan.New, gen.New) }
