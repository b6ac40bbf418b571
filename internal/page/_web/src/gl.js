import { createProgramInfo, createFramebufferInfo, resizeFramebufferInfo, bindFramebufferInfo, setUniforms } from 'twgl.js';
import { rgb } from './palette.js';

// The places of points less the middle of the view, in two parts: the difference of the
// first is exact near the middle, so that nothing trembles at any zoom.
const vertex = `#version 300 es
precision highp float;
layout(location = 0) in float x;
layout(location = 1) in float y;
layout(location = 2) in float style;
uniform vec4 middle;
uniform vec2 scale;
uniform float size;
uniform vec4 colours[8];
flat out vec4 colour;
flat out int shape;
void main() {
	int s = int(style);
	bool noise = s == 0;
	colour = noise ? colours[0] : colours[1 + (s - 1) % 7];
	shape = noise ? 0 : (s - 1) % 8;
	vec2 at = vec2(((x - middle.x) - middle.y) * scale.x, ((y - middle.z) - middle.w) * scale.y);
	bool away = x > 1e38 || y > 1e38 || abs(at.x) > 1.1 || abs(at.y) > 1.1;
	gl_Position = away ? vec4(2.0, 2.0, 2.0, 1.0) : vec4(at, 0.0, 1.0);
	gl_PointSize = noise ? max(size * 0.75, 1.0) : size;
}`;

// How much of a marker covers a place, p being in [-1, 1] of its box.
const cover = `
float corners(vec2 p, float n, float start, float r) {
	float a = atan(p.y, p.x) - start, w = 6.2831853 / n;
	return length(p) * cos(mod(a + 0.5 * w, w) - 0.5 * w) - r * cos(0.5 * w);
}
float star(vec2 p, float n, float start, float r) {
	float a = atan(p.y, p.x) - start, w = 6.2831853 / n;
	float t = abs(mod(a + 0.5 * w, w) - 0.5 * w);
	vec2 q = length(p) * vec2(cos(t), sin(t)), tip = vec2(r, 0.0), dent = 0.42 * r * vec2(cos(0.5 * w), sin(0.5 * w));
	vec2 e = dent - tip;
	return ((q.x - tip.x) * e.y - (q.y - tip.y) * e.x) / length(e) * -1.0;
}
float covered(int shape, vec2 p, float size) {
	if (size < 2.5) return 1.0;
	float d;
	if (shape == 0) d = length(p) - 0.7;
	else if (shape == 1) d = max(abs(p.x), abs(p.y)) - 0.62;
	else if (shape == 2) d = corners(p, 3.0, 1.5707963, 0.98);
	else if (shape == 3) d = abs(p.x) * 0.7071 + abs(p.y) * 0.7071 - 0.64;
	else if (shape == 4) d = star(p, 4.0, 0.7853982, 1.0);
	else if (shape == 5) d = corners(p, 3.0, -1.5707963, 0.98);
	else if (shape == 6) d = star(p, 5.0, 1.5707963, 1.0);
	else d = star(p, 4.0, 0.0, 1.0);
	return clamp(0.5 - d * size * 0.5, 0.0, 1.0);
}`;

// Sums of colours, those of clusters with eight times the weight of noise.
const sum = `#version 300 es
precision highp float;
flat in vec4 colour;
flat in int shape;
uniform float size;
out vec4 to;
${cover}
void main() {
	float c = covered(shape, vec2(gl_PointCoord.x * 2.0 - 1.0, 1.0 - gl_PointCoord.y * 2.0), size);
	if (c <= 0.0) discard;
	to = vec4(colour.rgb, 1.0) * colour.a * c;
}`;

const screen = `#version 300 es
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }`;

// From sums to a picture: the mean colour, the more opaque the more there is, by the
// logarithm. In what few points there are, each is opaque.
const tone = `#version 300 es
precision highp float;
uniform sampler2D sums;
uniform float full;
uniform float faint;
out vec4 to;
void main() {
	vec4 s = texelFetch(sums, ivec2(gl_FragCoord.xy), 0);
	if (s.a <= 0.0) { to = vec4(0.0); return; }
	float t = faint + (1.0 - faint) * clamp(log(1.0 + s.a) / log(1.0 + full), 0.0, 1.0);
	t *= clamp(s.a, 0.0, 1.0);
	to = vec4(s.rgb / s.a, 1.0) * t;
}`;

/** Draws points with WebGL on a canvas that is not shown; panels copy from it. */
export class Renderer {
	constructor() {
		this.canvas = document.createElement('canvas');
		this.canvas.width = this.canvas.height = 4; // it grows with the panels, and the sums with it
		const gl = (this.gl = this.canvas.getContext('webgl2', { antialias: false, premultipliedAlpha: true }));
		if (!gl) throw new Error('this browser has no WebGL 2');
		const whole = gl.getExtension('EXT_color_buffer_float') && gl.getExtension('EXT_float_blend');
		if (!whole && !gl.getExtension('EXT_color_buffer_half_float') && !gl.getExtension('EXT_color_buffer_float')) throw new Error('this browser cannot draw to textures of floats');
		const program = (vs, fs) => createProgramInfo(gl, [vs, fs], { errorCallback: e => { throw new Error(e); } });
		this.programs = { sum: program(vertex, sum), tone: program(screen, tone) };
		this.attachments = [{ internalFormat: whole ? gl.RGBA32F : gl.RGBA16F, format: gl.RGBA, type: whole ? gl.FLOAT : gl.HALF_FLOAT, min: gl.NEAREST, mag: gl.NEAREST }];
		this.sums = createFramebufferInfo(gl, this.attachments, 4, 4);
		// Without a GPU, WebGL adds up small dots far more slowly than a loop does.
		const names = gl.getExtension('WEBGL_debug_renderer_info');
		this.slow = /swiftshader|llvmpipe|software|basic render/i.test(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
		this.arrays = new Map();
		gl.disable(gl.DEPTH_TEST);
	}

	#buffer(array) {
		const gl = this.gl;
		let b = this.arrays.get(array);
		if (!b) {
			b = gl.createBuffer();
			gl.bindBuffer(gl.ARRAY_BUFFER, b);
			gl.bufferData(gl.ARRAY_BUFFER, array, gl.STATIC_DRAW);
			this.arrays.set(array, b);
		}
		return b;
	}

