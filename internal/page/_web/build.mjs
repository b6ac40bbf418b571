// Bundles the page into one script: node build.mjs [OUT], by default ../asset/page.js.
// The script begins with the hash of its sources, by which a test tells without npm
// whether it is stale, and with the terms of the libraries in it.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const sources = ['build.mjs', 'package.json', 'package-lock.json', ...readdirSync(join(here, 'src')).map(f => 'src/' + f)].sort();
const hash = createHash('sha256');
for (const f of sources) hash.update(f + '\0').update(readFileSync(join(here, f))).update('\0');

const result = await build({
	absWorkingDir: here,
	entryPoints: ['src/main.js'],
	bundle: true, minify: true, write: false, metafile: true,
	format: 'iife', target: 'es2022', charset: 'ascii', legalComments: 'none',
	loader: { '.css': 'text' },
});
const used = new Set();
for (const input of Object.keys(result.metafile.inputs)) {
	const m = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
	if (m) used.add(m[1]);
}
let terms = '';
for (const name of [...used].sort()) {
	const folder = join(here, 'node_modules', name);
	const file = readdirSync(folder).find(f => /^licen[cs]e/i.test(f));
	const { version } = JSON.parse(readFileSync(join(folder, 'package.json')));
	terms += `\n==== ${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
const script = result.outputFiles[0].text;
for (const bad of ['</script', '<!--']) if (script.toLowerCase().includes(bad)) throw new Error(`the script contains ${bad}`);
if (terms.includes('*/')) throw new Error('the terms end the comment');
const head = `/*! sources sha256 ${hash.digest('hex')}\nThis script contains the following, under their own terms.\n${terms}*/\n`;
writeFileSync(process.argv[2] ?? join(here, '../asset/page.js'), head + script);
