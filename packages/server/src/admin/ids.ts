import { ClientId, Currency, Email, isValid, Name, PersonName, ProviderId } from '@freebets/contract';
import { Failure } from '../primitives/failure.ts';

// What is typed for an id, a name or a currency, checked as the contract checks it in requests.

const { minimum, maximum } = ClientId as object as { minimum: number; maximum: number };

export function clientIdOf(text: string): number {
  const id = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (isValid(ClientId, id)) return id;
  throw new Failure(`A CLIENT_ID is a whole number from ${minimum} to ${maximum}.`);
}

export function providerIdOf(text: string): string {
  if (isValid(ProviderId, text)) return text;
  throw new Failure('A PROVIDER_ID is 1 to 64 of a-z, 0-9 and -, and begins with a letter or digit.');
}

/** With commas between. */
export function currenciesOf(text: string): string[] {
  const codes = [...new Set(text.split(',').map((code) => code.trim()))];
  if (codes.every((code) => isValid(Currency, code))) return codes;
  throw new Failure('Currencies are given by their codes, with commas between: --currencies EUR,USD.');
}

/** What is typed in another encoding than UTF-8 comes with this in the place of what was meant. */
const isLegible = (text: string): boolean => !text.includes('\ufffd');

export function nameOf(text: string): string {
  if (isValid(Name, text) && isLegible(text)) return text;
  throw new Failure('A name has 1 to 128 characters in UTF-8, all of which can be seen: --name "…".');
}

export function emailOf(text: string): string {
  if (isValid(Email, text)) return text;
  throw new Failure(`An EMAIL is an address such as somebody@example.com.`);
}

export function personNameOf(text: string): string {
  if (isValid(PersonName, text) && isLegible(text)) return text;
  throw new Failure('The name of a person has 1 to 128 characters in UTF-8, all of which can be seen: --name "…".');
}
