// What is drawn around the data: lines, boxes and text, as a list that becomes SVG on
// screen and in a file, or strokes on a canvas for a PNG.
import { runs } from './label.js';

export const FONT = 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif';

/** Escapes text for HTML and SVG. */
export function escaped(text) {
	return String(text).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);
}

/** Width of a text of a size, near enough for layout. */
export const widthOf = (text, size) => [...text].length * size * 0.58;

const n = v => Number(v.toFixed(2));

function textSVG({ text, x, y, size, anchor = 'start', colour, turned, halo }) {
	let shift = 0, inner = '';
	for (const r of runs(text)) {
		const want = r.set === 'sub' ? size * 0.25 : r.set === 'sup' ? -size * 0.35 : 0;
		inner += `<tspan dy="${n(want - shift)}"${r.set ? ` font-size="${n(size * 0.75)}"` : ''}>${escaped(r.text)}</tspan>`;
		shift = want;
	}
	const turn = turned ? ` transform="rotate(-90 ${n(x)} ${n(y)})"` : '';
	const edge = halo ? ` stroke="${halo}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"` : '';
	return `<text x="${n(x)}" y="${n(y)}" font-size="${n(size)}" text-anchor="${anchor}" fill="${colour}"${edge}${turn}>${inner}</text>`;
}

/** SVG elements of a list. */
export function svgOf(list) {
	return list.map(d => {
		switch (d.kind) {
			case 'text': return textSVG(d);
			case 'path': return `<path d="${d.path}" transform="translate(${n(d.x)} ${n(d.y)})" fill="${d.fill ?? 'none'}" stroke="${d.stroke ?? 'none'}"/>`;
			case 'box': return `<rect x="${n(d.x)}" y="${n(d.y)}" width="${n(d.w)}" height="${n(d.h)}" fill="${d.fill ?? 'none'}"${d.opacity ? ` fill-opacity="${d.opacity}"` : ''} stroke="${d.stroke ?? 'none'}" stroke-width="${d.width ?? 1}"${d.dash ? ` stroke-dasharray="${d.dash}"` : ''}/>`;
			default: return `<polyline points="${d.points.map(p => p.map(n).join(',')).join(' ')}" fill="${d.fill ?? 'none'}" stroke="${d.stroke}" stroke-width="${d.width ?? 1}"${d.dash ? ` stroke-dasharray="${d.dash}"` : ''}/>`;
		}
	}).join('');
}

/** Draws a list on a canvas. */
export function paint(ctx, list) {
	for (const d of list) {
		ctx.save();
		ctx.lineWidth = d.width ?? 1;
		ctx.setLineDash(d.dash ? d.dash.split(' ').map(Number) : []);
		switch (d.kind) {
			case 'text': {
				ctx.translate(d.x, d.y);
				if (d.turned) ctx.rotate(-Math.PI / 2);
				const parts = runs(d.text).map(r => ({ ...r, font: `${r.set ? d.size * 0.75 : d.size}px ${FONT}` }));
				let width = 0;
				for (const r of parts) {
					ctx.font = r.font;
					width += r.width = ctx.measureText(r.text).width;
				}
				let x = d.anchor === 'middle' ? -width / 2 : d.anchor === 'end' ? -width : 0;
				ctx.fillStyle = d.colour;
				for (const r of parts) {
					ctx.font = r.font;
					const y = r.set === 'sub' ? d.size * 0.25 : r.set === 'sup' ? -d.size * 0.35 : 0;
					if (d.halo) {
						ctx.strokeStyle = d.halo;
						ctx.lineWidth = 3;
						ctx.strokeText(r.text, x, y);
					}
					ctx.fillText(r.text, x, y);
					x += r.width;
				}
				break;
			}
			case 'path': {
				ctx.translate(d.x, d.y);
				const p = new Path2D(d.path);
				if (d.fill) { ctx.fillStyle = d.fill; ctx.fill(p); }
				if (d.stroke) { ctx.strokeStyle = d.stroke; ctx.stroke(p); }
				break;
			}
			case 'box':
				if (d.fill) {
					ctx.globalAlpha = d.opacity ?? 1;
					ctx.fillStyle = d.fill;
					ctx.fillRect(d.x, d.y, d.w, d.h);
					ctx.globalAlpha = 1;
				}
				if (d.stroke) { ctx.strokeStyle = d.stroke; ctx.strokeRect(d.x, d.y, d.w, d.h); }
				break;
			default:
				ctx.beginPath();
				d.points.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
				if (d.fill) { ctx.fillStyle = d.fill; ctx.fill(); }
				if (d.stroke) { ctx.strokeStyle = d.stroke; ctx.stroke(); }
		}
		ctx.restore();
	}
}
