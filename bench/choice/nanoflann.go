package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"
	"time"
)

// nanoflann is the name of its column.
const nanoflann = "nanoflann"

// peer returns the contestant that is a program of bench/peers. It gets the points in
// a file, the reading of which it does not count, and is killed where its time is
// over.
func peer(program string) contestant {
	return contestant{nanoflann, func(ctx context.Context, c *catalog, radius float64, threads int, g *progress) (r result, err error) {
		path, err := c.file()
		if err != nil {
			return r, err
		}
		out, err := exec.CommandContext(ctx, program, path, "count", strconv.FormatFloat(radius, 'g', -1, 64), strconv.Itoa(threads)).Output()
		if err != nil {
			return r, err
		}
		var said struct {
			Wall  float64
			Check string
		}
		if err := json.Unmarshal(out, &said); err != nil {
			return r, fmt.Errorf("%s prints %q: %w", program, out, err)
		}
		r.took = time.Duration(said.Wall * 1e9)
		r.pairs, err = strconv.ParseInt(said.Check, 10, 64)
		return r, err
	}}
}
