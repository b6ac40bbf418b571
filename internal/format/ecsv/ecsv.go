// Package ecsv reads and writes the header of ECSV (Astropy Proposal for
// Enhancement 6): YAML that declares the columns of a table. ECSV files have it
// in comments; astropy also keeps it in the metadata of Parquet files and in
// the comments of FITS tables.
//
// A header is kept as the tree of its YAML: what is not known here, such as how
// astropy makes a SkyCoord of some columns, is written again as it was read.
package ecsv

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"skyjoin/internal/format"
)

// A Header is what is used of a header, and all of its YAML.
type Header struct {
	Delimiter string // "" if it is not declared
	Columns   []Column
	Meta      []format.KeyValue // the entries of the table's meta that are scalars, in order
	tree      *yaml.Node        // a mapping
}

// A Column is the declaration of a column; properties not declared are "".
type Column struct{ Name, Datatype, Subtype, Unit, UCD, Description string }

// Prefix is the start of the first line of an ECSV file.
const Prefix = "# %ECSV"

// MetaKey is the key that the YAML of a header has in the metadata of a table, as
// astropy names it in Parquet files.
const MetaKey = "table_meta_yaml"

// Parse reads a header: YAML, or lines of comments that hold it.
func Parse(text string) (*Header, error) {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, Prefix) { // which is no directive of YAML
			continue
		}
		if comment, ok := strings.CutPrefix(line, "# "); ok { // blanks at its end do not count, to astropy
			line = strings.TrimRight(comment, " \t\r\n") + "\n"
		}
		b.WriteString(line)
	}
	var document yaml.Node
	var raw struct {
		Delimiter string
		Datatype  []yaml.Node
	}
	err := yaml.Unmarshal([]byte(b.String()), &document)
	if err == nil {
		err = document.Decode(&raw)
	}
	if err != nil {
		return nil, fmt.Errorf("the YAML is damaged: %s", strings.Join(strings.Fields(err.Error()), " "))
	}
	h := &Header{Delimiter: raw.Delimiter, tree: mapping()}
	if len(document.Content) > 0 && document.Content[0].Kind == yaml.MappingNode {
		h.tree = document.Content[0]
	}
	walk(h.tree, func(n *yaml.Node) { n.HeadComment, n.LineComment, n.FootComment = "", "", "" }) // which the encoder misplaces
	if list := entry(h.tree, "datatype"); list != nil {
		for _, n := range list.Content {
			h.Columns = append(h.Columns, declared(n))
		}
	}
	for _, e := range entries(entry(h.tree, "meta")) {
		if isText(e.value) {
			h.Meta = append(h.Meta, format.KeyValue{Key: e.key.Value, Value: e.value.Value})
		}
	}
	return h, nil
}

// declared returns what a node says of a column. The UCD is somewhere in its meta.
func declared(n *yaml.Node) Column {
	return Column{
		Name: text(entry(n, "name")), Datatype: text(entry(n, "datatype")), Subtype: text(entry(n, "subtype")),
		Unit: text(entry(n, "unit")), UCD: scalar(entry(n, "meta"), "ucd"), Description: text(entry(n, "description")),
	}
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

// New returns the header of a table whose cells are between the delimiters.
func New(delimiter string) *Header {
	return &Header{Delimiter: delimiter, tree: mapping(
		plain("delimiter"), &yaml.Node{Kind: yaml.ScalarNode, Value: delimiter, Style: yaml.SingleQuotedStyle},
		plain("datatype"), &yaml.Node{Kind: yaml.SequenceNode},
		plain("schema"), plain("astropy-2.0"),
	)}
}

// Delimit gives a header that says nothing of its delimiter, or has one that ECSV
// does not know, as files of other formats may, the blank that it then means.
func (h *Header) Delimit() {
	if h.Delimiter != "," {
		h.Delimiter = " "
		removeEntries(h.tree, func(key string) bool { return key == "delimiter" })
	}
}

// YAML returns the header as YAML.
func (h *Header) YAML() string {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	e.CompactSeqIndent()
	if e.Encode(h.tree) != nil { // nodes that were read, or made here, can be written
		return ""
	}
	return b.String()
}

// Lines returns the header as lines of comments.
func (h *Header) Lines() []string {
	lines := []string{"# %ECSV 1.0", "# ---"}
	for line := range strings.Lines(h.YAML()) {
		lines = append(lines, "# "+strings.TrimSuffix(line, "\n"))
	}
	return lines
}
