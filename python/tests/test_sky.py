"""The functions of skyjoin.sky against astropy's."""

import astropy.coordinates as ac
import astropy.units as u
import numpy as np
import pytest

from skyjoin import sky


def positions(rng, n, distance=False, width=4.0):
    ra, dec = rng.uniform(-width, width, n), rng.uniform(-width, width, n)
    return ac.SkyCoord(ra * u.deg, dec * u.deg, **({"distance": rng.uniform(1, 2, n) * u.kpc} if distance else {}))


@pytest.mark.parametrize("seed", range(140))
def test_matching_is_astropys(seed):
    rng = np.random.default_rng(seed)
    far = bool(rng.integers(2)), bool(rng.integers(2))
    a, b = positions(rng, int(rng.integers(1, 200)), far[0]), positions(rng, int(rng.integers(5, 200)), far[1])
    if seed % 3 == 0:
        a = a.galactic
    nth = int(rng.integers(1, 4))
    for ours, theirs in zip(sky.match_coordinates_sky(a, b, nth), ac.match_coordinates_sky(a, b, nth)):
        same(ours, theirs)
    limit = rng.uniform(0.1, 1) * u.deg
    if all(far) or not any(far):
        pairs(sky.search_around_sky(a, b, limit), ac.search_around_sky(a, b, limit))
    if all(far):
        for ours, theirs in zip(sky.match_coordinates_3d(a, b, nth), ac.match_coordinates_3d(a, b, nth)):
            same(ours, theirs)
        pairs(sky.search_around_3d(a, b, 50 * u.pc), ac.search_around_3d(a, b, 50 * u.pc))


def same(ours, theirs):
    if hasattr(theirs, "unit"):
        assert ours.unit.is_equivalent(theirs.unit) and np.allclose(ours.to_value(theirs.unit), theirs.value, rtol=1e-9, atol=1e-12)
        assert type(ours) is type(theirs) or isinstance(ours, type(theirs))
    else:
        assert np.array_equal(ours, theirs) and np.shape(ours) == np.shape(theirs)


def pairs(ours, theirs):
    order = np.lexsort((theirs[1], theirs[0]))
    for i in range(4):
        same(ours[i], theirs[i][order])


def test_scalars_and_errors():
    a, b = positions(np.random.default_rng(1), 5), positions(np.random.default_rng(2), 7)
    for ours, theirs in zip(sky.match_coordinates_sky(a[0], b), ac.match_coordinates_sky(a[0], b)):
        same(ours, theirs)
    for bad in (b[0], b[:0]):
        with pytest.raises(ValueError, match="scalar or length-0"):
            sky.match_coordinates_sky(a, bad)
    with pytest.raises(ValueError, match="match_coordinates_sky"):
        sky.search_around_sky(a, b[0], 1 * u.deg)
    nan = ac.SkyCoord([1, np.nan] * u.deg, [0, 0] * u.deg)
    with pytest.raises(ValueError, match="NaN"):
        sky.match_coordinates_sky(nan, b)


def test_crossmatch():
    a, b = ([10.0, 20.0, 30.0], [0.0, 0.0, 0.0]), ([10.0001, 10.0002, 20.0], [0.0, 0.0, 0.0])
    found = sky.crossmatch(a, b, "1 arcsec", join="1or2")
    assert list(found.row1) == [0, 1, 2, -1] and list(found.row2) == [0, 2, -1, 1]
    assert np.allclose(found.separation[:2], [1e-4, 0], atol=1e-12) and np.isnan(found.separation[2:]).all()
    assert len(sky.crossmatch(a, b, 1 * u.arcsec, find="all").row1) == 3
    assert list(sky.crossmatch(a, b, "1 arcsec", find="best2").row2) == [0, 1, 2]
    assert list(sky.crossmatch(a, b, "1 arcsec", min_radius="0.5 arcsec").row2) == [1]
    assert list(sky.link(b, "1 arcsec")) == [0, 0, 1]
    with pytest.raises(ValueError, match="find='nearest'"):
        sky.crossmatch(a, b, "1 arcsec", find="nearest")
    with pytest.raises(ValueError, match="no unit"):
        sky.crossmatch(a, b, 1.0)


def test_propagate_is_astropys():
    rng = np.random.default_rng(3)
    ra, dec, pmra, pmdec = rng.uniform(0, 360, 50), rng.uniform(-89, 89, 50), rng.normal(0, 500, 50), rng.normal(0, 500, 50)
    moved = sky.propagate(ra, dec, pmra, pmdec, 15.5)
    p = np.radians(np.stack([ra, dec]))
    east = np.stack([-np.sin(p[0]), np.cos(p[0]), 0 * p[0]])
    north = np.stack([-np.sin(p[1]) * np.cos(p[0]), -np.sin(p[1]) * np.sin(p[0]), np.cos(p[1])])
    mas = np.radians(1 / 3.6e6)
    v = np.stack([np.cos(p[1]) * np.cos(p[0]), np.cos(p[1]) * np.sin(p[0]), np.sin(p[1])]) + (east * pmra + north * pmdec) * mas * 15.5
    there = ac.SkyCoord(*v, representation_type="cartesian").spherical
    assert np.allclose(moved[0], there.lon.deg, atol=1e-9) and np.allclose(moved[1], there.lat.deg, atol=1e-9)


def test_masked_positions_are_refused():
    """A row without a position matches nothing, whatever is below its mask; nulls of other columns do not matter."""
    table = pytest.importorskip("astropy.table")
    ra = table.MaskedColumn([1.0, 2, 3], mask=[1, 0, 0])
    with pytest.raises(ValueError, match="row 0 has no value"):
        sky.crossmatch(table.Table({"ra": ra, "dec": [1.0, 2, 3]}), ([1.0], [1.0]), "1 arcsec")
    whole = table.Table({"ra": [1.0, 2, 3], "dec": [1.0, 2, 3], "plx": ra})
    assert len(sky.crossmatch(whole, ([1.0], [1.0]), "1 arcsec").row1) == 1
