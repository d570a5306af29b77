import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError, errorBody } from "../protocol/api-error.ts";
import { type MockRequest, maskedHeaders, type Recorder } from "./record.ts";
import { sendJson } from "./response-writer.ts";

/** One request and its response. */
export class Exchange {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly #recorder: Recorder;
  readonly #onRequest: ((request: MockRequest) => void) | undefined;
  #body: unknown;
  #bytes = 0;

  constructor(
    id: string,
    request: IncomingMessage,
    response: ServerResponse,
    recorder: Recorder,
    onRequest: ((request: MockRequest) => void) | undefined,
  ) {
    this.id = id;
    this.request = request;
    this.response = response;
    this.#recorder = recorder;
    this.#onRequest = onRequest;
    response.setHeader("request-id", id);
  }

  get method(): string {
    return this.request.method ?? "GET";
  }

  get path(): string {
    return (this.request.url ?? "/").split("?", 1)[0] ?? "/";
  }

  /** Set the parsed body of the request. */
  setBody(body: unknown, bytes: number): void {
    this.#body = body;
    this.#bytes = bytes;
  }

  /** Record the request and notify the listener. */
  record(status: number, more: Partial<MockRequest> = {}): void {
    const request = this.#keep(status, more);
    this.#onRequest?.(request);
  }

  /** Respond with an error. An error that is not an ApiError is a failure of this server: a 500. */
  reject(error: unknown): void {
    // The client has disconnected, or the response has started and cannot be replaced.
    if (this.response.headersSent || this.response.destroyed) {
      this.response.destroy();
      return;
    }
    const { status, type, message } = this.#recordError(error);
    sendJson(this.response, status, errorBody(type, message, this.id));
  }

  #recordError(error: unknown): ApiError {
    if (!(error instanceof ApiError)) return this.#failure(error);
    const { status, type, message } = error;
    try {
      this.record(status, { error: { type, message } });
      return error;
    } catch (thrown) {
      return this.#failure(thrown);
    }
  }

  #failure(error: unknown): ApiError {
    const reason = error instanceof Error ? error.message : String(error);
    const { status, type, message } = new ApiError(500, `The mock server failed: ${reason}`);
    this.#keep(status, { error: { type, message } });
    return new ApiError(status, message);
  }

  #keep(status: number, more: Partial<MockRequest>): MockRequest {
    const base = {
      id: this.id,
      method: this.method,
      path: this.path,
      headers: maskedHeaders(this.request.headers),
    };
    const request = { ...base, body: this.#body, status, ...more };
    this.#recorder.add(request, this.#bytes);
    return request;
  }
}
