import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';

/** For whoever came by an address. */
export const OnlyAdmins = () => (
  <Page title="Staff">
    <Empty title="Your role does not allow this">
      Admins see who works here, invite people, and say what they may do.
    </Empty>
  </Page>
);
