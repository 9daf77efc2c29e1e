import { type ErrorName, errors } from '@freebets/contract/errors';

/** The contract's message for an error; its name as words if this version of the console does not know it. */
export const errorText = (name: string): string => errors[name as ErrorName]?.message ?? name.replaceAll('_', ' ');
