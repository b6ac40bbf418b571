package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A colourBar is the scale of the colours, to the right of the axes.
type colourBar struct {
	axis
	colour func(v float64) color.Color
	shown  []tick // set by room
	offset string
}

const (
	barGap    = 1.0 // between axes and bar, over the size of letters
	barWide   = 1.2
	barStrips = 96 // of one colour each
)

// room lays the bar out beside axes of the given height and returns the width that it
// needs.
func (b *colourBar) room(p *panel, height vg.Length) vg.Length {
	b.shown, b.offset = b.ticks(tickCount(height/(3*p.small)), func([]tick) bool { return true })
	return (barGap+barWide+0.5)*p.small + p.widest(b.shown) + 0.5*p.small + 1.1*p.label + margin
}

// draw draws the bar beside the axes.
func (b *colourBar) draw(c draw.Canvas, p *panel) {
	x0 := p.data.Max.X + barGap*p.small
	x1 := x0 + barWide*p.small
	y := func(share float64) vg.Length { return p.data.Min.Y + p.data.Size().Y*vg.Length(share) }
	for i := range barStrips {
		from, to := float64(i)/barStrips, float64(i+1)/barStrips
		if i+1 < barStrips {
			to += 0.5 / barStrips // the next strip covers the excess, so that no gaps show
		}
		c.FillPolygon(b.colour(b.at((from+float64(i+1)/barStrips)/2)), box(rectangle(x0, y(from), x1, y(to))))
	}
	style := p.line(ink, frameWidth)
	frame := box(rectangle(x0, y(0), x1, y(1)))
	c.StrokeLines(style, append(frame, frame[0]))
	for _, t := range b.shown {
		at := y(b.norm(t.value))
		c.StrokeLine2(style, x1-tickLength(t)*p.stroke, at, x1, at)
		p.text(c, t.label, p.small, vg.Point{X: x1 + 0.5*p.small, Y: at}, leftMiddle)
	}
	right := x1 + p.small + p.widest(b.shown) + 0.9*p.label
	label := p.axisLabel(b.Name, b.offset, b.Unit, y(1)-margin) // it may begin at the foot of the figure
	half := p.textWidth(label, p.label) / 2
	p.textUp(c, label, p.label, vg.Point{X: right, Y: max(min(y(0.5), y(1)-half), margin+half)}, centerBottom)
}

// at returns the value at a share of the height, by halving.
func (b *colourBar) at(share float64) float64 {
	lo, hi := b.lo, b.hi
	for range 60 {
		if mid := lo + (hi-lo)/2; b.norm(mid) < share {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// An asinhScale is linear about 0 and logarithmic far from it: sinh⁻¹(v/unit).
type asinhScale struct{ unit float64 }

func (s asinhScale) normalize(lo, hi, v float64) float64 {
	a, b := math.Asinh(lo/s.unit), math.Asinh(hi/s.unit)
	return (math.Asinh(v/s.unit) - a) / (b - a)
}

// asinhAxis returns an axis that is linear within ±unit and logarithmic beyond.
func asinhAxis(a Axis, r interval, unit float64) axis {
	return axis{a, r.lo, r.hi, asinhScale{unit}, asinhRuler(unit)}
}

// asinhRuler marks 0 and the decades from unit on, on both sides, thinned out where
// there are more than n.
func asinhRuler(unit float64) ruler {
	return func(lo, hi float64, n int) ([]tick, string) {
		first := int(math.Ceil(math.Log10(unit) - 1e-9))
		last := int(math.Floor(math.Log10(max(-lo, hi)) + 1e-9))
		if last < first {
			return linearRuler(lo, hi, n)
		}
		sides := 1
		if lo < 0 && hi > 0 {
			sides = 2
		}
		every := max((sides*(last-first+1)+max(n-1, 1)-1)/max(n-1, 1), 1)
		plain := first >= -2 && last <= 3
		ticks := []tick{}
		add := func(v float64, label string) {
			if hair := 1e-9 * max(-lo, hi); v >= lo-hair && v <= hi+hair {
				ticks = append(ticks, tick{value: v, label: label})
			}
		}
		add(0, "0")
		for d := first; d <= last; d++ {
			label := logLabel(1, d, plain)
			if (last-d)%every != 0 {
				label = ""
			}
			negative := ""
			if label != "" {
				negative = "−" + label
			}
			add(math.Pow10(d), label)
			add(-math.Pow10(d), negative)
		}
		return ticks, ""
	}
}
