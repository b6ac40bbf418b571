"""Cross-matches on the sky, with astropy's results, and in STILTS' words."""

import collections

import numpy as np

from . import _engine as e
from . import _library as c
from ._checks import angle, one_of, whole
from ._process import carried_out

__all__ = ["crossmatch", "link", "match_coordinates_3d", "match_coordinates_sky", "propagate", "search_around_3d", "search_around_sky"]


@carried_out
def match_coordinates_sky(matchcoord, catalogcoord, nthneighbor=1, storekdtree=None, *, n_jobs=None, device="auto", memory=None):
    """Find the nearest catalog positions on the sky.

    Parameters, results and errors are those of
    ``astropy.coordinates.match_coordinates_sky``.

    Parameters
    ----------
    matchcoord, catalogcoord : SkyCoord or coordinate frame
        Positions to match, and those among which the nearest is looked for.
    nthneighbor : int
        Which neighbour: 1 is the nearest.
    storekdtree : ignored
        Accepted for compatibility.
    n_jobs, device, memory
        As in :class:`skyjoin.cluster.DBSCAN`.

    Returns
    -------
    idx : ndarray of int
        Rows of the catalog; of several as near the lowest.
    sep2d : Angle
    dist3d : Quantity
        Without distances on both sides, on the unit sphere.
    """
    import astropy.units as u
    from astropy.coordinates import Angle

    match = _into(matchcoord, catalogcoord)
    _check_catalog(match, catalogcoord)
    idx, sep = _nearest(lonlat(match), lonlat(catalogcoord), e.Metric(c.SKY), nthneighbor, n_jobs, device, memory)
    idx, sep = idx.reshape(match.shape), sep.reshape(match.shape)
    sep2d = Angle(np.degrees(sep), u.deg)
    if _has_distance(match) and _has_distance(catalogcoord):
        return idx, sep2d, catalogcoord[idx].separation_3d(match)
    return idx, sep2d, u.Quantity(2 * np.sin(sep / 2), u.dimensionless_unscaled)


@carried_out
def match_coordinates_3d(matchcoord, catalogcoord, nthneighbor=1, storekdtree=None, *, n_jobs=None, device="auto", memory=None):
    """Find the nearest catalog positions in space, as ``astropy.coordinates.match_coordinates_3d``."""
    import astropy.units as u

    match = _into(matchcoord, catalogcoord)
    _check_catalog(match, catalogcoord)
    unit = catalogcoord.cartesian.x.unit
    idx, dist = _nearest(_xyz(match, unit), _xyz(catalogcoord, unit), e.Metric(), nthneighbor, n_jobs, device, memory)
    idx = idx.reshape(match.shape)
    return idx, catalogcoord[idx].separation(match), u.Quantity(dist.reshape(match.shape), unit)


@carried_out
def search_around_sky(coords1, coords2, seplimit, storekdtree=None, *, n_jobs=None, device="auto", memory=None, progress=None):
    """Find all pairs of positions within an angle of each other.

    Parameters, results and errors are those of
    ``astropy.coordinates.search_around_sky``; pairs are ordered by both rows.
    """
    import astropy.units as u
    from astropy.coordinates import Angle

    _check_arrays("sky", coords1, coords2)
    second = _into(coords2, coords1)
    if len(coords1) == 0 or len(second) == 0:
        unit = coords1.distance.unit if _has_distance(coords1) and _has_distance(second) else u.dimensionless_unscaled
        return np.array([], int), np.array([], int), Angle([], u.deg), u.Quantity([], unit)
    radius = _limit("sky", "seplimit", seplimit).to_value(u.rad)
    idx1, idx2, sep = _around(lonlat(coords1), lonlat(second), e.Metric(c.SKY), radius, n_jobs, device, memory, progress)
    if _has_distance(coords1) and _has_distance(second):
        d3d = coords1[idx1].separation_3d(second[idx2])
    else:
        d3d = u.Quantity(2 * np.sin(sep / 2), u.dimensionless_unscaled)
    return idx1, idx2, Angle(np.degrees(sep), u.deg), d3d


