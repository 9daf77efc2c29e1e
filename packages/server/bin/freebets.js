#!/usr/bin/env node
// Plain JavaScript, so that an old Node.js can print the reason instead of failing on TypeScript.
const major = Number(process.versions.node.split('.')[0]);
if (major < 26) {
  console.error(
    `freebets needs Node.js 26 and found ${process.versions.node}: run it with "npx freebets" inside the project, after "npm ci".`,
  );
  process.exit(1);
}
// The first process of a container ignores signals without a handler, so this adds handlers. Commands may replace them.
if (process.pid === 1) {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(signal === 'SIGTERM' ? 143 : 130);
    });
  }
}
await import('../src/main.ts');
