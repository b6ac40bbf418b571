package get

import (
	"testing"
	"time"

	"skyjoin/cmd/cluster/convert"
	"skyjoin/cmd/cluster/info"
	"skyjoin/cmd/cluster/internal/cmdtest"
)

func TestMain(m *testing.M) {
	pause = time.Millisecond
	cmdtest.Main(m, New, convert.New, info.New)
}
