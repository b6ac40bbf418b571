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

// MetadataPrefix begins the keys of metadata that this program writes. A table
// keeps those of the last run alone: what an earlier run was told is not true
// of the columns that this one adds.
const MetadataPrefix = "skyjoin."

// NewParameters begins with the name of the command.
func NewParameters(s *Summary) *Parameters {
	return &Parameters{
		summary:  &s.Parameters,
		Metadata: []catalog.KeyValue{{Key: MetadataPrefix + "command", Value: s.Command}},
	}
}

func (p *Parameters) Add(name string, value any, flag string) {
	p.summary.Set(strings.ReplaceAll(name, "-", "_"), value)
	p.Metadata = append(p.Metadata, catalog.KeyValue{Key: MetadataPrefix + name, Value: flag})
}

func (p *Parameters) Flag(name string, value bool) { p.Add(name, value, strconv.FormatBool(value)) }

func (p *Parameters) Number(name string, v float64) { p.Add(name, v, human.FloatText(v)) }

func (p *Parameters) Text(name, value string) { p.Add(name, value, value) }

func (p *Parameters) List(name string, items []string) { p.Add(name, items, flags.JoinList(items)) }

// Length adds a length; its unit, if it has one, is a key of its own in the
// summary.
func (p *Parameters) Length(name string, l flags.Length) {
	p.Add(name, l.Value, human.FloatText(l.Value)+l.Unit)
	if l.Unit != "" {
		p.summary.Set(strings.ReplaceAll(name, "-", "_")+unitSuffix, l.Unit)
	}
}
