import { escapeHtml } from '../../edge/pages/html.ts';
import { moduleOf, type Report, type Result } from '../check.ts';
import { answerText, curlLine, type Exchange, sentLines, shortened } from '../exchange.ts';

// A self-contained HTML file, which can be sent on and opened years later without a network.

const styles = `
:root { color-scheme: light dark; --back: #fff; --text: #1b1f24; --soft: #57606a; --line: #d0d7de; --panel: #f6f8fa;
  --passed: #116329; --failed: #a40e26; --unchecked: #7d4e00; --skipped: #57606a; }
@media (prefers-color-scheme: dark) { :root { --back: #0d1117; --text: #e6edf3; --soft: #9198a1; --line: #30363d; --panel: #161b22;
  --passed: #3fb950; --failed: #ff7b72; --unchecked: #d29922; --skipped: #9198a1; } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1.25rem 4rem; background: var(--back); color: var(--text);
  font: 16px/1.55 system-ui, sans-serif }
h1 { font-size: 1.6rem; margin: 0 } h2 { font-size: 1.05rem; margin: 2.2rem 0 .4rem; text-transform: capitalize }
.about { color: var(--soft); margin: .3rem 0 1.2rem; overflow-wrap: anywhere }
.verdict { border: 1px solid var(--line); border-left: .4rem solid currentcolor; border-radius: .4rem; padding: .8rem 1rem; font-weight: 600 }
ul { list-style: none; margin: 0; padding: 0; border: 1px solid var(--line); border-radius: .4rem }
li { padding: .6rem .9rem; border-top: 1px solid var(--line) } li:first-child { border-top: 0 }
.mark { display: inline-block; min-width: 5.6rem; font-weight: 600 }
code, pre { font: .86rem/1.5 ui-monospace, monospace }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: .4rem; padding: .7rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere }
a { color: inherit } .rule { margin: .1rem 0 0 } .more { color: var(--soft); margin: .3rem 0 0 }
.passed { color: var(--passed) } .failed { color: var(--failed) } .unchecked { color: var(--unchecked) } .skipped { color: var(--skipped) }
@media print { body { max-width: none } details { display: block } }
`;

const words = { passed: 'holds', failed: 'broken', unchecked: 'unchecked', skipped: 'skipped' };
const shownLength = 20_000;

export function htmlReport(report: Report): string {
  const { target, kind, started_at, counts, results } = report;
  const state = counts.failed > 0 ? 'failed' : counts.unchecked === 0 ? 'passed' : 'unchecked';
  const title = `freebets check ${kind}`;
  const modules = [...Map.groupBy(results, moduleOf)].map(
    ([name, of]) => `<h2>${escapeHtml(name)}</h2>\n<ul>\n${of.map(item).join('\n')}\n</ul>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(`${title}: ${target}`)}</title>
<style>${styles}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p class="about">${escapeHtml(target)} · <time datetime="${started_at}">${started_at}</time></p>
<p class="verdict ${state}">${escapeHtml(sentenceOf(report))}</p>
${modules.join('\n')}
</main>
</body>
</html>
`;
}

function sentenceOf({ certified, counts, results, only }: Report): string {
  const { passed, failed, unchecked, skipped } = counts;
  const whole = certified ? 'Certified' : failed > 0 ? 'Not certified' : 'Not certified yet';
  const head = only === null ? whole : `A part, which certifies nothing (${only.join(', ')})`;
  return `${head}: ${passed} of ${results.length} rules hold, ${failed} are broken, ${unchecked} could not be checked, ${skipped} do not apply.`;
}

function item({ id, rule, verdict, reason, advice, guide, exchange }: Result): string {
  const paragraph = (text: string) => `<p class="more">${escapeHtml(text)}</p>`;
  const why = reason === null ? '' : `<p class="rule ${verdict}">${escapeHtml(reason)}</p>`;
  const help = verdict === 'failed' ? paragraph(`What to do: ${advice}`) : '';
  return `<li id="${escapeHtml(id)}"><span class="mark ${verdict}">${words[verdict]}</span> <code>${escapeHtml(id)}</code>
<p class="rule">${escapeHtml(rule)}</p>${why}${help}<p class="more">Guide: <a href="${escapeHtml(guide)}">${escapeHtml(guide)}</a></p>${exchange === null ? '' : shown(exchange)}</li>`;
}

function shown(exchange: Exchange): string {
  const { request } = exchange;
  const part = (title: string, text: string) =>
    `<details open><summary>${title}</summary><pre tabindex="0">${escapeHtml(text)}</pre></details>`;
  return [
    part('Sent', sentLines(request, shownLength).join('\n')),
    part('Came back', shortened(answerText(exchange), shownLength)),
    part('The same again', curlLine(request)),
  ].join('');
}
