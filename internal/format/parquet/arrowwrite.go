package parquet

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"skyjoin/internal/format"
)

// arrowKey is the key under which Arrow libraries keep their own schema: the
// types that Parquet has no name for, and metadata of fields such as units.
const arrowKey = "ARROW:schema"

// notesOf returns what is to be known of a column beside its type, each under
// its usual key. A name, if not "", goes before the keys.
func notesOf(name string, f format.Field) (list []format.KeyValue) {
	if name != "" {
		name += "."
	}
	for _, n := range []format.KeyValue{{Key: "unit", Value: f.Unit}, {Key: "ucd", Value: f.UCD}, {Key: "description", Value: f.Description}} {
		if n.Value != "" {
			list = append(list, format.KeyValue{Key: name + n.Key, Value: n.Value})
		}
	}
	return list
}

// arrowField returns the Arrow field of a column, with its notes as metadata.
func arrowField(f format.Field) arrow.Field {
	var keys, values []string
	for _, n := range notesOf("", f) {
		keys, values = append(keys, n.Key), append(values, n.Value)
	}
	typ := storedAs[f.Leaf()].arrow
	if f.Type == format.List {
		typ = arrow.ListOfField(arrow.Field{Name: elementName, Type: typ, Nullable: true})
	}
	return arrow.Field{Name: f.Name, Type: typ, Nullable: f.Nullable, Metadata: arrow.NewMetadata(keys, values)}
}

// encodeArrow returns a schema as ARROW:schema holds it: an IPC message in
// base64.
func encodeArrow(s *arrow.Schema) (string, error) {
	var buf bytes.Buffer
	if err := ipc.NewWriter(&buf, ipc.WithSchema(s)).Close(); err != nil {
		return "", err
	}
	end := []byte{255, 255, 255, 255, 0, 0, 0, 0} // of a stream, which this is not
	return base64.StdEncoding.EncodeToString(bytes.TrimSuffix(buf.Bytes(), end)), nil
}

// extendArrow adds fields to an ARROW:schema. It is an error if there is none, if it
// is damaged, or if it has types younger than the library: then the key must go, as
// readers match its fields with the columns by number, and notes on columns
// go into the key-values.
func extendArrow(old string, added []format.Field) (_ string, err error) {
	defer func() { // the library trusts offsets in the message
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: %v", arrowKey, p)
		}
	}()
	if old == "" {
		return "", fmt.Errorf("there is no %s", arrowKey)
	}
	b, err := base64.StdEncoding.DecodeString(old)
	if err != nil {
		return "", err
	}
	if !soundArrow(b) {
		return "", fmt.Errorf("%s is damaged", arrowKey)
	}
	r, err := ipc.NewReader(bytes.NewReader(b))
	if err != nil {
		return "", err
	}
	defer r.Release()
	fields := append([]arrow.Field(nil), r.Schema().Fields()...)
	for _, f := range added {
		fields = append(fields, arrowField(f))
	}
	meta := r.Schema().Metadata()
	return encodeArrow(arrow.NewSchemaWithEndian(fields, &meta, r.Schema().Endianness()))
}