@carried_out
def search_around_3d(coords1, coords2, distlimit, storekdtree=None, *, n_jobs=None, device="auto", memory=None, progress=None):
    """Find all pairs of positions within a distance of each other, as ``astropy.coordinates.search_around_3d``."""
    import astropy.units as u
    from astropy.coordinates import Angle, Distance

    _check_arrays("3d", coords1, coords2)
    limit = _limit("3d", "distlimit", distlimit)
    if len(coords1) == 0 or len(coords2) == 0:
        return np.array([], int), np.array([], int), Angle([], u.deg), u.Quantity([], coords1.distance.unit)
    second = _into(coords2, coords1)
    unit = coords1.cartesian.x.unit
    idx1, idx2, dist = _around(_xyz(coords1, unit), _xyz(second, unit), e.Metric(), float(limit.to_value(unit)), n_jobs, device, memory,
                               progress)
    dist = Distance(dist, unit) if unit.physical_type == "length" else u.Quantity(dist, unit)
    return idx1, idx2, coords1[idx1].separation(second[idx2]), dist


def _into(coords, other):
    """Return coordinates in the frame of others."""
    from astropy.coordinates import SkyCoord

    if isinstance(coords, SkyCoord):
        return coords.transform_to(other, merge_attributes=False)
    return coords.transform_to(other)


def _check_catalog(match, catalog):
    if catalog.isscalar or len(catalog) < 1:
        raise ValueError("The catalog for coordinate matching cannot be a scalar or length-0.")
    for coords, name in ((match, "Matching"), (catalog, "Catalog")):
        if not all(np.isfinite(v).all() for v in lonlat(coords)):
            raise ValueError(f"{name} coordinates cannot contain NaN entries.")


def _check_arrays(kind, one, two):
    if one.isscalar or two.isscalar:
        raise ValueError(f"One of the inputs to search_around_{kind} is a scalar. You may want to use ``match_coordinates_{kind}`` instead.")


def _limit(kind, name, value):
    """Return a separation as a quantity."""
    import astropy.units as u

    limit = u.Quantity(value)
    if not limit.isscalar:
        raise ValueError(f"{name} must be a scalar in search_around_{kind}")
    if not limit >= 0:
        raise ValueError(f"{name}={limit}, it must be at least 0")
    return limit


def _has_distance(coords):
    from astropy.coordinates import UnitSphericalRepresentation

    return not isinstance(coords.data, UnitSphericalRepresentation)


def lonlat(coords):
    """Return longitudes and latitudes in degrees."""
    from astropy.coordinates import UnitSphericalRepresentation

    sphere = coords.data.represent_as(UnitSphericalRepresentation)
    return [np.atleast_1d(v.to_value("deg")).ravel() for v in (sphere.lon, sphere.lat)]


def _xyz(coords, unit):
    return [np.atleast_1d(v.to_value(unit)).ravel() for v in coords.cartesian.xyz]


def _nearest(query, data, metric, nth, n_jobs, device, memory):
    """Return rows and distances of the nth nearest."""
    nth = whole("nthneighbor", nth, 1)
    opts = e.options(n_jobs, device, memory)
    query, data = e.Points(query, opts.threads), e.Points(data, opts.threads)
    if nth > data.rows:
        raise ValueError(f"nthneighbor={nth}, the catalog has {data.rows} positions")
    if query.rows == 0:
        return np.empty(0, np.int64), np.empty(0)
    _, index, dist = e.table(query, metric, data, k=nth, opts=opts)
    return index[nth - 1::nth], dist[nth - 1::nth]


def _around(one, two, metric, radius, n_jobs, device, memory, progress):
    """Return both rows and the distance of all pairs."""
    opts = e.options(n_jobs, device, memory)
    if radius == 0:  # those at the same place
        radius = np.nextafter(0, 1)
    offsets, index, dist = e.table(e.Points(one, opts.threads), metric, e.Points(two, opts.threads), radius=radius, opts=opts, progress=progress)
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), index, dist


