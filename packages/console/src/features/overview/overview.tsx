import { usePerson } from '../../api/session.ts';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';

export function Overview() {
  const { name } = usePerson();
  return (
    <Page title="Overview">
      <Empty title={`Good day, ${name}`} />
    </Page>
  );
}
