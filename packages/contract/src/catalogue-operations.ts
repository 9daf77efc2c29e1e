import * as catalogue from './catalogue.ts';
import type { StaffOperations } from './staff-operation.ts';
import { staffPaths } from './staff-paths.ts';

const tag = 'Catalogue';
/** Ten thousand games take about 4 MiB. */
const maxBody = 16 * 1024 * 1024;

export const catalogueOperations = {
  CatalogueGames: {
    ...staffPaths.CatalogueGames,
    tag,
    summary: 'Find games',
    request: catalogue.CatalogueGamesRequest,
    response: catalogue.CatalogueGamesResponse,
    errors: ['partner_not_found'],
  },
  CatalogueExport: {
    ...staffPaths.CatalogueExport,
    tag,
    summary: 'The catalogue as a file',
    request: catalogue.CatalogueExportRequest,
    response: { file: 'application/json' },
    errors: [],
  },
  CatalogueDiff: {
    ...staffPaths.CatalogueDiff,
    tag,
    summary: 'What an import would change',
    request: catalogue.CatalogueDiffRequest,
    response: catalogue.CatalogueDiffResponse,
    errors: [],
    maxBody,
  },
  CatalogueImport: {
    ...staffPaths.CatalogueImport,
    tag,
    summary: 'Make a file the catalogue; games that it does not name are withdrawn',
    request: catalogue.CatalogueImportRequest,
    response: catalogue.CatalogueImportResponse,
    errors: ['catalogue_changed'],
    maxBody,
  },
} as const satisfies Partial<StaffOperations>;
