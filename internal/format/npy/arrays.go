package npy

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"skyjoin/internal/format"
)

// An array is one array of a file.
type array struct {
	name   string // in an archive
	member int    // its number there, otherwise -1
	*shape
}

// rows is the length of the first axis.
func (a *array) rows() int64 { return a.axes[0] }

// across is how many elements a row has.
func (a *array) across() int64 {
	n, _ := product(a.axes[1:]) // it was checked
	return n
}

// isArchive reports whether a file is an archive of arrays: another one would have been
// unpacked.
func isArchive(start []byte) bool { return strings.HasPrefix(string(start), "PK\x03\x04") }

// arrays reads the headers of all arrays of the file, of which one without rows is a
// value of the metadata.
func (s *reader) arrays(ctx context.Context) ([]*array, error) {
	in, err := format.OpenAt(s.path, 0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	start := make([]byte, 4)
	if _, err := io.ReadFull(in, start); err != nil {
		return nil, errEnds
	}
	if isArchive(start) {
		return s.members(ctx)
	}
	r := io.MultiReader(bytes.NewReader(start), in)
	a := &array{member: -1}
	if a.shape, err = readShape(r); err != nil {
		return nil, err
	}
	if len(a.axes) == 0 || len(a.axes) > 2 {
		return nil, fmt.Errorf("an array of shape %s; make rows and columns of it: a.reshape(len(a), -1)", a.shapeText())
	}
	have := s.size - a.data
	if format.IsCompressed(s.path) { // how much there is, is known by reading it
		if have, err = io.CopyN(io.Discard, format.UntilDone{Ctx: ctx, Reader: r}, a.bytes); err == io.EOF {
			err = nil
		}
	}
	if err == nil && have < a.bytes {
		err = fmt.Errorf("its header claims %d bytes of values, there are %d: it is truncated or damaged", a.bytes, max(0, have))
	}
	return []*array{a}, err
}

// mostRatio is more than the deflation of ZIP archives saves; only a header that lies
// claims more.
const mostRatio = 1100

// members are the arrays of an archive.
func (s *reader) members(ctx context.Context) ([]*array, error) {
	z, err := zip.OpenReader(s.path)
	if err != nil {
		return nil, fmt.Errorf("it is no archive that can be read: %w", err)
	}
	defer z.Close()
	var all []*array
	for i, m := range z.File {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		a := &array{name: strings.TrimSuffix(m.Name, ".npy"), member: i}
		if err := a.open(m, uint64(s.size)); err != nil {
			return nil, fmt.Errorf("array %s: %w", format.Clip(a.name), err)
		}
		all = append(all, a)
	}
	return all, nil
}

// open reads the header of a member of a file of that size.
func (a *array) open(m *zip.File, size uint64) error {
	r, err := m.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	if a.shape, err = readShape(r); err != nil {
		return err
	}
	have := min(m.UncompressedSize64, mostRatio*min(size, m.CompressedSize64))
	if uint64(a.data+a.bytes) > have {
		return fmt.Errorf("its header claims %d bytes of values, there are %d: it is truncated or damaged", a.bytes, max(0, int64(have)-a.data))
	}
	return nil
}

// stream opens the records of a run.
func (s *reader) stream(run *run) (io.ReadCloser, error) {
	if run.member < 0 {
		return format.OpenAt(s.path, run.at)
	}
	z, err := zip.OpenReader(s.path)
	if err != nil || run.member >= len(z.File) {
		return nil, format.ErrChanged
	}
	m, err := z.File[run.member].Open()
	if err == nil {
		_, err = io.CopyN(io.Discard, m, run.at)
	}
	if err != nil {
		z.Close()
		return nil, format.ErrChanged
	}
	return &member{m, z}, nil
}

// A member is an open file of an archive.
type member struct {
	io.Reader
	archive io.Closer
}

// Close closes the archive, and with it the file.
func (m *member) Close() error { return m.archive.Close() }

// choose returns the arrays that make the rows: the one that the user names, else those
// of as many rows as most of them have, of the longest if there are several such
// numbers. A note says which are left out.
func (s *reader) choose(all []*array, want string) ([]*array, error) {
	if want != "" {
		for i, a := range all {
			if a.name == want || strconv.Itoa(i+1) == want {
				return all[i : i+1], nil
			}
		}
		return nil, format.Requestf("the file has no array %s%s", format.Clip(want), names(all, "; it has "))
	}
	arrays := map[int64]int{}
	rows, others := int64(-1), []*array(nil)
	for _, a := range all {
		if len(a.axes) == 0 {
			continue
		}
		arrays[a.rows()]++
		if n := arrays[a.rows()]; rows < 0 || n > arrays[rows] || n == arrays[rows] && a.rows() > rows {
			rows = a.rows()
		}
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(a *array) bool {
		other := len(a.axes) == 0 || a.rows() != rows || a.structured && a.across() != 1 || a.fortran && len(a.axes) > 2 || rows > 0 && a.across()*a.record == 0
		if other {
			others = append(others, a)
		}
		return other
	})
	if len(chosen) == 0 {
		return nil, errors.New("it has no array with rows" + names(all, ": "))
	}
	if len(others) > 0 {
		s.notes = append(s.notes, fmt.Sprintf("the arrays of %d rows; left out%s", rows, names(others, ": ")))
	}
	return chosen, nil
}

// names lists arrays with their shapes behind a text, the first of many.
func names(all []*array, before string) string {
	const most = 6
	var list []string
	for i, a := range all {
		if i == most {
			list = append(list, "…")
			break
		}
		list = append(list, strings.TrimSpace(format.Clip(a.name)+" "+a.shapeText()))
	}
	return before + strings.Join(list, ", ")
}
