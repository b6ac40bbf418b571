package command

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"skyjoin/io/catalog"
)

// orEmpty adds, to the error about a catalog without a usable row, the flag that allows
// such catalogs.
func orEmpty(cmd *cobra.Command, err error) error {
	if errors.Is(err, catalog.ErrEmpty) && cmd.Flags().Lookup("allow-empty") != nil {
		return fmt.Errorf("%w; with --allow-empty the result is empty", err)
	}
	return err
}
