package main

import "github.com/spf13/cobra"

func newSubmit(a *app) *cobra.Command { return &cobra.Command{Use: "submit"} }
