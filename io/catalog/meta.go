package catalog

import (
	"cmp"
	"encoding/base64"
	"encoding/xml"
	"strings"

	"skyjoin/internal/format/ecsv"
)

// A note is what metadata says about the meaning of a column.
type note struct{ unit, ucd, description string }

// annotators find notes in the value of a metadata key, by name of column.
var annotators = []struct {
	key   string
	notes func(value string) map[string]note
}{
	{"IVOA.VOTable-Parquet.content", votableNotes},
	{"table_meta_yaml", yamlNotes},
	{"ARROW:schema", arrowNotes},
}

// yamlNotes reads the header of ECSV that astropy keeps.
func yamlNotes(text string) map[string]note {
	h, err := ecsv.Parse(text)
	if err != nil {
		return nil
	}
	notes := map[string]note{}
	for _, c := range h.Columns {
		notes[c.Name] = note{c.Unit, c.UCD, c.Description}
	}
	return notes
}

// annotate sets the units, UCDs and descriptions of fields from the metadata
// of the table: the VOTable header of VOParquet, the YAML header that astropy
// writes, the metadata of Arrow fields, and keys such as ra.unit or unit.ra,
// in this order of precedence. Metadata that does not parse says nothing.
func annotate(fields []Field, meta []KeyValue) {
	values := map[string]string{}
	for _, kv := range meta {
		values[kv.Key] = kv.Value
	}
	for _, a := range annotators {
		v, ok := values[a.key]
		if !ok {
			continue
		}
		var notes map[string]note
		if fenced(func() error { notes = a.notes(v); return nil }) != nil {
			continue
		}
		for i := range fields {
			fields[i].add(notes[fields[i].Name])
		}
	}
	for i := range fields {
		name := fields[i].Name
		fields[i].add(note{
			unit:        cmp.Or(values[name+".unit"], values["unit."+name]),
			ucd:         cmp.Or(values[name+".ucd"], values["ucd."+name]),
			description: cmp.Or(values[name+".description"], values["description."+name]),
		})
	}
}

// add fills what the field does not say yet.
func (f *Field) add(n note) {
	f.Unit = cmp.Or(f.Unit, strings.TrimSpace(n.unit))
	f.UCD = cmp.Or(f.UCD, strings.TrimSpace(n.ucd))
	f.Description = cmp.Or(f.Description, strings.TrimSpace(n.description))
}

// arrowNotes reads the Arrow schema that writers built on Arrow keep: an IPC
// message in base64.
func arrowNotes(value string) map[string]note {
	raw, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return nil
	}
	notes := map[string]note{}
	arrowSchema(raw, func(name string, keys, values []string) {
		var n note
		for i, key := range keys {
			v := values[i]
			switch strings.ToLower(key) {
			case "unit", "units":
				n.unit = cmp.Or(n.unit, v)
			case "ucd":
				n.ucd = v
			case "description":
				n.description = v
			case "long_name", "comment", "doc":
				n.description = cmp.Or(n.description, v)
			}
		}
		if n != (note{}) {
			notes[name] = n
		}
	})
	return notes
}

// votableNotes reads the FIELD elements of a VOTable header.
func votableNotes(value string) map[string]note {
	notes := map[string]note{}
	d := xml.NewDecoder(strings.NewReader(value))
	for {
		tok, err := d.Token()
		if err != nil {
			return notes
		}
		start, ok := tok.(xml.StartElement)
		if !ok || start.Name.Local != "FIELD" {
			continue
		}
		var f struct {
			Name        string `xml:"name,attr"`
			Unit        string `xml:"unit,attr"`
			UCD         string `xml:"ucd,attr"`
			Description string `xml:"DESCRIPTION"`
		}
		if d.DecodeElement(&f, &start) == nil {
			notes[f.Name] = note{f.Unit, f.UCD, f.Description}
		}
	}
}
