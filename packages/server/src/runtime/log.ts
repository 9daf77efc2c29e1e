import pino, { type Logger } from 'pino';

const latestMs = 200;

/** On the standard output. Lines are written together for speed, and soon enough that they can be followed. */
export function openLog(level: string): Logger {
  const output = pino.destination({ dest: 1, sync: false, minLength: 4096 });
  setInterval(() => output.flush(), latestMs).unref();
  process.on('exit', () => output.flushSync());
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, output);
}
