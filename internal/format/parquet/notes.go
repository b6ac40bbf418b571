package parquet

import (
	"cmp"
	"encoding/base64"
	"encoding/xml"
	"strings"

	"skyjoin/internal/format"
	"skyjoin/internal/format/ecsv"
)

// annotators find notes in the value of a metadata key, by name of column.
var annotators = []struct {
	key   string
	notes func(value string) map[string]format.Note
}{
	{"IVOA.VOTable-Parquet.content", votableNotes},
	{"table_meta_yaml", ecsv.Notes},
	{"ARROW:schema", arrowNotes},
}

// Annotate sets the units, UCDs and descriptions of fields from the metadata
// of the table: the VOTable header of VOParquet, the YAML header that astropy
// writes, the metadata of Arrow fields, and keys such as ra.unit or unit.ra,
// in this order of precedence. Metadata that does not parse says nothing.
func Annotate(fields []format.Field, meta []format.KeyValue) {
	values := map[string]string{}
	for _, kv := range meta {
		values[kv.Key] = kv.Value
	}
	for _, a := range annotators {
		v, ok := values[a.key]
		if !ok {
			continue
		}
		var notes map[string]format.Note
		if format.Fenced(func() error { notes = a.notes(v); return nil }) != nil {
			continue
		}
		for i := range fields {
			fields[i].Annotate(notes[fields[i].Name])
		}
	}
	for i := range fields {
		name := fields[i].Name
		fields[i].Annotate(format.Note{
			Unit:        cmp.Or(values[name+".unit"], values["unit."+name]),
			UCD:         cmp.Or(values[name+".ucd"], values["ucd."+name]),
			Description: cmp.Or(values[name+".description"], values["description."+name]),
		})
	}
}

// arrowNotes reads the Arrow schema that writers built on Arrow keep: an IPC
// message in base64.
func arrowNotes(value string) map[string]format.Note {
	raw, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return nil
	}
	notes := map[string]format.Note{}
	arrowSchema(raw, func(name string, keys, values []string) {
		if n := NoteOf(keys, values); n != (format.Note{}) {
			notes[name] = n
		}
	})
	return notes
}

// NoteOf is what the metadata of a field of Arrow say of it.
func NoteOf(keys, values []string) (n format.Note) {
	for i, key := range keys {
		v := values[i]
		switch strings.ToLower(key) {
		case "unit", "units":
			n.Unit = cmp.Or(n.Unit, v)
		case "ucd":
			n.UCD = v
		case "description":
			n.Description = v
		case "long_name", "comment", "doc":
			n.Description = cmp.Or(n.Description, v)
		}
	}
	return n
}

// votableNotes reads the FIELD elements of a VOTable header.
func votableNotes(value string) map[string]format.Note {
	notes := map[string]format.Note{}
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
			notes[f.Name] = format.Note{Unit: f.Unit, UCD: f.UCD, Description: f.Description}
		}
	}
}
