import { scaleLinear, scaleLog } from 'd3-scale';
import { widthOf } from './ink.js';

export const SIZE = 11;

/** Round values on an axis from lo to hi, with their texts, for so much room. */
export function ticks(lo, hi, room, { log = false, turn = false, across = true } = {}) {
	const scale = (log ? scaleLog() : scaleLinear()).domain([Math.min(lo, hi), Math.max(lo, hi)]);
	let count = across ? Math.max(2, Math.floor(room / 70)) : Math.max(2, Math.floor(room / 36)), out = [];
	for (; count >= 1; count--) {
		const write = scale.tickFormat(count), values = scale.ticks(count);
		const wrap = v => (turn ? ((v % 360) + 360) % 360 : v);
		out = values.map(v => ({ value: v, text: log ? write(v) && String(Number(v.toPrecision(6))) : write(wrap(v)) }));
		const shown = out.filter(t => t.text);
		const widest = Math.max(0, ...shown.map(t => widthOf(t.text, SIZE)));
		const each = log && shown.length > 1 ? room / shown.length : room / Math.max(values.length, 1);
		if (!across || widest + 12 <= each || count === 1) break;
	}
	return out;
}

/** Primitives of the frame of a plot: box is where the data are; at says where values are. */
export function frame({ box, theme, x, y, xLabel, yLabel }) {
	const list = [{ kind: 'box', x: box.x, y: box.y, w: box.w, h: box.h, stroke: theme.soft }];
	for (const t of x.ticks) {
		const at = x.at(t.value);
		if (!(at >= box.x - 0.5 && at <= box.x + box.w + 0.5)) continue;
		list.push({ kind: 'line', points: [[at, box.y + box.h], [at, box.y + box.h + (t.text ? 4 : 2.5)]], stroke: theme.soft });
		if (t.text) list.push({ kind: 'text', text: t.text, x: at, y: box.y + box.h + 16, size: SIZE, anchor: 'middle', colour: theme.ink });
	}
	let wide = 0;
	for (const t of y.ticks) {
		const at = y.at(t.value);
		if (!(at >= box.y - 0.5 && at <= box.y + box.h + 0.5)) continue;
		list.push({ kind: 'line', points: [[box.x - (t.text ? 4 : 2.5), at], [box.x, at]], stroke: theme.soft });
		if (t.text) list.push({ kind: 'text', text: t.text, x: box.x - 7, y: at + SIZE * 0.36, size: SIZE, anchor: 'end', colour: theme.ink });
		wide = Math.max(wide, widthOf(t.text, SIZE));
	}
	list.push({ kind: 'text', text: xLabel, x: box.x + box.w / 2, y: box.y + box.h + 33, size: SIZE + 1, anchor: 'middle', colour: theme.ink });
	list.push({ kind: 'text', text: yLabel, x: Math.max(box.x - 16 - wide, 11), y: box.y + box.h / 2, size: SIZE + 1, anchor: 'middle', colour: theme.ink, turned: true });
	return list;
}

/** A bar of a round angle no longer than so much room, for degrees of a pixel. */
export function scaleBar(degrees, room) {
	for (const [unit, per] of [['°', 1], ['′', 1 / 60], ['″', 1 / 3600], [' mas', 1 / 3.6e6]]) {
		for (const step of [90, 60, 45, 30, 20, 10, 5, 2, 1]) {
			if (unit === '°' || step <= 30 || unit === ' mas') {
				const length = (step * per) / degrees;
				if (length <= room && (length >= room / 4 || (unit === ' mas' && step === 1))) return { length, text: step + unit };
			}
		}
		if (unit === ' mas') for (const step of [500, 200, 100, 50]) {
			const length = (step * per) / degrees;
			if (length <= room && length >= room / 4) return { length, text: step + unit };
		}
	}
	return null;
}
