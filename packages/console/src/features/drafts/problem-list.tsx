import { List } from '@mantine/core';
import type { PlainProblem } from './problems.ts';

/** What is wrong or missing; nothing where all is well. */
export function ProblemList({ problems }: { problems: PlainProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <List size="sm" aria-label="Still to do">
      {problems.map(({ label, text }) => (
        <List.Item key={`${label} ${text}`}>
          {label && <b>{label}</b>} {text}
        </List.Item>
      ))}
    </List>
  );
}
