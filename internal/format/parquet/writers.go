package parquet

import (
	"fmt"

	"github.com/apache/arrow/go/v15/parquet/metadata"

	"skyjoin/internal/format/parquet/thrift"
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

// distrust removes the statistics that the writer of a file got wrong, and
// refuses a file whose chunks cannot be copied.
func distrust(path string, meta *fileMeta) error {
	v := metadata.NewAppVersion(meta.CreatedBy)
	if v.LessThan(mrSizes) {
		return fmt.Errorf("%s: written by %q, which recorded wrong sizes; write it anew with a current program", path, meta.CreatedBy)
	}
	all := v.LessThan(mrOrder) || v.LessThan(cppOrder)
	decimals := v.App == "parquet-cpp" || v.LessThan(arrowDecimals)
	for _, g := range meta.Groups {
		for _, c := range g.Columns {
			if all || decimals && Physical(c.Meta.Physical) == FixedLenByteArray {
				c.Meta.Statistics = thrift.Raw{}
			}
		}
	}
	return nil
}
