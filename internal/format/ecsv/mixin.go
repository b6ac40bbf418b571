package ecsv

import "go.yaml.in/yaml/v3"

// serialized is the key in the meta of a table that says which columns astropy makes
// objects of, such as a SkyCoord of sc.ra and sc.dec.
const serialized = "__serialized_columns__"

// mixins returns what astropy makes of columns, nil if there is none.
func (h *Header) mixins() *yaml.Node {
	if n := entry(entry(h.tree, "meta"), serialized); n != nil && n.Kind == yaml.MappingNode {
		return n
	}
	return nil
}

// partsOf returns the names of the columns that a mixin is made of.
func partsOf(mixin *yaml.Node) (names []*yaml.Node) {
	walk(mixin, func(n *yaml.Node) {
		if n.Tag != "!astropy.table.SerializedColumn" {
			return
		}
		if name := entry(n, "name"); name != nil {
			names = append(names, name)
		}
	})
	return names
}

// settle puts the value of an anchor that is gone where it is first referred to.
func (h *Header) settle() {
	defined := map[*yaml.Node]bool{}
	walk(h.tree, func(n *yaml.Node) {
		if n.Kind == yaml.AliasNode && !defined[n.Alias] {
			defined[n.Alias] = true
			*n = *n.Alias
		}
		defined[n] = true
	})
}
