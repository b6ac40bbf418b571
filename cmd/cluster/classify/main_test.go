package classify

import (
	"testing"

	"skyjoin/cmd/cluster/convert"
	"skyjoin/cmd/cluster/internal/cmdtest"
)

func TestMain(m *testing.M) { cmdtest.Main(m, New, convert.New) }
