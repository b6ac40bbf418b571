package report

import (
	"strconv"
	"strings"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/io/catalog"
)

// Parameters are values of flags for the summary and for the metadata of
// outputs, where they stand as the flags would be given them.
type Parameters struct {
	summary  *Object
	Metadata []catalog.KeyValue
}

// MetadataPrefix begins the keys of metadata that this program writes. A table keeps
// only those of the last run: the parameters of an earlier run do not describe the
// columns that this one adds.
const MetadataPrefix = "skyjoin."

// RunKey is the key of the command line that made a table.
const RunKey = "run"

// NewParameters begins with the name of the command.
func NewParameters(s *Summary, command string) *Parameters {
	return &Parameters{
		summary:  &s.Parameters,
		Metadata: []catalog.KeyValue{{Key: MetadataPrefix + "command", Value: command}},
	}
}

// Add adds a parameter, for the summary and as the flag would be given it.
func (p *Parameters) Add(name string, value any, flag string) {
	p.summary.Set(strings.ReplaceAll(name, "-", "_"), value)
	p.Metadata = append(p.Metadata, catalog.KeyValue{Key: MetadataPrefix + name, Value: flag})
}

// Found adds numbers that the run has found to the metadata alone: a figure of the
// table shows them, too.
func (p *Parameters) Found(name string, values ...float64) {
	p.Metadata = append(p.Metadata, catalog.KeyValue{Key: MetadataPrefix + name, Value: flags.JoinFloats(values)})
}

func (p *Parameters) Flag(name string, value bool) { p.Add(name, value, strconv.FormatBool(value)) }

func (p *Parameters) Number(name string, v float64) { p.Add(name, v, human.FloatText(v)) }

func (p *Parameters) Int(name string, n int64) { p.Add(name, n, strconv.FormatInt(n, 10)) }

// Text adds a text that is not empty.
func (p *Parameters) Text(name, value string) {
	if value != "" {
		p.Add(name, value, value)
	}
}

// List adds a list that is not empty.
func (p *Parameters) List(name string, items []string) {
	if len(items) > 0 {
		p.Add(name, items, flags.JoinList(items))
	}
}

// Given adds a number that is given.
func (p *Parameters) Given(name string, n *flags.Number) {
	if n.Given {
		p.Add(name, n.Value, n.String())
	}
}

// Read adds the flags that say how rows are read.
func (p *Parameters) Read(f *flags.Read) {
	p.Text("format", f.Format)
	p.List("names", f.Names)
	p.List("null", f.Null)
	p.List("let", f.Let)
	p.Text("where", f.Where)
}

// Length adds a length that is given; its unit, if it has one, is a key of its
// own in the summary.
func (p *Parameters) Length(name string, l flags.Length) {
	if l.Text == "" {
		return
	}
	p.Add(name, l.Value, human.FloatText(l.Value)+l.Unit)
	if l.Unit != "" {
		p.summary.Set(strings.ReplaceAll(name, "-", "_")+unitSuffix, l.Unit)
	}
}
