import { ReachabilityChart, ScanChart, TreeChart } from './chart.js';
import { MapPage } from './map.js';

const kinds = { map: MapPage, scan: ScanChart, reachability: ReachabilityChart, tree: TreeChart };

async function start() {
	const meta = JSON.parse(document.getElementById('meta').textContent);
	// What scripts can drive the page by.
	window.skyjoin = await kinds[meta.kind].open(meta);
	document.documentElement.dataset.ready = 'yes';
}

start().catch(e => {
	console.error(e);
	document.getElementById('loading')?.replaceChildren(`This page cannot be shown: ${e.message}.`);
});
