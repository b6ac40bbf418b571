package main

// #define SKYJOIN_TYPES_ONLY
// #include "skyjoin.h"
import "C"

import (
	"fmt"
	"unsafe"

	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

//export skyjoin_points_new
func skyjoin_points_new(columns *C.skyjoin_column, ncolumns C.int32_t, rows C.int64_t, threads C.int32_t, points *C.uint64_t, e *C.skyjoin_error) C.int32_t {
	p, err := newPoints(columns, int(ncolumns), int64(rows), workers(threads))
	if err == nil {
		*points = C.uint64_t(keep(p))
	}
	return tell(err, e)
}

//export skyjoin_points_free
func skyjoin_points_free(points C.uint64_t) C.int32_t {
	_, err := drop[*neighbors.Points](uint64(points))
	return tell(err, nil)
}

func newPoints(columns *C.skyjoin_column, ncolumns int, rows int64, threads int) (p *neighbors.Points, err error) {
	defer guard(&err)
	switch {
	case columns == nil || ncolumns < 1:
		return nil, fmt.Errorf("%w: points have no columns", neighbors.ErrRequest)
	case rows < 0 || rows > neighbors.MaxRows:
		return nil, fmt.Errorf("%w: %d rows, there can be 0 to %d", neighbors.ErrRequest, rows, neighbors.MaxRows)
	}
	if rows <= inlineRows {
		threads = 1
	} else if _, err := addressSpace(); err != nil {
		return nil, err
	}
	cols := make([]neighbors.Column, ncolumns)
	for j, c := range unsafe.Slice(columns, ncolumns) {
		if rows > 0 && c.data == nil {
			return nil, fmt.Errorf("%w: column %d has no data", neighbors.ErrRequest, j)
		}
		if err := checkValid(&c, j, int(rows)); err != nil {
			return nil, err
		}
		switch c.dtype {
		case C.SKYJOIN_FLOAT64:
			cols[j] = neighbors.Float64s(view[float64](&c, int(rows), threads))
		case C.SKYJOIN_FLOAT32:
			cols[j] = neighbors.Float32s(view[float32](&c, int(rows), threads))
		default:
			return nil, fmt.Errorf("%w: column %d has dtype %d, it must be SKYJOIN_FLOAT64 or SKYJOIN_FLOAT32", neighbors.ErrRequest, j, c.dtype)
		}
	}
	return neighbors.NewPoints(cols...)
}

// view returns the values of a column: in place if they follow each other, and
// else as a copy.
func view[T float32 | float64](c *C.skyjoin_column, rows, threads int) []T {
	if rows == 0 {
		return []T{}
	}
	stride := int(c.stride)
	if stride == int(unsafe.Sizeof(T(0))) || rows == 1 {
		return unsafe.Slice((*T)(c.data), rows)
	}
	v := make([]T, rows)
	par.Chunks(threads, rows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			v[i] = *(*T)(unsafe.Add(c.data, i*stride))
		}
	})
	return v
}

// checkValid refuses nulls.
func checkValid(c *C.skyjoin_column, column, rows int) error {
	if c.validity == nil {
		return nil
	}
	offset := int(c.offset)
	bits := unsafe.Slice((*byte)(c.validity), (offset+rows+7)/8)
	for i := range rows {
		if at := offset + i; bits[at/8]>>(at%8)&1 == 0 {
			return &neighbors.CoordinateError{Row: i, Column: column, Why: fmt.Sprintf(", coordinate %d is null", column)}
		}
	}
	return nil
}
