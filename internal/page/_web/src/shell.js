// What all pages have: head, theme, help, and places for messages.
import { escaped } from './ink.js';
import { themes } from './palette.js';
import css from './page.css';

const KEYS = [
	['Tab', 'go to the next panel'], ['arrows', 'move the view of the panel'], ['+ −', 'zoom'], ['0', 'whole view'], ['i', 'turn the y axis'],
	['s', 'select what is in view; S adds it'], ['Delete', 'clear the brush of the panel'], ['Esc', 'clear the selection'],
	['b, p', 'drag to brush, drag to move'], ['t', 'light or dark'], ['?', 'this list'],
];

/** Builds the page around main, and returns its places. */
export function shellOf(meta, tools) {
	const style = document.createElement('style');
	style.textContent = css;
	document.head.append(style);
	document.body.innerHTML = `
		<header><h1>${escaped(meta.title)}</h1><p id="about">${escaped(meta.about)}</p><div id="tools" role="toolbar" aria-label="Tools">${tools}
			<button type="button" id="theme" title="Light or dark (t)">◐</button><button type="button" id="help" title="Keys (?)">?</button></div></header>
		<main></main>
		<footer><output id="status" aria-live="polite"></output></footer>
		<dialog id="keys"><h2>Keys</h2><dl>${KEYS.map(([k, w]) => `<dt>${escaped(k)}</dt><dd>${escaped(w)}</dd>`).join('')}</dl>
			<p>Drag to select in a panel; with Shift a further box is added. The wheel zooms, on an axis that axis alone; Alt and drag moves. A double click shows everything.</p>
			<form method="dialog"><button>Close</button></form></dialog>`;
	const keys = document.getElementById('keys');
	document.getElementById('help').addEventListener('click', () => keys.showModal());
	return { main: document.querySelector('main'), status: document.getElementById('status'), keys };
}

/** The theme: that of the system until the reader chooses. */
export class Theme {
	constructor(changed) {
		this.changed = changed;
		this.system = matchMedia('(prefers-color-scheme: dark)');
		this.system.addEventListener('change', () => !this.chosen && this.apply());
		document.getElementById('theme').addEventListener('click', () => this.toggle());
		this.apply();
	}

	get name() {
		return this.chosen ?? (this.system.matches ? 'dark' : 'light');
	}

	toggle() {
		this.chosen = this.name === 'dark' ? 'light' : 'dark';
		this.apply();
	}

	apply() {
		this.colours = themes[this.name];
		const root = document.documentElement;
		root.dataset.theme = this.name;
		for (const k of ['ground', 'ink', 'soft', 'line']) root.style.setProperty(`--${k}`, this.colours[k]);
		this.changed(this.colours);
	}
}

/** Copies a text, and says so. */
export async function copy(text, say) {
	try {
		await navigator.clipboard.writeText(text);
		say('copied');
	} catch {
		say('select the text and copy it: the browser does not let pages copy');
	}
}
