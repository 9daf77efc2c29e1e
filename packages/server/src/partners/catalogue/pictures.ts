/**
 * Draws a picture for a game without one. The picture depends only on the game, so every server draws the same bytes,
 * browsers can cache them forever, and nothing is stored.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

const shapes = ['landscape', 'portrait', 'square'] as const;
export type PictureShape = (typeof shapes)[number];
export const isPictureShape = (word: string): word is PictureShape => shapes.some((shape) => shape === word);

type Game = { id: string; title: string; category: string };
type Size = { width: number; height: number };
type Part = (i: number) => string;
type Paint = { dark: string; mid: string; glow: string; accent: string; pale: string; random: () => number };

const FONT = 'font-family="system-ui, -apple-system, Segoe UI, Roboto, Helvetica, Arial, sans-serif" font-weight="700"';
const LINE_HEIGHT = 1.12;

/** Dark, mid, glow, accent, pale. Chosen by eye: equal hue steps give muddy yellows and glaring greens. */
const PALETTES = [
  ['#0a1030', '#1f3fa8', '#4f8cff', '#ffb648', '#fff3da'],
  ['#1d0a2e', '#6a1f8f', '#c45cf0', '#ff8a6b', '#ffe9e2'],
  ['#04211f', '#0b6b63', '#2fc7b0', '#ffd166', '#fff7df'],
  ['#25060f', '#8c1530', '#f0516a', '#ffc27a', '#fff0dc'],
  ['#06200f', '#14693a', '#41c878', '#e6f56b', '#fbffe0'],
  ['#0d0b33', '#3a2bb0', '#7f74ff', '#4de3f2', '#e2fcff'],
  ['#271003', '#9a4410', '#f58a3c', '#ffe08a', '#fffae6'],
  ['#2a0522', '#991a72', '#f255b5', '#ffdf5d', '#fffbe0'],
  ['#031a2b', '#0b5c8a', '#35b4e8', '#ff8fa8', '#fff0f3'],
] as const;

/** Motifs are drawn around the origin, within a radius of about 50. Other categories get a compass. */
const MOTIFS = new Map<string, ((paint: Paint) => string)[]>([
  ['BetOnGames', [balls, wheel, cards]],
  ['CrashGames', [curve]],
  ['InstantGames', [tiles]],
  ['LiveGames', [cards, wheel]],
  ['VirtualSports', [football, track]],
]);

export function drawPicture(game: Game, shape: PictureShape, { width, height }: Size): string {
  const bytes = createHash('sha256').update(game.id).digest();
  let next = 0;
  const random = () => bytes.readUInt8(next++ % bytes.length) / 256;
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)];
  const palette = pick(PALETTES);
  assert(palette, 'there are palettes, and the random number is less than 1');
  const [dark, mid, glow, accent, pale] = palette;
  const paint = { dark, mid, glow, accent, pale, random };
  const motif = pick(MOTIFS.get(game.category) ?? []) ?? compass;
  const wide = shape === 'landscape';
  const margin = Math.min(width, height) * 0.075;
  const place = wide ? `${n(width * 0.72)} ${n(height * 0.49)}` : `${n(width * 0.5)} ${n(height * 0.35)}`;
  const scale = Math.min(width, height * (wide ? 1 : 0.72)) * 0.0083;
  const box = { width: wide ? width * 0.47 : width - margin * 2, height: height * (wide ? 0.45 : 0.28) };
  // Unique ids, because a page may inline several pictures and equal ids would share one gradient.
  const key = `p${bytes.toString('hex', 0, 6)}-${shape}`;
  const cover = (fill: string) => `<rect width="${width}" height="${height}" fill="url(#${key}-${fill})"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>${escapeXml(game.title)}</title>${definitions(key, paint, wide)}
${cover('back')}<g transform="translate(${place}) scale(${n(scale)})"><circle r="95" fill="url(#${key}-glow)"/>
${backdrop(paint)}<g filter="url(#${key}-shadow)">${motif(paint)}</g></g>
${cover('scrim')}${group(`translate(${n(margin)} ${n(height - margin)})`, lettering(game, margin, box, accent))}
</svg>`;
}

function definitions(key: string, { dark, mid, glow }: Paint, wide: boolean): string {
  const stop = (offset: number, colour: string, opacity: number) =>
    `<stop offset="${offset}" stop-color="${colour}" stop-opacity="${opacity}"/>`;
  // The scrim darkens only the side with the title.
  const scrim = wide ? 'x1="0" y1="0.8" x2="0.6" y2="0.4"' : 'x1="0" y1="1" x2="0" y2="0.35"';
  return `<defs>
<linearGradient id="${key}-back" x1="0" y1="1" x2="1" y2="0">${stop(0, dark, 1)}${stop(1, mid, 1)}</linearGradient>
<radialGradient id="${key}-glow">${stop(0, glow, 0.75)}${stop(0.5, glow, 0.25)}${stop(1, glow, 0)}</radialGradient>
<linearGradient id="${key}-scrim" ${scrim}>${stop(0.2, dark, 0.9)}${stop(1, dark, 0)}</linearGradient>
<filter id="${key}-shadow"><feGaussianBlur in="SourceAlpha" stdDeviation="3"/><feOffset dy="3" result="shadow"/>
<feComposite in="SourceGraphic" in2="shadow"/></filter></defs>`;
}

