// Blocks of data in the page: base64 of raw deflate, each in a script of a type that no
// browser runs. A number of several bytes is stored as planes, all low bytes first.

async function inflate(bytes) {
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

function fromBase64(text) {
	if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
	const s = atob(text), out = new Uint8Array(s.length);
	for (let i = 0; i < s.length; i++) out[i] = s.charCodeAt(i);
	return out;
}

// The elements, which leave the document when the page is built.
const held = new Map([...document.querySelectorAll('script[id^="block-"]')].map(e => [e.id.slice(6), e]));

/** Bytes of a block, null if the page has none of that name. It can be taken once. */
export async function block(name) {
	const at = held.get(name);
	if (!at) return null;
	held.delete(name);
	const text = at.textContent.trim();
	at.remove();
	return inflate(fromBase64(text));
}

/** Whole numbers of rows from their planes. */
export function planes(bytes, rows) {
	const width = rows ? bytes.length / rows : 1;
	const out = width <= 2 ? new Uint16Array(rows) : new Uint32Array(rows);
	for (let b = 0; b < width; b++) {
		const shift = 8 * b, from = b * rows;
		for (let i = 0; i < rows; i++) out[i] |= bytes[from + i] << shift;
	}
	return out;
}

/** Ascending row numbers from their differences, in groups of seven bits, low first. */
export function rowNumbers(bytes, rows) {
	const out = new Float64Array(rows); // row numbers are below 2^53
	if (!bytes) {
		for (let i = 0; i < rows; i++) out[i] = i;
		return out;
	}
	let at = 0, row = -1;
	for (let i = 0; i < rows; i++) {
		let gap = 0, unit = 1, b;
		do {
			b = bytes[at++];
			gap += (b & 127) * unit;
			unit *= 128;
		} while (b & 128);
		row += gap + 1;
		out[i] = row;
	}
	return out;
}

/** Lines of CSV, below a header. Line feeds within quotes do not end a line. */
export class Lines {
	constructor(bytes, rows) {
		this.bytes = bytes;
		this.ends = new Uint32Array(rows + 1);
		let n = 0, quoted = false;
		for (let i = 0; i < bytes.length && n <= rows; i++) {
			if (bytes[i] === 34) quoted = !quoted;
			else if (bytes[i] === 10 && !quoted) this.ends[n++] = i;
		}
		this.decoder = new TextDecoder();
	}

	/** The header, or the line of a row from 0, as it is. */
	line(row) {
		const k = row + 1;
		return this.decoder.decode(this.bytes.subarray(k ? this.ends[k - 1] + 1 : 0, this.ends[k]));
	}

	get header() {
		return this.line(-1);
	}

	/** Values of a row. */
	cells(row) {
		const line = this.line(row), out = [];
		let at = 0;
		do {
			if (line[at] === '"') {
				let end = at + 1;
				while (end < line.length && !(line[end] === '"' && line[end + 1] !== '"')) end += line[end] === '"' ? 2 : 1;
				out.push(line.slice(at + 1, end).replaceAll('""', '"'));
				at = end + 2;
			} else {
				const end = line.indexOf(',', at);
				out.push(line.slice(at, end < 0 ? line.length : end));
				at = end < 0 ? line.length + 1 : end + 1;
			}
		} while (at <= line.length);
		return out;
	}
}
