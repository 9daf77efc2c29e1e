import { runCli } from './admin/program.ts';
import { processTerminal } from './admin/terminal.ts';

// The program: runs the command line. The only place that reads the environment.

const exitCode = await runCli(process.argv.slice(2), processTerminal(process.env));
if (exitCode !== 0) process.exit(exitCode);
