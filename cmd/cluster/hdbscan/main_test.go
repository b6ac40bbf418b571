package hdbscan

import (
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/validity"
)

func TestMain(m *testing.M) { cmdtest.Main(m, New, validity.New) }
