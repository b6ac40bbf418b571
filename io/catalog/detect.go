package catalog

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"skyjoin/internal/format"
)

// skyNames are the usual names of right ascension and declination, in lower
// case, a pair to a line.
var skyNames = [][2]string{
	{"ra", "dec"},
	{"ra", "de"},
	{"raj2000", "dej2000"},
	{"raj2000", "decj2000"},
	{"_raj2000", "_dej2000"},
	{"ra_icrs", "de_icrs"},
	{"ra_icrs", "dec_icrs"},
	{"_ra_icrs", "_de_icrs"},
	{"_ra", "_de"},
	{"ra_deg", "dec_deg"},
	{"radeg", "dedeg"},
	{"radeg", "decdeg"},
	{"ra_j2000", "dec_j2000"},
	{"ra2000", "dec2000"},
	{"ra2000", "de2000"},
	{"s_ra", "s_dec"},
	{"ramean", "decmean"},
	{"alpha_j2000", "delta_j2000"},
	{"alphawin_j2000", "deltawin_j2000"},
	{"right_ascension", "declination"},
	{"alpha", "delta"},
}

// lessUsualNames are further pairs, which count where a table has none of skyNames.
var lessUsualNames = withHours([][2]string{
	{"coord_ra", "coord_dec"},
	{"ra", "decl"},
	{"ra", "declination"},
	{"rightascension", "declination"},
	{"ra_degrees", "dec_degrees"},
	{"ra_rad", "dec_rad"},
	{"ra_2000", "dec_2000"},
	{"ra_epoch2000", "dec_epoch2000"},
	{"ra_obj", "dec_obj"},
	{"ra_d", "dec_d"},
	{"ra_sexa", "dec_sexa"},
	{"ra_sex", "dec_sex"},
	{"ra_hms", "dec_dms"},
	{"rahms", "decdms"},
	{"ra_str", "dec_str"},
	{"α", "δ"},
})

// withHours adds the pairs of right ascension in hours and any declination.
func withHours(pairs [][2]string) [][2]string {
	for _, pair := range slices.Concat(skyNames, pairs) {
		if inHours := [2]string{hoursName, pair[1]}; pair[1] != "dec_rad" && !slices.Contains(pairs, inHours) {
			pairs = append(pairs, inHours)
		}
	}
	return pairs
}

// hoursName is the plain name of right ascension in hours, however it is spelled.
const hoursName = "ra_hours"

// axisOfName says of the plain names of coordinates whether they are ra or dec.
var axisOfName = func() map[string]string {
	axes := map[string]string{}
	for _, pair := range slices.Concat(skyNames, lessUsualNames) {
		axes[pair[0]], axes[pair[1]] = "ra", "dec"
	}
	return axes
}()

// frameNames are the names and the UCD of the coordinates of other frames.
var frameNames = map[string]struct {
	ucd   string
	pairs [][2]string
}{
	"galactic": {"pos.galactic", [][2]string{{"l", "b"}, {"glon", "glat"}, {"_glon", "_glat"}, {"gal_lon", "gal_lat"}, {"gal_l", "gal_b"}, {"lii", "bii"}, {"gallon", "gallat"}}},
	"ecliptic": {"pos.ecliptic", [][2]string{{"elon", "elat"}, {"_elon", "_elat"}, {"ecl_lon", "ecl_lat"}, {"lambda", "beta"}, {"eclon", "eclat"}}},
}

// plainName is a name in lower case without what only sets it: R.A. (J2000) is
// raj2000. Of a coordinate that ends with its unit the unit counts, not how it is set:
// RA (hr), ra.hours and RAhr are all ra_hours, Dec[rad] is dec_rad, RA (deg) is ra.
func plainName(name string) string {
	name = strings.ToLower(name)
	if m := unitOfName.FindStringSubmatch(name); m != nil {
		of, unit := withoutSigns(m[1]), m[2]+m[3]+m[4]
		switch axis := axisOfName[of]; {
		case axis == "":
		case unit[0] == 'd':
			return of
		case unit[0] == 'r':
			return axis + "_rad"
		case axis == "ra":
			return hoursName
		}
	}
	return withoutSigns(name)
}

