package reproduce

import (
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

func TestMain(m *testing.M) { cmdtest.Main(m, New) }
