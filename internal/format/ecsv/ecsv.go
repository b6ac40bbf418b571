// Package ecsv reads and writes the header of ECSV (Astropy Proposal for
// Enhancement 6): YAML that declares the columns of a table. ECSV files have it
// in comments; astropy also keeps it in the metadata of Parquet files and in
// the comments of FITS tables.
package ecsv

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"skyjoin/internal/format"
)

// A Header is the part of the YAML header that is used.
type Header struct {
	Delimiter string // "" if it is not declared
	Columns   []Column
	Meta      []format.KeyValue // the entries of the table's meta that are scalars, in order
}

// A Column is the declaration of a column; properties not declared are "".
type Column struct{ Name, Datatype, Subtype, Unit, UCD, Description string }

// Prefix is the start of the first line of an ECSV file.
const Prefix = "# %ECSV"

// Parse reads a header: YAML, or lines of comments that hold it.
func Parse(text string) (*Header, error) {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, Prefix) { // which is no directive of YAML
			b.WriteString(strings.TrimPrefix(line, "# "))
		}
	}
	var raw struct {
		Delimiter string
		Datatype  []yaml.Node
		Meta      yaml.Node
	}
	if err := yaml.Unmarshal([]byte(b.String()), &raw); err != nil {
		return nil, fmt.Errorf("the YAML is damaged: %s", strings.Join(strings.Fields(err.Error()), " "))
	}
	h := &Header{Delimiter: raw.Delimiter}
	for i := range raw.Datatype {
		n := &raw.Datatype[i]
		h.Columns = append(h.Columns, Column{
			Name: scalar(n, "name"), Datatype: scalar(n, "datatype"), Subtype: scalar(n, "subtype"),
			Unit: scalar(n, "unit"), UCD: scalar(n, "ucd"), Description: scalar(n, "description"),
		})
	}
	for _, item := range raw.Meta.Content { // an ordered mapping is a list of mappings of one key
		if item.Kind == yaml.MappingNode && len(item.Content) > 1 && isText(item.Content[1]) {
			h.Meta = append(h.Meta, format.KeyValue{Key: item.Content[0].Value, Value: item.Content[1].Value})
		}
	}
	return h, nil
}

// Notes returns the units, UCDs and descriptions of columns by name, nil if the
// header is damaged.
func Notes(text string) map[string]format.Note {
	h, err := Parse(text)
	if err != nil {
		return nil
	}
	notes := map[string]format.Note{}
	for _, c := range h.Columns {
		notes[c.Name] = format.Note{Unit: c.Unit, UCD: c.UCD, Description: c.Description}
	}
	return notes
}

// scalar returns the first value of a key at any depth: the UCD of a column is
// in its meta, a mapping or an ordered one.
func scalar(n *yaml.Node, key string) string {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if value := n.Content[i+1]; child.Value == key && value.Kind == yaml.ScalarNode && value.Value != "" {
				return value.Value
			}
			continue
		}
		if text := scalar(child, key); text != "" {
			return text
		}
	}
	return ""
}

// isText reports whether a value is text of one line, not a block.
func isText(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

// Append appends the header as comments. YAML and Go quote strings alike.
func (h *Header) Append(dst []byte) []byte {
	line := func(parts ...string) {
		dst = append(dst, "# "...)
		for _, p := range parts {
			dst = append(dst, p...)
		}
		dst = append(dst, '\n')
	}
	line("%ECSV 1.0")
	line("---")
	line("delimiter: '", h.Delimiter, "'")
	line("datatype:")
	for _, c := range h.Columns {
		line("- {", strings.Join(c.entries(), ", "), "}")
	}
	if len(h.Meta) > 0 {
		line("meta: !!omap")
	}
	for _, kv := range h.Meta {
		line("- {", strconv.Quote(kv.Key), ": ", strconv.Quote(kv.Value), "}")
	}
	line("schema: astropy-2.0")
	return dst
}

// entries are those of the mapping that declares the column.
func (c *Column) entries() (all []string) {
	quoted := func(before, value, after string) {
		if value != "" {
			all = append(all, before+strconv.Quote(value)+after)
		}
	}
	all = append(all, "name: "+strconv.Quote(c.Name))
	quoted("unit: ", c.Unit, "")
	all = append(all, "datatype: "+c.Datatype)
	quoted("subtype: ", c.Subtype, "")
	quoted("description: ", c.Description, "")
	quoted("meta: !!omap [{ucd: ", c.UCD, "}]")
	return all
}
