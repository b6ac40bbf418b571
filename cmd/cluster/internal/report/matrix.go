package report

import (
	"strings"

	"skyjoin/cmd/cluster/internal/human"
)

// A Matrix writes NaN as null.
type Matrix [][]float64

func (m Matrix) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	for i, row := range m {
		b.WriteString([]string{"[", ","}[min(i, 1)])
		for j, v := range row {
			b.WriteString([]string{"[", ","}[min(j, 1)])
			if v != v {
				b.WriteString("null")
				continue
			}
			b.WriteString(human.FloatText(v))
		}
		b.WriteString("]")
	}
	return []byte(b.String() + "]"), nil
}
