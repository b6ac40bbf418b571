package npy

import (
	"fmt"
	"strconv"
	"strings"
)

// A literal is a value of Python as headers have them: a string, an int64, a bool, nil
// (None), a tuple or a list ([]any), or a dictionary (map[string]any).
type literal any

// parseLiteral reads a value of Python.
func parseLiteral(text string) (literal, error) {
	p := &parser{rest: text}
	v, err := p.value(0)
	if p.blanks(); err == nil && p.rest != "" {
		err = p.unexpected()
	}
	return v, err
}

type parser struct{ rest string }

// maxDepth bounds how deep lists are in lists.
const maxDepth = 32

func (p *parser) value(depth int) (literal, error) {
	p.blanks()
	if p.rest == "" || depth > maxDepth {
		return nil, p.unexpected()
	}
	switch c := p.rest[0]; {
	case c == '(':
		return p.list(')', depth)
	case c == '[':
		return p.list(']', depth)
	case c == '{':
		return p.dictionary(depth)
	case c == '\'' || c == '"':
		return p.text()
	}
	end := strings.IndexAny(p.rest, ",:)]} \t\n")
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	switch word {
	case "True", "False":
		p.rest = p.rest[end:]
		return word == "True", nil
	case "None":
		p.rest = p.rest[end:]
		return nil, nil
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(word, "L"), 10, 64) // 100L, of Python 2
	if err != nil {
		return nil, p.unexpected()
	}
	p.rest = p.rest[end:]
	return n, nil
}

// list reads a list or a tuple up to the bracket that closes it.
func (p *parser) list(closing byte, depth int) (literal, error) {
	p.rest = p.rest[1:]
	all := []any{}
	for !p.take(closing) {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if all = append(all, v); !p.take(',') && !strings.HasPrefix(p.rest, string(closing)) {
			return nil, p.unexpected()
		}
	}
	return all, nil
}

func (p *parser) dictionary(depth int) (literal, error) {
	p.rest = p.rest[1:]
	all := map[string]any{}
	for !p.take('}') {
		key, err := p.value(depth + 1)
		name, ok := key.(string)
		if err != nil || !ok || !p.take(':') {
			return nil, p.unexpected()
		}
		if all[name], err = p.value(depth + 1); err != nil {
			return nil, err
		}
		if !p.take(',') && !strings.HasPrefix(p.rest, "}") {
			return nil, p.unexpected()
		}
	}
	return all, nil
}

// text reads a string, with the escapes that Python writes.
func (p *parser) text() (literal, error) {
	quote := p.rest[:1]
	var b strings.Builder
	for at := p.rest[1:]; at != ""; {
		if rest, ok := strings.CutPrefix(at, quote); ok {
			p.rest = rest
			return b.String(), nil
		}
		c, _, tail, err := strconv.UnquoteChar(at, quote[0])
		if err != nil {
			return nil, p.unexpected()
		}
		b.WriteRune(c)
		at = tail
	}
	return nil, p.unexpected()
}

// take skips blanks, and the character if it comes next.
func (p *parser) take(c byte) bool {
	p.blanks()
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *parser) blanks() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

func (p *parser) unexpected() error {
	return fmt.Errorf("the header is damaged at %.20q", p.rest)
}
