package job

import (
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/dbscan"
)

// BorderChoice is --border.
func BorderChoice() flags.Choice {
	return flags.NewChoice(dbscan.BorderFirst.String(), dbscan.BorderNearest.String())
}
