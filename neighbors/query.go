package neighbors

// A Query says which neighbours are asked for: [Within] or [Nearest].
type Query interface{ isQuery() }

// Within asks for all rows within Radius. The unit of Radius is that of the
// coordinates; with the sky metric without scales it is radians, and with
// scales it is a pure number.
type Within struct {
	Radius   float64 // positive and finite; on the sky at most π
	Distance bool    // fill Table.Dist
}

// Nearest asks for the K nearest rows, ordered by (d², row). Distances are
// always filled. K larger than the rows there are (without the row itself in
// a self-join) is an error, unless Pad fills the missing places with
// neighbour [None] and distance +Inf.
type Nearest struct {
	K   int
	Pad bool
}

func (Within) isQuery()  {}
func (Nearest) isQuery() {}
