package fits

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// A Card is one keyword of a header and its value: the text of a string, or
// the number or logical as it is written. Comments of cards are left out.
type Card struct {
	Key   string
	Value string
	text  bool // a string, in quotes
}

// maxCards bounds a header, which holds a few hundred cards, or a few thousand
// with the maximum of 999 columns.
const maxCards = 100_000

// readHeader reads the cards up to END, and the rest of the block.
func readHeader(r io.Reader) ([]Card, error) {
	var cards []Card
	var block [BlockBytes]byte
	long := false // the last string goes on
	for seen := 0; seen < maxCards; seen += BlockBytes / cardBytes {
		if _, err := io.ReadFull(r, block[:]); err != nil {
			if err == io.EOF && seen == 0 {
				return nil, io.EOF
			}
			return nil, fmt.Errorf("the header ends before its END card: %w", early(err))
		}
		for at := 0; at < BlockBytes; at += cardBytes {
			raw := block[at : at+cardBytes]
			for _, b := range raw {
				if b < ' ' || b > '~' {
					return nil, fmt.Errorf("the header has a byte %#02x where text should be: the file is damaged or no FITS", b)
				}
			}
			key := strings.TrimRight(string(raw[:8]), " ")
			if key == "END" {
				return cards, nil
			}
			c, ok := parseCard(key, raw)
			if !ok {
				long = false
				continue
			}
			if key == "CONTINUE" && long {
				last := &cards[len(cards)-1]
				last.Value = strings.TrimSuffix(last.Value, "&") + c.Value
				long = strings.HasSuffix(c.Value, "&")
				continue
			}
			cards = append(cards, c)
			long = c.text && strings.HasSuffix(c.Value, "&")
		}
	}
	return nil, fmt.Errorf("the header has more than %d cards and no END", maxCards)
}

// early replaces the error for an early end of the file by a readable one.
func early(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("the file is truncated")
	}
	return err
}

// parseCard reads a card with a value. The text of COMMENT and HISTORY counts as
// a value.
func parseCard(key string, raw []byte) (Card, bool) {
	switch key {
	case "COMMENT", "HISTORY":
		return Card{Key: key, Value: strings.TrimRight(string(raw[8:]), " "), text: true}, true
	case "CONTINUE":
		raw = append([]byte("CONTINUE= "), bytes.TrimLeft(raw[8:], " ")...)
	case "":
		return Card{}, false
	}
	if raw[8] != '=' {
		return Card{}, false // a commentary keyword, or a convention such as HIERARCH
	}
	value := strings.TrimLeft(string(raw[9:]), " ")
	if strings.HasPrefix(value, "'") {
		text, ok := quoted(value[1:])
		return Card{key, text, true}, ok
	}
	value, _, _ = strings.Cut(value, "/")
	return Card{Key: key, Value: strings.TrimSpace(value)}, true
}

// quoted returns the text up to the closing quote; ” is a quote in it.
// Blanks at its end do not count.
func quoted(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\'' {
			if i+1 == len(s) || s[i+1] != '\'' {
				return strings.TrimRight(b.String(), " "), true
			}
			i++
		}
		b.WriteByte(s[i])
	}
	return "", false
}

// A header gives values by keyword, the first of each.
type header map[string]Card

func newHeader(cards []Card) header {
	h := make(header, len(cards))
	for _, c := range cards {
		if _, ok := h[c.Key]; !ok {
			h[c.Key] = c
		}
	}
	return h
}

// text returns the value of a string keyword, "" if it is not there.
func (h header) text(key string) string { return h[key].Value }

// integer returns the value of an integer keyword.
func (h header) integer(key string, absent int64) (int64, error) {
	c, ok := h[key]
	if !ok || !c.text && c.Value == "" {
		return absent, nil
	}
	v, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(c.Value), "+"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the header has %s = %.40s, which should be an integer", key, c.Value)
	}
	return v, nil
}

// count is integer for a keyword that is required and cannot be negative.
func (h header) count(key string) (int64, error) {
	v, err := h.integer(key, -1)
	if err == nil && v < 0 {
		if _, ok := h[key]; !ok {
			return 0, fmt.Errorf("the header has no %s", key)
		}
		return 0, fmt.Errorf("the header has %s = %d, which cannot be negative", key, v)
	}
	return v, err
}

// real returns the value of a keyword with a number, in which D may stand for
// the E of the exponent.
func (h header) real(key string, absent float64) (float64, error) {
	c, ok := h[key]
	if !ok || c.Value == "" {
		return absent, nil
	}
	v, err := strconv.ParseFloat(strings.NewReplacer("D", "E", "d", "e").Replace(strings.TrimSpace(c.Value)), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("the header has %s = %.40s, which should be a number", key, c.Value)
	}
	return v, nil
}
