import type { Fault } from "../script/script.ts";

/** A request that the server received. */
export interface MockRequest {
  /** The `request-id` of its response. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Without the values of keys and tokens. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; undefined if there was none or the request was rejected before it was read. */
  readonly body: unknown;
  /** The HTTP status of the response; 0 if the connection was closed without one. */
  readonly status: number;
  /** From 1: the turn of the script, the rule it belongs to, the attempt of this request. */
  readonly turn?: number;
  readonly rule?: number;
  readonly attempt?: number;
  readonly fault?: Fault["kind"];
  /** The reason why the request was rejected. */
  readonly error?: { readonly type: string; readonly message: string };
}

/** Maximum number of requests kept. */
export const requestsMax = 1000;
/** Maximum bytes of request bodies kept. */
export const requestBytesKeptMax = 64 * 1024 * 1024;

/** The newest requests. */
export class Recorder {
  readonly requests: MockRequest[] = [];
  readonly #sizes: number[] = [];
  #size = 0;

  add(request: MockRequest, bytes: number): void {
    this.requests.push(request);
    this.#sizes.push(bytes);
    this.#size += bytes;
    while (
      this.requests.length > requestsMax ||
      (this.#size > requestBytesKeptMax && this.requests.length > 1)
    ) {
      this.requests.shift();
      this.#size -= this.#sizes.shift() ?? 0;
    }
  }
}

const secret = new Set(["x-api-key", "authorization", "cookie"]);

/** Headers as strings, with secrets masked. */
export function maskedHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secret.has(name) ? "***" : String(value)]),
  );
}

/** Options of `startMock`. */
export interface MockOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** The address to listen on. Default: the loopback address. */
  readonly host?: string;
  /** Maximum request size, in bytes; a larger request gets a 413. Default 32 MiB, as in the API. */
  readonly requestBytesMax?: number;
  /** Tokens of a request, as estimated; a longer one gets a 400. Default: any number. */
  readonly contextWindow?: number;
  /** Called for each request, before the response. If it throws, the response is a 500. */
  readonly onRequest?: (request: MockRequest) => void;
}
