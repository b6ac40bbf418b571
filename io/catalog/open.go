package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"skyjoin/internal/each"
	"skyjoin/internal/format"
	"skyjoin/internal/format/all"
	"skyjoin/internal/par"
)

// Open finds the files that paths name as [Expand] does, reads their footers
// or headers, and makes one catalog of them, with the rows in the order of the
// files. Columns of the same name are one column; their types must agree or
// widen exactly, and a column that some file lacks is an error when it is
// asked for.
func Open(ctx context.Context, paths []string, opt Options) (*Catalog, error) {
	names, err := expandAll(paths, opt.Stdin != nil)
	if err != nil {
		return nil, err
	}
	c := &Catalog{
		angles:  newAngles(),
		opt:     opt,
		pool:    par.NewPool(par.Threads(opt.Threads)),
		files:   make([]File, len(names)),
		sources: make([]format.Reader, len(names)),
		first:   make([]int64, len(names)),
		copies:  make([][]*scratch, len(names)),
	}
	each := opt // the files are opened together and share the threads
	each.Threads = max(1, par.Threads(opt.Threads)/max(1, len(names)))
	err = c.pool.Run(ctx, len(names), func(i int) error {
		f, s, err := openFile(ctx, names[i], each, func(copied *scratch) string {
			c.copies[i] = append(c.copies[i], copied)
			return copied.path
		})
		if err != nil {
			return fmt.Errorf("%s: %w", names[i], err)
		}
		c.files[i], c.sources[i] = f, s
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, f := range c.files {
		c.first[i] = c.rows
		c.rows += f.Rows
		if c.rows < 0 {
			return nil, fmt.Errorf("%s: the files claim more than 2^63 rows", f.Path)
		}
	}
	if opt.Extension != "" && !slices.ContainsFunc(c.files, func(f File) bool { return f.Extension != "" }) {
		return nil, format.Requestf("extension %s: no file is FITS, VOTable or .npz, which have tables to choose from", opt.Extension)
	}
	if err := c.reconcile(); err != nil {
		return nil, err
	}
	for i := range c.fields {
		if len(c.opt.Null) > 0 && c.fields[i].Type.storage() != format.NoStorage {
			c.fields[i].Nullable = true // any value may be one
		}
	}
	c.stored = len(c.fields)
	if err := c.defineSplit(); err != nil {
		return nil, err
	}
	if err := c.derive(opt.Let); err != nil {
		return nil, err
	}
	for _, d := range opt.Define {
		if err := c.define(d); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// openFile opens a file. keep is given a copy that must be there for as long as the
// file is read, and returns its path.
func openFile(ctx context.Context, path string, opt Options, keep func(*scratch) string) (File, format.Reader, error) {
	file, extension, named := cutExtension(path)
	if named {
		path, opt.Extension = file, extension
	}
	at := path
	if path == Stdin && opt.Stdin != nil {
		var err error
		if at, err = opt.Stdin.file(ctx); err != nil {
			return File{}, nil, err
		}
	}
	in, size, err := inputOf(at, opt.Format)
	if err != nil {
		return File{}, nil, err
	}
	if named && !in.Tables {
		return File{}, nil, format.Requestf("it is %s; only files of FITS, VOTable and .npz have tables to choose from", in.Name)
	}
	if len(opt.Names) > 0 && !in.Named {
		return File{}, nil, format.Requestf("it is %s, which has names of columns; --names belongs to tables of text without", in.Name)
	}
	how := format.Options{Null: opt.Null, Threads: par.Threads(opt.Threads), Forced: opt.Format != "", Extension: opt.Extension, Names: opt.Names, Folder: filepath.Dir(path)}
	s, err := in.Open(ctx, at, how)
	if away := (*format.Elsewhere)(nil); errors.As(err, &away) {
		return openElsewhere(ctx, File{Path: path, Extension: opt.Extension, Bytes: size}, away, opt, keep)
	}
	if errors.Is(err, format.ErrAnywhere) {
		copied, failed := decompressedCopy(ctx, at)
		if failed != nil {
			return File{}, nil, failed
		}
		s, err = in.Open(ctx, keep(copied), how)
	}
	if err != nil {
		return File{}, nil, err
	}
	f := File{Path: path, Format: s.Format(), Rows: s.Rows(), Bytes: size}
	if in.Tables {
		f.Extension = opt.Extension
	}
	if b, ok := s.(interface{ Beside() string }); ok {
		f.Beside = b.Beside()
	}
	if n, ok := s.(format.Noter); ok {
		f.Notes = n.Notes()
	}
	return f, s, nil
}

// inputOf returns the format of a file, by its name if that is given, and the size
// of the file.
func inputOf(path, name string) (*format.Input, int64, error) {
	start, size, err := startOf(path)
	if err != nil {
		return nil, 0, err
	}
	if size == 0 {
		return nil, 0, fmt.Errorf("the file is empty")
	}
	first := func(is func(in *format.Input) bool) *format.Input {
		for i := range all.Inputs {
			if in := &all.Inputs[i]; is(in) {
				return in
			}
		}
		return nil
	}
	if name != "" {
		if in := first(func(in *format.Input) bool { return in.IsNamed(name) }); in != nil {
			return in, size, nil
		}
		return nil, 0, format.Requestf("--format %s: formats that are read are %s", name, strings.Join(formats(), ", "))
	}
	in := first(func(in *format.Input) bool { return in.Sniff != nil && in.Sniff(start) })
	if bytes.HasPrefix(start.Bytes, []byte("#ASDF ")) { // which looks as a comment before a table
		in = nil
	}
	if in == nil {
		in = first(func(in *format.Input) bool { return in.HasExtension(path) })
		if err := whatIs(start); err != nil && (in == nil || in.Name != "votable") {
			return nil, 0, err
		}
	}
	if start.IsText() && (in == nil || !in.Text && isTable(start) && !in.Sniff(start)) {
		in = first(func(in *format.Input) bool { return in.IsNamed("csv") })
	}
	if in == nil {
		return nil, 0, fmt.Errorf("not a catalog in a format that is known: %s", strings.Join(formats(), ", "))
	}
	return in, size, nil
}

// isTable reports whether the start of a file, whose name says that it is no text,
// can be a table of text: it has lines, and is no XML.
func isTable(start *format.Start) bool {
	return len(start.Lines()) > 1 && !strings.HasPrefix(strings.TrimSpace(start.Lines()[0]), "<")
}

// formats are the names of the formats that are read.
func formats() []string { return each.Of(all.Inputs, func(in format.Input) string { return in.Name }) }

// startOf returns the start of a regular file, decompressed, and its size.
func startOf(path string) (*format.Start, int64, error) {
	f, err := format.OpenRegular(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	f.Close()
	if err != nil {
		return nil, 0, err
	}
	r, err := format.OpenAt(path, 0)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	head, err := io.ReadAll(io.LimitReader(r, format.StartBytes))
	return &format.Start{Path: path, Bytes: head}, info.Size(), err
}
