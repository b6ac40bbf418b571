// Selected rows, drawn without the GPU: they change with every move of a brush, and in
// software WebGL takes longer for a hundred thousand of them than the hand does.
import { colourOf, markerPath, rgb } from './palette.js';

const stamps = new Map(); // by colour, style and size

// The pixels of a marker: places about its middle, and how much of each is covered.
function stampOf(colour, style, size) {
	const key = `${colour} ${style} ${size}`;
	let s = stamps.get(key);
	if (s) return s;
	if (size < 2.5) {
		const n = Math.max(Math.round(size), 1), from = -(n >> 1);
		s = Array.from({ length: n * n }, (_, k) => [from + (k % n), from + Math.floor(k / n), 255]);
	} else {
		const n = Math.ceil(size) + 4, canvas = document.createElement('canvas'), ctx = canvas.getContext('2d', { willReadFrequently: true });
		canvas.width = canvas.height = n;
		ctx.translate(n / 2, n / 2);
		ctx.fill(new Path2D(markerPath(style, size * 0.36)));
		const { data } = ctx.getImageData(0, 0, n, n);
		s = [];
		for (let k = 0; k < n * n; k++) if (data[4 * k + 3]) s.push([(k % n) - (n >> 1), Math.floor(k / n) - (n >> 1), data[4 * k + 3]]);
	}
	stamps.set(key, s);
	return s;
}

/** Draws rows of a view into a 2D context, the last ones on top. */
export function mark(ctx, { x: { u: xs }, y: { u: ys }, window: w }, rows, styles, theme, { width, height, size }) {
	const image = ctx.createImageData(width, height), px = image.data, whole = new Uint32Array(px.buffer);
	const fx = width / (w.x1 - w.x0), fy = height / (w.y1 - w.y0);
	const looks = new Array(57);
	for (let k = 0; k < rows.length; k++) {
		const i = rows[k], x = (xs[i] - w.x0) * fx, y = height - (ys[i] - w.y0) * fy;
		if (!(x > -9 && x < width + 9 && y > -9 && y < height + 9)) continue;
		const style = styles[i];
		let look = looks[style];
		if (!look) {
			const colour = style ? colourOf(theme, style) : theme.accent, [r, g, b] = rgb(colour).map(v => Math.round(v * 255));
			look = looks[style] = { stamp: stampOf(colour, style, size), r, g, b, whole: new Uint32Array(new Uint8ClampedArray([r, g, b, 255]).buffer)[0] };
		}
		const x0 = Math.floor(x), y0 = Math.floor(y), { stamp } = look;
		for (let p = 0; p < stamp.length; p++) {
			const at = stamp[p], cx = x0 + at[0], cy = y0 + at[1];
			if (cx < 0 || cy < 0 || cx >= width || cy >= height) continue;
			const o = cy * width + cx;
			if (at[2] === 255) {
				whole[o] = look.whole;
				continue;
			}
			const a = at[2] / 255, under = (px[4 * o + 3] / 255) * (1 - a), sum = a + under;
			px[4 * o] = (look.r * a + px[4 * o] * under) / sum;
			px[4 * o + 1] = (look.g * a + px[4 * o + 1] * under) / sum;
			px[4 * o + 2] = (look.b * a + px[4 * o + 2] * under) / sum;
			px[4 * o + 3] = 255 * sum;
		}
	}
	ctx.putImageData(image, 0, 0);
}
