<?php

// Test doubles of PSR-3, PSR-7, PSR-17 and PSR-18, with the methods that the client uses.

declare(strict_types=1);

namespace Psr\Http\Message {
    interface StreamInterface extends \Stringable
    {
    }

    interface MessageInterface
    {
        public function getHeaders(): array;
        public function withHeader(string $name, $value): static;
        public function withBody(StreamInterface $body): static;
        public function getBody(): StreamInterface;
    }

    interface RequestInterface extends MessageInterface
    {
        public function getUri(): string;
    }

    interface ResponseInterface extends MessageInterface
    {
        public function getStatusCode(): int;
    }

    interface RequestFactoryInterface
    {
        public function createRequest(string $method, $uri): RequestInterface;
    }

    interface StreamFactoryInterface
    {
        public function createStream(string $content = ''): StreamInterface;
    }
}

namespace Psr\Http\Client {
    use Psr\Http\Message\RequestInterface;
    use Psr\Http\Message\ResponseInterface;

    interface ClientExceptionInterface extends \Throwable
    {
    }

    interface ClientInterface
    {
        public function sendRequest(RequestInterface $request): ResponseInterface;
    }
}

namespace Psr\Log {
    interface LoggerInterface
    {
        public function log($level, string|\Stringable $message, array $context = []): void;
    }
}

namespace {
    use Freebets\Http\CurlTransport;
    use Freebets\Http\Request;
    use Freebets\Http\TransportException;
    use Psr\Http\Client\ClientExceptionInterface;
    use Psr\Http\Client\ClientInterface;
    use Psr\Http\Message\RequestFactoryInterface;
    use Psr\Http\Message\RequestInterface;
    use Psr\Http\Message\ResponseInterface;
    use Psr\Http\Message\StreamFactoryInterface;
    use Psr\Http\Message\StreamInterface;
    use Psr\Log\LoggerInterface;

    final class PsrStream implements StreamInterface
    {
        public function __construct(private readonly string $content)
        {
        }

        public function __toString(): string
        {
            return $this->content;
        }
    }

    final class PsrMessage implements RequestInterface, ResponseInterface
    {
        private array $headers = [];
        private ?StreamInterface $body = null;

        public function __construct(private readonly string $uri = '', private readonly int $status = 0)
        {
        }

        public function getUri(): string
        {
            return $this->uri;
        }

        public function getStatusCode(): int
        {
            return $this->status;
        }

        public function getHeaders(): array
        {
            return $this->headers;
        }

        public function getBody(): StreamInterface
        {
            return $this->body ?? new PsrStream('');
        }

        public function withHeader(string $name, $value): static
        {
            $copy = clone $this;
            $copy->headers[$name] = (array) $value;
            return $copy;
        }

        public function withBody(StreamInterface $body): static
        {
            $copy = clone $this;
            $copy->body = $body;
            return $copy;
        }
    }

    final class PsrFactory implements RequestFactoryInterface, StreamFactoryInterface
    {
        public function createRequest(string $method, $uri): RequestInterface
        {
            return $method === 'POST' ? new PsrMessage($uri) : throw new LogicException($method);
        }

        public function createStream(string $content = ''): StreamInterface
        {
            return new PsrStream($content);
        }
    }

    final class PsrFailure extends RuntimeException implements ClientExceptionInterface
    {
    }

    /** Sends with curl, and has the error messages of Guzzle. */
    final class PsrClient implements ClientInterface
    {
        public function sendRequest(RequestInterface $request): ResponseInterface
        {
            $headers = array_map(fn (array $all): string => implode(', ', $all), $request->getHeaders());
            try {
                $sent = new Request($request->getUri(), $headers, (string) $request->getBody(), 5);
                $response = (new CurlTransport())->send($sent);
            } catch (TransportException $error) {
                $number = $error->isTimeout ? 28 : (str_contains($error->getMessage(), 'certificate') ? 60 : 56);
                throw new PsrFailure("cURL error $number: {$error->getMessage()}");
            }
            $message = (new PsrMessage('', $response->status))->withBody(new PsrStream($response->body));
            foreach ($response->headers as $name => $value) {
                $message = $message->withHeader(ucwords($name, '-'), [$value]);
            }
            return $message;
        }
    }

    /** Collects the log entries. */
    final class PsrLogger implements LoggerInterface
    {
        public array $lines = [];

        public function log($level, string|\Stringable $message, array $context = []): void
        {
            $this->lines[] = [$level, (string) $message, $context];
        }
    }
}
