import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentationOf } from '../../packages/console/src/features/shell/documentation.ts';
import { sections } from '../../packages/server/src/edge/pages/contents.ts';

test('every screen links a page of the documentation', () => {
  const pages = new Set(sections.flatMap(({ pages }) => pages.map((page) => `../docs/${page}`)));
  const screens = [
    '/',
    '/account',
    '/approvals',
    '/reports',
    '/games',
    '/partners/1',
    '/providers',
    '/staff',
    '/audit',
  ];
  const ofPartner = ['campaigns', 'players/x', 'free-bets/x', 'lists', 'events', 'clock'].map((each) => `/p/1/${each}`);
  for (const screen of [...screens, ...ofPartner, '/system'])
    assert.ok(pages.has(documentationOf(screen)), `${screen}: ${documentationOf(screen)}`);
  assert.equal(documentationOf('/p/12/campaigns/welcome'), '../docs/console/first-campaign');
  assert.equal(documentationOf('/'), '../docs/console');
});
