package catalog

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

const votableHead = `<?xml version="1.0" encoding="UTF-8"?>
<VOTABLE version="1.4" xmlns="http://www.ivoa.net/xml/VOTable/v1.3"><RESOURCE>
<INFO name="QUERY" value="a &lt; b"/>
<TABLE>
<FIELD name="id" datatype="long"><VALUES null="-1"/></FIELD>
<FIELD name="ra" datatype="double" unit="deg" ucd="pos.eq.ra;meta.main"><DESCRIPTION>Right
ascension</DESCRIPTION></FIELD>
<FIELD name="s" datatype="char" arraysize="*"/>
<FIELD name="u" datatype="unicodeChar" arraysize="3"/>
<FIELD name="ok" datatype="boolean"/>
<FIELD name="v" datatype="short" arraysize="2*"/>
<FIELD name="w" datatype="char" arraysize="2x3"/>
<FIELD name="bits" datatype="bit" arraysize="3"/>
<PARAM name="epoch" datatype="double" value="2016"/>
<DATA>`

const votableFoot = "</DATA></TABLE></RESOURCE></VOTABLE>\n"

func votableText() string {
	return votableHead + `<TABLEDATA>
<TR><TD>9223372036854775807</TD><TD> +1.5e1 </TD><TD>a &amp; <![CDATA[<b>]]></TD><TD>αβ</TD><TD>T</TD><TD>1 0x10</TD><TD>ab c </TD><TD>101</TD></TR>
<!-- between -->
<TR><TD>-1</TD><TD>NaN</TD><TD/><TD></TD><TD>?</TD><TD></TD><TD/><TD>0 0 1</TD></TR>
</TABLEDATA>` + votableFoot
}

func votableBinary(masked bool) string {
	be := binary.BigEndian
	row := func(mask byte, id int64, ra float64, s string, u []uint16, ok byte, v []int16, w string, bits byte) []byte {
		var b []byte
		if masked {
			b = append(b, mask)
		}
		b = be.AppendUint64(b, uint64(id))
		b = be.AppendUint64(b, math.Float64bits(ra))
		b = append(be.AppendUint32(b, uint32(len(s))), s...)
		for _, c := range u {
			b = be.AppendUint16(b, c)
		}
		b = append(b, ok)
		b = be.AppendUint32(b, uint32(len(v)))
		for _, x := range v {
			b = be.AppendUint16(b, uint16(x))
		}
		return append(append(b, w...), bits)
	}
	name := "BINARY"
	if masked {
		name = "BINARY2"
	}
	data := slices.Concat(
		row(0, math.MaxInt64, 15, "a & <b>", []uint16{'α', 'β', 0}, 'T', []int16{1, 16}, "ab c \x00", 0xa0),
		row(0b00110110, -1, math.NaN(), "", make([]uint16, 3), '?', nil, "\x00\x00\x00\x00\x00\x00", 0x20))
	text := base64.StdEncoding.EncodeToString(data)
	return votableHead + fmt.Sprintf("<%s><STREAM encoding='base64'>\n%s\n%s\n</STREAM></%s>", name, text[:40], text[40:], name) + votableFoot
}

