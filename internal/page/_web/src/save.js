// What is saved from the page: tables, pictures and command lines.
import { FONT, paint, svgOf } from './ink.js';

/** Hands a file to the browser. */
export function download(name, blob) {
	const a = document.createElement('a');
	a.href = URL.createObjectURL(blob);
	a.download = name;
	a.click();
	setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

/** A value of CSV, as our own files have it. */
export const cell = text => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A word of a shell, in quotes where it needs them. */
export const shell = word => (/^[A-Za-z0-9_\-+=:,.\/@%^]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

export const commandOf = words => ['cluster', ...words].map(shell).join(' ');

/** Pictures of several parts: each has a place, furniture and perhaps a picture of points. */
export function svgFile({ width, height, ground, title, parts }) {
	let body = '';
	for (const p of parts) {
		body += `<g transform="translate(${p.x} ${p.y})">`;
		if (p.canvas) body += `<image x="${p.box.x}" y="${p.box.y}" width="${p.box.w}" height="${p.box.h}" preserveAspectRatio="none" href="${p.canvas.toDataURL('image/png')}"/>`;
		body += svgOf(p.furniture) + '</g>';
	}
	return new Blob([`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family='${FONT}'><title>${title.replace(/[&<>]/g, c => `&#${c.charCodeAt(0)};`)}</title><rect width="${width}" height="${height}" fill="${ground}"/>${body}</svg>\n`], { type: 'image/svg+xml' });
}

export function pngFile({ width, height, ground, parts }) {
	const scale = 2, canvas = document.createElement('canvas'), ctx = canvas.getContext('2d');
	canvas.width = width * scale;
	canvas.height = height * scale;
	ctx.scale(scale, scale);
	ctx.fillStyle = ground;
	ctx.fillRect(0, 0, width, height);
	for (const p of parts) {
		ctx.save();
		ctx.translate(p.x, p.y);
		if (p.canvas) ctx.drawImage(p.canvas, p.box.x, p.box.y, p.box.w, p.box.h);
		paint(ctx, p.furniture);
		ctx.restore();
	}
	return new Promise(done => canvas.toBlob(done, 'image/png'));
}
