import { List, Text } from '@mantine/core';

/** What a change will do, sentence by sentence; what does not apply is false. */
export function WhatHappens({ sentences }: { sentences: (string | false)[] }) {
  const said = sentences.filter((each) => each !== false);
  if (said.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing is changed yet.
      </Text>
    );
  }
  return (
    <List size="sm" aria-label="What will happen" spacing={4}>
      {said.map((each) => (
        <List.Item key={each}>{each}</List.Item>
      ))}
    </List>
  );
}