function backdrop({ pale, random }: Paint): string {
  const rays = spin(18, () => path('M0 0L-12-200H12z', pale, 0.07));
  const rings = repeat(6, (i) => circle(0, 0, 36 + i * 14, pale, 0.045));
  const dust = () => circle(random() * 24, 40 + random() * 45, 0.5 + random() * 2, pale, 0.35);
  return (random() < 0.5 ? rays : rings) + spin(9, dust);
}

function curve({ accent, pale, glow, random }: Paint): string {
  const power = 1.4 + random() * 2.4;
  const rise = (part: number) => 74 * part ** power;
  const line = repeat(31, (i) => `${i ? 'L' : 'M'}${n(i * 3 - 48)} ${n(36 - rise(i / 30))}`);
  const bars = repeat(9, (i) => rect(i * 10 - 48, 40 - rise((i + 0.8) / 9), 7, rise((i + 0.8) / 9), 1.5, glow, 0.45));
  const area = random() < 0.5 ? bars : path(`${line}V40H-48z`, glow, 0.45);
  return area + stroke(line, accent, 4.5) + circle(42, -38, 13, accent, 0.3) + circle(42, -38, 7, pale);
}

function tiles({ accent, pale, mid, dark, random }: Paint): string {
  const symbol = random() < 0.5 ? path('M0-6L5 0 0 6-5 0z', dark) : spin(5, () => path('M-4-1L0-7 4-1z', dark));
  const tile = (i: number) => {
    const lit = random() < 0.4;
    const body = rect(-9, -6.5, 18, 18, 4, dark, 0.8) + rect(-9, -9, 18, 18, 4, lit ? (i % 3 ? accent : pale) : mid);
    return group(`translate(${(i % 4) * 21 - 31.5} ${Math.floor(i / 4) * 21 - 31.5})`, body + (lit ? symbol : ''));
  };
  return group(`rotate(${n(random() * 36 - 18)})`, repeat(16, tile));
}

function football({ pale, dark, mid, random }: Paint): string {
  const panel = path('M0 6L-5.8-7.9 0-12.1 5.8-7.9zM0-24L-10.7-28-11.4-37.3A39 39 0 0 1 11.4-37.3L10.7-28z', mid);
  const pattern = spin(5, () => panel + stroke('M0-12V-24M10.7-28L23.3-18.8', mid, 1.6));
  const shade = path('M-39 0A39 39 0 0 0 39 0A48 48 0 0 1-39 0z', dark, 0.25);
  return group('scale(1.15)', circle(0, 0, 39, pale) + group(`rotate(${n(random() * 72)})`, pattern) + shade);
}

function track({ accent, pale, mid, dark, random }: Paint): string {
  const lane = (r: number) => `M-16-${r}H16A${r} ${r} 0 0 1 16 ${r}H-16A${r} ${r} 0 0 1-16-${r}z`;
  const ground = stroke(lane(25.5), dark, 31) + stroke(lane(25.5), mid, 28);
  const lines = repeat(3, (i) => stroke(lane(32.5 - i * 7), pale, 0.5)) + stroke('M-24 14V37', pale, 2);
  const runners = repeat(4, (i) => stroke(`M${n(random() * 36 - 18)}-${36 - i * 7}h6`, i % 2 ? pale : accent, 4.5));
  return group(`rotate(${n(random() * 60 - 30)})`, ground + lines + runners);
}

function wheel({ accent, pale, mid, dark, glow, random }: Paint): string {
  const colours = random() < 0.5 ? [accent, dark, glow, mid] : [accent, dark, pale, dark];
  const part = (i: number) => path('M0 0L-8-39.2A40 40 0 0 1 8-39.2z', colours[i % 4]) + circle(0, -43.3, 1.5, pale);
  const hub = circle(0, 0, 27, dark, 0.35) + circle(0, 0, 15, pale) + circle(0, 0, 10, accent) + circle(0, 0, 4, dark);
  const turned = circle(0, 0, 47, dark) + group(`rotate(${n(random() * 90)})`, spin(16, part));
  return circle(0, 0, 48.5, accent) + turned + hub + path('M-6-54H6L0-37z', pale);
}

function cards({ accent, pale, mid, dark, random }: Paint): string {
  const spade = 'M0-12C18 1 10 13 2 6L4 12H-4L-2 6C-10 13-18 1 0-12z';
  const suits = ['M0 11C-18-2-10-14 0-6C10-14 18-2 0 11z', spade, 'M0-12L9 0 0 12-9 0z'];
  const last = 2 + Math.floor(random() * 3);
  return repeat(last + 1, (i) => {
    const suit = path(suits[(last + i) % 3], i % 2 ? mid : dark);
    const card = rect(-0.6, -0.6, 39.2, 57.2, 5.5, dark, 0.4) + rect(0, 0, 38, 56, 5, i === last ? accent : pale);
    const faces = group('translate(19 30)', suit) + group('translate(7.5 9) scale(0.4)', suit);
    return group(`translate(0 52) rotate(${(i - last / 2) * (24 - last * 2)}) translate(-19 -86)`, card + faces);
  });
}

