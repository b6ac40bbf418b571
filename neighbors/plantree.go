package neighbors

import (
	"context"

	"skyjoin/internal/kdtree"
)

// tree returns the k-d tree of the data points of a Nearest plan, which it
// builds unless the plan has it. The error is that of the context.
func (p *Plan) tree(ctx context.Context) (*kdtree.Tree, error) {
	n, err := p.treeIndex(ctx)
	if err != nil {
		return nil, err
	}
	return n.tree, nil
}
