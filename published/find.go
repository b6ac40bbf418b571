package published

import (
	"fmt"
	"strings"

	"skyjoin/internal/each"
	"skyjoin/internal/named"
	"skyjoin/neighbors"
)

// Find returns the paper of a number, and of a name the table or figure, of "" all.
// Case, spaces and "fig." for "figure" do not matter. Errors wrap
// neighbors.ErrRequest and list what there is.
func Find(number, name string) (*Paper, []*Table, error) {
	var numbers []string
	for _, p := range Papers {
		numbers = append(numbers, p.Number)
		if p.Number != number {
			continue
		}
		if name == "" {
			return p, p.Tables, nil
		}
		for _, t := range p.Tables {
			if plain(t.Name) == plain(name) {
				return p, []*Table{t}, nil
			}
		}
		all := each.Of(p.Tables, func(t *Table) string { return t.Name })
		return nil, nil, fmt.Errorf("%w: %q is none of the tables and figures that are made of %s; these are %s", neighbors.ErrRequest, name, number, named.Or(all))
	}
	return nil, nil, fmt.Errorf("%w: nothing is made of paper %q yet; there is %s", neighbors.ErrRequest, number, named.Or(numbers))
}

func plain(name string) string {
	name = strings.ToLower(name)
	if rest, ok := strings.CutPrefix(name, "fig"); ok {
		name = "fig" + strings.TrimPrefix(rest, "ure")
	}
	return strings.NewReplacer(" ", "", "-", "", ".", "").Replace(name)
}
