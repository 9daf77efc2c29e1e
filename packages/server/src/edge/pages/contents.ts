// The table of contents of the documentation: the pages at `/docs`, the navigation, and the order of previous and next.

export interface Section {
  title: string;
  summary: string;
  /** Paths below `/docs/`; `partners/webhooks` is the file docs/partners/webhooks.md. Missing files are left out. */
  pages: readonly string[];
  /** Pages that exist for links from elsewhere. The navigation and the search leave them out. */
  unlisted?: readonly string[];
}

const below = (folder: string, names: string): string[] => names.split(' ').map((name) => `${folder}/${name}`);

export const sections: readonly Section[] = [
  {
    title: 'Start',
    summary: 'What Freebets does, a first call in a few minutes, and the terms that every page uses.',
    pages: below('start', 'what-is-freebets quickstart concepts'),
  },
  {
    title: 'For partners',
    summary: 'Sign requests, run campaigns, issue free bets, receive events, and go live.',
    pages: [
      'partners',
      ...below(
        'partners',
        'authentication game-catalogue campaigns issue-and-cancel bulk-jobs events webhooks retries',
      ),
      ...below('partners', 'sandbox payouts go-live check'),
    ],
    unlisted: ['check'],
  },
  {
    title: 'For game providers',
    summary: 'Spend free bets in rounds: find, bet, settle, roll back, and recover after a failure.',
    pages: ['providers', ...below('providers', 'quickstart rounds recovery')],
  },
  {
    title: 'Reference',
    summary: 'Errors with their fixes, formats, limits, commands, settings and metrics.',
    pages: below('reference', 'errors formats limits commands settings metrics staff-operations staff-api versioning'),
  },
  {
    title: 'Clients',
    summary: 'TypeScript, Python and PHP clients, test vectors, and a collection for Postman and Bruno.',
    pages: ['sdk', ...below('clients', 'typescript python php vectors collection')],
  },
  {
    title: 'Console',
    summary: 'For promotion managers and support: campaigns, approvals, players, reports and roles.',
    pages: ['console', ...below('console', 'first-campaign approvals players reports roles')],
    unlisted: ['staff'],
  },
  {
    title: 'Operate',
    summary: 'Install, secure, back up, upgrade, watch and scale a server.',
    pages: [
      'operations',
      ...below('operate', 'docker kubernetes systemd partners-and-providers staff-sign-in keys backup upgrade alerts'),
      ...below('operate', 'troubleshooting sizing citus security player-data'),
    ],
    unlisted: ['scaling'],
  },
  {
    title: 'Understand',
    summary: 'How the service is built, how fast it is, and why it was built this way.',
    pages: ['architecture', 'performance', 'decisions'],
  },
];
