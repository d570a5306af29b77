import type { Fault } from "../script/index.ts";

/** A request that the server took, for tests and for people who watch. */
export interface MockRequest {
  /** The `request-id` of its response. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Without the values of keys and tokens. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; undefined where there was none or it was refused before it was read. */
  readonly body: unknown;
  /** The HTTP status of the response; 0 where the connection was closed without one. */
  readonly status: number;
  /** From 1: the turn of the script, the rule it belongs to, the attempt of this request. */
  readonly turn?: number;
  readonly rule?: number;
  readonly attempt?: number;
  readonly fault?: Fault["kind"];
  /** Why the request was refused. */
  readonly error?: { readonly type: string; readonly message: string };
}

/** How many requests are kept, the newest. */
export const requestsMax = 1000;
/** How many bytes of bodies are kept, whatever their number. */
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

/** Headers as one text each, with secrets masked. */
export function shownHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secret.has(name) ? "***" : String(value)]),
  );
}
