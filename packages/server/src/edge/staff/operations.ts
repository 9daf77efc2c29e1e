import {
  compileSchema,
  type Least,
  type OperationName,
  operations,
  Reason,
  type StaffOperation,
  type StaffOperationName,
  staffOperations,
  type Validate,
} from '@freebets/contract';
import { compileRequest, validateRequest } from '../../calls/validation.ts';

// Everything that staff may call, as one table: the operations of partners that have a role for them, and their own.

export type Offered = {
  path: string;
  least: Least;
  changes: boolean;
  /** It is no use of the session. */
  isPolled: boolean;
  maxBody: number;
  validate(body: unknown): ReturnType<Validate>;
} & ({ kind: 'partner'; name: OperationName } | { kind: 'staff'; name: StaffOperationName; contentType: string });

const mebibyte = 1024 * 1024;
const json = 'application/json; charset=utf-8';

function ofPartners(): Offered[] {
  return (Object.keys(operations) as OperationName[]).flatMap((name): Offered[] => {
    const { path, staff: least, changes } = operations[name];
    if (least === null) return [];
    const validate = (body: unknown) => validateRequest(name, body);
    return [{ kind: 'partner', name, path, least, changes, isPolled: false, maxBody: mebibyte, validate }];
  });
}

function ofStaff(): Offered[] {
  return (Object.keys(staffOperations) as StaffOperationName[]).map((name): Offered => {
    const row = staffOperation(name);
    const { path, staff: least, changes, isPolled = false, request, maxBody = mebibyte } = row;
    const contentType = fileTypeOf(row) ?? json;
    const validate = compileRequest(request);
    return { kind: 'staff', name, path, least, changes, isPolled, maxBody, validate, contentType };
  });
}

const staffOperation = (name: StaffOperationName): StaffOperation => staffOperations[name];
/** Of a file that is sent as it is made. */
const fileTypeOf = ({ response }: StaffOperation): string | undefined =>
  'file' in response ? String(response.file) : undefined;

export const offered: Offered[] = [...ofPartners(), ...ofStaff()];

export const validateReason: Validate = compileSchema(Reason);
