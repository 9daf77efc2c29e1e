const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign);

const places = [
  ['./', 'Guides'],
  ['reference', 'API reference'],
  ['try', 'Try it'],
] as const;

export type Place = (typeof places)[number][0];

export interface Page {
  place: Place;
  /** The relative address of `/docs/`: empty, or `../` for each folder. */
  root: string;
  title: string;
  version: string;
  /** The class of the body element. The page styles apply to `page`. */
  className: 'page' | 'reference';
  /** File names in `files/`. They run in this order after the page has been parsed. */
  scripts: string[];
  /** HTML. */
  content: string;
}

const search = `<search class="search"><input id="search" type="search" placeholder="Search" aria-label="Search the documentation"
role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" autocomplete="off" spellcheck="false"
aria-keyshortcuts="/"><div class="panel" hidden><p role="status"></p><div id="found" role="listbox"
aria-label="Search results"></div></div></search>`;

export function htmlPage({ place, root, title, version, className, scripts, content }: Page): string {
  const links = places.map(([target, name]) => {
    const current = target === place ? ' aria-current="true"' : '';
    return `<a href="${root}${target}"${current}>${name}</a>`;
  });
  const all = ['search.js', ...scripts];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${root}files/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}files/pages.css">
${all.map((name) => `<script defer src="${root}files/${name}"></script>`).join('\n')}
</head>
<body class="${className}">
<header class="site" data-root="${root}">
<a class="brand" href="${root}./"><img src="${root}files/icon.svg" alt="" width="22" height="22">Freebets</a>
<nav aria-label="Parts">${links.join('')}</nav>
${search}
<span class="version">${escapeHtml(version)}</span>
</header>
${content}
</body>
</html>
`;
}
