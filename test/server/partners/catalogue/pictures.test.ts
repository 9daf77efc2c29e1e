import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawPicture, type PictureShape } from '../../../../packages/server/src/partners/catalogue/pictures.ts';

const SIZES: [PictureShape, { width: number; height: number }][] = [
  ['landscape', { width: 800, height: 450 }],
  ['portrait', { width: 450, height: 600 }],
  ['square', { width: 500, height: 500 }],
];
const CATEGORIES = ['BetOnGames', 'CrashGames', 'InstantGames', 'LiveGames', 'VirtualSports', 'Unheard <of>'];
const TITLES = [
  `<script>alert("1")</script> & 'so' on ]]> &amp;`,
  '🎲 Dice 👩‍👩‍👧‍👦 & 🃏 Cards 🇪🇺',
  'W'.repeat(255),
  'word '.repeat(51).trim(),
  '星'.repeat(255),
  'a\u0000b\u0008c\ufffed\ud800e\u009f',
  ' ',
  '',
];

test('every picture is well-formed XML for any title', () => {
  for (const title of TITLES) {
    for (const category of CATEGORIES) {
      // Several ids, because the id chooses among the motifs of a category.
      for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) {
        for (const [shape, size] of SIZES) assertWellFormed(drawPicture({ id, title, category }, shape, size));
      }
    }
  }
});

test('the title is kept as text, in full', () => {
  const title = `Fern & "Feather" <for> O'Neil 🎲`;
  for (const [shape, size] of SIZES) {
    const svg = drawPicture({ id: 'fern', title, category: 'CrashGames' }, shape, size);
    assert.equal(
      titleLines(svg)
        .map((line) => line.words.trim())
        .join(' '),
      title,
    );
    assert.ok(
      !/<(?!\/?(svg|title|defs|linearGradient|radialGradient|stop|filter|fe[A-Z][a-zA-Z]+|rect|g|circle|path|text)\b)/.test(
        svg,
      ),
    );
    assert.ok(!/href|url\((?!#)/.test(svg));
  }
});

test('a title of any length fits between the margins', () => {
  for (const title of ['Ember Kite', 'The Long Night of the Paper Boats', ...TITLES]) {
    for (const [shape, { width, height }] of SIZES) {
      const lines = titleLines(drawPicture({ id: 'fit', title, category: 'CrashGames' }, shape, { width, height }));
      const top = Math.min(...lines.map(({ y, size }) => y - size));
      assert.ok(top > -height / 2, `${shape}: the title rises over the middle: ${title}`);
      for (const { words, size } of lines) {
        // Half an em is less than any of these letters is wide, W and 星 being twice that.
        const letterEm = /[W星]/.test(words) ? 1 : 0.5;
        assert.ok([...words.trim()].length * letterEm * size < width * 0.93, `${shape}: a line is too long: ${words}`);
      }
    }
  }
});

test('the same game is drawn the same, another game differently', () => {
  const title = 'Same Title';
  for (const [shape, size] of SIZES) {
    for (const category of CATEGORIES) {
      const draw = (id: string) => drawPicture({ id, title, category }, shape, size);
      assert.equal(draw('one'), draw('one'));
      const bodies = ['one', 'two', 'three', 'four'].map((id) => draw(id).replace(/p[0-9a-f]{12}-/g, ''));
      assert.equal(new Set(bodies).size, 4);
    }
  }
});

test('a picture has the size asked for', () => {
  const svg = drawPicture({ id: 'size', title: 'Size', category: 'LiveGames' }, 'square', { width: 64, height: 64 });
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="64" height="64" viewBox="0 0 64 64">/);
});

/** The lines of the title are the white texts; y is measured from the bottom margin. */
function titleLines(svg: string): { words: string; y: number; size: number }[] {
  const found = svg.matchAll(/<text y="([-\d.]+)" font-size="([\d.]+)"[^>]* fill="#fff"[^>]*>([^<]*)<\/text>/g);
  const lines = Array.from(found, ([, y, size, words = '']) => ({
    words: unescapeXml(words),
    y: Number(y),
    size: Number(size),
  }));
  return lines.reverse();
}

function unescapeXml(words: string): string {
  return words.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
}

/** Reads the small part of XML that the pictures use, and nothing beyond it. */
function assertWellFormed(xml: string): void {
  assert.ok(xml.isWellFormed(), 'a lone surrogate');
  assert.doesNotMatch(xml, /(?![\t\n\r])[\p{Cc}\ufffe\uffff]/u);
  const open: string[] = [];
  const token = /<(\/?)([a-zA-Z]+)((?: [a-zA-Z0-9:-]+="[^"<&]*")*) ?(\/?)>|((?:[^<>&]|&#\d+;)+)/gy;
  let end = 0;
  for (const [whole, closing, name = '', attributes = '', empty] of xml.matchAll(token)) {
    end += whole.length;
    const names = Array.from(attributes.matchAll(/ ([a-zA-Z0-9:-]+)=/g), ([, attribute]) => attribute);
    assert.equal(new Set(names).size, names.length, `an attribute twice: ${whole}`);
    if (closing) assert.equal(open.pop(), name);
    else if (name && !empty) open.push(name);
    assert.ok(open.length > 0 || end === xml.length, 'more than one root');
  }
  assert.equal(end, xml.length, `not XML: ${xml.slice(end, end + 60)}`);
  assert.deepEqual(open, []);
  assert.doesNotMatch(xml, /NaN|undefined|Infinity/);
}
