// Package runfile reads runs from TOML files: flags by their names, and the inputs.
package runfile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/internal/each"
)

// A Section is the keys of a table, or those before the first one.
type Section struct {
	Path string // of the file
	Name string // "" before the first table
	Line int
	Keys []Key
}

// A Key is a key with its values, of which there are several in a list.
type Key struct {
	Name   string
	Line   int
	Values []string
	List   bool
}

// Parse reads a file; the first section is that of the keys before all tables.
func Parse(path string, text []byte) ([]Section, error) {
	var values map[string]any
	if err := toml.Unmarshal(text, &values); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ := at.Position()
			return nil, exit.Usagef("%s:%d: it is no TOML: %s", path, line, strings.TrimPrefix(err.Error(), "toml: "))
		}
		return nil, exit.Usagef("%s: it is no TOML: %v", path, err)
	}
	all := []Section{{Path: path, Line: 1}}
	table := values
	p := unstable.Parser{}
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.Comment {
			continue
		}
		var words []string
		line := 0
		for it := e.Key(); it.Next(); {
			line = p.Shape(it.Node().Raw).Start.Line
			words = append(words, string(it.Node().Data))
		}
		name := words[0]
		if len(words) > 1 || e.Kind == unstable.ArrayTable {
			return nil, exit.Usagef("%s:%d: %s: a table in a table, or a list of tables, says nothing of a run", path, line, strings.Join(words, "."))
		}
		if e.Kind == unstable.Table {
			all = append(all, Section{Path: path, Name: name, Line: line})
			table = values[name].(map[string]any) // it is a table, as the parser says
			continue
		}
		k := Key{Name: name, Line: line}
		if err := k.read(table[name]); err != nil {
			return nil, exit.Usagef("%s:%d: %s: %v", path, line, name, err)
		}
		s := &all[len(all)-1]
		s.Keys = append(s.Keys, k)
	}
	return all, p.Error()
}

// read sets the values, as they are written behind a flag.
func (k *Key) read(value any) error {
	switch v := value.(type) {
	case string:
		k.Values = append(k.Values, v)
	case bool:
		k.Values = append(k.Values, strconv.FormatBool(v))
	case int64:
		k.Values = append(k.Values, strconv.FormatInt(v, 10))
	case float64:
		k.Values = append(k.Values, strconv.FormatFloat(v, 'g', -1, 64))
	case []any:
		if k.List {
			return fmt.Errorf("a list in a list; write one list, or a text as behind the flag")
		}
		k.List = true
		for _, item := range v {
			if err := k.read(item); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("it is neither a text, a number, true or false, nor a list of them")
	}
	return nil
}

// Take removes a key and returns its values.
func (s *Section) Take(name string) (k Key, found bool) {
	for i, key := range s.Keys {
		if key.Name == name {
			s.Keys = append(s.Keys[:i:i], s.Keys[i+1:]...)
			return key, true
		}
	}
	return Key{}, false
}

// Names are the names of the keys.
func (s *Section) Names() []string { return each.Of(s.Keys, func(k Key) string { return k.Name }) }
