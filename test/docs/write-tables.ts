import { writeFileSync } from 'node:fs';
import { root } from './markdown.ts';
import { tables, wholeFiles, withTable } from './tables.ts';

// "node test/docs/write-tables.ts" brings the tables of the docs and .env.example up to date with the code.

for (const table of tables) writeFileSync(root + table.file, await withTable(table));
for (const { file, make } of wholeFiles) writeFileSync(root + file, make());
