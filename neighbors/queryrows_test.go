package neighbors

import (
	"slices"
	"testing"
)

func TestPlaces(t *testing.T) {
	memory := []uint32{9, 5, 3, 4, 1, 2, 0, 9}
	order := memory[1:7]
	asked := false
	position := func() []uint32 {
		asked = true
		return inverse(order, 1)
	}
	var p queryRows
	for _, c := range []struct {
		rows, pos []uint32
		ask       bool
	}{
		{order, []uint32{0, 1, 2, 3, 4, 5}, false},
		{order[2:4], []uint32{2, 3}, false},
		{order[5:], []uint32{5}, false},
		{order[6:], nil, true},
		{slices.Clone(order[2:4]), []uint32{2, 3}, true},
		{[]uint32{2, 5, 1}, []uint32{0, 3, 4}, true},
		{order[3:4], []uint32{3}, false}, // and does not write to the room of the last
	} {
		asked = false
		p.locate(order, position, c.rows)
		var rows []uint32
		for _, i := range c.pos {
			rows = append(rows, order[i])
		}
		if !slices.Equal(p.pos, c.pos) || !slices.Equal(p.rows, rows) || asked != c.ask {
			t.Errorf("%v: positions %v of rows %v, want %v of %v; asked %v", c.rows, p.pos, p.rows, c.pos, rows, asked)
		}
	}
	if !slices.Equal(memory, []uint32{9, 5, 3, 4, 1, 2, 0, 9}) {
		t.Errorf("the order has become %v", memory)
	}
	for _, part := range [][]uint32{memory[:3], memory[5:], memory[7:], nil} {
		if at, ok := indexIn(order, part); ok {
			t.Errorf("%v is not all in %v, but said to be at %d", part, order, at)
		}
	}
}
