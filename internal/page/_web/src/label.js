// Labels have subscripts and superscripts as _{…} and ^{…}.

/** Runs of a label: text and how it is set. */
export function runs(label) {
	const out = [];
	for (const part of label.split(/([_^]\{[^{}]*\})/)) {
		if (!part) continue;
		const m = /^([_^])\{([^{}]*)\}$/.exec(part);
		out.push(m ? { text: m[2], set: m[1] === '_' ? 'sub' : 'sup' } : { text: part, set: '' });
	}
	return out;
}

/** A label without marks, for lists and titles. */
export function plain(label) {
	return runs(label).map(r => r.text).join('');
}
