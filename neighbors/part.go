package neighbors

// part returns the join of some query rows with some data rows of a plan, for
// devices that cannot hold all of them. Rows of the part are places in the
// lists given: row i of its query side is query[i]. It is no self-join, even if
// p is: a row then finds itself, at distance 0, if it is on both sides, and is
// asked for one neighbour more if p is of the nearest. A part asks for no more
// of them than it has data rows. What is a neighbour, their order where data is
// ascending, and every distance, is as in p.
func (p *Plan) part(query, data []uint32) (*Plan, error) {
	part := &Plan{metric: p.metric, within: p.within, t: p.t, query: p.query.Subset(query), data: p.data.Subset(data)}
	if p.near != nil {
		k := p.near.K
		if p.self {
			k++
		}
		part.near = &Nearest{K: max(min(k, len(data)), 1), Pad: true}
	}
	return part, part.planIndex(Input{Threads: p.threads})
}
