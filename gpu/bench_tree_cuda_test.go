//go:build cuda && linux

package gpu

import (
	"fmt"
	"testing"
	"time"

	"skyjoin/internal/cuda"
	"skyjoin/neighbors"
)

// What the nearest of published data take on the card, part by part:
// milliseconds of the upload, of the index, of all searches and of the transfer
// of what they find.
func TestPublishedKNNParts(t *testing.T) {
	needCard(t)
	j := opened(t, Config{})
	eachKNN(t, func(name string, points *neighbors.Points, k int) {
		p := prepared(t, neighbors.Input{Query: points}, neighbors.Nearest{K: k})
		withRun(t, j, p, func(r *nearestRun) error {
			st, s := j.prepare, r.session
			ms := func(f func() error) (float64, error) {
				start := time.Now()
				err := firstError(f(), st.Sync())
				return time.Since(start).Seconds() * 1e3, err
			}
			for range 2 { // the first warms up
				s.release()
				r.tree, s.order = nil, nil
				q := begin(st)
				defer q.end()
				var sides [][]cuda.Buffer[float64]
				c := curve{step: layers(querySpace(p).Dim(), k)}
				up, err := ms(func() error { sides, c.extents = s.upload(q, &q.memory); return q.err })
				if err != nil {
					return err
				}
				sorted, err := ms(func() (err error) { s.query, err = c.sorted(&s.memory, sides[0]); return err })
				if err != nil {
					return err
				}
				built, err := ms(func() error { r.tree = newTree(q, &s.memory, s.query); return q.err })
				if err != nil {
					return err
				}
				n := p.Len()
				rows, dist := temp[uint32](q, n*k), temp[float64](q, n*k)
				searched, err := ms(func() error { s.launchNearest(q, r.tree, span{0, n}, rows, dist); return q.err })
				if err != nil {
					return err
				}
				fmt.Printf("parts %-12s: upload %.1f, curve %.1f (%d refined), boxes %.1f, search %.1f ms\n", name, up, sorted, c.rounds, built, searched)
			}
			return nil
		})
	})
}
