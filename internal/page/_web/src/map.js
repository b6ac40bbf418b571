import { block, Lines, planes, rowNumbers } from './blocks.js';
import { ClusterList } from './clusters.js';
import { Coded, Exact } from './column.js';
import { Renderer } from './gl.js';
import { escaped } from './ink.js';
import { colourOf, styleOf } from './palette.js';
import { Panel } from './panel.js';
import { cell, commandOf, download, pngFile, svgFile } from './save.js';
import { Selection } from './selection.js';
import { copy, shellOf, Theme } from './shell.js';

const MOST_PANELS = 6;

const tools = `<button type="button" id="brush" aria-pressed="true" title="Drag selects (b)">Brush</button><button type="button" id="move" aria-pressed="false" title="Drag moves (p)">Move</button>
	<button type="button" id="add" title="One more panel">+ Panel</button><button type="button" id="clear" title="Clear the selection (Esc)">Clear</button>
	<button type="button" id="png" title="The view as a picture">PNG</button><button type="button" id="svg" title="The view as a drawing">SVG</button>`;

/** The page of a map of clusters: panels that show the same rows. */
export class MapPage {
	static async open(meta) {
		const page = new MapPage();
		await page.#load(meta);
		return page;
	}

	async #load(meta) {
		this.meta = meta;
		this.rows = meta.rows;
		this.panels = [];
		this.mode = 'brush';
		this.pointed = -1;
		this.selected = this.order = null;
		const coded = await Promise.all(meta.columns.map((c, k) => Coded.read(k, c, this.rows)));
		this.exact = (meta.exact ?? []).map((c, k) => new Exact(k, c, () => this.lines()));
		this.drawn = coded;
		this.columns = [...coded, ...this.exact.filter(c => c.meta.number)];
		const rowBytes = await block('rows');
		this.rowOf = rowNumbers(rowBytes, this.rows);
		this.#label(planes(await block('labels'), this.rows));

