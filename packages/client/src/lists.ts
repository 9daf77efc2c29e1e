import type { Call, CallOptions } from './caller.ts';
import { type Operation, type OperationName, operations } from './operations.ts';

/**
 * A list. `for await` reads all of it, page by page. `await` reads one page; continue from its `next_cursor`. Nothing
 * is sent before that.
 */
export interface List<Page, Item> extends PromiseLike<Page>, AsyncIterable<Item> {}

interface Page {
  next_cursor: string | null;
  [list: string]: unknown;
}

export function listOf(
  call: Call,
  name: OperationName,
  request: object = {},
  options?: CallOptions,
): List<Page, unknown> {
  const { list = '', most }: Operation = operations[name];
  const pageAfter = (asked: object) => call(name, asked, options) as Promise<Page>;
  return {
    // biome-ignore lint/suspicious/noThenProperty: it is there to be awaited.
    then: (onPage, onError) => pageAfter(request).then(onPage, onError),
    async *[Symbol.asyncIterator]() {
      // A short or empty page is not always the last one.
      for (let asked: object = { limit: most, ...request }; ; ) {
        const page = await pageAfter(asked);
        yield* page[list] as unknown[];
        if (page.next_cursor === null) return;
        asked = { ...asked, cursor: page.next_cursor };
      }
    },
  };
}
