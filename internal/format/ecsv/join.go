package ecsv

import (
	"cmp"
	"strings"

	"go.yaml.in/yaml/v3"

	"skyjoin/internal/format"
)

// A Part is the columns of a table that another one has beside those of others.
type Part struct {
	YAML   string            // the header of the table, "" if it has none
	Names  map[string]string // of its columns that are taken, and what they are called
	Suffix string            // of what is made of columns with other names
	Parts  bool              // only the columns are taken, not what astropy makes of them
}

// Join returns the header of a table with columns of several: the meta of the first,
// the declarations of all under their new names, and what astropy makes of them. It
// is "" if no part says anything.
func Join(parts ...Part) string {
	out, says := New(","), false
	list := entry(out.tree, "datatype")
	made := &yaml.Node{Kind: yaml.MappingNode}
	for i, p := range parts {
		h, err := Parse(p.YAML)
		if err != nil || p.YAML == "" {
			continue
		}
		says = true
		mixins := h.mixins()
		if meta := entry(h.tree, "meta"); i == 0 && meta != nil {
			removeEntries(meta, func(key string) bool { return key == serialized })
			removeEntries(out.tree, func(key string) bool { return key == "schema" })
			setEntry(out.tree, "meta", meta)
			setEntry(out.tree, "schema", plain("astropy-2.0"))
		}
		for j, c := range h.Columns {
			n := entry(h.tree, "datatype").Content[j]
			if name, ok := p.Names[c.Name]; ok && n.Kind == yaml.MappingNode {
				setEntry(n, "name", quoted(name))
				list.Content = append(list.Content, n)
			}
		}
		if mixins != nil && !p.Parts {
			p.take(mixins, made)
		}
	}
	if !says {
		return ""
	}
	if len(made.Content) > 0 {
		meta := cmp.Or(entry(out.tree, "meta"), ordered())
		if meta.Kind == yaml.SequenceNode {
			meta.Content = append(meta.Content, mapping(plain(serialized), made))
		} else {
			setEntry(meta, serialized, made)
		}
		removeEntries(out.tree, func(key string) bool { return key == "schema" })
		setEntry(out.tree, "meta", meta)
		setEntry(out.tree, "schema", plain("astropy-2.0"))
	}
	out.settle()
	return out.YAML()
}

// take moves mixins whose columns are all taken to those made already.
func (p Part) take(mixins, made *yaml.Node) {
	for _, e := range entries(mixins) {
		whole, renamed := true, false
		for _, name := range partsOf(e.value) {
			to, ok := p.Names[name.Value]
			whole, renamed = whole && ok, renamed || to != name.Value
			if ok {
				*name = *quoted(to)
			}
		}
		key := e.key.Value
		if renamed {
			key += p.Suffix
		}
		for whole && entry(made, key) != nil {
			key += cmp.Or(p.Suffix, "_1")
		}
		if whole {
			walk(e.value, func(n *yaml.Node) { // anchors of several headers may be alike
				if n.Anchor != "" && !strings.HasSuffix(n.Anchor, p.Suffix) {
					n.Anchor += p.Suffix
				}
				if n.Kind == yaml.AliasNode && !strings.HasSuffix(n.Value, p.Suffix) {
					n.Value += p.Suffix
				}
			})
			made.Content = append(made.Content, plain(key), e.value)
		}
	}
}

// Rewritten returns the header that a table has in its metadata as one of the
// fields, without metadata that are replaced; "" if it is damaged.
func Rewritten(text string, fields []format.Field, replaced func(key string) bool) string {
	h, err := Parse(text)
	if err != nil {
		return ""
	}
	h.Describe(fields)
	h.SetMeta(nil, replaced)
	return h.YAML()
}

// WithMixins returns a header that says what astropy makes of columns, even if that
// is nothing: in FITS astropy asks for it.
func WithMixins(text string) string {
	h, err := Parse(text)
	if err != nil || h.mixins() != nil {
		return text
	}
	meta := entry(h.tree, "meta")
	if meta == nil || meta.Kind == yaml.ScalarNode {
		meta = ordered()
	}
	setEntry(meta, serialized, inLine())
	removeEntries(h.tree, func(key string) bool { return key == "meta" })
	setEntry(h.tree, "meta", meta)
	return h.YAML()
}
