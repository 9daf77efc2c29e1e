#!/usr/bin/env node
// Plain JavaScript, so that an old Node.js can still say what is wrong instead of failing on TypeScript.
const major = Number(process.versions.node.split('.')[0]);
if (major < 26) {
  console.error(
    `freebets needs Node.js 26 and found ${process.versions.node}: run it with "npx freebets" inside the project, after "npm ci".`,
  );
  process.exit(1);
}
// As the first process of a container it is ended by no signal that nobody handles. What handles one itself is left to it.
if (process.pid === 1) {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(signal === 'SIGTERM' ? 143 : 130);
    });
  }
}
await import('../src/main.ts');
