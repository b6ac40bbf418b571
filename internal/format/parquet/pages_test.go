package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// readAll decodes a chunk in batches of odd sizes.
func readAll[T Value](r *pageReader[T], c *Chunk) (vals []T, def, rep []uint8, err error) {
	for size := 1; ; size = size*3%1021 + 1 {
		v, d, p := make([]T, size), make([]uint8, size), make([]uint8, size)
		slots, n, err := r.Read(v, d, p)
		if err == io.EOF {
			return vals, def, rep, nil
		}
		if err != nil {
			return nil, nil, nil, err
		}
		vals = append(vals, v[:n]...)
		if c.MaxDef > 0 {
			def = append(def, d[:slots]...)
		}
		if c.MaxRep > 0 {
			rep = append(rep, p[:slots]...)
		}
	}
}

// An encoder writes values of a type in an encoding.
type encoder[T Value] struct {
	physical Physical
	length   int
	encoding Encoding
	encode   func([]T) []byte
}

func plain4(v []uint32) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

func plain8(v []uint64) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

// split moves byte k of every value of width bytes to stream k.
func split(b []byte, width int) []byte {
	var out []byte
	for k := range width {
		for i := k; i < len(b); i += width {
			out = append(out, b[i])
		}
	}
	return out
}

func plainText(v []string) (b []byte) {
	for _, s := range v {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	return b
}

func fixedText(v []string) []byte { return []byte(strings.Join(v, "")) }

func lengthsOf(v []string) []byte {
	l := make([]uint64, len(v))
	for i, s := range v {
		l[i] = uint64(len(s))
	}
	return encodeDelta(l, 32)
}

func deltaLengthText(v []string) []byte { return append(lengthsOf(v), fixedText(v)...) }

func deltaText(v []string) []byte {
	shared := make([]uint64, len(v))
	rest := make([]string, len(v))
	last := ""
	for i, s := range v {
		n := 0
		for n < min(len(s), len(last)) && s[n] == last[n] {
			n++
		}
		shared[i], rest[i], last = uint64(n), s[n:], s
	}
	return append(encodeDelta(shared, 32), deltaLengthText(rest)...)
}

func boolBits(v []bool) []byte {
	u := make([]uint8, len(v))
	for i, x := range v {
		if x {
			u[i] = 1
		}
	}
	return pack(u, len(u), 1)
}

func boolRuns(v []bool) []byte {
	u := make([]uint8, len(v))
	for i, x := range v {
		if x {
			u[i] = 1
		}
	}
	runs := encodeRuns(u, 1)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(runs))), runs...)
}

func TestEncodings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	numbers32 := func() uint32 { return [...]uint32{r.Uint32(), r.Uint32N(5), 1<<31 - 1, 1 << 31, 0}[r.IntN(5)] }
	numbers64 := func() uint64 { return [...]uint64{r.Uint64(), r.Uint64N(5), 1<<63 - 1, 1 << 63, 0}[r.IntN(5)] }
	text := func() string { return strings.Repeat("Gaia DR3 ", r.IntN(3)) + fmt.Sprint(r.IntN(1e6)) }
	fixed := func() string { return fmt.Sprintf("%05d", r.IntN(3e4)) }

	for _, e := range []encoder[uint32]{
		{Int32, 0, Plain, plain4},
		{Int32, 0, DeltaBinaryPacked, func(v []uint32) []byte {
			u := make([]uint64, len(v))
			for i, x := range v {
				u[i] = uint64(int64(int32(x)))
			}
			return encodeDelta(u, 32)
		}},
		{Float, 0, ByteStreamSplit, func(v []uint32) []byte { return split(plain4(v), 4) }},
	} {
		testEncoder(t, r, e, numbers32, newReader32, plain4)
	}
	for _, e := range []encoder[uint64]{
		{Double, 0, Plain, plain8},
		{Int64, 0, DeltaBinaryPacked, func(v []uint64) []byte { return encodeDelta(v, 64) }},
		{Double, 0, ByteStreamSplit, func(v []uint64) []byte { return split(plain8(v), 8) }},
	} {
		testEncoder(t, r, e, numbers64, newReader64, plain8)
	}
	for _, e := range []encoder[string]{
		{ByteArray, 0, Plain, plainText},
		{ByteArray, 0, DeltaLengthByteArray, deltaLengthText},
		{ByteArray, 0, DeltaByteArray, deltaText},
	} {
		testEncoder(t, r, e, text, newReaderBytes, plainText)
	}
	for _, e := range []encoder[string]{
		{FixedLenByteArray, 5, Plain, fixedText},
		{FixedLenByteArray, 5, DeltaByteArray, deltaText},
		{FixedLenByteArray, 5, ByteStreamSplit, func(v []string) []byte { return split(fixedText(v), 5) }},
	} {
		testEncoder(t, r, e, fixed, newReaderBytes, fixedText)
	}
	testEncoder(t, r, encoder[string]{Int96, 0, Plain, fixedText}, func() string { return fmt.Sprintf("%012d", r.IntN(1e9)) }, newReaderBytes, fixedText)
	for _, e := range []encoder[bool]{{Boolean, 0, Plain, boolBits}, {Boolean, 0, RLE, boolRuns}} {
		testEncoder(t, r, e, func() bool { return r.IntN(9) < 4 }, newReaderBool, nil)
	}
}

