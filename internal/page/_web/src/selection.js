// Which rows are selected: those in a box of every panel that has some, and of the chosen
// clusters, if any are.

/** Conditions of the boxes of a panel: marks rows, and says so in an expression. */
function conditionOf(panel, boxes) {
	const parts = boxes.map(b => {
		const x = panel.x.within(Math.min(b.x0, b.x1), Math.max(b.x0, b.x1));
		const y = panel.y.within(Math.min(b.y0, b.y1), Math.max(b.y0, b.y1));
		return { x, y, where: x.where && y.where && `${x.where} and ${y.where}` };
	});
	const where = parts.every(p => p.where) ? (parts.length === 1 ? parts[0].where : `(${parts.map(p => `(${p.where})`).join(' or ')})`) : '';
	return {
		columns: [panel.x, panel.y],
		where,
		mask(rows) {
			const total = new Uint8Array(rows), one = new Uint8Array(rows);
			parts.forEach((p, k) => {
				const m = k ? one : total;
				m.fill(1);
				p.x.mark(m);
				p.y.mark(m);
				if (k) for (let i = 0; i < rows; i++) total[i] |= one[i];
			});
			return total;
		},
	};
}

export class Selection {
	constructor(app) {
		this.app = app;
		this.masks = new Map(); // of panels, while their boxes stay
		this.clusters = new Set(); // labels
	}

	forget(panel) {
		this.masks.delete(panel);
	}

	/** Rows that are selected, null if nothing says which. */
	rows() {
		const n = this.app.rows, masks = [];
		for (const panel of this.app.panels) {
			const boxes = panel.dragged ? [...(panel.adding ? panel.boxes : []), panel.dragged] : panel.boxes;
			if (!boxes.length) continue;
			let m = this.masks.get(panel);
			if (!m || panel.dragged) {
				m = conditionOf(panel, boxes).mask(n);
				if (!panel.dragged) this.masks.set(panel, m);
			}
			masks.push(m);
		}
		if (!masks.length && !this.clusters.size) return null;
		const total = masks.length === 1 && !this.clusters.size ? masks[0] : new Uint8Array(n).fill(1);
		if (total !== masks[0]) for (const m of masks) for (let i = 0; i < n; i++) total[i] &= m[i];
		if (this.clusters.size) {
			const { labels, labelAt } = this.app, chosen = new Uint8Array(labels.length + 1);
			for (let k = 0; k < labels.length; k++) chosen[k] = this.clusters.has(labels[k].label) ? 1 : 0;
			for (let i = 0; i < n; i++) total[i] &= chosen[labelAt[i]];
		}
		let count = 0;
		for (let i = 0; i < n; i++) count += total[i];
		const out = new Uint32Array(count);
		for (let i = 0, k = 0; i < n; i++) if (total[i]) out[k++] = i;
		return out;
	}

	/** The selection as an expression of --where, or why there is none. */
	where() {
		const conditions = this.app.panels.filter(p => p.boxes.length).map(p => conditionOf(p, p.boxes)), parts = [];
		for (const c of conditions) {
			if (!c.where) {
				const lacking = c.columns.filter(k => !k.where).map(k => k.name);
				return { text: '', why: `${lacking.join(' and ')} as shown differ${lacking.length === 1 ? 's' : ''} from what the file has` };
			}
			parts.push(c.where);
		}
		// Rows without a value of these are not on the page.
		for (const c of this.app.columns) {
			if (c.meta.needed && c.where && conditions.length && !conditions.some(k => k.columns.includes(c))) parts.push(`${c.where} >= ${c.meta.least}`);
		}
		if (this.clusters.size) {
			const name = this.app.meta.labels.where, list = [...this.clusters].sort((a, b) => a - b);
			parts.push(list.length === 1 ? `${name} = ${list[0]}` : `${name} in (${list.join(', ')})`);
		}
		return { text: parts.join(' and '), why: '' };
	}
}
