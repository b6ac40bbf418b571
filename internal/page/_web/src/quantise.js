// Numbers of a column are embedded as codes: 0 is no value, and the others are equal
// steps of three ranges, the middle one with most of the rows and of the codes. The code
// of a number is what internal/page/quantise.go computes, bit for bit.

const LARGEST = 1e300;

/** Codes of the bounds of a column: from (4 bounds), codes and scale (of 3 ranges). */
export class Quantiser {
	constructor({ from, codes, scale, branches }) {
		this.from = from;
		this.codes = codes;
		this.scale = scale;
		this.first = [1, 1 + codes[0], 1 + codes[0] + codes[1]];
		this.last = codes[0] + codes[1] + codes[2];
		// Right ascensions across 0 are shifted, in each range by its own multiple of 360.
		this.branches = branches ?? [{ lo: null, hi: null, shift: 0 }];
	}

	/** Code of a number that is not yet shifted. */
	code(v, shift = 0) {
		v -= shift;
		if (!(Math.abs(v) <= LARGEST)) return 0;
		const s = v < this.from[1] ? 0 : v < this.from[2] ? 1 : 2;
		const k = Math.floor((v - this.from[s]) * this.scale[s]);
		return this.first[s] + Math.min(Math.max(k, 0), this.codes[s] - 1);
	}

	/** Number in the middle of what has a code. */
	value(code) {
		if (code === 0) return NaN;
		const s = code < this.first[1] ? 0 : code < this.first[2] ? 1 : 2;
		return this.scale[s] === 0 ? this.from[s] : this.from[s] + (code - this.first[s] + 0.5) / this.scale[s];
	}

	/** Numbers in the middle of all codes. */
	values(codes) {
		const out = new Float64Array(codes.length);
		const [f0, f1, f2] = this.first, [b0, b1, b2] = this.from;
		const [q0, q1, q2] = this.scale.map(s => (s === 0 ? 0 : 1 / s));
		for (let i = 0; i < codes.length; i++) {
			const c = codes[i];
			out[i] = c === 0 ? NaN : c < f1 ? b0 + (c - f0 + 0.5) * q0 : c < f2 ? b1 + (c - f1 + 0.5) * q1 : b2 + (c - f2 + 0.5) * q2;
		}
		return out;
	}

	/** Largest step between the numbers of codes within [lo, hi]. */
	step(lo, hi) {
		let most = 0;
		for (let s = 0; s < 3; s++) {
			if (this.scale[s] > 0 && lo <= this.from[s + 1] && hi >= this.from[s]) most = Math.max(most, 1 / this.scale[s]);
		}
		return most;
	}

	/** Least number whose code, after the shift, is at least the one given. */
	least(code, shift) {
		let lo = order(-LARGEST - 720), hi = order(LARGEST + 720);
		while (lo < hi) {
			const mid = (lo + hi) >> 1n;
			if (this.code(unorder(mid), shift) >= code) hi = mid;
			else lo = mid + 1n;
		}
		return unorder(lo);
	}
}

const word = new DataView(new ArrayBuffer(8));
const SIGN = 1n << 63n;

// order numbers the float64 in their order.
function order(v) {
	word.setFloat64(0, v);
	const bits = word.getBigInt64(0);
	return bits < 0n ? -(bits + SIGN) : bits;
}

function unorder(n) {
	word.setBigInt64(0, n < 0n ? -n - SIGN : n);
	return word.getFloat64(0);
}