func TestVOTableSerializations(t *testing.T) {
	for name, text := range map[string]string{"TABLEDATA": votableText(), "BINARY": votableBinary(false), "BINARY2": votableBinary(true)} {
		c := open(t, writeFile(t, "t.vot", []byte(text)))
		nan := "NaN"
		if name == "BINARY" {
			nan = "" // there NaN is the null of floats
		}
		for _, want := range []struct{ name, typ, first, second string }{
			{"id", "int64", "9223372036854775807", ""},
			{"ra", "float64", "15", nan},
			{"s", "string", "a & <b>", ""},
			{"u", "string", "αβ", ""},
			{"ok", "bool", "true", ""},
			{"v[0]", "int16", "1", ""},
			{"v[1]", "int16", "16", ""},
			{"v[2]", "int16", "", ""},
			{"w[0]", "string", "ab", ""},
			{"w[1]", "string", " c", ""},
			{"bits[0]", "bool", "true", "false"},
			{"bits[2]", "bool", "true", "true"},
		} {
			col := read(t, c, want.name)[0]
			if got := col.Field.Type.String(); got != want.typ {
				t.Errorf("%s: %s is %s, want %s", name, want.name, got, want.typ)
			}
			if a, b := col.text(0), col.text(1); a != want.first || b != want.second {
				t.Errorf("%s: %s: %q and %q, want %q and %q", name, want.name, a, b, want.first, want.second)
			}
		}
		if f, _ := c.Field("ra"); f.Unit != "deg" || f.UCD != "pos.eq.ra;meta.main" || f.Description != "Right\nascension" {
			t.Errorf("%s: ra has the notes %+v", name, f)
		}
		if want := []KeyValue{{"QUERY", "a < b"}, {"epoch", "2016"}}; !slices.Equal(c.Metadata(), want) {
			t.Errorf("%s: metadata %v, want %v", name, c.Metadata(), want)
		}
		cols, err := c.ReadAll(context.Background(), []string{"v"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if l := cols[0].List; !slices.Equal(l.Offset, []int64{0, 2, 2}) || !slices.Equal(l.Elem.Int64, []int64{1, 16}) {
			t.Errorf("%s: lists %+v", name, l)
		}
	}
}

func TestVOTableLatin1(t *testing.T) {
	text := "<?xml version='1.0' encoding='ISO-8859-1'?><VOTABLE><TABLE><FIELD name='s' datatype='char' arraysize='*' unit='\xc5'/>" +
		"<DATA><TABLEDATA><TR><TD>\xe9t\xe9</TD></TR></TABLEDATA></DATA></TABLE></VOTABLE>"
	c := open(t, writeFile(t, "t.vot", []byte(text)))
	if s := read(t, c, "s")[0]; s.String[0] != "été" || s.Field.Unit != "Å" {
		t.Errorf("%q in %q", s.String[0], s.Field.Unit)
	}
}

// TestVOTableHostile opens documents that are damaged or mean harm.
func TestVOTableHostile(t *testing.T) {
	bomb := `<?xml version="1.0"?><!DOCTYPE v [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<VOTABLE><DESCRIPTION>&b;</DESCRIPTION></VOTABLE>`
	one := "<VOTABLE><TABLE><FIELD name='a' datatype='%s' arraysize='%s'/><DATA>%s</DATA></TABLE></VOTABLE>"
	huge := base64.StdEncoding.EncodeToString([]byte{0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3})
	for _, c := range []struct{ what, want, text string }{
		{"an entity bomb", "no well-formed XML", bomb},
		{"truncated", "truncated", votableText()[:len(votableText())-200]},
		{"truncated base64", "damaged", strings.Replace(votableBinary(true), "\n</STREAM>", "", 1)[:len(votableBinary(true))-120] + "</STREAM>"},
		{"an array of 2^32 doubles", "at most 33554432 are read", fmt.Sprintf(one, "double", "*", "<BINARY2><STREAM encoding='base64'>"+huge+"</STREAM></BINARY2>")},
		{"another document", "no VOTable", "<html><body>503</body></html>"},
		{"an unknown datatype", "does not have", fmt.Sprintf(one, "quad", "1", "<TABLEDATA/>")},
		{"an impossible shape", "arraysize", fmt.Sprintf(one, "int", "99999999x99999999", "<TABLEDATA/>")},
		{"data elsewhere", "which is not fetched", fmt.Sprintf(one, "int", "1", "<BINARY><STREAM href='http://example.org/x' encoding='base64'/></BINARY>")},
		{"a cell too many", "more cells", fmt.Sprintf(one, "int", "1", "<TABLEDATA><TR><TD>1</TD><TD>2</TD></TR></TABLEDATA>")},
		{"no table", "no table", "<VOTABLE><INFO name='QUERY_STATUS' value='ERROR'>no</INFO></VOTABLE>"},
	} {
		cat, err := Open(context.Background(), []string{writeFile(t, "t.vot", []byte(c.text))}, Options{})
		if err == nil {
			cat.Close()
			t.Errorf("%s is opened", c.what)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want …%s…", c.what, err, c.want)
		}
	}
	bad := fmt.Sprintf(one, "int", "1", "<TABLEDATA><TR><TD>1.5</TD></TR></TABLEDATA>")
	if _, err := open(t, writeFile(t, "t.vot", []byte(bad))).Read(context.Background(), []string{"a"}, nil); err == nil || !strings.Contains(err.Error(), `"1.5"`) {
		t.Errorf("1.5 in a column of integers: %v", err)
	}
}

func TestVOTableReal(t *testing.T) {
	for _, want := range []struct {
		name string
		rows int64
		cols int
	}{{"gaia_dr3_archive.vot", 2, 152}, {"pyia_gdr2_sm.vot", 100, 96}} {
		c := open(t, dataFile(t, want.name))
		if c.Rows() != want.rows || len(c.Fields()) != want.cols {
			t.Errorf("%s: %d rows × %d columns, want %d × %d", want.name, c.Rows(), len(c.Fields()), want.rows, want.cols)
		}
		if ra, dec, err := c.Detect(); err != nil || ra != "ra" || dec != "dec" {
			t.Errorf("%s: position %s, %s: %v", want.name, ra, dec, err)
		}
		for _, f := range c.Fields() {
			if _, err := c.ReadAll(context.Background(), []string{f.Name}, nil); err != nil {
				t.Errorf("%s: %v", want.name, err)
			}
		}
	}
}

// TestFormatsOfOneTable reads one table in several formats to equal values.
func TestFormatsOfOneTable(t *testing.T) {
	files := []string{"gxp_XP.fits", "gxp_XP.xml", "gxp_XP_plain.xml", "gxp_XP.ecsv", "gxp_XP.csv"}
	var first []Column
	for _, name := range files {
		c := open(t, dataFile(t, "gaiaxpy_xp/"+name))
		var names []string
		for _, f := range c.Fields() {
			names = append(names, f.Name)
		}
		cols, err := c.ReadAll(context.Background(), names, nil)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = cols
			if id := cols[0].Int64; !slices.Equal(id, []int64{5853498713190525696, 5762406957886626816}) {
				t.Fatalf("source_id %d", id)
			}
			continue
		}
		if len(cols) != len(first) {
			t.Fatalf("%s has %d columns, %s has %d", name, len(cols), files[0], len(first))
		}
		for i := range cols {
			if a, b := dump(&first[i]), dump(&cols[i]); a != b {
				t.Errorf("%s of %s and of %s differ: %.200s and %.200s", first[i].Field.Name, files[0], name, a, b)
			}
		}
	}
}

// dump returns all values as text.
func dump(c *Column) string {
	var b bytes.Buffer
	for i := range c.Len() {
		if c.List == nil {
			fmt.Fprintln(&b, c.text(i))
			continue
		}
		for k := c.List.Offset[i]; k < c.List.Offset[i+1]; k++ {
			fmt.Fprint(&b, c.List.Elem.text(int(k)), " ")
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

func FuzzVOTable(f *testing.F) {
	f.Add([]byte(votableText()))
	f.Add([]byte(votableBinary(false)))
	f.Add([]byte(votableBinary(true)))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Open(context.Background(), []string{writeFile(t, "t.vot", data)}, Options{})
		if err != nil {
			return
		}
		for _, field := range c.Fields() {
			c.ReadAll(context.Background(), []string{field.Name}, nil)
			c.Read(context.Background(), []string{field.Name + "[1]"}, nil)
		}
	})
}

// A VALUES null counts for real numbers as for integers, in the precision of the field.
func TestVOTableNullOfReals(t *testing.T) {
	c := open(t, writeText(t, "t.vot", `<VOTABLE version="1.3"><RESOURCE><TABLE><FIELD name="x" datatype="double"><VALUES null="-999"/></FIELD><FIELD name="y" datatype="float"><VALUES null="99.99"/></FIELD>`+
		`<DATA><TABLEDATA><TR><TD>-999</TD><TD>99.99</TD></TR><TR><TD>-999.0</TD><TD>1</TD></TR><TR><TD>2</TD><TD>NaN</TD></TR></TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>`))
	for b, err := range c.Scan(context.Background(), Scan{Columns: []string{"x", "y"}}) {
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range [][2]bool{{true, true}, {true, false}, {false, false}} {
			if got := [2]bool{b.Columns[0].IsNull(i), b.Columns[1].IsNull(i)}; got != want {
				t.Errorf("row %d is null %v, want %v", i, got, want)
			}
		}
	}
}

// XML tells capitals from small letters: elements in small ones are refused, as their rows
// would not be found.
func TestVOTableSmallLetters(t *testing.T) {
	for _, small := range []string{"tabledata", "Table", "Field", "data", "votable", "resource"} {
		text := `<VOTABLE><RESOURCE><TABLE><FIELD name="x" datatype="int"/><DATA><TABLEDATA><TR><TD>1</TD></TR></TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>`
		name := strings.ToUpper(small)
		text = strings.NewReplacer("<"+name+">", "<"+small+">", "</"+name+">", "</"+small+">", "<"+name+" ", "<"+small+" ").Replace(text)
		_, err := Open(context.Background(), []string{writeText(t, "t.vot", text)}, Options{})
		if err == nil || !strings.Contains(err.Error(), "<"+name+"> should") {
			t.Errorf("%s: %v", small, err)
		}
	}
}
