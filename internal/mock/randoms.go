package mock

import (
	"fmt"
	"math"

	"skyjoin/internal/healpix"
)

// randoms are spread evenly over a footprint.
type randoms struct {
	Footprint
	sky      healpix.Map
	ra, wide float64
	low, top float64 // z
}

func newRandoms(opt Options) (source, error) {
	s := &randoms{Footprint: opt.Footprint, wide: 360, low: -1, top: 1}
	if len(s.Pixels) > 0 {
		var err error
		if s.sky, err = healpix.New(s.NSide); err != nil {
			return source{}, fmt.Errorf("%w: %w", ErrRequest, err)
		}
		for _, p := range s.Pixels {
			if p < 0 || p >= s.sky.Pixels() {
				return source{}, fmt.Errorf("%w: pixel %d, there are %d with nside %d", ErrRequest, p, s.sky.Pixels(), s.NSide)
			}
		}
	}
	if r := s.RA; r != nil {
		if math.Abs(r[0]) > 360 || math.Abs(r[1]) > 360 || r[0] == r[1] {
			return source{}, fmt.Errorf("%w: RA from %v to %v, it must be two different angles in [-360, 360] degrees", ErrRequest, r[0], r[1])
		}
		s.ra, s.wide = r[0], r[1]-r[0]
		for s.wide <= 0 {
			s.wide += 360
		}
		if s.wide > 360 {
			return source{}, fmt.Errorf("%w: RA from %v to %v is more than a turn", ErrRequest, r[0], r[1])
		}
	}
	if d := s.Dec; d != nil {
		if !(-90 <= d[0] && d[0] < d[1] && d[1] <= 90) {
			return source{}, fmt.Errorf("%w: Dec from %v to %v, it must ascend in [-90, 90] degrees", ErrRequest, d[0], d[1])
		}
		s.low, _ = sincos(d[0])
		s.top, _ = sincos(d[1])
	}
	fields := positions()
	if s.Draw != nil {
		fields = append(fields, Field{Name: s.DrawName, Unit: s.DrawUnit, Description: "drawn from the values of a catalog"})
	}
	return source{fields: fields, fill: perRow(opt.Seed, s.set)}, nil
}

func (s *randoms) set(r *stream, _ uint64, block []Column, i int) {
	var z, across, ra float64
	if len(s.Pixels) > 0 {
		pixel := draw(r, s.Pixels)
		u, v := r.float(), r.float()
		z, across, ra = s.sky.Place(pixel, u, v)
		ra *= 90
	} else {
		z = r.between(s.low, s.top)
		across = math.Sqrt(float64((1 - z) * (1 + z)))
		ra = s.ra + float64(s.wide*r.float())
	}
	for ra < 0 {
		ra += 360
	}
	for ra >= 360 {
		ra -= 360
	}
	block[0].set(i, ra)
	block[1].set(i, atan2(z, across))
	if s.Draw != nil {
		block[2].set(i, draw(r, s.Draw))
	}
}

// draw returns one of the values.
func draw[T any](r *stream, values []T) T {
	return values[min(int(r.float()*float64(len(values))), len(values)-1)]
}
