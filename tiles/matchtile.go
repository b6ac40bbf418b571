package tiles

import "context"

func (p *Plan) runMatch(ctx context.Context, dir string, sets []*rows, q *Piece, opt *Options) error {
	return planf("match")
}
