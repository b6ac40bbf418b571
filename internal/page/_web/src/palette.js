// Colours of Okabe and Ito (2008) as in the figures, told apart with all common kinds of
// colour blindness; on dark ground lighter ones of the same hues. Clusters also differ in
// shape: the numbers of colours and shapes have no common divisor.

export const themes = {
	light: {
		ground: '#ffffff', ink: '#1a1c1f', soft: '#6b7178', line: '#d5d8dc', noise: '#9a9a9a', accent: '#000000',
		clusters: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#882255'],
	},
	dark: {
		ground: '#14171b', ink: '#eceff3', soft: '#9aa3ad', line: '#343a42', noise: '#7c838b', accent: '#ffffff',
		clusters: ['#3d9fe0', '#f5833a', '#2ec99b', '#e59bc4', '#f2b437', '#86d0f7', '#d0608f'],
	},
};

export const SHAPES = 8;

/** Style of the cluster with a rank by size, from 1; that of noise is 0. */
export const styleOf = rank => 1 + (rank % 56);
export const colourOf = (theme, style) => (style === 0 ? theme.noise : theme.clusters[(style - 1) % theme.clusters.length]);
export const shapeOf = style => (style === 0 ? 0 : (style - 1) % SHAPES);

export function rgb(hex) {
	return [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16) / 255);
}

// Outlines of the shapes, in the units of a radius: the same as the shader draws.
const corner = (n, start, r) => Array.from({ length: n }, (_, i) => {
	const a = start + (2 * Math.PI * i) / n, at = typeof r === 'function' ? r(i) : r;
	return [Math.cos(a) * at, -Math.sin(a) * at];
});
const star = (points, inner, start, r) => corner(2 * points, start, i => (i % 2 ? inner * r : r));
const outlines = [
	corner(16, 0, 1), corner(4, Math.PI / 4, 1.25), corner(3, Math.PI / 2, 1.4), corner(4, 0, 1.3),
	star(4, 0.42, Math.PI / 4, 1.45), corner(3, -Math.PI / 2, 1.4), star(5, 0.42, Math.PI / 2, 1.45), star(4, 0.42, 0, 1.45),
];

/** SVG path of a marker about the origin. */
export function markerPath(style, r) {
	return 'M' + outlines[shapeOf(style)].map(([x, y]) => `${(x * r).toFixed(2)},${(y * r).toFixed(2)}`).join('L') + 'Z';
}
