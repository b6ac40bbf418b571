import { Quantiser } from './quantise.js';
import { block, planes } from './blocks.js';

// Where numbers of a column are in a panel: u = (value - middle) / half, which is within
// [-1, 1] for most rows and precise as float32.
function placed(values, middle, half) {
	const u = new Float32Array(values.length);
	for (let i = 0; i < values.length; i++) {
		const v = (values[i] - middle) / half;
		u[i] = v !== v ? MISSING : v > 1e30 ? 1e30 : v < -1e30 ? -1e30 : v;
	}
	return u;
}

/** Place of a row without a value. */
export const MISSING = 3e38;

function quantiles(values) {
	const stride = Math.max(1, Math.floor(values.length / 50000)), some = [];
	let lo = Infinity, hi = -Infinity;
	for (let i = 0; i < values.length; i++) {
		const v = values[i];
		if (v !== v) continue;
		if (v < lo) lo = v;
		if (v > hi) hi = v;
		if (i % stride === 0) some.push(v);
	}
	some.sort((a, b) => a - b);
	const at = q => (some.length ? some[Math.round(q * (some.length - 1))] : 0);
	return lo > hi ? { lo: 0, hi: 1, near: 0, far: 1 } : { lo, hi, near: at(0.005), far: at(0.995) };
}

class Column {
	constructor(meta) {
		this.meta = meta;
		this.name = meta.name;
		this.label = meta.label;
		this.unit = meta.unit ?? '';
		this.where = meta.where ?? ''; // how an expression names it; '' if none can
	}

	place(values, spread) {
		this.middle = (spread.near + spread.far) / 2;
		this.half = (spread.far - spread.near) / 2 || Math.max(Math.abs(spread.hi - spread.lo), Math.abs(this.middle) * 1e-6, 1e-6);
		this.u = placed(values, this.middle, this.half);
		this.lo = (spread.lo - this.middle) / this.half;
		this.hi = (spread.hi - this.middle) / this.half;
		this.near = (spread.near - this.middle) / this.half;
		this.far = (spread.far - this.middle) / this.half;
	}

	value(u) {
		return this.middle + u * this.half;
	}

	has(i) {
		return this.u[i] < MISSING;
	}
}

/** A column of codes, of which values are known to a step. */
export class Coded extends Column {
	static async read(k, meta, rows) {
		const c = new Coded(meta);
		c.codes = planes(await block('c' + k), rows);
		c.quantiser = new Quantiser(meta);
		const [lo, near, far, hi] = meta.from;
		c.place(c.quantiser.values(c.codes), { lo, near, far, hi });
		return c;
	}

	number(i) {
		return this.quantiser.value(this.codes[i]);
	}

	/** Value of a row, with no more digits than its code tells. */
	text(i) {
		const v = this.number(i);
		if (v !== v) return '';
		const turn = this.meta.branches ? ((v % 360) + 360) % 360 : v;
		const step = this.quantiser.step(v, v);
		return step ? turn.toFixed(Math.min(Math.max(Math.ceil(-Math.log10(step)), 0), 12)) : String(turn);
	}

	/** Least width in u at which rows are apart, within [lo, hi] of u. */
	step(lo, hi) {
		return this.quantiser.step(this.value(lo), this.value(hi)) / this.half;
	}

	/** Condition that a row is within [lo, hi] of u, to the bounds of codes. */
	within(lo, hi) {
		const q = this.quantiser;
		const a = Math.max(q.code(this.value(lo)), 1), b = q.code(this.value(hi));
		const codes = this.codes;
		return {
			mark(mask) {
				for (let i = 0; i < codes.length; i++) mask[i] &= codes[i] >= a && codes[i] <= b;
			},
			ends: [q.value(a), q.value(b)],
			where: this.where && this.#where(a, b),
		};
	}

	#where(a, b) {
		const q = this.quantiser, all = [];
		for (const { lo, hi, shift } of q.branches) {
			let from = a <= 1 ? lo ?? q.from[0] : q.least(a, shift);
			let to = b >= q.last ? hi : q.least(b + 1, shift);
			if (lo !== null && from < lo) from = lo;
			if (hi !== null && to > hi) to = hi;
			if (to !== null && !(from < to)) continue;
			const end = to === null ? `<= ${q.from[3]}` : `< ${to}`;
			all.push(`${this.where} >= ${from} and ${this.where} ${end}`);
		}
		if (!all.length) return 'false';
		return all.length === 1 ? all[0] : `(${all.map(c => `(${c})`).join(' or ')})`;
	}
}

/** A column that --html-columns embeds exactly, as text. */
export class Exact extends Column {
	constructor(k, meta, lines) {
		super(meta);
		this.k = k;
		this.lines = lines; // resolves to the Lines of all exact columns
	}

	/** Makes it a column that can be on an axis. */
	async chart(rows) {
		if (this.values) return;
		const lines = await this.lines(), values = new Float64Array(rows);
		for (let i = 0; i < rows; i++) {
			const t = lines.cells(i)[this.k], v = t ? Number(t) : NaN;
			values[i] = Math.abs(v) <= 1e300 ? v : NaN;
		}
		this.place(values, quantiles(values));
		this.values = values;
	}

	number(i) {
		return this.values[i];
	}

	step() {
		return 2e-7; // of float32
	}

	within(lo, hi) {
		// Bounds of as many digits as the width is worth: the values are exact.
		const digits = Math.max(0, Math.ceil(3 - Math.log10((hi - lo) * this.half || 1)));
		const round = v => (digits > 15 || Math.abs(v) > 1e15 ? v : Number(v.toFixed(digits)));
		const a = round(this.value(lo)), b = round(this.value(hi)), values = this.values;
		return {
			mark(mask) {
				for (let i = 0; i < values.length; i++) mask[i] &= values[i] >= a && values[i] <= b;
			},
			ends: [a, b],
			where: this.where && `${this.where} >= ${a} and ${this.where} <= ${b}`,
		};
	}
}
