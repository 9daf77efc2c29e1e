import {
  basePath,
  consolePath,
  type OperationName,
  operations,
  type StaffOperation,
  type StaffOperationName,
  staffOperations,
} from '@freebets/contract';
import type { Call } from '../calls/call.ts';
import { type Slice, undivided } from '../calls/fair-work.ts';
import { compileRequest, validateJobAdd, validateRequest } from '../calls/validation.ts';
import { requestingConfirmation } from '../people/confirmations/api.ts';
import type { Exchange, Operation, StaffAccess } from './exchange.ts';
import { batches, carryOut, carryOutForStaff } from './handlers.ts';
import { signed } from './partners.ts';
import { staffCallOf, withSession } from './staff.ts';
import { maxBodyBytes } from './transfer.ts';

// The table of operations. Staff can call their own operations, and the partner operations that have a staff role.

/** For callers who have not signed in. */
const maxAnonymousBody = 16 * 1024;

const partnerRow = (name: OperationName): Operation => ({
  ...signed,
  name,
  path: basePath + operations[name].path,
  idField: operations[name].caller,
  maxBody: maxBodyBytes,
  staff: undefined,
  fileType: undefined,
  batch: batches[name],
  validate: (body, slice) =>
    name === 'JobAdd' && slice !== undivided ? validateJobAdd(body, slice) : validateRequest(name, body),
  carryOut: (exchange, body, slice) => carryOut(name, callOf(exchange, slice), body),
});

const callOf = (
  { edge: services, request: { headers }, key: caller }: Exchange,
  slice: Slice,
): Call<Exchange['edge']> => ({
  services,
  headers,
  caller,
  slice,
  by: undefined,
});

const staffRow = (path: string, staff: StaffAccess, maxBody = maxBodyBytes) => ({
  ...withSession,
  path: consolePath + path,
  idField: 'client_id' as const,
  maxBody: staff.least === 'anybody' ? maxAnonymousBody : maxBody,
  staff,
  batch: undefined,
});

function partnerRowsOfStaff(): Operation[] {
  return (Object.keys(operations) as OperationName[]).flatMap((name): Operation[] => {
    const { path, staff: least, changes } = operations[name];
    if (least === null) return [];
    return [
      {
        ...partnerRow(name),
        ...staffRow(path, { least, changes, isPolled: false }),
        carryOut: (exchange, body, slice) => carryOut(name, staffCallOf(exchange, body, slice), body),
      },
    ];
  });
}

function ownRowOfStaff(name: StaffOperationName): Operation {
  const { path, staff: least, changes, isPolled, request, response, maxBody }: StaffOperation = staffOperations[name];
  const validate = compileRequest(request);
  return {
    ...staffRow(path, { least, changes, isPolled: isPolled === true }, maxBody),
    name,
    fileType: 'file' in response ? String(response.file) : undefined,
    validate: (body) => validate(body),
    carryOut(exchange, body, slice) {
      const call = staffCallOf(exchange, body, slice);
      return requestingConfirmation(call, carryOutForStaff(name, call, body));
    },
  };
}

const rows = [
  ...(Object.keys(operations) as OperationName[]).map(partnerRow),
  ...partnerRowsOfStaff(),
  ...(Object.keys(staffOperations) as StaffOperationName[]).map(ownRowOfStaff),
];

export const operationsByPath: ReadonlyMap<string, Operation> = new Map(rows.map((row) => [row.path, row]));
