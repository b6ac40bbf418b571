package devices

import (
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/exit"
)

func TestDevicesTakesNoFile(t *testing.T) {
	cmdtest.Refuse(t, exit.Request, []string{"devices", "a.csv"}, `"a.csv"`)
}
