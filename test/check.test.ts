import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

// What "npm run check" checks, in addition to the other tests, on a processor that they leave idle.

const root = fileURLToPath(new URL('..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/**
 * As npm would run the script, whose own start takes longer than most tests; what it has to complain of. The compiler needs 730 MB, and
 * a third less of the processor, where it frees none of that before its end.
 */
async function complaintsOf(script: string): Promise<string> {
  const path = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const child = spawn(script, { shell: true, cwd: root, env: { ...process.env, PATH: path, GOGC: 'off' } });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const [code] = await once(child, 'close');
  return code === 0 ? '' : `"${script}" ended with ${code}\n${said}`;
}

for (const name of ['types', 'lint']) {
  test(name, async () => {
    const complaints = await complaintsOf(scripts[name]);
    assert.ok(complaints === '', complaints);
  });
}
