package ecsv

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"skyjoin/internal/format"
)

// Describe makes the columns of a header those of the fields: declarations that are
// there stay as they are but for what a field says otherwise, others are made. What
// astropy is told to make of columns that are no longer there is left out.
func (h *Header) Describe(fields []format.Field) {
	list := entry(h.tree, "datatype")
	if list == nil || list.Kind != yaml.SequenceNode {
		list = &yaml.Node{Kind: yaml.SequenceNode}
		setEntry(h.tree, "datatype", list)
	}
	old := map[string]*yaml.Node{}
	for i, c := range h.Columns {
		old[c.Name] = list.Content[i]
	}
	h.Columns, list.Content, list.Style = nil, nil, 0
	names := map[string]bool{}
	for _, f := range fields {
		n := old[f.Name]
		if n == nil || n.Kind != yaml.MappingNode {
			n = inLine(columnOf(f).entries()...)
		} else {
			amend(n, f)
		}
		names[f.Name] = true
		h.Columns, list.Content = append(h.Columns, declared(n)), append(list.Content, n)
	}
	if mixins := h.mixins(); mixins != nil {
		removeEntries(mixins, func(key string) bool {
			made := true
			for _, name := range partsOf(entry(mixins, key)) {
				made = made && names[name.Value]
			}
			return !made
		})
		if len(mixins.Content) == 0 {
			removeEntries(entry(h.tree, "meta"), func(key string) bool { return key == serialized })
		}
	}
	h.settle()
}

// amend makes a declaration say of a field what is true.
func amend(n *yaml.Node, f format.Field) {
	was, is := declared(n), columnOf(f)
	if !was.holds(f) {
		setEntry(n, "datatype", plain(is.Datatype))
		removeEntries(n, func(key string) bool { return key == "subtype" })
		if is.Subtype != "" {
			setEntry(n, "subtype", quoted(is.Subtype))
		}
	}
	for _, p := range []struct{ key, was, is string }{{"unit", was.Unit, is.Unit}, {"description", was.Description, is.Description}} {
		if p.is != "" && strings.TrimSpace(p.was) != strings.TrimSpace(p.is) {
			setEntry(n, p.key, quoted(p.is))
		}
	}
}

// entries are those of the mapping that declares the column.
func (c Column) entries() (all []*yaml.Node) {
	add := func(key, value string) {
		if value != "" {
			all = append(all, plain(key), quoted(value))
		}
	}
	all = append(all, plain("name"), quoted(c.Name))
	add("unit", c.Unit)
	all = append(all, plain("datatype"), plain(c.Datatype))
	add("subtype", c.Subtype)
	add("description", c.Description)
	if c.UCD != "" {
		all = append(all, plain("meta"), ordered(inLine(plain("ucd"), quoted(c.UCD))))
		all[len(all)-1].Style |= yaml.FlowStyle
	}
	return all
}

// ordered is an ordered mapping.
func ordered(items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!omap", Style: yaml.TaggedStyle, Content: items}
}

// SetMeta adds metadata to those of the table, in place of values of the same keys,
// and removes those of keys that are replaced.
func (h *Header) SetMeta(meta []format.KeyValue, replaced func(key string) bool) {
	of := entry(h.tree, "meta")
	if of == nil || of.Kind == yaml.ScalarNode {
		of = ordered()
	}
	given := map[string]bool{}
	for _, kv := range meta {
		given[kv.Key] = true
	}
	removeEntries(of, func(key string) bool { return replaced(key) && !given[key] })
	for _, kv := range meta {
		old := entry(of, kv.Key)
		if old == nil || old.Kind == yaml.ScalarNode && old.Value != kv.Value {
			setEntry(of, kv.Key, quoted(kv.Value))
		}
	}
	removeEntries(h.tree, func(key string) bool { return key == "meta" })
	if len(of.Content) > 0 {
		schema := entry(h.tree, "schema") // which is last
		removeEntries(h.tree, func(key string) bool { return key == "schema" })
		setEntry(h.tree, "meta", of)
		if schema != nil {
			setEntry(h.tree, "schema", schema)
		}
	}
	h.settle()
}

// Says reports whether a header says more than fields and metadata can: formats and
// meta of columns, shapes, what astropy makes of them, values that are no text.
func (h *Header) Says() bool {
	for _, e := range entries(entry(h.tree, "meta")) {
		if !isText(e.value) {
			return true
		}
	}
	list := entry(h.tree, "datatype")
	if list == nil {
		return false
	}
	for i, n := range list.Content {
		for _, e := range entries(n) {
			switch e.key.Value {
			case "name", "unit", "datatype", "description":
			case "subtype":
				if c := h.Columns[i]; c.Notation() != Array || len(c.Shape()) > 1 || c.Shape()[0] >= 0 {
					return true
				}
			case "meta":
				if m := entries(e.value); len(m) != 1 || m[0].key.Value != "ucd" {
					return true
				}
			default:
				return true
			}
		}
		if h.Columns[i].Notation() == Complex {
			return true
		}
	}
	return false
}
