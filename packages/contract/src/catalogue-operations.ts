import * as catalogue from './catalogue.ts';
import type { StaffOperationRows } from './operation-types.ts';

const tag = 'Catalogue';
/** Ten thousand games take about 4 MiB. */
const maxBody = 16 * 1024 * 1024;

export const catalogueOperations = {
  CatalogueGames: {
    tag,
    summary: 'Find games',
    request: catalogue.CatalogueGamesRequest,
    response: catalogue.CatalogueGamesResponse,
    errors: ['partner_not_found'],
  },
  CatalogueExport: {
    tag,
    summary: 'The catalogue as a file',
    request: catalogue.CatalogueExportRequest,
    response: { file: 'application/json' },
    errors: [],
  },
  CatalogueDiff: {
    tag,
    summary: 'What an import would change',
    request: catalogue.CatalogueDiffRequest,
    response: catalogue.CatalogueDiffResponse,
    errors: [],
    maxBody,
  },
  CatalogueImport: {
    tag,
    summary: 'Make a file the catalogue; games that it does not name are withdrawn',
    request: catalogue.CatalogueImportRequest,
    response: catalogue.CatalogueImportResponse,
    errors: ['catalogue_changed'],
    maxBody,
  },
} as const satisfies Partial<StaffOperationRows>;
