package expr

import (
	"math"
	"strconv"
	"strings"

	"skyjoin/internal/sexagesimal"
)

// sexagesimal adds an angle of a text, or of parts: texts of which one is made.
func (c *compiler) sexagesimal(n *Node, hours bool, args []*instr) *instr {
	if len(args) == 1 && args[0].typ != String {
		c.mismatch(n.Args[0], args[0], "%s of one value needs text, as '10:30:00.5'", n.Text)
	}
	text := c.asText(n, 0, args[0])
	if len(args) == 4 && args[0].typ != String {
		c.mismatch(n.Args[0], args[0], "a sign is text, + or -")
	}
	if !hours && len(args) > 1 && args[0].typ == String {
		text = c.op(n, String, signed, text, c.asText(n, 1, args[1]))
		text.ownNulls = true
		args = args[1:]
	}
	for i := 1; i < len(args); i++ {
		part := c.asText(n, len(n.Args)-len(args)+i, args[i])
		text = c.op(n, String, mapped2(texts, func(a, b string) string { return a + ":" + b }), text, part)
	}
	return c.op(n, Float64, converted(texts, float64s, func(t string) float64 {
		if v, ok := sexagesimal.Degrees(t, hours); ok {
			return v
		}
		return math.NaN()
	}), text)
}

// signed puts signs before the texts of numbers: a blank sign, null, is a plus. A text
// that is no sign is the part before the other.
func signed(_ *machine, out, signs, numbers *Vector) {
	out.Null = numbers.Null
	for i, number := range numbers.String[:len(out.String)] {
		sign := ""
		if signs.Null == nil || !signs.Null[i] {
			sign = strings.TrimSpace(signs.String[i])
		}
		switch sign {
		case "-", "−":
			out.String[i] = "-" + strings.TrimLeft(number, "+-")
		case "", "+":
			out.String[i] = number
		default:
			out.String[i] = sign + ":" + number
		}
	}
}

// asText adds the text of argument i: numbers as the shortest decimals.
func (c *compiler) asText(n *Node, i int, a *instr) *instr {
	switch a.typ {
	case String:
		return a
	case Int64:
		return c.op(n, String, converted(int64s, texts, func(v int64) string { return strconv.FormatInt(v, 10) }), a)
	case Uint64:
		return c.op(n, String, converted(uint64s, texts, func(v uint64) string { return strconv.FormatUint(v, 10) }), a)
	case Float64:
		return c.op(n, String, converted(float64s, texts, func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }), a)
	}
	c.mismatch(n.Args[i], a, "%s needs numbers or text", n.Text)
	return nil
}
