/** Pages of the documentation by the beginning of a screen's address, without the partner. */
const pages: [screen: string, page: string][] = [
  ['/campaigns', 'console/first-campaign'],
  ['/players', 'console/players'],
  ['/free-bets', 'console/players'],
  ['/lists', 'console/first-campaign'],
  ['/events', 'partners/events'],
  ['/clock', 'partners/sandbox'],
  ['/approvals', 'console/approvals'],
  ['/reports', 'console/reports'],
  ['/audit', 'console/reports'],
  ['/games', 'partners/game-catalogue'],
  ['/partners', 'operate/partners-and-providers'],
  ['/providers', 'operate/partners-and-providers'],
  ['/staff', 'console/roles'],
  ['/system', 'operate/troubleshooting'],
];

/** The address of the page about a screen, relative to the base of the console. */
export function documentationOf(pathname: string): string {
  const screen = pathname.replace(/^\/p\/[^/]+/, '');
  const page = pages.find(([start]) => screen.startsWith(start))?.[1] ?? 'console';
  return `../docs/${page}`;
}