// unitOfName is the unit at the end of a name in lower case: in brackets or behind a
// slash, or a word. The h of RAh and ra_h is a part of an angle.
var unitOfName = regexp.MustCompile(`^(.+?)(?:[ .,_-]*[(\[/] *(h|hrs?|hours?|hourangle|rad|radians?|degs?|degrees?) *[)\]]?|[ .,_-]*(hrs?|hours?|hourangle)|[ .,_-]+(rad|radians?))$`)

// withoutSigns is a name without points, brackets, colons and blanks.
func withoutSigns(name string) string {
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune(".()[]: ", c) {
			return -1
		}
		return c
	}, name)
}

// Detect returns the columns of right ascension and declination: the columns
// that UCDs mark as the main position, else the only columns with the UCD of a
// position, else the only columns with a usual pair of names; columns of numbers, or
// else of text in hours and degrees, minutes and seconds, or else parts of those, such
// as RAh:RAm:RAs. If there are no such columns, or several candidates, the error wraps
// ErrRequest; with several, the first candidates are returned too, as an example for
// the message.
func (c *Catalog) Detect() (ra, dec string, err error) {
	for _, usable := range []func(Field) bool{c.numeric, c.isAngle} {
		if ra, dec, err := c.detect(usable); err != nil || ra != "" {
			return ra, dec, err
		}
	}
	if ra, dec, ok := c.split(); ok {
		return ra, dec, nil
	}
	return "", "", c.unrecognised()
}

// unrecognised is the error for a catalog without columns of RA and Dec: they may be
// there and hold no numbers, or be those of another frame.
func (c *Catalog) unrecognised() error {
	const none = "no columns are recognised as right ascension and declination"
	for _, frame := range slices.Sorted(maps.Keys(frameNames)) {
		if lon, lat, err := c.DetectIn(frame); err == nil {
			return format.Requestf("%s; %s and %s are %s by name: --frame %s", none, lon, lat, frame, frame)
		}
	}
	if ra, dec, err := c.detect(func(Field) bool { return true }); err == nil && ra != "" {
		for _, name := range []string{ra, dec} {
			if f, r, err := c.column(name); err == nil && !c.numeric(f) {
				return format.Requestf("%s: column %s is %s%s; name the coordinate columns", none, name, f.Text, c.explain(r))
			}
		}
	}
	return format.Requestf(none + "; name the coordinate columns")
}

// detect is Detect among columns that are usable; it returns "" if there are none.
func (c *Catalog) detect(usable func(Field) bool) (ra, dec string, err error) {
	for _, main := range []bool{true, false} {
		ras, decs := c.byUCD("ra", main, usable), c.byUCD("dec", main, usable)
		if len(ras) == 1 && len(decs) == 1 {
			return ras[0], decs[0], nil
		}
		if len(ras) > 0 && len(decs) > 0 {
			return ambiguous(ras, decs)
		}
	}
	for _, names := range [][][2]string{skyNames, lessUsualNames} {
		if ras, decs := c.pairs(names, usable); len(ras) == 1 && len(decs) == 1 {
			return ras[0], decs[0], nil
		} else if len(ras) > 0 {
			return ambiguous(ras, decs)
		}
	}
	if ras, decs := c.pairs(c.skyCoords(), usable); len(ras) == 1 && len(decs) == 1 {
		return ras[0], decs[0], nil
	} else if len(ras) > 0 {
		return ambiguous(ras, decs)
	}
	var ras, decs []string
	for _, pair := range skyNames {
		ras, decs = appendNew(ras, c.byName(pair[0], usable)), appendNew(decs, c.byName(pair[1], usable))
	}
	if len(ras) > 1 || len(decs) > 1 {
		return ambiguous(ras, decs)
	}
	return "", "", nil
}

// skyCoords are the plain names of the coordinates that astropy writes of its
// SkyCoords: sc.ra and sc.dec.
func (c *Catalog) skyCoords() (pairs [][2]string) {
	for _, f := range c.fields {
		if of, ok := strings.CutSuffix(f.Name, ".ra"); ok {
			pairs = append(pairs, [2]string{plainName(f.Name), plainName(of + ".dec")})
		}
	}
	return pairs
}

// pairs returns the columns of all complete pairs of names.
func (c *Catalog) pairs(names [][2]string, usable func(Field) bool) (ras, decs []string) {
	for _, pair := range names {
		r, d := c.byName(pair[0], usable), c.byName(pair[1], usable)
		if len(r) > 0 && len(d) > 0 {
			ras, decs = appendNew(ras, r), appendNew(decs, d)
		}
	}
	return ras, decs
}

