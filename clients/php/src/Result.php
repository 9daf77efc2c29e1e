<?php

declare(strict_types=1);

namespace Freebets;

/**
 * A response, or an item of a list. Its fields have the names of the API and are read as properties or as array
 * elements: `$freeBet->issue_id` or `$freeBet['issue_id']`. Objects inside it are arrays.
 *
 * @implements \ArrayAccess<string, mixed>
 * @implements \IteratorAggregate<string, mixed>
 */
class Result implements \ArrayAccess, \IteratorAggregate, \Countable, \JsonSerializable
{
    /** Fields that are null if the response does not have them. */
    protected const OPTIONAL = [];

    /**
     * @param array<string, mixed> $fields
     * @param string|null $requestId identifies the request in the logs of the service
     *
     * @internal
     */
    final public function __construct(private readonly array $fields, public readonly ?string $requestId = null)
    {
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return $this->fields;
    }

    public function __get(string $field): mixed
    {
        if (array_key_exists($field, $this->fields) || in_array($field, static::OPTIONAL, true)) {
            return $this->fields[$field] ?? null;
        }
        throw new \OutOfBoundsException(static::class . " has no field '$field'.");
    }

    public function __isset(string $field): bool
    {
        return isset($this->fields[$field]);
    }

    public function offsetGet(mixed $offset): mixed
    {
        return $this->__get((string) $offset);
    }

    public function offsetExists(mixed $offset): bool
    {
        return isset($this->fields[$offset]);
    }

    public function offsetSet(mixed $offset, mixed $value): void
    {
        throw new \LogicException('A result is read-only.');
    }

    public function offsetUnset(mixed $offset): void
    {
        throw new \LogicException('A result is read-only.');
    }

    /** @return \ArrayIterator<string, mixed> */
    public function getIterator(): \ArrayIterator
    {
        return new \ArrayIterator($this->fields);
    }

    public function count(): int
    {
        return count($this->fields);
    }

    public function jsonSerialize(): object
    {
        return (object) $this->fields;
    }
}
