package main

// #define SKYJOIN_TYPES_ONLY
// #include "skyjoin.h"
import "C"

import (
	"fmt"
	"unsafe"

	"skyjoin/neighbors"
	"skyjoin/neighbors/match"
)

//export skyjoin_propagate_start
func skyjoin_propagate_start(what *C.skyjoin_propagate, options *C.skyjoin_options, to *C.uint64_t, e *C.skyjoin_error) C.int32_t {
	err := checkSize(what.size, unsafe.Sizeof(*what), "propagate")
	s, bad := readOptions(options, int(what.rows))
	if err == nil {
		err = bad
	}
	n := what.rows
	if err == nil && (n < 0 || n > 0 && (what.ra == nil || what.dec == nil || what.pmra == nil || what.pmdec == nil || what.years == nil)) {
		err = fmt.Errorf("%w: ra, dec, pmra, pmdec and years must be there for %d rows", neighbors.ErrRequest, n)
	}
	if err != nil {
		return tell(err, e)
	}
	ra, dec, pmra, pmdec, years := doubles(what.ra, n), doubles(what.dec, n), doubles(what.pmra, n), doubles(what.pmdec, n), doubles(what.years, n)
	return start(to, e, s, nil, func(*job) (*result, error) {
		newRA, newDec, _, err := match.Propagate(ra, dec, pmra, pmdec, years)
		if err != nil {
			return nil, err
		}
		return &result{fields: map[C.int32_t]field{
			C.SKYJOIN_RA:  values[float64](newRA),
			C.SKYJOIN_DEC: values[float64](newDec),
		}}, nil
	})
}
