import { Type } from 'typebox';

// The formats of money, odds, time and names in requests and responses. Each is a bounded string or number, so that
// code behind the schema can rely on it: a matching value parses exactly and fits its database column. `x-form`
// describes a pattern in words for error messages.

/** Characters that could break a line or a log: control characters, line separators and lone surrogates. */
const unprintable = '\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}';

const characters = (maxLength: number, forbidden: string, without: string, description: string) => {
  const form = `1 to ${maxLength} printable characters, ${without}`;
  const pattern = `^[^${unprintable}${forbidden}]*$`;
  return Type.String({ minLength: 1, maxLength, pattern, 'x-form': form, description: `${description}: ${form}.` });
};

/** Text for people. Allows characters that join emoji, but none that changes the direction of writing. */
export const text = (maxLength: number, description: string) =>
  characters(maxLength, '\\u202a-\\u202e\\u2066-\\u2069', 'none that turns the direction of writing', description);

/** An id. Forbids invisible format characters, so that ids that look the same are the same. */
const id = (maxLength: number, description: string) =>
  characters(maxLength, '\\p{Cf}', "none of Unicode's format characters, such as a zero-width space", description);

export const ClientId = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'The partner on whose behalf the call is made; its secret signs the request.',
});

export const ProviderId = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
  'x-form': '1 to 64 lower-case letters, digits and hyphens, beginning with a letter or digit',
  description: 'The game provider that makes the call; its secret signs the request.',
});

export const Name = text(128, 'The name of a partner or a provider.');
export const CampaignId = id(64, "The partner's id of the campaign");
export const PlayerId = id(128, "The partner's id of the player");
export const GameId = id(128, 'The `id` of the game in the game list');

export const uuidPattern = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

export const Uuid = (description: string) =>
  Type.String({
    pattern: uuidPattern,
    'x-form': 'a UUID, such as 7d444840-9dc0-41d1-b245-5ffdce74fad2',
    description,
  });

export const IssueId = Uuid(
  'The id of the free bet: a UUID of any version, in upper or lower case; returned in lower case.',
);
export const BetId = Uuid(
  "The provider's id of the bet: a UUID of any version, in upper or lower case; returned in lower case.",
);

export const JobId = Uuid(
  "The partner's id of the job: a UUID of any version, in upper or lower case; returned in lower case.",
);

export const Currency = Type.String({
  pattern: '^[A-Z0-9]{3,10}$',
  'x-form': '3 to 10 capitals and digits, such as EUR or USDT',
  description: 'Currency code, such as `EUR` or `USDT`.',
});

export const Money = Type.String({
  pattern: '^(?!0+\\.00$)\\d{1,13}\\.\\d{2}$',
  'x-form':
    'an amount with exactly two decimals, greater than zero, at most 13 digits before the point, such as "1.50"',
  description: 'Amount with exactly two decimals, greater than zero, such as `"1.50"`.',
});

/** A sum of money, such as winnings and exposure. Unlike an amount, it may be zero and may have more digits. */
export const MoneySum = Type.String({ pattern: '^\\d{1,40}\\.\\d{2}$', description: 'Amount with two decimals.' });

export const Coefficient = Type.String({
  pattern: '^(?!0+(\\.|$))\\d{1,6}(\\.\\d{1,4})?$',
  'x-form': 'a number of at least 1, with up to six digits and four decimals, such as "1.20"',
  description: 'Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`.',
});

const timestampPattern = '^(\\d{4})-(\\d{2})-(\\d{2})T(\\d{2}):(\\d{2}):(\\d{2})(?:\\.\\d{1,9})?Z$';
const timestampForm = new RegExp(timestampPattern);
export const hasShapeOfTimestamp = (value: string): boolean => timestampForm.test(value);

export const Timestamp = Type.String({
  format: 'date-time',
  pattern: timestampPattern,
  'x-form': 'a time in UTC, such as 2027-01-31T12:00:00Z',
  description: 'ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond.',
});

const daysInMonth = (year: number, month: number) => new Date(Date.UTC(year, month, 0)).getUTCDate();

