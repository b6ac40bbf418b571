// Package man is 'cluster man', which writes the manual pages.
package man

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/internal/file"
)

const manDoc = `man DIR
writes the manual pages

Writes the manual pages of all commands, cluster.1, cluster-dbscan.1 and so on,
into a folder, which is created if needed. A folder man1 beside bin is where man
looks for them.

Examples:
  cluster man /usr/local/share/man/man1`

func New(a *job.App) *cobra.Command {
	return flags.Command(manDoc, func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return exit.Usagef("man needs one folder to write to, %d are given", len(args))
		}
		return nil
	}, func(cmd *cobra.Command, args []string) error {
		if err := os.MkdirAll(args[0], 0o777); err != nil {
			return fmt.Errorf("cannot write to %s: %w", args[0], file.Cause(err))
		}
		date := a.Source.Time // the same pages whenever they are written
		if date.IsZero() {
			date = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		header := &doc.GenManHeader{Section: "1", Source: "skyjoin " + a.Version, Manual: "skyjoin", Date: &date}
		return writePages(cmd.Context(), cmd.Root(), header, args[0])
	})
}

// writePages writes the page of a command, and those of the commands below it.
func writePages(ctx context.Context, cmd *cobra.Command, header *doc.GenManHeader, dir string) error {
	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := writePages(ctx, c, header, dir); err != nil {
			return err
		}
	}
	page := *header // which is filled in for the command
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + "." + header.Section
	return file.Write(ctx, filepath.Join(dir, name), file.Options{Force: true}, func(w io.Writer) error { return doc.GenMan(cmd, &page, w) })
}