// testEncoder writes pages of the encoding, and of a dictionary if the type
// can have one, mixed, in both versions and with every codec, and reads them
// back.
func testEncoder[T Value](t *testing.T, r *rand.Rand, e encoder[T], value func() T, open func(io.ReaderAt, *Chunk) *pageReader[T], plain func([]T) []byte) {
	for _, codec := range []Codec{Uncompressed, Snappy, Gzip, Brotli, LZ4, Zstd, LZ4Raw} {
		for _, maxDef := range []uint8{0, 1, 3} {
			t.Run(fmt.Sprintf("%d/%v/%v/def%d", e.physical, e.encoding, codec, maxDef), func(t *testing.T) {
				w := &chunkWriter{t: t, crc: r.IntN(2) == 0, c: Chunk{Physical: e.physical, Length: e.length, MaxDef: maxDef, Codec: codec}}
				dict := make([]T, 1+r.IntN(300))
				for i := range dict {
					dict[i] = value()
				}
				if plain != nil {
					w.dictionary(len(dict), plain(dict))
				}
				var want []T
				var wantDef []uint8
				for range 6 {
					slots := r.IntN(2000)
					var def []uint8
					n := slots
					if maxDef > 0 {
						def, n = make([]uint8, slots), 0
						for i := range def {
							if def[i] = maxDef; r.IntN(4) == 0 {
								def[i] = uint8(r.IntN(int(maxDef)))
							} else {
								n++
							}
						}
					}
					wantDef = append(wantDef, def...)
					vals := make([]T, n)
					if plain != nil && r.IntN(2) == 0 {
						index := make([]uint32, n)
						for i := range index {
							index[i] = uint32(r.IntN(len(dict)))
							vals[i] = dict[index[i]]
						}
						data := append([]byte{9}, encodeRuns(index, 9)...)
						w.data(1+r.IntN(2), RLEDictionary, def, nil, slots, data)
					} else {
						for i := range vals {
							vals[i] = value()
						}
						w.data(1+r.IntN(2), e.encoding, def, nil, slots, e.encode(vals))
					}
					want = append(want, vals...)
				}
				c, f := w.chunk()
				if err := c.Check(f.Size()); err != nil {
					t.Fatal(err)
				}
				got, gotDef, _, err := readAll(open(f, c), c)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%d values differ from the %d written", len(got), len(want))
				}
				if !slices.Equal(gotDef, wantDef) {
					t.Error("definition levels differ")
				}
			})
		}
	}
}

func TestRepetition(t *testing.T) {
	for version := 1; version <= 2; version++ {
		w := &chunkWriter{t: t, c: Chunk{Physical: Int32, MaxDef: 3, MaxRep: 1}}
		// [1 2] null [] [null 3]
		rep := []uint8{0, 1, 0, 0, 0, 1}
		def := []uint8{3, 3, 0, 1, 2, 3}
		w.data(version, Plain, def, rep, len(def), plain4([]uint32{1, 2, 3}))
		c, f := w.chunk()
		vals, gotDef, gotRep, err := readAll(newReader32(f, c), c)
		if err != nil || !slices.Equal(vals, []uint32{1, 2, 3}) || !slices.Equal(gotDef, def) || !slices.Equal(gotRep, rep) {
			t.Errorf("version %d: %v %v %v, %v", version, vals, gotDef, gotRep, err)
		}
	}
}

