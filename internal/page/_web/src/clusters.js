import { escaped } from './ink.js';
import { plain } from './label.js';
import { markerPath } from './palette.js';

const SHOWN = 400;

/** The list of clusters: how many rows, where, and which are chosen. */
export class ClusterList {
	constructor(app, el) {
		this.app = app;
		this.el = el;
		this.by = 'rows';
		this.down = true;
		this.most = SHOWN;
		this.means = app.means();
		el.addEventListener('change', e => {
			const label = Number(e.target.dataset.label);
			e.target.checked ? app.selection.clusters.add(label) : app.selection.clusters.delete(label);
			app.changed();
		});
		el.addEventListener('click', e => {
			const by = e.target.dataset?.by;
			if (by) {
				this.down = this.by === by ? !this.down : by === 'rows';
				this.by = by;
				this.draw();
			} else if (e.target.dataset?.more) {
				this.most = Infinity;
				this.draw();
			}
		});
		this.draw();
	}

	draw() {
		const { app, means } = this, { labels, theme } = app;
		const columns = app.drawn;
		const key = this.by === 'rows' ? k => labels[k].rows : this.by === 'cluster' ? k => labels[k].label : k => means[Number(this.by)][k].mean;
		const order = labels.map((_, k) => k).sort((a, b) => (key(b) - key(a)) * (this.down ? 1 : -1) || labels[a].label - labels[b].label);
		const head = (by, text) => `<th aria-sort="${this.by === by ? (this.down ? 'descending' : 'ascending') : 'none'}"><button type="button" data-by="${by}">${escaped(text)}${this.by === by ? (this.down ? ' ▾' : ' ▴') : ''}</button></th>`;
		const line = k => {
			const { label, rows, style } = labels[k], name = label < 0 ? 'noise' : String(label);
			return `<tr><td><label><input type="checkbox" data-label="${label}"${app.selection.clusters.has(label) ? ' checked' : ''} aria-label="${label < 0 ? 'noise' : `cluster ${label}`}"><svg width="12" height="12" viewBox="-6 -6 12 12"><path d="${markerPath(style, 4.2)}" fill="${app.colour(style)}"/></svg>${name}</label></td><td>${rows.toLocaleString('en')}</td>${columns.map((_, c) => `<td>${escaped(means[c][k].text)}</td>`).join('')}</tr>`;
		};
		this.el.innerHTML = `<table><thead><tr>${head('cluster', 'cluster')}${head('rows', 'rows')}${columns.map((c, i) => head(String(i), plain(c.label))).join('')}</tr></thead><tbody>${order.slice(0, this.most).map(line).join('')}</tbody></table>${order.length > this.most ? `<button type="button" data-more="1">all ${order.length.toLocaleString('en')}</button>` : ''}`;
	}

	/** Shows which are chosen. */
	refresh() {
		for (const box of this.el.querySelectorAll('input')) box.checked = this.app.selection.clusters.has(Number(box.dataset.label));
	}
}
