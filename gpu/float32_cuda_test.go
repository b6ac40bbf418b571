//go:build cuda && linux

package gpu

import (
	"context"
	"testing"
	"unsafe"

	"skyjoin/neighbors"
)

// Columns of 32 bits travel to the card as they are and are widened there.
func TestFloat32ColumnsStay(t *testing.T) {
	x, y := []float32{1, 2, 1e-3}, []float64{3, 4, .1}
	p, err := neighbors.NewPoints(neighbors.Float32s(x), neighbors.Float64s(y), neighbors.Float32s(x))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		metric neighbors.Metric
		narrow []bool
	}{
		"euclidean": {neighbors.Euclidean(), []bool{true, false, true}},
		"in a box":  {neighbors.Periodic(10, 0, 0), []bool{true, false, true}},
		"wrapped":   {neighbors.Periodic(2, 0, 0), []bool{false, false, true}},
		"scaled":    {neighbors.Euclidean().Scaled(2, 1, 1), []bool{false, false, true}},
	} {
		plan, err := neighbors.Prepare(context.Background(), neighbors.Input{Query: p, Metric: c.metric}, neighbors.Within{Radius: 1})
		if err != nil {
			t.Fatal(err)
		}
		for i, col := range hostColumns(querySpace(plan)) {
			if narrow := col.f32 != nil; narrow != c.narrow[i] || narrow == (col.f64 != nil) {
				t.Errorf("%s: column %d is uploaded as 32 bits: %v, want %v", name, i, narrow, c.narrow[i])
			}
			if col.f32 != nil && unsafe.SliceData(col.f32) != unsafe.SliceData(x) {
				t.Errorf("%s: column %d was copied", name, i)
			}
		}
	}
	j, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	err = j.prepare.Do(func() error {
		q := begin(j.prepare)
		defer q.end()
		m := &q.memory
		b := upload(q, m, []column{{f32: x}})
		if q.err != nil {
			return q.err
		}
		if got := b[0].Bytes(); got != 8*int64(len(x)) {
			t.Errorf("the widened column has %d bytes", got)
		}
		if got, want := m.owned[1].N, 4*len(x); len(m.owned) != 2 || got != want {
			t.Errorf("%d bytes uploaded, want %d", got, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