// DetectIn is Detect for the coordinates of a frame: galactic, ecliptic, or one of
// right ascension and declination.
func (c *Catalog) DetectIn(frame string) (lon, lat string, err error) {
	f, ok := frameNames[frame]
	if !ok {
		return c.Detect()
	}
	of := func(ucd string) []string {
		return c.named(c.numeric, func(f Field) bool { return strings.HasPrefix(strings.ToLower(f.UCD), ucd) })
	}
	lons, lats := of(f.ucd+".lon"), of(f.ucd+".lat")
	if len(lons) != 1 || len(lats) != 1 {
		lons, lats = c.pairs(f.pairs, c.numeric)
	}
	switch {
	case len(lons) == 1 && len(lats) == 1:
		return lons[0], lats[0], nil
	case len(lons) > 0:
		return lons[0], lats[0], format.Requestf("the %s position is ambiguous: longitude is %s, latitude %s; name the coordinate columns", frame, strings.Join(lons, " or "), strings.Join(lats, " or "))
	}
	return "", "", format.Requestf("no columns are recognised as %s longitude and latitude; name the coordinate columns", frame)
}

// ambiguous returns the first candidates and the error that names all.
func ambiguous(ras, decs []string) (ra, dec string, err error) {
	either := func(names []string) (first, all string) {
		if len(names) == 0 {
			return "", "no column"
		}
		return names[0], strings.Join(names, " or ")
	}
	ra, anyRA := either(ras)
	dec, anyDec := either(decs)
	return ra, dec, format.Requestf("the position is ambiguous: right ascension is %s, declination %s; name the coordinate columns", anyRA, anyDec)
}

func appendNew(to, names []string) []string {
	for _, n := range names {
		if !slices.Contains(to, n) {
			to = append(to, n)
		}
	}
	return to
}

// numeric reports whether the values of a column are numbers. In a text file
// without rows every column may be one.
func (c *Catalog) numeric(f Field) bool {
	return f.Type.IsNumber() || c.rows == 0 && f.Type != List
}

// byName returns the usable columns of the plain name.
func (c *Catalog) byName(plain string, usable func(Field) bool) []string {
	return c.named(usable, func(f Field) bool { return plainName(f.Name) == plain })
}

// byUCD returns the usable columns with the UCD of a position.
func (c *Catalog) byUCD(axis string, main bool, usable func(Field) bool) []string {
	return c.named(usable, func(f Field) bool {
		is, isMain := position(f.UCD, axis)
		return is && (isMain || !main)
	})
}

// named returns the names of the usable columns that match.
func (c *Catalog) named(usable, match func(Field) bool) (names []string) {
	for _, f := range c.fields {
		if match(f) && usable(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// position reports whether a UCD, of version 1+ or 1, says that a column is an
// equatorial coordinate, and the main one: pos.eq.ra;meta.main, POS_EQ_RA_MAIN.
func position(ucd, axis string) (is, main bool) {
	words := strings.Split(strings.ToLower(strings.ReplaceAll(ucd, " ", "")), ";")
	switch words[0] {
	case "pos.eq." + axis:
		return true, slices.Contains(words[1:], "meta.main")
	case "pos_eq_" + axis + "_main":
		return true, true
	case "pos_eq_" + axis:
		return true, false
	}
	return false, false
}

// IsSky reports whether the first two of the named columns are right ascension
// and declination, by their UCDs or by a usual pair of names.
func (c *Catalog) IsSky(names []string) bool {
	if len(names) < 2 {
		return false
	}
	ra, err1 := c.Field(names[0])
	dec, err2 := c.Field(names[1])
	if err1 != nil || err2 != nil || !c.numeric(ra) && !c.isAngle(ra) || !c.numeric(dec) && !c.isAngle(dec) {
		return false
	}
	if r, d, ok := c.split(); ok && names[0] == r && names[1] == d {
		return true
	}
	isRA, _ := position(ra.UCD, "ra")
	isDec, _ := position(dec.UCD, "dec")
	if isRA && isDec {
		return true
	}
	pair := [2]string{plainName(ra.Name), plainName(dec.Name)}
	return slices.Contains(skyNames, pair) || slices.Contains(lessUsualNames, pair) || slices.Contains(c.skyCoords(), pair)
}