// The packing of levels that the format deprecated, highest bit first: the
// example of its specification, 0 to 7 in 3 bits.
func TestBitPackedLevels(t *testing.T) {
	packed := []byte{0b00000101, 0b00111001, 0b01110111}
	h := newHybrid(repack(packed, 8, 3), 3)
	var got [8]uint8
	if err := fillRuns(&h, got[:]); err != nil || got != [8]uint8{0, 1, 2, 3, 4, 5, 6, 7} {
		t.Errorf("%v, %v", got, err)
	}
}

func TestTooFewValues(t *testing.T) {
	w := &chunkWriter{t: t, c: Chunk{Physical: Int32}}
	w.data(1, Plain, nil, nil, 3, plain4([]uint32{1, 2, 3}))
	w.c.Values = 4
	c, f := w.chunk()
	if _, _, _, err := readAll(newReader32(f, c), c); err == nil {
		t.Error("a chunk of 3 values was read as one of 4")
	}
}

func TestChecksum(t *testing.T) {
	w := &chunkWriter{t: t, crc: true, c: Chunk{Physical: Int32}}
	w.data(1, Plain, nil, nil, 1, plain4([]uint32{7}))
	w.b[len(w.b)-1] ^= 1
	c, f := w.chunk()
	if _, _, _, err := readAll(newReader32(f, c), c); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("a page with a wrong bit: %v", err)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []Chunk{
		{Offset: -1}, {Size: -1}, {Offset: 90, Size: 11}, {Offset: 101}, {Size: 1 << 62, Offset: 1 << 62},
		{Size: 10, Values: -1}, {Size: 10, Values: 1 << 40}, {Physical: FixedLenByteArray, Length: -1},
	} {
		if c.Check(100) == nil {
			t.Errorf("%+v passes in a file of 100 bytes", c)
		}
	}
	if err := (&Chunk{Offset: 4, Size: 96, Values: 1e6}).Check(100); err != nil {
		t.Error(err)
	}
}

// Claims that memory could not hold must fail before it is allocated.
func TestHugeClaims(t *testing.T) {
	w := &chunkWriter{t: t, c: Chunk{Physical: Int32, Codec: Zstd, Values: 10}}
	w.page(pageHeader{Kind: dictionaryPage, Dictionary: &dictionaryHeader{Values: 10, Encoding: int32(Plain)}}, 1<<31-1, []byte("not zstd"))
	c, f := w.chunk()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, _, err := readAll(newReader32(f, c), c); err == nil {
		t.Error("garbage was read")
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes were allocated for a page that claims to be 2 GiB", n)
	}
}

// FuzzChunk reads damaged chunks of every type: errors, no panic, no endless
// loop.
func FuzzChunk(f *testing.F) {
	for version := 1; version <= 2; version++ {
		w := &chunkWriter{t: f, c: Chunk{Physical: ByteArray, MaxDef: 1, Codec: Snappy}}
		w.dictionary(2, plainText([]string{"a", "bc"}))
		w.data(version, RLEDictionary, []uint8{1, 0, 1}, nil, 3, append([]byte{1}, encodeRuns([]uint32{1, 0}, 1)...))
		w.data(version, DeltaByteArray, []uint8{1, 1, 1}, nil, 3, deltaText([]string{"aa", "ab", "b"}))
		f.Add(w.b, uint8(w.c.Physical), uint8(Snappy), uint8(1), uint8(0), uint16(w.c.Values))
	}
	w := &chunkWriter{t: f, c: Chunk{Physical: Int64, MaxDef: 2, MaxRep: 1}}
	w.data(1, DeltaBinaryPacked, []uint8{2, 2, 0}, []uint8{0, 1, 0}, 3, encodeDelta([]uint64{5, 3}, 64))
	f.Add(w.b, uint8(Int64), uint8(0), uint8(2), uint8(1), uint16(3))
	f.Fuzz(func(t *testing.T, b []byte, physical, codec, maxDef, maxRep uint8, values uint16) {
		c := &Chunk{
			Physical: Physical(physical % 8), Length: 3, Codec: Codec(codec % 9), MaxDef: maxDef % 4, MaxRep: maxRep % 2,
			Size: int64(len(b)), Values: int64(values),
		}
		if c.Check(int64(len(b))) != nil {
			return
		}
		src := bytes.NewReader(b)
		switch c.Physical {
		case Boolean:
			readAll(newReaderBool(src, c), c)
		case Int32, Float:
			readAll(newReader32(src, c), c)
		case Int64, Double:
			readAll(newReader64(src, c), c)
		default:
			readAll(newReaderBytes(src, c), c)
		}
	})
}
