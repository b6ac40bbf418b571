package gen

import (
	"testing"

	"skyjoin/cmd/cluster/info"
	"skyjoin/cmd/cluster/internal/cmdtest"
)

func TestMain(m *testing.M) { cmdtest.Main(m, New, info.New) }
