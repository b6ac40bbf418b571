import { block, planes } from './blocks.js';
import { frame, ticks } from './axes.js';
import { escaped, FONT, svgOf } from './ink.js';
import { colourOf, styleOf } from './palette.js';
import { commandOf, download, pngFile, svgFile } from './save.js';
import { copy, shellOf, Theme } from './shell.js';

const tools = '<button type="button" id="home" title="Whole view (0)">Whole view</button><button type="button" id="png" title="The view as a picture">PNG</button><button type="button" id="svg" title="The view as a drawing">SVG</button>';

const short = v => String(Number(v.toPrecision(5)));
const number = v => v.toLocaleString('en');

/** A scale of an axis: from values to [0, 1] and back. */
function scaleOf(lo, hi, log) {
	const f = log ? Math.log : v => v, g = log ? Math.exp : v => v;
	return { lo, hi, log, to: v => (f(v) - f(lo)) / (f(hi) - f(lo)), from: t => g(f(lo) + t * (f(hi) - f(lo))) };
}

// rangeOf is a range around positive values, and whether it spans two decades.
function rangeOf(values) {
	let lo = Infinity, hi = 0;
	for (const v of values) if (v > 0 && v < Infinity) { lo = Math.min(lo, v); hi = Math.max(hi, v); }
	if (!(hi > 0)) return scaleOf(0, 1, false);
	return hi / lo > 100 ? scaleOf(lo / 1.2, hi * 1.2, true) : scaleOf(0, hi * 1.08, false);
}

/** What a chart picks at most: what it is, and the command that follows from it. */
class Chart {
	static async open(meta) {
		const c = new this();
		c.meta = meta;
		await c.load();
		const { main, status, keys } = shellOf(meta, tools);
		Object.assign(c, { status, keys });
		main.innerHTML = `<div id="chart"><section class="panel" tabindex="0" aria-label="${escaped(c.what)}"><div class="plot"><svg xmlns="http://www.w3.org/2000/svg"></svg></div></section></div>
			<aside><h2>Chosen</h2><div id="list"><table><tbody></tbody></table></div><div id="chosen"><p>${escaped(c.hint)}</p>
			<textarea id="where" readonly aria-label="Command line of what is chosen" spellcheck="false"></textarea><div><button type="button" id="copycommand">Copy command</button></div></div></aside>`;
		c.el = main.querySelector('.panel');
		c.plot = main.querySelector('.plot');
		c.svg = main.querySelector('svg');
		new Theme(colours => { c.theme = colours; c.draw(); });
		new ResizeObserver(() => c.draw()).observe(c.plot);
		c.listen();
		c.draw();
		c.pick(c.start());
		return c;
	}

	get box() {
		return { x: 66, y: 10, w: Math.max(this.width - 80, 20), h: Math.max(this.height - 54, 20) };
	}

	px(v) { const b = this.box; return b.x + this.x.to(v) * b.w; }
	py(v) { const b = this.box; return b.y + b.h - Math.min(Math.max(this.y.to(v), -0.01), 1.01) * b.h; }
	vx(p) { const b = this.box; return this.x.from((p - b.x) / b.w); }
	vy(p) { const b = this.box; return this.y.from((b.y + b.h - p) / b.h); }

	draw() {
		if (!this.plot || !this.theme) return;
		const r = this.plot.getBoundingClientRect();
		this.width = r.width;
		this.height = r.height;
		this.svg.setAttribute('font-family', FONT);
		this.svg.innerHTML = svgOf(this.furniture());
	}

	furniture() {
		const b = this.box, { theme } = this;
		const axes = frame({
			box: b, theme, xLabel: this.xLabel, yLabel: this.yLabel,
			x: { ticks: ticks(this.x.lo, this.x.hi, b.w, { log: this.x.log }), at: v => this.px(v) },
			y: { ticks: ticks(this.y.lo, this.y.hi, b.h, { log: this.y.log, across: false }).filter(t => t.value <= (this.highest ?? Infinity)), at: v => this.py(v) },
		});
		return [...this.drawing(), ...axes];
	}

	/** Says what is chosen: lines of a table, and the words of a command. */
	tell(lines, words) {
		document.querySelector('#list tbody').innerHTML = lines.map(([k, v]) => `<tr><td style="text-align:left">${escaped(k)}</td><td>${escaped(v)}</td></tr>`).join('');
		this.words = words;
		this.command = words ? commandOf(words) : '';
		document.getElementById('where').value = this.command;
		this.status.textContent = lines.slice(0, 2).map(l => l.join(' ')).join(', ');
		this.draw();
	}

