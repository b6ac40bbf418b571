package table

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
)

// TestAsyncWriter writes pieces of all sizes, and copies from a reader in between.
func TestAsyncWriter(t *testing.T) {
	var got, want bytes.Buffer
	b := newAsyncWriter(&got, 64)
	for i := range 300 {
		piece := strings.Repeat(string(rune('a'+i%26)), i)
		want.WriteString(piece)
		if n, err := b.Write([]byte(piece)); n != i || err != nil {
			t.Fatalf("%d bytes of %d, %v", n, i, err)
		}
		if i%100 == 50 {
			want.WriteString("copied")
			if n, err := b.readFrom(strings.NewReader("copied")); n != 6 || err != nil {
				t.Fatalf("%d bytes copied, %v", n, err)
			}
		}
	}
	if err := b.flush(); err != nil || got.String() != want.String() {
		t.Errorf("%d bytes, want %d; %v", got.Len(), want.Len(), err)
	}
	b.close()
	b.close()
	if _, err := b.Write([]byte("late")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("writing after close: %v", err)
	}
	if err := b.flush(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("flush after close: %v", err)
	}
}

// A failure is told by flush, and by every call after it.
func TestAsyncWriterFails(t *testing.T) {
	b := newAsyncWriter(fullWriter{}, 8)
	defer b.close()
	if _, err := b.Write([]byte("small")); err != nil {
		t.Errorf("before anything is written: %v", err)
	}
	first := b.flush()
	if first == nil {
		t.Fatal("no error")
	}
	if _, err := b.Write([]byte("more")); !errors.Is(err, first) {
		t.Errorf("%v, want %v", err, first)
	}
	if _, err := b.readFrom(strings.NewReader("more")); !errors.Is(err, first) {
		t.Errorf("%v, want %v", err, first)
	}
}

// A small table takes no buffer of full size.
func TestAsyncWriterOfLittle(t *testing.T) {
	b := newAsyncWriter(new(bytes.Buffer), 1<<20)
	defer b.close()
	b.Write([]byte("small"))
	if cap(b.buf) > 1<<10 {
		t.Errorf("a buffer of %d bytes for 5", cap(b.buf))
	}
	if err := b.flush(); err != nil || cap(b.buf) > 0 {
		t.Errorf("a buffer of %d bytes behind the end; %v", cap(b.buf), err)
	}
}
