package parquet

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"skyjoin/internal/format"
)

// Units, UCDs and descriptions from everywhere they are written.
func TestAnnotations(t *testing.T) {
	meta := arrow.NewMetadata([]string{"unit", "ucd", "description"}, []string{"mas/yr", "pos.pm", "from Arrow"})
	s := arrow.NewSchema([]arrow.Field{
		{Name: "ra", Type: arrow.PrimitiveTypes.Float64, Metadata: meta},
		{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "b", Type: arrow.PrimitiveTypes.Float64, Metadata: meta})},
	}, nil)
	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, ipc.WithSchema(s))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	arrowSchema := base64.StdEncoding.EncodeToString(buf.Bytes())
	yaml := `# %ECSV 1.0
# ---
delimiter: ','
datatype:
- {name: ra, unit: deg, datatype: float64, description: 'Right ascension, ICRS: it''s
    the first', meta: !!omap [{ucd: pos.eq.ra;meta.main}]}
- {name: dec, datatype: float64, unit: "deg"}
- name: "G, mag"
  unit: mag
  datatype: float32
meta: !!omap
- {unit: nothing}
schema: astropy-2.0
`
	votable := `<?xml version="1.0"?><VOTABLE xmlns="http://www.ivoa.net/xml/VOTable/v1.3"><RESOURCE><TABLE>
<FIELD name="ra" unit="rad" ucd="pos.eq.ra" datatype="double"><DESCRIPTION> the RA </DESCRIPTION></FIELD><FIELD name="dec" unit="rad"/>
</TABLE></RESOURCE></VOTABLE>`
	for _, c := range []struct {
		meta []format.KeyValue
		want map[string]format.Note
	}{
		{[]format.KeyValue{{Key: "ARROW:schema", Value: arrowSchema}}, map[string]format.Note{"ra": {Unit: "mas/yr", UCD: "pos.pm", Description: "from Arrow"}, "s.b": {Unit: "mas/yr", UCD: "pos.pm", Description: "from Arrow"}}},
		{[]format.KeyValue{{Key: "table_meta_yaml", Value: yaml}}, map[string]format.Note{"ra": {Unit: "deg", UCD: "pos.eq.ra;meta.main", Description: "Right ascension, ICRS: it's the first"}, "dec": {Unit: "deg"}, "G, mag": {Unit: "mag"}}},
		{[]format.KeyValue{{Key: "ARROW:schema", Value: arrowSchema}, {Key: "IVOA.VOTable-Parquet.content", Value: votable}}, map[string]format.Note{"ra": {Unit: "rad", UCD: "pos.eq.ra", Description: "the RA"}, "dec": {Unit: "rad"}}},
		{[]format.KeyValue{{Key: "ra.unit", Value: "deg"}, {Key: "unit.dec", Value: "deg"}, {Key: "description.dec", Value: "δ"}}, map[string]format.Note{"ra": {Unit: "deg"}, "dec": {Unit: "deg", Description: "δ"}}},
		{[]format.KeyValue{{Key: "ARROW:schema", Value: "not base64!"}, {Key: "table_meta_yaml", Value: "datatype:\n- {name: ra, unit: 'deg"}, {Key: "IVOA.VOTable-Parquet.content", Value: "<FIELD"}}, map[string]format.Note{"ra": {}, "dec": {}}},
		{[]format.KeyValue{{Key: "ARROW:schema", Value: base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xff, 0xff, 0xff, 0xff, 0x10, 0, 0, 0}, 9))}}, map[string]format.Note{"ra": {}}},
	} {
		fields := []format.Field{{Name: "ra"}, {Name: "dec"}, {Name: "G, mag"}, {Name: "s.b"}}
		Annotate(fields, c.meta)
		for _, f := range fields {
			if want, ok := c.want[f.Name]; ok && (format.Note{Unit: f.Unit, UCD: f.UCD, Description: f.Description}) != want {
				t.Errorf("%s by %s: %+v, want %+v", f.Name, c.meta[0].Key, f, want)
			}
		}
	}
}
