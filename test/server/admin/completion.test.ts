import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { succeeds, succeedsWith } from './terminal.ts';

const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

/** Returns what a shell would offer for the last word of a line. */
function completeIn(shell: string, script: string, ask: string): (line: string) => string[] {
  return (line) => {
    const output = execFileSync(shell, ['-c', `${script}\n${ask}`, shell, ...line.split(' ')]).toString();
    return output.split('\n').filter((word) => word !== '');
  };
}

const expected: [line: string, words: string[]][] = [
  ['freebets cl', ['client']],
  ['freebets client web', ['webhook']],
  ['freebets client webhook re', ['remove', 'resend']],
  ['freebets client create --st', ['--stake-returned']],
  ['freebets client create --stake-returned ', ['yes', 'no']],
  ['freebets client create --name list --o', ['--offer']],
  ['freebets client webhook deliveries 1 --state fa', ['failed']],
  ['freebets provider disable --j', ['--json']],
  ['freebets --json provider dis', ['disable']],
  ['freebets completion ', ['bash', 'zsh', '--json', '--help']],
];

test('bash completes commands, options and values', { skip: !isInstalled('bash') && 'there is no bash' }, async () => {
  const script = await succeeds({}, 'completion', 'bash');
  const ask = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _freebets; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const complete = completeIn('bash', script, ask);
  for (const [line, words] of expected) assert.deepEqual(complete(line), words, line);
  assert.deepEqual(complete('freebets catalogue import cat'), [], 'files are left to the shell');
  assert.match(execFileSync('bash', ['-c', `${script}\ncomplete -p freebets`]).toString(), /-F _freebets freebets/);
});

test('zsh completes commands, options and values', { skip: !isInstalled('zsh') && 'there is no zsh' }, async () => {
  const script = await succeeds({}, 'completion', 'zsh');
  // In place of zsh's own: what is offered as a word is printed, as far as it begins with what was typed.
  const ask = `words=("$@"); CURRENT=$#
    _describe() {
      [[ $1 == -* ]] && return 1
      local word count=0
      for word in \${(P)2}; do [[ $word == $words[CURRENT]* ]] && { print -r -- \${word%%:*}; count=1 }; done
      return $((1 - count))
    }
    _files() { print FILES }
    _freebets`;
  const complete = completeIn('zsh', `compdef() { : }\n${script}`, ask);
  for (const [line, words] of expected) assert.deepEqual(complete(line), words, line);
  assert.deepEqual(complete('freebets catalogue import cat'), ['FILES']);
});

test('completion --json prints the script as one JSON string', async () => {
  assert.equal(`${await succeedsWith({}, 'completion', 'bash')}\n`, await succeeds({}, 'completion', 'bash'));
});
