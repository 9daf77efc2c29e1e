import { distributedTables } from '../../packages/server/src/placement/citus/distribution.ts';

// Finds forms of statements that Citus refuses, or runs on all nodes. They work on one PostgreSQL, so other tests
// would not fail.

const growing = distributedTables.join('|');

const forms: Record<string, RegExp> = {
  'a subquery among the values of an INSERT': /\bINSERT INTO\b[^;]*?\bVALUES\s*\([^;]*?\(\s*SELECT\b/is,
  'an INSERT of rows that belong to no partner as far as can be seen': new RegExp(
    `\\bINSERT INTO (${growing})\\b[^;]*?\\bFROM\\s+(unnest\\(|\\(VALUES|generate_series)`,
    'is',
  ),
  'an INSERT in a WITH': new RegExp(`\\bAS\\s*(MATERIALIZED\\s*)?\\(\\s*INSERT INTO (${growing})\\b`, 'i'),
  'an INSERT behind a WITH that writes': new RegExp(
    `\\bAS\\s*(MATERIALIZED\\s*)?\\(\\s*(UPDATE|DELETE FROM) (${growing})\\b[^;]*\\)\\s*INSERT INTO\\b`,
    'i',
  ),
  'an element of an array assigned as it is': /\bSET\b[^;]*?(?<![\w(])\w+ = \(\$\d+::\w+\[\]\)\[/is,
  'a clock that moves within a statement': /\b(clock_timestamp|service_now|timeofday|random|gen_random_uuid)\(\)/i,
  'the time in DO UPDATE SET': /\bDO UPDATE SET\b(?:(?!RETURNING)[^;])*?\b(world_now|statement_timestamp|now)\(\)/is,
  'the time in a COALESCE or CASE of an UPDATE':
    /\bUPDATE \w+[^;]*?\bSET\b[^;]*?(coalesce\([^()]*|\bCASE\b[^;]*?)(world_now|statement_timestamp)\(\)/is,
  'the time in RETURNING': /\bRETURNING\b[^;]*?\b(world_now|statement_timestamp|now)\(\)/is,
  'an INSERT … SELECT with ON CONFLICT, whose conflicts are not reported':
    /\bINSERT INTO\b[^;]*?\bSELECT\b[^;]*?\bON CONFLICT\b[^;]*?\bDO NOTHING\b/is,
  'a time-out for locks that does not reach other machines': /set_config\('lock_timeout'/i,
};

/** The forms in a statement that Citus refuses, as text. */
export const refusedForms = (statement: string): string[] =>
  Object.entries(forms)
    .filter(([, form]) => form.test(statement))
    .map(([what]) => what);