		const { main, status, keys } = shellOf(meta, tools);
		this.status = status;
		this.keys = keys;
		main.innerHTML = `<div id="panels"></div><aside><h2>Clusters</h2><div id="list"></div><h2>Selection</h2><div id="chosen">
			<p id="count">nothing is selected</p><textarea id="where" readonly aria-label="Command line of the selection" spellcheck="false"></textarea>
			<div><button type="button" id="csv">CSV</button><button type="button" id="copywhere">Copy --where</button><button type="button" id="copycommand">Copy command</button></div></div></aside>`;
		this.grid = document.getElementById('panels');
		this.tip = document.createElement('div');
		this.tip.id = 'tip';
		this.tip.hidden = true;
		document.body.append(this.tip);
		this.renderer = new Renderer();
		this.selection = new Selection(this);
		new Theme(colours => {
			this.theme = colours;
			this.list?.draw();
			for (const p of this.panels) p.redraw();
		});
		this.list = new ClusterList(this, document.getElementById('list'));
		for (const p of meta.panels) this.add(this.habits(coded[p.x], coded[p.y], p));
		this.#listen();
		this.say(`${this.rows.toLocaleString('en')} rows`);
		this.#flush();
	}

	// label counts clusters and gives them styles by size. Labels are stored plus 1.
	#label(stored) {
		const counts = new Map();
		for (let i = 0; i < stored.length; i++) counts.set(stored[i], (counts.get(stored[i]) ?? 0) + 1);
		const all = [...counts].map(([s, rows]) => ({ label: s - 1, rows })).sort((a, b) => b.rows - a.rows || a.label - b.label);
		let rank = 0;
		for (const k of all) k.style = k.label < 0 ? 0 : styleOf(rank++);
		this.labels = all;
		const at = new Map(all.map((k, i) => [k.label + 1, i]));
		this.labelAt = new Uint32Array(stored.length);
		this.styles = new Uint8Array(stored.length);
		let last = -1, index = 0;
		for (let i = 0; i < stored.length; i++) {
			if (stored[i] !== last) index = at.get((last = stored[i]));
			this.labelAt[i] = index;
			this.styles[i] = all[index].style;
		}
	}

	/** Mean of every drawn column by cluster, with the digits that its scatter allows. */
	means() {
		return this.drawn.map(c => {
			const n = new Float64Array(this.labels.length), sum = new Float64Array(n.length), squares = new Float64Array(n.length);
			for (let i = 0; i < this.rows; i++) {
				if (!c.has(i)) continue;
				const k = this.labelAt[i], u = c.u[i];
				n[k]++;
				sum[k] += u;
				squares[k] += u * u;
			}
			return Array.from(n, (count, k) => {
				if (!count) return { mean: -Infinity, text: '' };
				const u = sum[k] / count, mean = c.value(u), error = Math.sqrt(Math.max(squares[k] / count - u * u, 0) / count) * c.half;
				const digits = Math.min(Math.max(Math.ceil(1 - Math.log10(error || 1e-6)), 0), 6);
				return { mean, text: (c.meta.branches ? ((mean % 360) + 360) % 360 : mean).toFixed(digits) };
			});
		});
	}

	/** How two columns are shown together, unless it is said. */
	habits(x, y, said = {}) {
		const { sky, equal } = this.meta, cx = this.drawn.indexOf(x), cy = this.drawn.indexOf(y);
		const isSky = !!sky && cx === 0 && cy === 1;
		return { x, y, sky: isSky, flipX: !!sky && cx === 0, flipY: said.flip ?? !!y.meta.magnitude, equal: !!equal && cx >= 0 && cy >= 0 && cx < equal && cy < equal };
	}

	/** The exact columns, as lines of CSV; null if there are none. */
	lines() {
		this.opened ??= block('exact').then(bytes => bytes && new Lines(bytes, this.rows));
		return this.opened;
	}

	/** A column that can be on an axis. */
	async chartable(index) {
		const c = this.columns[index];
		if (c instanceof Exact) await c.chart(this.rows);
		return c;
	}

	add(axes) {
		if (this.panels.length >= MOST_PANELS) return this.say(`there can be ${MOST_PANELS} panels`);
		const p = new Panel(this, axes);
		this.panels.push(p);
		this.grid.append(p.el);
		this.#arrange();
	}

	remove(panel) {
		if (this.panels.length === 1) return;
		this.panels = this.panels.filter(p => p !== panel);
		this.selection.forget(panel);
		panel.el.remove();
		this.#arrange();
		this.changed();
	}

	#arrange() {
		const n = this.panels.length, narrow = this.grid.clientWidth < 560;
		const across = narrow ? 1 : n <= 1 ? 1 : n <= 4 ? 2 : 3;
		this.grid.style.gridTemplateColumns = `repeat(${across}, minmax(0, 1fr))`;
		this.grid.style.gridAutoRows = 'minmax(0, 1fr)';
		for (const p of this.panels) p.resize();
	}

	schedule() {
		this.frame ??= requestAnimationFrame(() => this.#flush());
	}

	#flush() {
		cancelAnimationFrame(this.frame);
		this.frame = undefined;
		for (const p of this.panels) p.draw();
	}

	/** Follows a brush that is being dragged. */
	brushing(panel) {
		this.dirty = panel;
		this.brushFrame ??= requestAnimationFrame(() => {
			this.brushFrame = undefined;
			this.#select();
		});
	}

	/** Takes up a change of boxes or clusters. */
	changed(panel) {
		if (panel) this.selection.forget(panel);
		this.list?.refresh();
		this.#select();
		this.#tell();
	}

	#select() {
		this.selected = this.selection.rows();
		this.order = this.selected && this.#noiseFirst(this.selected);
		for (const p of this.panels) p.stale ||= 'marks';
		this.#flush();
		const n = this.selected;
		document.getElementById('count').textContent = n ? `${n.length.toLocaleString('en')} of ${this.rows.toLocaleString('en')} rows` : 'nothing is selected';
	}

	// noiseFirst is rows in the order in which they are drawn: clusters are on top.
	#noiseFirst(rows) {
		const out = new Uint32Array(rows.length);
		let k = 0;
		for (const noise of [true, false]) for (let i = 0; i < rows.length; i++) if ((this.styles[rows[i]] === 0) === noise) out[k++] = rows[i];
		return out;
	}

	// tell writes the command line of the selection.
	#tell() {
		const { text, why } = this.selection.where();
		document.getElementById('where').value = why ? `no --where makes this selection: ${why}` : text ? this.command() : '';
		this.say(this.selected ? document.getElementById('count').textContent + ' selected' : '');
	}

	/** The command that takes the selected rows from the file, and its words. */
	command() {
		const words = this.words();
		return words ? commandOf(words) : '';
	}

	words() {
		const { text } = this.selection.where(), { take, labels } = this.meta;
		if (!text) return null;
		// Labels may be in the output of the run alone.
		const from = this.selection.clusters.size && !labels.inCatalog ? [labels.output || 'LABELLED'] : take;
		return ['convert', ...from, `--where=${text}`, '-o', 'selection.csv'];
	}

	/** The selection as CSV: row number, cluster, and the exact columns. */
	async csv() {
		const exact = await this.lines(), rest = row => (exact ? ',' + exact.line(row) : '');
		const lines = [`row,${cell(this.meta.labels.name)}${rest(-1)}`];
		for (const i of this.selected ?? []) lines.push(`${this.rowOf[i]},${this.labels[this.labelAt[i]].label}${rest(i)}`);
		return lines.join('\n') + '\n';
	}

	/** The view as a picture, as save.js takes it. */
	view() {
		const all = this.grid.getBoundingClientRect();
		return {
			width: Math.round(all.width), height: Math.round(all.height), ground: this.theme.ground, title: this.meta.title,
			parts: this.panels.map(p => {
				const r = p.plot.getBoundingClientRect(), b = p.box, c = document.createElement('canvas');
				c.width = p.base.width;
				c.height = p.base.height;
				c.getContext('2d').drawImage(p.canvas, -Math.round(b.x * p.dpr), -Math.round(b.y * p.dpr));
				return { x: r.left - all.left, y: r.top - all.top, box: b, canvas: c, furniture: p.furniture() };
			}),
		};
	}

	get name() {
		return this.meta.file.replace(/\.html?$/i, '') || 'map';
	}

	colour(style) {
		return colourOf(this.theme, style);
	}

	say(text) {
		this.status.textContent = text;
	}

	hover(panel, x, y, e) {
		this.hovered = { panel, x, y, left: e.clientX, top: e.clientY };
		this.hoverFrame ??= requestAnimationFrame(() => {
			this.hoverFrame = undefined;
			const h = this.hovered;
			if (h) this.point(h.panel.inside(h.x, h.y) ? h.panel.nearest(h.x, h.y) : -1, h.left, h.top);
		});
	}

	/** Marks a row in all panels, and tells what its columns are. */
	async point(i, left, top) {
		if (i < 0) this.hovered = null;
		if (i < 0 && this.pointed < 0) return;
		this.pointed = i;
		for (const p of this.panels) if (!p.stale) p.furnish();
		this.tip.hidden = i < 0;
		if (i < 0) return;
		const exact = (await this.lines())?.cells(i);
		if (this.pointed !== i) return;
		const { label } = this.labels[this.labelAt[i]];
		const lines = [['row', String(this.rowOf[i])], [this.meta.labels.name, label < 0 ? '−1 (noise)' : String(label)]];
		const known = new Set(this.exact.map(c => c.name));
		for (const c of this.exact) lines.push([c.name, exact[c.k] && c.unit ? `${exact[c.k]} ${c.unit}` : exact[c.k]]);
		for (const c of this.drawn) if (!known.has(c.name)) lines.push([c.name, c.has(i) ? `≈ ${c.text(i)}${c.unit ? ` ${c.unit}` : ''}` : '–']);
		this.tip.innerHTML = `<table>${lines.map(([k, v]) => `<tr><td>${escaped(k)}</td><td>${escaped(v)}</td></tr>`).join('')}</table>`;
		const r = this.tip.getBoundingClientRect();
		this.tip.style.left = `${Math.max(4, left + 16 + r.width > innerWidth ? left - r.width - 16 : left + 16)}px`;
		this.tip.style.top = `${Math.max(4, Math.min(top + 12, innerHeight - r.height - 8))}px`;
	}

	setMode(mode) {
		this.mode = mode;
		document.getElementById('brush').setAttribute('aria-pressed', mode === 'brush');
		document.getElementById('move').setAttribute('aria-pressed', mode === 'pan');
		this.grid.classList.toggle('moving', mode === 'pan');
	}

	clear() {
		for (const p of this.panels) {
			p.boxes = [];
			this.selection.forget(p);
		}
		this.selection.clusters.clear();
		this.changed();
	}

	#listen() {
		const on = (id, does) => document.getElementById(id).addEventListener('click', does);
		on('brush', () => this.setMode('brush'));
		on('move', () => this.setMode('pan'));
		on('clear', () => this.clear());
		on('add', () => {
			const n = this.panels.length, c = this.drawn;
			this.add(this.habits(c[n % c.length], c[(n + 1) % c.length]));
		});
		on('png', async () => download(`${this.name}.png`, await pngFile(this.view())));
		on('svg', () => download(`${this.name}.svg`, svgFile(this.view())));
		on('csv', async () => download(`${this.name}-selection.csv`, new Blob([await this.csv()], { type: 'text/csv' })));
		on('copywhere', () => copy(this.selection.where().text, t => this.say(t)));
		on('copycommand', () => copy(this.command(), t => this.say(t)));
		new ResizeObserver(() => this.#arrange()).observe(this.grid);
		addEventListener('keydown', e => {
			if (e.target.closest?.('input, select, textarea, dialog') || e.ctrlKey || e.metaKey || e.altKey) return;
			const keys = { Escape: () => this.clear(), b: () => this.setMode('brush'), p: () => this.setMode('pan'), t: () => document.getElementById('theme').click(), '?': () => this.keys.showModal() };
			keys[e.key]?.();
		});
	}
}