function balls({ accent, pale, glow, mid, dark, random }: Paint): string {
  const places = ['-29 -20', '10 -29', '40 0', '-44 16', '-7 15', '29 31'];
  const shine = path('M-20 0A20 20 0 0 0 20 0A24 24 0 0 1-20 0z', dark, 0.25) + circle(-9, -13, 2.5, '#fff', 0.7);
  return repeat(6, (i) => {
    const ball = circle(0, 0, 20, [accent, glow, pale, mid][i % 4]) + shine + circle(0, 0, 11, '#fff');
    const number = text(String(i * 8 + 1 + Math.floor(random() * 8)), 4.5, 12.5, dark, 'text-anchor="middle"');
    return group(`translate(${places[i]}) scale(${[0.85, 0.95, 0.7, 0.7, 1.2, 0.75][i]})`, ball + number);
  });
}

function compass({ accent, pale, dark }: Paint): string {
  const star = spin(4, () => path('M0 0L-9-11 0-48z', pale) + path('M0 0L9-11 0-48z', accent));
  return circle(0, 0, 36, accent) + circle(0, 0, 34, dark) + group('rotate(45) scale(0.62)', star) + star;
}

function lettering({ title, category }: Game, margin: number, { width, height }: Size, accent: string): string {
  // A long word shrinks the whole title, down to half, before the word is broken.
  const longestWord = Math.max(...title.split(/\s/).map(emWidth));
  let size = Math.max(margin * 0.8, Math.min(margin * 1.6, width / longestWord));
  while (wrap(title, width / size).length * size * LINE_HEIGHT > height) size *= 0.93;
  const lines = wrap(title, width / size).reverse();
  const rows = lines.map((line, i) => text(line, -i * size * LINE_HEIGHT, size, '#fff'));
  const label = category.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ').toUpperCase();
  const labelSize = Math.min(margin * 0.46, width / (emWidth(label) + label.length * 0.12));
  const labelY = -size * (LINE_HEIGHT * lines.length - 0.1) - labelSize * 0.3;
  return rows.join('') + text(label, labelY, labelSize, accent, 'letter-spacing="0.12em"');
}

function wrap(title: string, ems: number): string[] {
  const lines = [''];
  const words = title.trim().split(/(?<=\s)/);
  for (const piece of words.flatMap((word) => (emWidth(word.trimEnd()) > ems ? graphemes(word) : word))) {
    const longer = lines.at(-1) + piece;
    if (emWidth(longer.trimEnd()) > ems) lines.push(piece);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** Estimates for the widest common font, DejaVu Sans Bold, because the viewer's font is unknown. */
function glyphWidth(glyph: string): number {
  if (/^[ !'’(),.:;IJfijlrt|-]/.test(glyph)) return 0.45;
  if (/^[a-z]/.test(glyph)) return /^[mw]/.test(glyph) ? 1.08 : 0.71;
  return glyph > '\u10ff' ? 1.4 : /^[MW@%&]/.test(glyph) ? 1.12 : 0.84;
}

const emWidth = (words: string) => [...words].reduce((sum, glyph) => sum + glyphWidth(glyph), 0);
/** Created with the first picture, because it would add 20 ms to the startup. */
let segmenter: Intl.Segmenter | undefined;

function graphemes(words: string): string[] {
  segmenter ??= new Intl.Segmenter('en');
  return Array.from(segmenter.segment(words), ({ segment }) => segment);
}
const escapeXml = (words: string) =>
  words.toWellFormed().replace(/[&<>"'\p{Cc}\ufffe\uffff]/gu, (c) => (/[!-~]/.test(c) ? `&#${c.charCodeAt(0)};` : ' '));
const n = (value: number) => String(Math.round(value * 100) / 100);
const repeat = (count: number, part: Part) => Array.from({ length: count }, (_, i) => part(i)).join('');
const group = (transform: string, inner: string) => `<g transform="${transform}">${inner}</g>`;
const spin = (count: number, part: Part) => repeat(count, (i) => group(`rotate(${n((i * 360) / count)})`, part(i)));
const path = (d = '', fill = '', opacity = 1) => `<path d="${d}" fill="${fill}" opacity="${opacity}"/>`;
const circle = (x: number, y: number, r: number, fill = '', opacity = 1) =>
  `<circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}" fill="${fill}" opacity="${opacity}"/>`;
const rect = (x: number, y: number, w: number, h: number, r: number, fill: string, opacity = 1) =>
  `<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" rx="${r}" fill="${fill}" opacity="${opacity}"/>`;
const stroke = (d: string, colour = '', width = 1) =>
  `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round"/>`;
const text = (words: string, y: number, size: number, fill: string, more = '') =>
  `<text y="${n(y)}" font-size="${n(size)}" ${FONT} fill="${fill}" ${more}>${escapeXml(words)}</text>`;
