package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"

	"skyjoin/internal/mock"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// A catalog is the points of a mock catalog.
type catalog struct {
	columns [][]float64
	points  *neighbors.Points
	path    string // of its file, once there is one
}

// generate returns a mock catalog.
func generate(kind string, n, d int, seed uint64) (*catalog, error) {
	m, err := mock.New(kind, mock.Options{Rows: int64(n), Dim: d, Seed: seed})
	if err != nil {
		return nil, err
	}
	c := &catalog{columns: make([][]float64, d)}
	for j := range c.columns {
		c.columns[j] = make([]float64, n)
	}
	const block = 1 << 16
	par.Chunks(par.Threads(0), n, func(_, lo, hi int) {
		for ; lo < hi; lo += block {
			for j, col := range m.Fill(int64(lo), int64(min(lo+block, hi)))[:d] {
				copy(c.columns[j][lo:], col.Float64)
			}
		}
	})
	of := make([]neighbors.Column, d)
	for j := range of {
		of[j] = neighbors.Float64s(c.columns[j])
	}
	c.points, err = neighbors.NewPoints(of...)
	return c, err
}

// file returns the name of an .npy file of the catalog, a matrix of float64, which it
// writes the first time.
func (c *catalog) file() (string, error) {
	if c.path != "" {
		return c.path, nil
	}
	f, err := os.CreateTemp("", "choice-*.npy")
	if err != nil {
		return "", err
	}
	c.path = f.Name()
	n, d := len(c.columns[0]), len(c.columns)
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", n, d)
	head += strings.Repeat(" ", 127-10-len(head)) + "\n" // up to where the numbers begin, byte 128
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprintf(w, "\x93NUMPY\x01\x00%c\x00%s", len(head), head)
	var b [8]byte
	for i := range n {
		for _, col := range c.columns {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(col[i]))
			w.Write(b[:])
		}
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return "", err
	}
	return c.path, f.Close()
}

// remove removes the file.
func (c *catalog) remove() {
	if c.path != "" {
		os.Remove(c.path)
	}
}
