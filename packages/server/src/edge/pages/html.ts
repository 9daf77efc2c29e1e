const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign);

/** Relative links between pages, so that they also work behind a proxy with a path prefix. */
const places = [
  ['partners', 'Partners'],
  ['providers', 'Providers'],
  ['sdk', 'Clients'],
  ['check', 'Check'],
  ['reference', 'Reference'],
  ['try', 'Try it'],
] as const;

export type Place = './' | (typeof places)[number][0];

export interface Page {
  place: Place;
  title: string;
  version: string;
  /** The class of the body element. The page styles apply to `page`. */
  className: 'page' | 'reference';
  /** File names in `files/`. They run in this order after the page has been parsed. */
  scripts: string[];
  /** HTML. */
  content: string;
}

export function htmlPage({ place, title, version, className, scripts, content }: Page): string {
  const links = places.map(([target, name]) => {
    const current = target === place ? ' aria-current="page"' : '';
    return `<a href="${target}"${current}>${name}</a>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="files/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="files/pages.css">
${scripts.map((name) => `<script defer src="files/${name}"></script>`).join('\n')}
</head>
<body class="${className}">
<header class="site">
<a class="brand" href="./"><img src="files/icon.svg" alt="" width="22" height="22">Freebets</a>
<nav aria-label="Documentation">${links.join('')}</nav>
<span class="version">${escapeHtml(version)}</span>
</header>
${content}
</body>
</html>
`;
}
