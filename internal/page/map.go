package page

import (
	"compress/flate"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strconv"
)

// A Map is a page of rows in clusters: the same rows in several panels, each of two
// columns, with the list of clusters. Rows are selected in any of the panels, and the
// selection is written as CSV or as the expression that makes it.
type Map struct {
	Title string // of the page
	About string // a line below it
	File  string // name of the page, from which those of saved files are made

	Record string // what the file says about itself, as XMP

	Rows    int      // on the page
	Numbers []uint32 // of the rows in the catalog, ascending; nil: from 0
	Labels  []int32  // of the rows, negative for noise; nil: no clusters
	Label   Label

	Columns []Column // that can be drawn, at most MostColumns
	Sky     bool     // the first two are right ascension and declination
	Equal   int      // how many of the first columns are drawn at one scale
	Panels  []Panel

	Exact *Exact   // columns that are embedded exactly; nil: none
	Take  []string // arguments of convert that read the catalog as the run did
}

// MostColumns is how many columns can be drawn: seven take less than 25 bytes a row.
const MostColumns = 7

// A Label names the column of labels.
type Label struct {
	Name   string `json:"name"`
	Where  string `json:"where"`  // in an expression
	Output string `json:"output"` // file that has it, "" for none

	InCatalog bool `json:"inCatalog"` // the catalog has it, too
}

// A Column is a column that is drawn. It is embedded as codes of two or three bytes:
// a panel zooms in until the steps of the codes are as wide as a pixel.
type Column struct {
	Name, Unit string
	Label      string // of an axis, subscripts as _{…}
	Where      string // the name in an expression; "" where none has the values that are drawn
	Magnitude  bool   // it grows downwards
	Needed     bool   // catalog rows without it are not on the page
	Values     func() ([]float64, error)
}

// A Panel is what a panel shows at first, by the numbers of columns.
type Panel struct {
	X    int  `json:"x"`
	Y    int  `json:"y"`
	Flip bool `json:"flip,omitempty"` // y grows downwards
}

// Exact is columns that are embedded as CSV.
type Exact struct {
	Columns []ExactColumn
	CSV     func(io.Writer) error // writes the header and a line for each row
}

// An ExactColumn is one of them.
type ExactColumn struct {
	Name   string `json:"name"`
	Label  string `json:"label"`
	Unit   string `json:"unit,omitempty"`
	Where  string `json:"where"`
	Number bool   `json:"number"` // it can be on an axis
}

// mapMeta is what the script is told.
type mapMeta struct {
	Kind    string        `json:"kind"`
	Title   string        `json:"title"`
	About   string        `json:"about"`
	File    string        `json:"file"`
	Rows    int           `json:"rows"`
	Labels  Label         `json:"labels"`
	Columns []columnMeta  `json:"columns"`
	Sky     bool          `json:"sky"`
	Equal   int           `json:"equal"`
	Panels  []Panel       `json:"panels"`
	Exact   []ExactColumn `json:"exact"`
	Take    []string      `json:"take"`
}

type columnMeta struct {
	Name      string  `json:"name"`
	Label     string  `json:"label"`
	Unit      string  `json:"unit,omitempty"`
	Where     string  `json:"where"`
	Magnitude bool    `json:"magnitude,omitempty"`
	Needed    bool    `json:"needed,omitempty"`
	Least     float64 `json:"least"`
	quantiser
	Branches []branch `json:"branches,omitempty"`
}

// rowBudget is how many bytes of a row there are before base64, for 25 after it.
const rowBudget = 25 * 3 / 4.0

// Write writes the page.
func (m *Map) Write(w io.Writer) error {
	meta := mapMeta{
		Kind: "map", Title: m.Title, About: m.About, File: m.File, Rows: m.Rows, Labels: m.Label,
		Sky: m.Sky, Equal: m.Equal, Panels: m.Panels, Take: m.Take, Columns: make([]columnMeta, len(m.Columns)),
	}
	numbers := m.numbers()
	left := rowBudget - float64(labelWidth(m.Labels))
	if m.Rows > 0 {
		left -= float64(len(numbers)) / float64(m.Rows)
	}
	blocks := []block{labelBlock(m.Labels, m.Rows)}
	if numbers != nil {
		blocks = append(blocks, block{"rows", flate.DefaultCompression, func(w io.Writer) error { _, err := w.Write(numbers); return err }})
	}
	for i := range m.Columns {
		bytes := 2
		if left-float64(2*(len(m.Columns)-i-1)) >= 3 {
			bytes = 3
		}
		left -= float64(bytes)
		blocks = append(blocks, block{"c" + strconv.Itoa(i), flate.HuffmanOnly, func(w io.Writer) error {
			return m.Columns[i].write(w, bytes, m.Sky && i == 0, &meta.Columns[i])
		}})
	}
	if m.Exact != nil {
		meta.Exact = m.Exact.Columns
		blocks = append(blocks, block{"exact", flate.DefaultCompression, m.Exact.CSV})
	}
	return write(w, m.Title, m.Record, blocks, &meta)
}

// numbers are the differences of row numbers less 1, in groups of seven bits; nil where
// the rows are all of the catalog.
func (m *Map) numbers() []byte {
	if m.Numbers == nil {
		return nil
	}
	gaps, last := []byte{}, int64(-1)
	for _, n := range m.Numbers {
		gaps = binary.AppendUvarint(gaps, uint64(int64(n)-last-1))
		last = int64(n)
	}
	return gaps
}

// labelWidth is how many bytes a label takes. They are stored plus 1.
func labelWidth(labels []int32) int {
	width, most := 1, int64(0)
	if len(labels) > 0 {
		most = int64(slices.Max(labels)) + 1
	}
	for most >= 1<<(8*width) {
		width++
	}
	return width
}

// labelBlock is the labels of rows, all noise if there are none.
func labelBlock(labels []int32, rows int) block {
	return block{"labels", flate.DefaultCompression, func(w io.Writer) error {
		return writePlanes(w, rows, labelWidth(labels), func(i int) uint32 {
			if labels == nil {
				return 0
			}
			return uint32(int64(max(labels[i], -1)) + 1)
		})
	}}
}

// write writes the codes of a column of so many bytes each, and says what they are.
func (c *Column) write(w io.Writer, bytes int, turn bool, meta *columnMeta) error {
	values, err := c.Values()
	if err != nil {
		return err
	}
	*meta = columnMeta{Name: c.Name, Label: c.Label, Unit: c.Unit, Where: c.Where, Magnitude: c.Magnitude, Needed: c.Needed}
	for i, v := range values {
		if i == 0 || v < meta.Least || math.IsNaN(meta.Least) {
			meta.Least = v
		}
	}
	if !(math.Abs(meta.Least) <= largest) {
		meta.Least = -largest
	}
	if turn {
		values, meta.Branches = acrossZero(values)
	}
	meta.quantiser = newQuantiser(values, bytes)
	return writePlanes(w, len(values), bytes, func(i int) uint32 { return meta.code(values[i]) })
}

// writePlanes writes whole numbers: all low bytes first, which compress by themselves.
func writePlanes(w io.Writer, rows, width int, at func(i int) uint32) error {
	planes := make([]byte, rows*width)
	for i := range rows {
		v := at(i)
		for b := range width {
			planes[b*rows+i] = byte(v >> (8 * b))
		}
	}
	_, err := w.Write(planes)
	return err
}
