package calibrate

import (
	"testing"

	"skyjoin/cmd/cluster/gen"
	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/join"
)

func TestMain(m *testing.M) { cmdtest.Main(m, New, gen.New, join.New) }