	zoom(by, at) {
		if (!this.whole) return;
		const { lo, hi } = this.x, span = Math.min(Math.max((hi - lo) * by, 10), this.whole.hi - this.whole.lo);
		const from = Math.min(Math.max(at - ((at - lo) / (hi - lo)) * span, this.whole.lo), this.whole.hi - span);
		this.x = scaleOf(from, from + span, false);
		this.draw();
	}

	listen() {
		const at = e => { const r = this.plot.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
		this.plot.addEventListener('click', e => { this.el.focus(); this.pick(this.near(...at(e))); });
		this.plot.addEventListener('wheel', e => {
			if (!this.whole) return;
			e.preventDefault();
			this.zoom(Math.exp(Math.min(Math.max(e.deltaY, -200), 200) * 0.003), this.vx(at(e)[0]));
		}, { passive: false });
		const keys = {
			'+': () => this.zoom(0.7, (this.x.lo + this.x.hi) / 2), '-': () => this.zoom(1 / 0.7, (this.x.lo + this.x.hi) / 2), 0: () => this.home(),
			t: () => document.getElementById('theme').click(), '?': () => this.keys.showModal(),
		};
		for (const [key, dx, dy] of [['ArrowLeft', -1, 0], ['ArrowRight', 1, 0], ['ArrowUp', 0, 1], ['ArrowDown', 0, -1]]) keys[key] = () => this.pick(this.step(dx, dy));
		addEventListener('keydown', e => {
			if (e.target.closest?.('textarea, dialog') || e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
			e.preventDefault();
			keys[e.key]();
		});
		const on = (id, does) => document.getElementById(id).addEventListener('click', does);
		const view = () => ({ width: Math.round(this.width), height: Math.round(this.height), ground: this.theme.ground, title: this.meta.title, parts: [{ x: 0, y: 0, furniture: this.furniture() }] });
		const name = this.meta.file.replace(/\.html?$/i, '') || 'chart';
		on('home', () => this.home());
		on('png', async () => download(`${name}.png`, await pngFile(view())));
		on('svg', () => download(`${name}.svg`, svgFile(view())));
		on('copycommand', () => copy(this.command, t => { this.status.textContent = t; }));
	}

	home() {
		if (this.whole) this.x = this.whole;
		this.draw();
	}

	/** A radius with few digits and its unit, as flags have it. */
	radius(v) {
		return short(v) + this.meta.unit;
	}

	line(points, more) {
		return { kind: 'line', points, ...more };
	}
}

/** What DBSCAN finds over radii: a click takes the nearest radius. */
export class ScanChart extends Chart {
	what = 'share of rows over the radius';
	hint = 'Click at a radius, or take it with the arrows.';

	async load() {
		const s = this.meta.steps, unit = this.meta.label;
		this.x = scaleOf(s[0]?.eps / 1.02 || 0.5, s.at(-1)?.eps * 1.02 || 1, true);
		this.y = scaleOf(0, 1.12, false);
		this.xLabel = unit ? `ε (${unit})` : 'ε';
		this.yLabel = 'share';
		this.highest = 1;
	}

	start() { return this.meta.chosen; }
	step(dx) { return Math.min(Math.max((this.chosen ?? 0) + dx, 0), this.meta.steps.length - 1); }

	near(px) {
		const d = s => Math.abs(this.px(s.eps) - px);
		return this.meta.steps.reduce((best, s, k, all) => (d(s) < d(all[best]) ? k : best), 0);
	}

	drawing() {
		const { theme, meta: { steps, first, last, found } } = this, b = this.box, list = [];
		if (found) list.push({ kind: 'box', x: this.px(steps[first].eps), y: b.y, w: this.px(steps[last].eps) - this.px(steps[first].eps), h: b.h, fill: theme.clusters[4], opacity: 0.2 });
		[['clustered', 'rows in clusters', ''], ['largest', 'rows in the largest', '7 3'], ['stability', 'stability', '2 3']].forEach(([key, name, dash], k) => {
			let run = [];
			const stroke = theme.clusters[k], end = () => { if (run.length) list.push(this.line(run, { stroke, width: 2, dash })); run = []; };
			for (const s of steps) s[key] === null ? end() : run.push([this.px(s.eps), this.py(s[key])]);
			end();
			list.push(this.line([[b.x + 12, b.y + 14 + 16 * k], [b.x + 44, b.y + 14 + 16 * k]], { stroke, width: 2, dash }), { kind: 'text', text: name, x: b.x + 50, y: b.y + 18 + 16 * k, size: 12, colour: theme.ink, halo: theme.ground });
		});
		if (this.chosen !== undefined) {
			const x = this.px(steps[this.chosen].eps);
			list.push(this.line([[x, b.y], [x, b.y + b.h]], { stroke: theme.ink, dash: '5 3', width: 1.5 }));
		}
		return list;
	}

	pick(k) {
		const s = this.meta.steps[k];
		if (!s) return;
		this.chosen = k;
		const percent = v => (v === null ? '–' : `${(100 * v).toFixed(2)} %`);
		this.tell([['ε', s.text], ['clusters', number(s.clusters)], ['rows in clusters', percent(s.clustered)], ['rows in the largest', percent(s.largest)], ['stability', percent(s.stability)],
			['in the plateau', this.meta.found && k >= this.meta.first && k <= this.meta.last ? 'yes' : 'no']],
		[...this.meta.command, `--eps=${s.text}`, '-o', 'labelled.parquet']);
	}
}

/** Reachability in the order: a click takes a distance, at which clusters are cut. */
export class ReachabilityChart extends Chart {
	what = 'reachability of rows in order';
	hint = 'Click at a distance, or move it with the arrows; the wheel zooms.';

	async load() {
		const n = this.meta.rows, floats = async name => new Float32Array(planes(await block(name), n).buffer);
		this.reach = await floats('reach');
		this.core = await floats('core');
		const stored = this.meta.labelled ? planes(await block('labels'), n) : null;
		this.styles = Uint8Array.from(this.reach, (_, i) => (stored ? (stored[i] ? styleOf(stored[i] - 1) : 0) : 1));
		this.x = this.whole = scaleOf(0, Math.max(n, 1), false);
		this.y = rangeOf(this.reach);
		this.xLabel = 'rows in order';
		this.yLabel = this.meta.label ? `reachability (${this.meta.label})` : 'reachability';
	}

	start() { return this.y.from(0.5); }
	near(px, py) { return this.vy(py); }
	step(dx, dy) { return this.vy(this.py(this.chosen) - dy * 3 - dx); }

	drawing() {
		const { theme, reach } = this, b = this.box, list = [], from = Math.max(Math.floor(this.x.lo), 0), to = Math.min(Math.ceil(this.x.hi), reach.length);
		const bars = Math.min(to - from, Math.floor(b.w)), foot = b.y + b.h;
		for (let k = 0; k < bars; k++) {
			const lo = from + Math.floor((k * (to - from)) / bars), hi = from + Math.floor(((k + 1) * (to - from)) / bars);
			let least = Infinity, most = 0, at = lo;
			for (let i = lo; i < hi; i++) {
				const v = Math.min(reach[i], this.y.hi);
				if (v < least) { least = v; at = i; }
				most = Math.max(most, v);
			}
			const x = this.px(lo), w = Math.max(this.px(hi) - x, 0.5), fill = colourOf(theme, this.styles[at]);
			const bar = (v, opacity) => { const y = this.py(v); if (y < foot) list.push({ kind: 'box', x, y, w, h: foot - y, fill, opacity }); };
			if (hi - lo > 1) bar(most, 0.35);
			bar(least, 1);
		}
		if (this.chosen) {
			const y = this.py(this.chosen);
			list.push(this.line([[b.x, y], [b.x + b.w, y]], { stroke: theme.ground, width: 4 }), this.line([[b.x, y], [b.x + b.w, y]], { stroke: theme.ink, dash: '5 3', width: 1.5 }));
		}
		return list;
	}

	pick(distance) {
		if (!(distance > 0)) return;
		const eps = (this.chosen = Number(distance.toPrecision(4)));
		let clusters = 0, noise = 0, size = 0, largest = 0;
		for (let i = 0; i < this.reach.length; i++) {
			if (this.reach[i] > eps) {
				if (this.core[i] > eps) { noise++; continue; }
				clusters++;
				size = 0;
			}
			if (clusters) largest = Math.max(largest, ++size);
		}
		this.tell([['ε', this.radius(eps)], ['clusters', number(clusters)], ['largest', number(largest)], ['noise', number(noise)], ['rows', number(this.reach.length)]],
			[...this.meta.command, `--extract=dbscan:${this.radius(eps)}`, '-o', 'ordered.parquet']);
	}
}

/** A condensed tree: a click takes the cluster there, and the distance. */
export class TreeChart extends Chart {
	what = 'condensed tree: clusters by distance';
	hint = 'Click at a cluster, or go to the one above, below or beside with the arrows.';

	async load() {
		const { clusters } = this.meta, n = clusters.length;
		const next = new Float64Array(n), below = new Float64Array(n);
		for (const k of clusters) if (k.parent >= 0) below[k.parent] += k.rows;
		clusters.forEach((k, id) => {
			const left = k.parent < 0 ? 0 : next[k.parent];
			if (k.parent >= 0) next[k.parent] += k.rows;
			k.middle = left + k.rows / 2;
			next[id] = k.middle - below[id] / 2;
		});
		this.x = this.whole = scaleOf(0, clusters[0]?.rows || 1, false);
		this.y = rangeOf(clusters.flatMap(k => [k.birth, k.death]));
		this.xLabel = 'rows';
		this.yLabel = this.meta.label ? `distance (${this.meta.label})` : 'distance';
	}

	top(k) { return k.birth === null ? this.y.hi : k.birth; }
	start() { const id = this.meta.clusters.findIndex(k => k.label === 0); return id < 0 ? null : { id, at: this.#between(id) }; }
	#between(id) { const k = this.meta.clusters[id]; return this.vy((this.py(this.top(k)) + this.py(k.death)) / 2); }

	step(dx, dy) {
		const all = this.meta.clusters, id = this.chosen?.id ?? 0, k = all[id];
		let to = -1;
		if (dy > 0) to = k.parent;
		else if (dy < 0) to = all.findIndex(c => c.parent === id);
		else for (let i = id + dx; i >= 0 && i < all.length && to < 0; i += dx) if (all[i].parent === k.parent) to = i;
		return to < 0 ? null : { id: to, at: this.#between(to) };
	}

	near(px, py) {
		const v = this.vy(py), x = this.vx(px);
		let id = -1;
		this.meta.clusters.forEach((k, i) => {
			if (v <= this.top(k) && v >= k.death && Math.abs(x - k.middle) <= Math.max(k.rows / 2, (this.x.hi - this.x.lo) * 0.004)) id = i;
		});
		return { id, at: v };
	}

	drawing() {
		const { theme } = this, b = this.box, list = [];
		this.meta.clusters.forEach((k, id) => {
			const cut = v => Math.min(Math.max(this.px(v), b.x), b.x + b.w);
			const [x0, x1, x2, x3] = [k.middle - k.rows / 2, k.middle + k.rows / 2, k.middle + k.left / 2, k.middle - k.left / 2].map(cut);
			if (x1 <= b.x || x0 >= b.x + b.w || (x1 - x0 < 0.3 && id !== this.chosen?.id)) return;
			const chosen = id === this.chosen?.id, colour = colourOf(theme, k.label < 0 ? 0 : styleOf(k.label)), y0 = this.py(this.top(k)), y1 = this.py(k.death);
			list.push(this.line([[x0, y0], [x1, y0], [x2, y1], [x3, y1], [x0, y0]], { fill: colour + (k.label < 0 ? '55' : 'aa'), stroke: chosen ? theme.ink : colour, width: chosen ? 2.5 : 1 }));
		});
		if (this.chosen) {
			const y = this.py(this.chosen.at);
			list.push(this.line([[b.x, y], [b.x + b.w, y]], { stroke: theme.ink, dash: '5 3' }));
		}
		return list;
	}

	pick(chosen) {
		if (!chosen || !(chosen.at > 0)) return;
		this.chosen = chosen;
		const k = this.meta.clusters[chosen.id], cut = this.radius(chosen.at), { labels } = this.meta;
		const lines = [['distance', cut]];
		if (k) lines.push(['node', String(chosen.id)], ['cluster', k.label < 0 ? 'not selected' : String(k.label)], ['rows', number(k.rows)],
			['begins at', k.birth === null ? '–' : this.radius(k.birth)], ['ends at', this.radius(k.death)]);
		// A selected cluster is taken from the labelled table; else the tree is cut.
		const words = k && k.label >= 0 ? ['convert', labels.output || 'LABELLED', `--where=${labels.where} = ${k.label}`, '-o', `cluster_${k.label}.csv`] : this.meta.command && [...this.meta.command, `--cut=${cut}`, '-o', 'labelled.parquet'];
		this.tell(lines, words);
	}
}
