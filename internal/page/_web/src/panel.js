import { MISSING } from './column.js';
import { frame, scaleBar, ticks } from './axes.js';
import { escaped, FONT, svgOf } from './ink.js';
import { plain } from './label.js';
import { mark } from './marks.js';
import { markerPath } from './palette.js';

const LEFT = 62, RIGHT = 10, TOP = 8, BELOW = 42;

// Sizes and faintness of points, for so many that are in view.
const looks = [[300, 6.5, 0.9], [2000, 5, 0.85], [10000, 3.2, 0.7], [50000, 2, 0.45], [200000, 1.5, 0.3], [Infinity, 1, 0.25]];

/** One view of the rows: two columns, of which a window is shown. */
export class Panel {
	constructor(app, axes) {
		this.app = app;
		this.boxes = []; // brushed, in u
		this.el = document.createElement('section');
		this.el.className = 'panel';
		this.el.tabIndex = 0;
		this.el.innerHTML = '<div class="axes"></div><div class="plot"><canvas></canvas><svg xmlns="http://www.w3.org/2000/svg"></svg></div>';
		this.plot = this.el.querySelector('.plot');
		this.canvas = this.el.querySelector('canvas');
		this.svg = this.el.querySelector('svg');
		this.base = document.createElement('canvas');
		this.marks = document.createElement('canvas');
		this.#chooser();
		this.show(axes);
		this.#listen();
	}

	/** Shows two columns. */
	async show({ x, y, flipX = false, flipY = false, sky = false, equal = false }) {
		Object.assign(this, { x, y, flipX, flipY, sky, equal });
		this.el.setAttribute('aria-label', `${plain(y.label)} over ${plain(x.label)}`);
		this.el.dataset.x = x.name;
		this.el.dataset.y = y.name;
		for (const [axis, column] of [['x', x], ['y', y]]) {
			const s = this.el.querySelector(`select.${axis}`);
			s.value = String(this.app.columns.indexOf(column));
		}
		this.boxes = [];
		this.reset();
	}

