package columns

import (
	"skyjoin/internal/format/ecsv"
	"skyjoin/io/catalog"
)

// Header returns the header of ECSV of a table with the kept columns of two
// catalogs, as metadata; none if the catalogs have none. Of a side that rows may
// lack astropy makes no objects, which have no nulls.
func Header(all []Kept, a, b *catalog.Catalog) []catalog.KeyValue {
	var parts []ecsv.Part
	for _, side := range []struct {
		cat    *catalog.Catalog
		second bool
		suffix string
	}{{a, false, "_1"}, {b, true, "_2"}} {
		p := ecsv.Part{Names: map[string]string{}, Suffix: side.suffix}
		for _, kv := range side.cat.Metadata() {
			if kv.Key == ecsv.MetaKey {
				p.YAML = kv.Value
			}
		}
		for _, k := range Side(all, side.second) {
			p.Names[k.Name] = k.Field.Name
			own, err := side.cat.Field(k.Name)
			p.Parts = p.Parts || err == nil && k.Field.Nullable && !own.Nullable
		}
		parts = append(parts, p)
	}
	text := ecsv.Join(parts...)
	if text == "" {
		return nil
	}
	return []catalog.KeyValue{{Key: ecsv.MetaKey, Value: text}}
}
