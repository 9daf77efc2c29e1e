import { sections } from './contents.ts';
import { escapeHtml } from './html.ts';
import { type Heading, renderMarkdown, rootOf } from './markdown.ts';
import type { DocPage, Site } from './site.ts';

// A page of the documentation: navigation, article, links to the previous and the next page, and its own contents.

export function guidePage(site: Site, page: DocPage, address: string): string {
  const { article, headings } = renderMarkdown(site, page, address);
  return `<div class="guide">
${navigation(site, page)}
<main><p class="crumb">${escapeHtml(page.section)}</p><article>${article}</article>${neighbours(site, page)}</main>
${contentsOf(headings)}
</div>`;
}

function navigation(site: Site, page: DocPage): string {
  const root = rootOf(page.path);
  const groups = sections.map(({ title }) => {
    const links = site.listed
      .filter(({ section }) => section === title)
      .map((each) => {
        const current = each === page ? ' aria-current="page"' : '';
        return `<li><a href="${root}${each.path}"${current}>${escapeHtml(each.title)}</a></li>`;
      });
    const open = title === page.section ? ' open' : '';
    return links.length === 0
      ? ''
      : `<details${open}><summary>${title}</summary><ul>${links.join('')}</ul></details>\n`;
  });
  return `<nav class="pages" aria-label="Documentation"><details open><summary>All pages</summary>
${groups.join('')}</details></nav>`;
}

function contentsOf(headings: Heading[]): string {
  const entries = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (entries.length < 2) return '<div></div>';
  // Lets the long names of errors break after an underscore.
  const links = entries.map(
    ({ id, html, depth }) => `<li class="depth-${depth}"><a href="#${id}">${html.replaceAll('_', '_<wbr>')}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${links.join('')}</ul></nav>`;
}

function neighbours(site: Site, page: DocPage): string {
  if (!page.isListed) return '';
  const at = site.listed.indexOf(page);
  const link = (target: DocPage | undefined, rel: 'prev' | 'next', label: string) =>
    target === undefined
      ? ''
      : `<a rel="${rel}" href="${rootOf(page.path)}${target.path}"><span>${label}</span>${escapeHtml(target.title)}</a>`;
  const links = link(site.listed[at - 1], 'prev', 'Previous') + link(site.listed[at + 1], 'next', 'Next');
  return `<nav class="neighbours" aria-label="Previous and next page">${links}</nav>`;
}
