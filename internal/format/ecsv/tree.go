package ecsv

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// plain is a scalar without quotes.
func plain(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }

// quoted is a string.
func quoted(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: yaml.DoubleQuotedStyle}
}

// mapping is a mapping of keys and values, in turns.
func mapping(keysAndValues ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Content: keysAndValues}
}

// inLine is a mapping that is written in one line.
func inLine(keysAndValues ...*yaml.Node) *yaml.Node {
	n := mapping(keysAndValues...)
	n.Style = yaml.FlowStyle
	return n
}

// entry returns the value of a key of a mapping, nil if it has none.
func entry(n *yaml.Node, key string) *yaml.Node {
	for _, e := range entries(n) {
		if e.key.Value == key {
			return e.value
		}
	}
	return nil
}

// A pair is an entry of a mapping, or of an ordered one.
type pair struct{ key, value *yaml.Node }

// entries returns those of a mapping, or of an ordered one, which is a list of
// mappings of one key.
func entries(n *yaml.Node) (all []pair) {
	switch {
	case n == nil:
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			if item.Kind == yaml.MappingNode {
				all = append(all, entries(item)...)
			}
		}
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			all = append(all, pair{n.Content[i], n.Content[i+1]})
		}
	}
	return all
}

// setEntry sets the value of a key of a mapping or an ordered one, in its place or
// at the end.
func setEntry(n *yaml.Node, key string, value *yaml.Node) {
	places := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		places = n.Content
	}
	for _, m := range places {
		for i := 0; m.Kind == yaml.MappingNode && i < len(m.Content); i += 2 {
			if m.Content[i].Value == key {
				m.Content[i+1] = value
				return
			}
		}
	}
	if n.Kind == yaml.SequenceNode {
		n.Content = append(n.Content, inLine(quoted(key), value))
		return
	}
	n.Content = append(n.Content, plain(key), value)
}

// removeEntries removes the entries of a mapping or an ordered one that drop holds
// for.
func removeEntries(n *yaml.Node, drop func(key string) bool) {
	if n.Kind == yaml.SequenceNode {
		n.Content = slices.DeleteFunc(n.Content, func(item *yaml.Node) bool {
			return item.Kind == yaml.MappingNode && len(item.Content) == 2 && drop(item.Content[0].Value)
		})
		return
	}
	var kept []*yaml.Node
	for _, e := range entries(n) {
		if !drop(e.key.Value) {
			kept = append(kept, e.key, e.value)
		}
	}
	n.Content = kept
}

// text returns a scalar, or the first in a value of several, such as the unit of
// !astropy.units.Unit {unit: deg}.
func text(n *yaml.Node) string {
	switch {
	case n == nil:
	case n.Kind == yaml.ScalarNode && n.Tag != "!!null":
		return n.Value
	case n.Kind == yaml.MappingNode:
		for _, e := range entries(n) {
			if s := text(e.value); s != "" {
				return s
			}
		}
	}
	return ""
}

// scalar returns the first value of a key at any depth.
func scalar(n *yaml.Node, key string) string {
	for _, e := range entries(n) {
		if e.key.Value == key && e.value.Kind == yaml.ScalarNode && e.value.Value != "" {
			return e.value.Value
		}
		if s := scalar(e.value, key); s != "" {
			return s
		}
	}
	return ""
}

// isText reports whether a value is text of one line, not a block.
func isText(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

// walk calls visit with a node and all below it, in the order of the text.
func walk(n *yaml.Node, visit func(*yaml.Node)) {
	visit(n)
	for _, child := range n.Content {
		walk(child, visit)
	}
}
