import type { Call, CallOptions, WithRequestId } from './caller.ts';
import { type Operation, type OperationName, operations } from './operations.ts';

interface AnyPage {
  next_cursor: string | null;
  [list: string]: unknown;
}

/**
 * A list. `for await` reads all items, page by page. `await` reads the first page, once; continue from its
 * `next_cursor`. Nothing is sent before that.
 */
export class List<Page, Item> extends Promise<WithRequestId<Page>> implements AsyncIterable<Item> {
  /** `catch` and `finally` return ordinary promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  readonly #read: (request: object) => Promise<object>;
  readonly #request: object;
  readonly #operation: Operation;
  #first: Promise<WithRequestId<Page>> | undefined;

  constructor(call: Call, name: OperationName, request: object = {}, options?: CallOptions) {
    super(() => {});
    this.#operation = operations[name];
    this.#request = request;
    this.#read = (asked) => call(name, asked, options);
  }

  // biome-ignore lint/suspicious/noThenProperty: a promise that sends its request when it is awaited.
  override then<A = WithRequestId<Page>, B = never>(
    onPage?: ((page: WithRequestId<Page>) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#first ??= this.#read(this.#request) as Promise<WithRequestId<Page>>;
    return this.#first.then(onPage, onError);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    const { list = '', most } = this.#operation;
    // A short or empty page is not always the last one.
    for (let request: object = { limit: most, ...this.#request }; ; ) {
      const page = (await this.#read(request)) as AnyPage;
      yield* page[list] as Item[];
      if (page.next_cursor === null) return;
      request = { ...request, cursor: page.next_cursor };
    }
  }
}