	#begin(program, view, styles, theme, size) {
		const gl = this.gl;
		gl.useProgram(program.program);
		gl.bindVertexArray(null);
		for (const [at, array, type] of [[0, view.x.u, gl.FLOAT], [1, view.y.u, gl.FLOAT], [2, styles, gl.UNSIGNED_BYTE]]) {
			gl.bindBuffer(gl.ARRAY_BUFFER, this.#buffer(array));
			gl.enableVertexAttribArray(at);
			gl.vertexAttribPointer(at, 1, type, false, 0, 0);
		}
		const split = v => [Math.fround(v), v - Math.fround(v)];
		const w = view.window;
		setUniforms(program, {
			middle: [...split((w.x0 + w.x1) / 2), ...split((w.y0 + w.y1) / 2)],
			scale: [2 / (w.x1 - w.x0), 2 / (w.y1 - w.y0)],
			size,
			colours: [[...rgb(theme.noise), 1], ...theme.clusters.map(c => [...rgb(c), 8])].flat(),
		});
		gl.enable(gl.BLEND);
	}

	#resize(width, height) {
		// Only ever larger, so that panels of different size do not take turns at it.
		const w = Math.max(this.canvas.width, width), h = Math.max(this.canvas.height, height);
		if (w !== this.canvas.width || h !== this.canvas.height) {
			this.canvas.width = w;
			this.canvas.height = h;
			resizeFramebufferInfo(this.gl, this.sums, this.attachments, w, h);
		}
	}

	#copy(to, width, height) {
		to.clearRect(0, 0, width, height);
		to.drawImage(this.canvas, 0, this.canvas.height - height, width, height, 0, 0, width, height);
	}

	// draw sums the colours of all rows in a texture.
	#draw(view, styles, theme, width, height, size) {
		const gl = this.gl;
		bindFramebufferInfo(gl, this.sums);
		gl.viewport(0, 0, width, height);
		gl.clear(gl.COLOR_BUFFER_BIT);
		this.#begin(this.programs.sum, view, styles, theme, size);
		gl.blendFunc(gl.ONE, gl.ONE);
		gl.drawArrays(gl.POINTS, 0, styles.length);
	}

	// add does what draw does for square dots, in a loop.
	#add({ x: { u: xs }, y: { u: ys }, window: w }, styles, theme, width, height, size) {
		const gl = this.gl, sums = new Float32Array(4 * width * height);
		const fx = width / (w.x1 - w.x0), fy = height / (w.y1 - w.y0);
		const looks = [theme.noise, ...Array.from({ length: 56 }, (_, k) => theme.clusters[k % 7])].map((c, k) => {
			const weight = k ? 8 : 1, [r, g, b] = rgb(c);
			return [r * weight, g * weight, b * weight, weight, Math.max(Math.round(k ? size : size * 0.75), 1)];
		});
		for (let i = 0; i < xs.length; i++) {
			const x = (xs[i] - w.x0) * fx, y = (ys[i] - w.y0) * fy;
			if (!(x > -2 && x < width + 2 && y > -2 && y < height + 2)) continue;
			const [r, g, b, weight, n] = looks[styles[i]], left = Math.floor(x - n / 2 + 0.5), low = Math.floor(y - n / 2 + 0.5);
			for (let cy = Math.max(low, 0); cy < low + n && cy < height; cy++) {
				for (let cx = Math.max(left, 0); cx < left + n && cx < width; cx++) {
					const o = 4 * (cy * width + cx);
					sums[o] += r;
					sums[o + 1] += g;
					sums[o + 2] += b;
					sums[o + 3] += weight;
				}
			}
		}
		gl.bindTexture(gl.TEXTURE_2D, this.sums.attachments[0]);
		gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, height, gl.RGBA, gl.FLOAT, sums);
	}

	/** Draws all rows of a view into a 2D context: full is the most rows of a dot. */
	density(to, view, styles, theme, { width, height, size, full, faint }) {
		const gl = this.gl;
		this.#resize(width, height);
		gl.clearColor(0, 0, 0, 0);
		if (this.slow && size < 2.5) this.#add(view, styles, theme, width, height, size);
		else this.#draw(view, styles, theme, width, height, size);
		bindFramebufferInfo(gl, null);
		gl.viewport(0, 0, width, height);
		gl.clear(gl.COLOR_BUFFER_BIT);
		gl.disable(gl.BLEND);
		gl.useProgram(this.programs.tone.program);
		for (const at of [0, 1, 2]) gl.disableVertexAttribArray(at);
		setUniforms(this.programs.tone, { sums: this.sums.attachments[0], full, faint });
		gl.drawArrays(gl.TRIANGLES, 0, 3);
		this.#copy(to, width, height);
	}
}