Match = collections.namedtuple("Match", "row1 row2 separation")
Match.__doc__ = "Rows of both catalogs, -1 where there is none, and their separations in degrees."


def _positions(source):
    """Return RA and Dec of a SkyCoord, a table with a pair that is known, or two columns."""
    if isinstance(source, (tuple, list)) and len(source) == 2:
        return list(source)
    from .table import positions

    return positions(source)


@carried_out
def crossmatch(a, b, radius, *, find="best", join="1and2", min_radius=None, n_jobs=None, device="auto", memory=None, progress=None):
    """Match the rows of two catalogs that are the same objects, in the words of STILTS.

    Parameters
    ----------
    a, b : SkyCoord, table, or (ra, dec) in degrees
    radius : angle
        Of astropy.units, or text like ``"1 arcsec"``.
    find : {"best", "best1", "best2", "all"}
        ``"best"``: nearest pairs first, no row in two; ``"best1"``, ``"best2"``:
        the nearest for each row of one side; ``"all"``: all pairs.
    join : {"1and2", "1or2", "all1", "all2", "1not2", "2not1"}
        Which rows without a match are there too.
    min_radius : angle, optional
    n_jobs, device, memory, progress
        As in :class:`skyjoin.cluster.DBSCAN`.

    Returns
    -------
    Match
        ``row1``, ``row2`` (-1 is none) and ``separation`` in degrees (NaN).

    Examples
    --------
    >>> from skyjoin.sky import crossmatch
    >>> crossmatch(([10.0, 20], [0.0, 0]), ([20.0001], [0.0]), "1 arcsec").row1
    array([1])
    """
    finds, joins = ("best", "best1", "best2", "all"), ("1and2", "1or2", "all1", "all2", "1not2", "2not1")
    what = c.Match(find=finds.index(one_of("find", find, finds)), join=joins.index(one_of("join", join, joins)), radius=angle("radius", radius),
                   min_radius=0 if min_radius is None else angle("min_radius", min_radius, zero=True))
    if not what.min_radius < what.radius:
        raise ValueError(f"min_radius={str(min_radius)!r} and radius={str(radius)!r}, it must be below the radius")
    opts = e.options(n_jobs, device, memory)
    a, b = (e.Points(_positions(x), opts.threads) for x in (a, b))
    what.b = b.handle
    row1, row2, sep = e.run("match", a, e.Metric(c.SKY), what, keep=b, opts=opts, progress=progress).take(c.ROWS_A, c.ROWS_B, c.DISTANCES)
    return Match(row1, row2, np.degrees(sep))


@carried_out
def link(a, radius, *, n_jobs=None, device="auto", memory=None):
    """Return the group of each row: rows within an angle of each other, directly or through others.

    Groups are numbered from 0 by their lowest rows.
    """
    opts = e.options(n_jobs, device, memory)
    points = e.Points(_positions(a), opts.threads)
    return e.run("dbscan", points, e.Metric(c.SKY), c.Dbscan(eps=angle("radius", radius), min_points=1), opts=opts).take(c.LABELS)[0]


@carried_out
def propagate(ra, dec, pmra, pmdec, years, *, n_jobs=None):
    """Return positions moved along great circles by their proper motions.

    Parameters
    ----------
    ra, dec : array
        Degrees.
    pmra, pmdec : array
        Milliarcseconds a year, pmra with cos(dec); NaN does not move.
    years : float or array
    n_jobs : int, optional

    Returns
    -------
    ra, dec : ndarray
    """
    arrays = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (ra, dec, pmra, pmdec, years)))
    shape = arrays[0].shape
    arrays = [np.ascontiguousarray(v).ravel() for v in arrays]
    what = c.Propagate(rows=arrays[0].size, **dict(zip(("ra", "dec", "pmra", "pmdec", "years"), (v.ctypes.data for v in arrays))))
    ra, dec = e.Job("propagate", e.byref(what), keep=(what, arrays), opts=e.options(n_jobs)).take(c.RA, c.DEC)
    return ra.reshape(shape), dec.reshape(shape)
