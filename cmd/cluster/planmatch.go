package main

import "github.com/spf13/cobra"

func newPlanMatch(a *app) *cobra.Command { return &cobra.Command{Use: "match"} }
