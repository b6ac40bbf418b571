package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"

	"skyjoin/internal/each"
)

// An Object is a JSON object that keeps the order of its keys.
type Object []member

type member struct {
	Key   string
	Value any
}

// ObjectOf returns the fields of a struct as an object, see [Object.Add].
func ObjectOf(fields any) (o Object) {
	o.Add(fields)
	return o
}

// Set appends a key.
func (o *Object) Set(key string, value any) { *o = append(*o, member{key, value}) }

// Add appends the fields of a struct, named by their tags as encoding/json has them;
// fields that may be left out are, where they are zero. What pointers point to is
// there, though it is zero.
func (o *Object) Add(fields any) { o.addFields(reflect.ValueOf(fields)) }

func (o *Object) addFields(s reflect.Value) {
	for i := range s.NumField() {
		f := s.Type().Field(i)
		if f.Anonymous {
			o.addFields(s.Field(i))
			continue
		}
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		v := s.Field(i)
		if option == "omitempty" && v.IsZero() {
			continue
		}
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		o.Set(name, v.Interface())
	}
}

// MarshalJSON implements json.Marshaler. A float that is not finite is null.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		v := m.Value
		if f, ok := v.(float64); ok {
			v = Float(f)
		}
		key, err := json.Marshal(m.Key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Key, err)
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// A Float is a number that JSON has as null where it is not finite.
type Float float64

func (f Float) MarshalJSON() ([]byte, error) {
	if v := float64(f); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

// A Matrix writes NaN as null.
type Matrix [][]float64

func (m Matrix) MarshalJSON() ([]byte, error) {
	return json.Marshal(each.Of(m, func(row []float64) []Float {
		return each.Of(row, func(v float64) Float { return Float(v) })
	}))
}

// WriteLine writes a value as one line of JSON.
func WriteLine(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}

// A Range is radii over which clusters last.
type Range struct {
	First    float64 `json:"first" jsonschema:"smallest radius"`
	Last     float64 `json:"last" jsonschema:"largest radius"`
	Ratio    float64 `json:"ratio" jsonschema:"the one over the other"`
	Clusters int64   `json:"clusters" jsonschema:"clusters at eps"`
	Largest  int64   `json:"largest" jsonschema:"rows of the largest of them"`
}
