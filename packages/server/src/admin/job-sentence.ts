import type { JobBody } from '@freebets/contract';
import { figure } from './job-progress.ts';
import type { JobShown } from './job-waiting.ts';

// A job in a sentence.

export const refusedIn = ({ refused }: JobBody): number =>
  Object.values(refused).reduce((sum, count) => sum + count, 0);

export function jobSentence(job: JobShown): string {
  const { job_id, status, items, remaining, start_at, waiting } = job;
  switch (status) {
    case 'open':
      return `The job ${job_id} is open: ${figure(items)} items were added, and it was not started.`;
    case 'scheduled':
      return `The job ${job_id} of ${figure(items)} items begins at ${start_at}.`;
    case 'running':
      return [
        `The job ${job_id} is running: ${resultOf(job)}, ${figure(remaining)} left.`,
        ...(waiting === undefined ? [] : ['It waits: its campaign is paused.']),
      ].join(' ');
    case 'finished':
      return `The job ${job_id} is finished: ${resultOf(job)}.`;
    case 'failed':
      return `The job ${job_id} failed${placeOf(job)}: ${resultOf(job)}, ${figure(remaining)} left. ${job.failure?.reason ?? ''} See "freebets job retry" and "freebets job stop".`;
    case 'stopped':
      return `The job ${job_id} was stopped: ${resultOf(job)}, ${figure(remaining)} never will be.`;
  }
}

/** Counted from 1, as people count. */
const placeOf = ({ failure }: JobBody): string =>
  failure?.part == null ? '' : ` at item ${figure(failure.item + 1)} of part ${figure(failure.part)}`;

function resultOf(job: JobBody): string {
  const refused = Object.entries(job.refused).map(([error, count]) => `${error} ${figure(count)}`);
  const issued = `${figure(job.issued)} issued`;
  return refused.length === 0 ? issued : `${issued}, ${figure(refusedIn(job))} refused (${refused.join(', ')})`;
}
