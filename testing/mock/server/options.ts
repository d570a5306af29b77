import type { MockRequest } from "./record.ts";

export interface MockOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** The address to listen on; by default only this machine can reach it. */
  readonly host?: string;
  /** Bytes; a larger request gets a 413. Default 32 MiB, as in the API. */
  readonly requestBytesMax?: number;
  /** Called for each request, before it is answered. What it throws is answered with a 500. */
  readonly onRequest?: (request: MockRequest) => void;
}
