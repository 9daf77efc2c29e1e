import { moduleOf, type Report, type Result } from '../check.ts';
import { answerText, curlLine } from '../exchange.ts';

// JUnit XML for build servers: a module is a suite, a rule is a case.

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML can't represent most control characters, so they are left out. */
const escapeXml = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu, '')
    .replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? sign);

const seconds = (ms: number): string => (ms / 1000).toFixed(3);
const sum = (results: Result[]): string => seconds(results.reduce((ms, result) => ms + result.duration_ms, 0));
const countOf = (results: Result[], isCounted: (result: Result) => boolean): number => results.filter(isCounted).length;

const isLeftOut = ({ verdict }: Result): boolean => verdict === 'skipped' || verdict === 'unchecked';
const isFailed = ({ verdict }: Result): boolean => verdict === 'failed';

export function junitReport({ kind, target, started_at, results }: Report): string {
  const modules = Map.groupBy(results, moduleOf);
  const suites = [...modules].map(([name, of]) => {
    const counts = `tests="${of.length}" failures="${countOf(of, isFailed)}" errors="0" skipped="${countOf(of, isLeftOut)}"`;
    const head = `<testsuite name="${escapeXml(`${kind}.${name}`)}" hostname="${escapeXml(target)}" timestamp="${started_at}" ${counts} time="${sum(of)}">`;
    return [head, ...of.map((result) => testCase(kind, result)), '</testsuite>'].join('\n');
  });
  const counts = `tests="${results.length}" failures="${countOf(results, isFailed)}" errors="0" skipped="${countOf(results, isLeftOut)}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="freebets check ${kind}" ${counts} time="${sum(results)}">
${suites.join('\n')}
</testsuites>
`;
}

function testCase(kind: string, result: Result): string {
  const { id, rule, verdict, reason, advice, guide, exchange, duration_ms } = result;
  const head = `<testcase name="${escapeXml(`${id}: ${rule}`)}" classname="${escapeXml(`${kind}.${moduleOf(result)}`)}" time="${seconds(duration_ms)}"`;
  if (verdict === 'passed') return `${head}/>`;
  if (verdict !== 'failed') return `${head}><skipped message="${escapeXml(reason ?? '')}"/></testcase>`;
  const shown = exchange === null ? [] : [curlLine(exchange.request), answerText(exchange)];
  const text = [reason ?? '', advice, guide, ...shown].join('\n');
  return `${head}><failure message="${escapeXml(reason ?? '')}">${escapeXml(text)}</failure></testcase>`;
}
