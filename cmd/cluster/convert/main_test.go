package convert

import (
	"testing"

	"skyjoin/cmd/cluster/dbscan"
	"skyjoin/cmd/cluster/info"
	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/match"
)

func TestMain(m *testing.M) { cmdtest.Main(m, New, dbscan.New, info.New, match.New) }
