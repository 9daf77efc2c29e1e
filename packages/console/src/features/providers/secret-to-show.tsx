import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { AnswerOf } from '../../api/call.ts';
import { SecretShown } from '../callers/secret-shown.tsx';

type Made = AnswerOf<'ProviderCreate'>;

/** The secret of a provider that was just made; from there one goes to the provider. */
export function useSecretToShow() {
  const [made, show] = useState<Made>();
  const navigate = useNavigate();
  const shown = made && (
    <SecretShown
      name={made.name}
      secret={made.secret}
      onDone={() => void navigate({ to: `/providers/${made.provider_id}` })}
    >
      Their provider_id is {made.provider_id}.
    </SecretShown>
  );
  return { shown, show };
}