	#chooser() {
		const bar = this.el.querySelector('.axes');
		const options = this.app.columns.map((c, i) => `<option value="${i}">${escaped(plain(c.label))}</option>`).join('');
		bar.innerHTML = `<label>x <select class="x">${options}</select></label><label>y <select class="y">${options}</select></label>
			<button type="button" class="flip" title="Turn the y axis (i)">⇅</button>
			<button type="button" class="home" title="Whole view (0)">⌂</button>
			<button type="button" class="close" title="Remove the panel">×</button>`;
		for (const axis of ['x', 'y']) {
			bar.querySelector(`select.${axis}`).addEventListener('change', async e => {
				const c = await this.app.chartable(Number(e.target.value));
				this.show({ x: this.x, y: this.y, [axis]: c, ...this.app.habits(axis === 'x' ? c : this.x, axis === 'y' ? c : this.y) });
				this.app.changed(this);
			});
		}
		bar.querySelector('.flip').addEventListener('click', () => this.turn());
		bar.querySelector('.home').addEventListener('click', () => this.reset());
		bar.querySelector('.close').addEventListener('click', () => this.app.remove(this));
	}

	turn() {
		this.flipY = !this.flipY;
		const w = this.window;
		[w.y0, w.y1] = [w.y1, w.y0];
		this.redraw();
	}

	/** Shows all rows but the outermost of columns that are not positions. */
	reset() {
		const ends = (c, whole) => {
			let lo = c.lo, hi = c.hi;
			if (!whole && hi - lo > 2 * (c.far - c.near)) {
				lo = Math.max(lo, c.near - 0.25 * (c.far - c.near));
				hi = Math.min(hi, c.far + 0.25 * (c.far - c.near));
			}
			const pad = 0.03 * (hi - lo) || 0.5;
			return [lo - pad, hi + pad];
		};
		const [x0, x1] = ends(this.x, this.equal || this.sky), [y0, y1] = ends(this.y, this.equal || this.sky);
		this.window = this.flipX ? { x0: x1, x1: x0 } : { x0, x1 };
		Object.assign(this.window, this.flipY ? { y0: y1, y1: y0 } : { y0, y1 });
		this.#fit(true);
		this.home = true;
		this.redraw();
	}

	/** Where the data are, in CSS pixels of the plot. */
	get box() {
		return { x: LEFT, y: TOP, w: Math.max(this.width - LEFT - RIGHT, 20), h: Math.max(this.height - TOP - BELOW, 20) };
	}

	get squeeze() { // of right ascension at the middle of the view
		if (!this.sky) return 1;
		const dec = this.y.value((this.window.y0 + this.window.y1) / 2);
		return Math.max(Math.cos((Math.min(Math.max(dec, -90), 90) * Math.PI) / 180), 0.02);
	}

	// fit keeps the window within limits, and degrees of both axes equally long.
	#fit(grow) {
		const w = this.window, b = this.box;
		const limit = (lo, hi, c, pixels) => {
			const mid = (lo + hi) / 2, sign = Math.sign(hi - lo) || 1;
			const least = pixels * c.step(Math.min(lo, hi), Math.max(lo, hi)), most = 4 * Math.max(c.hi - c.lo, 1e-9);
			const span = Math.min(Math.max(Math.abs(hi - lo), least), Math.max(most, least));
			const at = Math.min(Math.max(mid, c.lo), c.hi);
			return [at - (sign * span) / 2, at + (sign * span) / 2];
		};
		[w.x0, w.x1] = limit(w.x0, w.x1, this.x, b.w);
		[w.y0, w.y1] = limit(w.y0, w.y1, this.y, b.h);
		if (!this.sky && !this.equal) return;
		const px = (Math.abs(w.x1 - w.x0) * this.x.half * this.squeeze) / b.w, py = (Math.abs(w.y1 - w.y0) * this.y.half) / b.h;
		const per = grow ? Math.max(px, py) : Math.sqrt(px * py);
		const widen = (lo, hi, by) => [(lo + hi) / 2 - ((hi - lo) / 2) * by, (lo + hi) / 2 + ((hi - lo) / 2) * by];
		[w.x0, w.x1] = widen(w.x0, w.x1, per / px);
		[w.y0, w.y1] = widen(w.y0, w.y1, per / py);
	}

	/** Place on the page of places in the columns, and back. */
	px(u) { const b = this.box, w = this.window; return b.x + ((u - w.x0) / (w.x1 - w.x0)) * b.w; }
	py(u) { const b = this.box, w = this.window; return b.y + b.h - ((u - w.y0) / (w.y1 - w.y0)) * b.h; }
	ux(p) { const b = this.box, w = this.window; return w.x0 + ((p - b.x) / b.w) * (w.x1 - w.x0); }
	uy(p) { const b = this.box, w = this.window; return w.y0 + ((b.y + b.h - p) / b.h) * (w.y1 - w.y0); }

	zoom(by, px, py, axes = 'xy') {
		const w = this.window, ux = this.ux(px), uy = this.uy(py);
		if (this.sky || this.equal) axes = 'xy';
		if (axes.includes('x')) { w.x0 = ux + (w.x0 - ux) * by; w.x1 = ux + (w.x1 - ux) * by; }
		if (axes.includes('y')) { w.y0 = uy + (w.y0 - uy) * by; w.y1 = uy + (w.y1 - uy) * by; }
		this.#fit(false);
		this.home = false;
		this.redraw();
	}

	pan(dx, dy) {
		const b = this.box, w = this.window;
		const x = (-dx / b.w) * (w.x1 - w.x0), y = (dy / b.h) * (w.y1 - w.y0);
		w.x0 += x; w.x1 += x; w.y0 += y; w.y1 += y;
		this.#fit(false);
		this.home = false;
		this.redraw();
	}

	resize() {
		const r = this.plot.getBoundingClientRect();
		if (r.width === this.width && r.height === this.height) return;
		this.width = r.width;
		this.height = r.height;
		this.dpr = Math.min(window.devicePixelRatio || 1, 2);
		this.canvas.width = Math.round(r.width * this.dpr);
		this.canvas.height = Math.round(r.height * this.dpr);
		for (const c of [this.base, this.marks]) {
			c.width = Math.round(this.box.w * this.dpr);
			c.height = Math.round(this.box.h * this.dpr);
		}
		if (this.home) this.reset();
		else this.#fit(false);
		this.redraw();
	}

	redraw() {
		this.stale = 'all';
		this.app.schedule();
	}

	// count tells how many rows are in view, and the most in a dot of so many pixels.
	#count(dot) {
		const { x: { u: xs }, y: { u: ys }, window: w } = this, n = xs.length, b = this.box;
		const x0 = Math.min(w.x0, w.x1), x1 = Math.max(w.x0, w.x1), y0 = Math.min(w.y0, w.y1), y1 = Math.max(w.y0, w.y1);
		const nx = Math.ceil(b.w / dot), ny = Math.ceil(b.h / dot), fx = nx / (x1 - x0), fy = ny / (y1 - y0);
		const cells = new Uint32Array(nx * ny), stride = Math.ceil(n / 1e6);
		let seen = 0, most = 0;
		for (let i = 0; i < n; i += stride) {
			const x = xs[i], y = ys[i];
			if (x > x0 && x < x1 && y > y0 && y < y1) {
				seen++;
				const k = ++cells[((y - y0) * fy | 0) * nx + ((x - x0) * fx | 0)];
				if (k > most) most = k;
			}
		}
		return { seen: seen * stride, most: most * stride };
	}

	/** Draws what has changed. */
	draw() {
		if (!this.stale || !this.width) return;
		const { renderer, styles, theme, order: selected } = this.app, b = this.box;
		const size = { width: this.base.width, height: this.base.height };
		const view = { x: this.x, y: this.y, window: this.window };
		if (this.stale === 'all') {
			const dot = 3, { seen, most } = this.#count(dot);
			[, this.dot, this.faint] = looks.find(l => seen <= l[0]);
			const share = Math.min((this.dot / dot) ** 2, 1);
			renderer.density(this.base.getContext('2d', { willReadFrequently: true }), view, styles, theme, { ...size, size: this.dot * this.dpr, full: Math.max(2 * most * share, 1), faint: this.faint });
			this.seen = seen;
		}
		if (selected) mark(this.marks.getContext('2d', { willReadFrequently: true }), view, selected, styles, theme, { ...size, size: Math.max(this.dot + 1, 2.2) * this.dpr });
		const ctx = this.canvas.getContext('2d', { willReadFrequently: true });
		ctx.clearRect(0, 0, this.canvas.width, this.canvas.height);
		ctx.globalAlpha = selected ? 0.3 : 1;
		ctx.drawImage(this.base, Math.round(b.x * this.dpr), Math.round(b.y * this.dpr));
		ctx.globalAlpha = 1;
		if (selected) ctx.drawImage(this.marks, Math.round(b.x * this.dpr), Math.round(b.y * this.dpr));
		this.furnish();
		this.stale = '';
	}

	/** Draws frame, brush and what the pointer is at. */
	furnish() {
		this.svg.setAttribute('width', this.width);
		this.svg.setAttribute('height', this.height);
		this.svg.setAttribute('font-family', FONT);
		this.svg.innerHTML = svgOf([...this.furniture(), ...this.#brush(), ...this.#pointed()]);
	}

	/** Frame, scale and boxes, as primitives. */
	furniture() {
		const { theme } = this.app, b = this.box, w = this.window;
		const ends = (c, lo, hi) => [c.value(lo), c.value(hi)];
		const turn = !!this.x.meta.branches;
		const list = frame({
			box: b, theme, xLabel: this.x.label, yLabel: this.y.label,
			x: { ticks: ticks(...ends(this.x, w.x0, w.x1), b.w, { turn }), at: v => this.px((v - this.x.middle) / this.x.half) },
			y: { ticks: ticks(...ends(this.y, w.y0, w.y1), b.h, { across: false, turn: !!this.y.meta.branches }), at: v => this.py((v - this.y.middle) / this.y.half) },
		});
		if (this.sky) {
			const bar = scaleBar((Math.abs(w.y1 - w.y0) * this.y.half) / b.h, b.w / 3);
			if (bar) {
				const x = b.x + 12, y = b.y + b.h - 12;
				list.push({ kind: 'line', points: [[x, y - 4], [x, y], [x + bar.length, y], [x + bar.length, y - 4]], stroke: theme.ground, width: 4 });
				list.push({ kind: 'line', points: [[x, y - 4], [x, y], [x + bar.length, y], [x + bar.length, y - 4]], stroke: theme.ink, width: 1.5 });
				list.push({ kind: 'text', text: bar.text, x: x + bar.length / 2, y: y - 6, size: 11, anchor: 'middle', colour: theme.ink, halo: theme.ground });
			}
		}
		for (const k of this.boxes) list.push(this.#rectangle(k, {}));
		return list;
	}

	#rectangle(k, more) {
		const b = this.box, { theme } = this.app;
		const cut = (v, lo, hi) => Math.min(Math.max(v, lo), hi);
		const xs = [this.px(k.x0), this.px(k.x1)].map(v => cut(v, b.x, b.x + b.w)), ys = [this.py(k.y0), this.py(k.y1)].map(v => cut(v, b.y, b.y + b.h));
		return { kind: 'box', x: Math.min(...xs), y: Math.min(...ys), w: Math.abs(xs[1] - xs[0]), h: Math.abs(ys[1] - ys[0]), stroke: theme.ink, dash: '5 3', fill: theme.ink, opacity: 0.05, width: 1.2, ...more };
	}

	#brush() {
		return this.dragged ? [this.#rectangle(this.dragged, {})] : [];
	}

	#pointed() {
		const i = this.app.pointed;
		if (i < 0 || !this.x.has(i) || !this.y.has(i)) return [];
		const x = this.px(this.x.u[i]), y = this.py(this.y.u[i]), b = this.box, { theme } = this.app;
		if (x < b.x || x > b.x + b.w || y < b.y || y > b.y + b.h) return [];
		return [
			{ kind: 'path', path: 'M-9,0A9,9 0 1 0 9,0A9,9 0 1 0 -9,0Z', x, y, stroke: theme.ink },
			{ kind: 'path', path: markerPath(this.app.styles[i], 4), x, y, fill: this.app.colour(this.app.styles[i]), stroke: theme.ink },
		];
	}

	/** Row that is nearest to a place, within some pixels, else -1. */
	nearest(px, py, within = 12) {
		const { x: { u: xs }, y: { u: ys }, window: w } = this, b = this.box;
		const fx = b.w / (w.x1 - w.x0), fy = b.h / (w.y1 - w.y0), ux = this.ux(px), uy = this.uy(py);
		const rx = Math.abs(within / fx);
		let best = -1, least = within * within;
		for (let i = 0; i < xs.length; i++) {
			const dx = xs[i] - ux;
			if (dx > rx || dx < -rx) continue;
			const d = (dx * fx) ** 2 + ((ys[i] - uy) * fy) ** 2;
			if (d < least && ys[i] < MISSING) { least = d; best = i; }
		}
		return best;
	}

	inside(px, py) {
		const b = this.box;
		return px >= b.x && px <= b.x + b.w && py >= b.y && py <= b.y + b.h;
	}

	/** Brushes a box, in pixels of the plot; with add beside those that are there. */
	brush(x0, y0, x1, y1, add = false) {
		const box = { x0: this.ux(x0), x1: this.ux(x1), y0: this.uy(y0), y1: this.uy(y1) };
		this.boxes = add ? [...this.boxes, box] : [box];
		this.app.changed(this);
	}

	clear() {
		this.boxes = [];
		this.app.changed(this);
	}

	#listen() {
		const at = e => {
			const r = this.plot.getBoundingClientRect();
			return [e.clientX - r.left, e.clientY - r.top];
		};
		let from = null, last = null, panning = false;
		this.plot.addEventListener('pointerdown', e => {
			if (e.button > 1) return;
			const [x, y] = at(e);
			from = last = [x, y];
			panning = this.app.mode === 'pan' || e.button === 1 || e.altKey || !this.inside(x, y);
			this.plot.setPointerCapture(e.pointerId);
			this.app.point(-1);
		});
		this.plot.addEventListener('pointermove', e => {
			const [x, y] = at(e);
			if (!from) return this.app.hover(this, x, y, e);
			if (panning) this.pan(x - last[0], y - last[1]);
			else {
				const b = this.box, cx = Math.min(Math.max(x, b.x), b.x + b.w), cy = Math.min(Math.max(y, b.y), b.y + b.h);
				this.dragged = { x0: this.ux(from[0]), x1: this.ux(cx), y0: this.uy(from[1]), y1: this.uy(cy) };
				this.adding = e.shiftKey;
				this.app.brushing(this);
			}
			last = [x, y];
		});
		const end = e => {
			if (!from) return;
			const [x, y] = at(e), far = Math.hypot(x - from[0], y - from[1]) > 4, box = this.dragged;
			from = this.dragged = null;
			if (panning) return;
			if (e.type === 'pointercancel') return this.app.changed(this);
			if (far && box) {
				this.boxes = e.shiftKey ? [...this.boxes, box] : [box];
				this.app.changed(this);
			} else if (this.boxes.length) this.clear();
			else this.app.changed(this);
		};
		this.plot.addEventListener('pointerup', end);
		this.plot.addEventListener('pointercancel', end);
		this.plot.addEventListener('pointerleave', () => this.app.point(-1));
		this.plot.addEventListener('dblclick', () => this.reset());
		this.plot.addEventListener('wheel', e => {
			e.preventDefault();
			const [x, y] = at(e), b = this.box;
			const axes = x < b.x ? 'y' : y > b.y + b.h ? 'x' : 'xy';
			this.zoom(Math.exp(Math.min(Math.max(e.deltaY * (e.deltaMode === 1 ? 16 : 1), -200), 200) * 0.003), x, y, axes);
		}, { passive: false });
		this.el.addEventListener('keydown', e => {
			if (e.target !== this.el || e.ctrlKey || e.metaKey) return;
			const b = this.box, mx = b.x + b.w / 2, my = b.y + b.h / 2;
			const keys = {
				ArrowLeft: () => this.pan(0.1 * b.w, 0), ArrowRight: () => this.pan(-0.1 * b.w, 0),
				ArrowUp: () => this.pan(0, 0.1 * b.h), ArrowDown: () => this.pan(0, -0.1 * b.h),
				'+': () => this.zoom(0.7, mx, my), '=': () => this.zoom(0.7, mx, my), '-': () => this.zoom(1 / 0.7, mx, my),
				0: () => this.reset(), i: () => this.turn(),
				s: () => this.brush(b.x, b.y, b.x + b.w, b.y + b.h), S: () => this.brush(b.x, b.y, b.x + b.w, b.y + b.h, true),
				Delete: () => this.clear(), Backspace: () => this.clear(),
			};
			if (keys[e.key]) {
				e.preventDefault();
				e.stopPropagation();
				keys[e.key]();
			}
		});
	}
}
