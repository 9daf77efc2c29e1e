<?php

declare(strict_types=1);

namespace Freebets;

/**
 * A list that is read page by page. Iterate over it to get every item; pages are requested as you reach them. Each
 * iteration starts from the beginning.
 *
 *     foreach ($partner->freeBets->list(['status' => 'active']) as $freeBet) {
 *         echo $freeBet->issue_id, "\n";
 *     }
 *
 * @template TItem of Result
 * @template TPage of Result
 *
 * @implements \IteratorAggregate<int, TItem>
 */
final class PagedList implements \IteratorAggregate
{
    /**
     * @param array<string, mixed> $request
     * @param class-string<TPage> $pageClass
     * @param class-string<TItem> $itemClass
     *
     * @internal
     */
    public function __construct(
        private readonly Caller $caller,
        private readonly string $operation,
        private readonly array $request,
        private readonly ?CallOptions $options,
        private readonly string $pageClass,
        private readonly string $itemClass,
    ) {
    }

    /** @return \Generator<int, TItem> */
    public function getIterator(): \Generator
    {
        $number = 0;
        foreach ($this->pages() as $page) {
            foreach ($page[Operations::ALL[$this->operation]['list']] as $item) {
                yield $number++ => new $this->itemClass($item, $page->requestId);
            }
        }
    }

    /**
     * The pages. A page may hold fewer items than its limit, even none, and still have a next page.
     *
     * @return \Generator<int, TPage>
     */
    public function pages(): \Generator
    {
        $request = $this->request + ['limit' => Operations::ALL[$this->operation]['most']];
        do {
            $page = $this->caller->call($this->operation, $request, $this->options, $this->pageClass);
            $request['cursor'] = $page['next_cursor'];
            yield $page;
        } while ($request['cursor'] !== null);
    }

    /**
     * One page: the first, or the one at the `cursor` of the request. Its `next_cursor` is the cursor of the next page.
     *
     * @return TPage
     */
    public function page(): Result
    {
        return $this->caller->call($this->operation, $this->request, $this->options, $this->pageClass);
    }
}
