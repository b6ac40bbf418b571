package parquet

import (
	"fmt"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/metadata"
)

// Readers know the mistakes of old writers by the writer's name in the
// footer. A copy bears another name, so what such readers would have
// distrusted must not be copied.
var (
	// PARQUET-816: sizes of chunks leave out the header of the dictionary page.
	mrSizes = metadata.NewAppVersionExplicit("parquet-mr", 1, 2, 9)
	// PARQUET-251, PARQUET-686: minima and maxima in the wrong order.
	mrOrder  = metadata.NewAppVersionExplicit("parquet-mr", 1, 10, 0)
	cppOrder = metadata.NewAppVersionExplicit("parquet-cpp", 1, 3, 0)
	// PARQUET-1655: minima and maxima of decimals compared as unsigned.
	arrowDecimals = metadata.NewAppVersionExplicit("parquet-cpp-arrow", 4, 0, 0)
)

// distrust removes the statistics that the writer of p got wrong from a row
// group of it, and refuses a file whose chunks cannot be copied.
func (p *parquetFile) distrust(g *rawGroup) error {
	by, err := p.meta.text(fileCreatedBy)
	if err != nil {
		return err
	}
	v := metadata.NewAppVersion(by)
	if v.LessThan(mrSizes) {
		return fmt.Errorf("%s: written by %q, which recorded wrong sizes; write it anew with a current program", p.path, by)
	}
	all := v.LessThan(mrOrder) || v.LessThan(cppOrder)
	decimals := v.App == "parquet-cpp" || v.LessThan(arrowDecimals)
	if !all && !decimals {
		return nil
	}
	for i := range g.chunks {
		typ, _, err := g.chunks[i].meta.integer(metaType)
		if err != nil {
			return err
		}
		if all || parquet.Type(typ) == parquet.Types.FixedLenByteArray {
			g.chunks[i].meta.drop(metaStatistics)
		}
	}
	return nil
}
