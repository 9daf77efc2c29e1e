import { getRouteApi } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { usePerson } from '../../api/session.ts';
import { Door } from './door.tsx';
import { useEntering } from './entering.ts';
import { SecondFactorSteps } from './second-factor-steps.tsx';

const route = getRouteApi('/second-factor');
const proof = {};

/** Where it is asked for, nothing else can be used before it is set up. */
export function SecondFactor() {
  const { email } = usePerson();
  const enter = useEntering(route.useSearch().to);
  return (
    <Door title="Set up a second factor" about={`${email} · it is needed here, and takes a minute.`}>
      <SecondFactorSteps proof={proof} onDone={() => call('SessionGet', {}).then(enter).catch(reportError)} />
    </Door>
  );
}
