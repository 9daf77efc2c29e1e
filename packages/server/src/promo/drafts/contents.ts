import { type DraftContents, DraftTitle, draftContents, isValid } from '@freebets/contract';
import { compileRequest } from '../../calls/validation.ts';
import { done, refuse } from '../../primitives/outcome.ts';
import { changeLimitsCommand, createCampaignCommand } from '../campaigns/api.ts';
import { startJobCommand } from '../jobs/api.ts';
import type { Content, DraftCommand, ReadContent } from './examination.ts';

// The content of a draft is a partner request and becomes the same command.

const validators = {
  campaign: compileRequest(draftContents.campaign),
  limits: compileRequest(draftContents.limits),
  job: compileRequest(draftContents.job),
};

/** A campaign without an id gets the id of its draft, so that repeated submissions create one campaign. */
const commands: { [K in keyof DraftContents]: (key: Content, content: DraftContents[K]) => DraftCommand } = {
  campaign: ({ clientId: client_id, draftId }, content) =>
    createCampaignCommand({ client_id, campaign_id: draftId, ...content }),
  limits: ({ clientId: client_id }, content) => changeLimitsCommand({ client_id, ...content }),
  job: ({ clientId: client_id }, content) => ({ ...startJobCommand({ client_id, ...content }), mustBeOpen: true }),
};

export function readContent(given: Content): ReadContent {
  const content = JSON.parse(given.content);
  const title = isValid(DraftTitle, content.name) ? content.name : null;
  const details = validators[given.kind](content);
  if (details.length > 0) return { title, command: refuse('invalid_request', details) };
  const commandOf = commands[given.kind] as (key: Content, content: object) => DraftCommand;
  return { title, command: done(commandOf(given, content)) };
}