/** Whether a string in the format of a timestamp is an existing instant: there is no 30 February and no 24:00. */
export function isTimestamp(value: string): boolean {
  const parts = timestampForm.exec(value);
  if (parts === null) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number);
  if (year < 1970 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return false;
  return hour < 24 && minute < 60 && second < 60;
}

export const Limit = (maximum: number, byDefault: number) =>
  Type.Integer({ minimum: 1, maximum, default: byDefault, description: `How many at most; ${byDefault} when absent.` });

/** The time range of a list. */
export const From = (what: string) =>
  Type.String({ ...Timestamp, description: `Only items that were ${what} at this time or later.` });
export const Until = (what: string) =>
  Type.String({ ...Timestamp, description: `Only items that were ${what} before this time.` });

export const Cursor = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,512}$',
  'x-form': 'the next_cursor of the previous page',
  description: 'The `next_cursor` of the previous page.',
});

/** For lists that are ordered by a long value. */
export const LongCursor = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,4096}$',
  'x-form': 'the next_cursor of the previous page',
  description: 'The `next_cursor` of the previous page of the same list.',
});

/** In a request; `false` means the same as absent. */
export const DryRun = Type.Boolean({
  default: false,
  description: 'If true, the request is decided as a real one would be now, and nothing is changed.',
});
/** In the response to a dry run. */
export const WasDryRun = Type.Literal(true, { description: 'Only in the response to a dry run: nothing was changed.' });

/**
 * The values of a field in one of two forms that differ by this field. Error messages list the values of both forms.
 */
export const only = <V extends string>(values: V[], all: readonly string[]) =>
  Type.Unsafe<V>({ enum: all, 'x-only': values });

export const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** An object without other fields, so that a misspelt `bonus_limit` is not ignored. */
export const closed = <P extends Type.TProperties>(properties: P, options: Type.TSchemaOptions = {}) =>
  Type.Object(properties, { ...options, additionalProperties: false });

/** The values that a staff member read before the change, so that the change can't overwrite a colleague's. */
export const asRead = <P extends Type.TProperties>(properties: P) =>
  Type.Optional(
    closed(properties, {
      description:
        'The values that you read, or some of them. If they differ now, the request is refused with ' +
        '`changed_meanwhile`.',
    }),
  );

/** The reason of a change by staff, in addition to the fields of the operation. */
const words = text(500, 'The reason for the change');
export const Reason = Type.String({
  ...words,
  // Requires three characters that are not blanks.
  pattern: String((words as { pattern?: string }).pattern).replace('^', '^(?=(?:\\s*\\S){3})'),
  'x-form': '3 to 500 printable characters, not all of them blank',
});

/** A response without fields. */
export const Nothing = closed({});

const ErrorDetails = Type.Array(
  closed({
    field: Type.String({ description: 'Path of the field, such as `bet_amounts[1].amount`.' }),
    reason: Type.String(),
    value: Type.Optional(
      Type.String({ description: 'The value for programs, such as the `last_sequence` of `feed_changed`.' }),
    ),
  }),
  {
    description:
      'With status 400: every invalid field. With `job_incomplete`: the missing parts or items. With ' +
      '`feed_changed` and `events_removed`: the end or the start of the feed. With `job_quota_reached`: the ' +
      'quota, its limit and its use. With status 503: whether the request did not arrive in time.',
  },
);

const errorFields = {
  code: Type.Integer({ description: 'The number of the error.' }),
  error: Type.String({ description: 'A stable word for programs.' }),
  message: Type.String({ description: 'A sentence for people.' }),
  details: Type.Optional(ErrorDetails),
};

export const ItemError = closed(errorFields);
export const ErrorBody = closed({
  ...errorFields,
  request_id: Type.String({ description: 'The `X-Request-Id` of this response.' }),
  doc_url: Type.String({ description: 'The address of the page that explains the error and how to fix it.' }),
});
export type ItemError = Type.Static<typeof ItemError>;
export type ErrorBody = Type.Static<typeof ErrorBody>;
