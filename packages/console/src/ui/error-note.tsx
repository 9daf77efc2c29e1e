import { Alert, Button, CopyButton, Group, List } from '@mantine/core';
import { CallError } from '../api/call.ts';

/** What failed and what to do, with the request ID to copy. */
export function ErrorNote({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const known = error instanceof CallError ? error : undefined;
  const details = known?.details ?? [];
  // The contract's message is for developers; here the wrong fields are listed below the title.
  const title = known?.error === 'invalid_request' && details.length > 0 ? 'Check these values' : error.message;
  return (
    <Alert color="red" title={title} role="alert" variant="light">
      {details.length > 0 && (
        <List size="sm">
          {details.slice(0, 10).map(({ field, reason }) => (
            <List.Item key={`${field} ${reason}`}>
              {field && <b>{field}</b>} {reason}
            </List.Item>
          ))}
        </List>
      )}
      <Group gap="sm" mt={known?.requestId || onRetry ? 'xs' : 0}>
        {known?.requestId && (
          <CopyButton value={known.requestId}>
            {({ copied, copy }) => (
              <Button size="compact-xs" variant="subtle" color="red" onClick={copy}>
                {copied ? 'Copied' : `Copy request ID ${known.requestId?.slice(0, 8)}…`}
              </Button>
            )}
          </CopyButton>
        )}
        {onRetry && (
          <Button size="compact-xs" variant="light" color="red" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}
