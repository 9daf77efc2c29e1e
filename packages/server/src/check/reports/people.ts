import { styleText } from 'node:util';
import type { Report, Result, Verdict } from '../check.ts';
import { curlLine, type Exchange, harmless, sentLines, shortened } from '../exchange.ts';

// Terminal output: a line for each rule as soon as its result is known, and for a broken rule all details needed to
// reproduce it.

const marks: Record<Verdict, [mark: string, colour: 'green' | 'red' | 'yellow' | 'gray']> = {
  passed: ['✓', 'green'],
  failed: ['✗', 'red'],
  unchecked: ['?', 'yellow'],
  skipped: ['-', 'gray'],
};

export interface Look {
  isColoured: boolean;
}

type Style = Parameters<typeof styleText>[0];

const painted = ({ isColoured }: Look, style: Style, text: string): string =>
  isColoured ? styleText(style, text, { validateStream: false }) : text;

export function resultLines(look: Look, result: Result, number: number, count: number): string {
  const [mark, colour] = marks[result.verdict];
  const place = painted(look, 'gray', `${String(number).padStart(String(count).length)}/${count}`);
  const head = `${place} ${painted(look, colour, mark)} ${painted(look, 'bold', result.id)}  ${result.rule}`;
  if (result.verdict === 'passed') return head;
  const reason = harmless(`${result.reason}`);
  if (result.verdict !== 'failed') return [head, indented(reason)].join('\n');
  return [
    head,
    indented(painted(look, colour, reason)),
    indented(`What to do: ${result.advice}`),
    indented(`Guide: ${result.guide}`),
    ...(result.exchange === null ? [] : [indented(exchangeLines(look, result.exchange))]),
  ].join('\n');
}

const indented = (text: string): string => text.replaceAll(/^/gm, '      ');

const shownLength = 2000;

function exchangeLines(look: Look, { request, answer, fault }: Exchange): string {
  const came = answer === null ? [`no response: ${fault}`] : [`${answer.status}`, shortened(answer.body, shownLength)];
  return [
    ...sentLines(request, shownLength).map((line) => `${painted(look, 'cyan', '>')} ${harmless(line)}`),
    ...came.map((line) => `${painted(look, 'magenta', '<')} ${harmless(line)}`),
    painted(look, 'gray', harmless(curlLine(request))),
  ].join('\n');
}

/** The summary line. */
export function verdictLine({ target, counts, results, only }: Report): string {
  const parts = [
    `${counts.passed} of ${results.length} ${only === null ? 'rules' : 'chosen rules'} hold`,
    ...(counts.failed > 0 ? [`${counts.failed} ${counts.failed === 1 ? 'does' : 'do'} not`] : []),
    ...(counts.unchecked > 0 ? [`${counts.unchecked} could not be checked`] : []),
    ...(counts.skipped > 0 ? [`${counts.skipped} ${counts.skipped === 1 ? 'does' : 'do'} not apply`] : []),
  ];
  return `\n${target}: ${parts.join(', ')}.`;
}
