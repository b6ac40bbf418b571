package figure

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
)

// Info is what the file of a figure says about it: as XMP in all formats, which
// [ReadInfo] reads again, and as title and tool where each format has a place for them.
type Info struct {
	Title      string // "": that of the figure
	Tool       string // that made it, with its version
	Parameters []Parameter
}

// A Parameter is what the figure was made with, such as a flag and its value.
type Parameter struct{ Name, Value string }

// namespace is that of the parameters.
const namespace = "urn:skyjoin:parameters#"

// XMP is the info as a packet of XMP, "" if there is none.
func (i *Info) XMP() string {
	if i.Title == "" && i.Tool == "" && len(i.Parameters) == 0 {
		return ""
	}
	var b strings.Builder
	element := func(name, text string) {
		fmt.Fprintf(&b, "<%s>", name)
		xml.EscapeText(&b, []byte(text)) // a Builder has no errors
		fmt.Fprintf(&b, "</%s>\n", strings.Fields(name)[0])
	}
	b.WriteString("<?xpacket begin=\"\uFEFF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n" +
		`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""` +
		` xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:skyjoin="` + namespace + "\">\n")
	b.WriteString("<dc:title><rdf:Alt>")
	element(`rdf:li xml:lang="x-default"`, i.Title)
	b.WriteString("</rdf:Alt></dc:title>\n")
	element("xmp:CreatorTool", i.Tool)
	for _, p := range i.Parameters {
		element("skyjoin:"+p.Name, p.Value)
	}
	b.WriteString("</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end=\"r\"?>")
	return b.String()
}

// ReadInfo returns what the file of a figure says about it, whatever its format: the
// zero value if it has no XMP that this package has written.
func ReadInfo(file []byte) (i Info) {
	_, packet, _ := bytes.Cut(file, []byte("<x:xmpmeta "))
	packet, _, found := bytes.Cut(packet, []byte("</x:xmpmeta>"))
	if !found {
		return Info{}
	}
	d := xml.NewDecoder(bytes.NewReader(packet[bytes.IndexByte(packet, '>')+1:]))
	var in xml.Name
	for {
		token, err := d.Token()
		if err != nil {
			return i
		}
		switch t := token.(type) {
		case xml.StartElement:
			if in = t.Name; in.Space == namespace {
				i.Parameters = append(i.Parameters, Parameter{Name: in.Local})
			}
		case xml.EndElement:
			in = xml.Name{}
		case xml.CharData:
			switch {
			case in.Space == namespace:
				i.Parameters[len(i.Parameters)-1].Value += string(t)
			case in.Local == "li":
				i.Title += string(t)
			case in.Local == "CreatorTool":
				i.Tool += string(t)
			}
		}
	}
}
