import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { checkAccess, isLoopback } from "./access.ts";
import { ApiError, errorBody } from "./api-error.ts";
import { Attempts, conversationKey } from "./attempts.ts";
import { parseJson, readBody, requestBytesMax } from "./body.ts";
import { type ChosenTurn, chooseTurn } from "./choose-turn.ts";
import { type MockRequest, Recorder, shownHeaders } from "./record.ts";
import { replyTo } from "./reply.ts";
import { type MessagesRequest, readRequest } from "./request.ts";
import type { Answer, Fault, MockScript } from "./script.ts";
import { sendJson, serveStatus, serveStream, serveWhole } from "./serve.ts";
import { estimateInput } from "./usage.ts";
import { validateRequest } from "./validate.ts";

export interface MockOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** The address to listen on; by default only this machine can reach it. */
  readonly host?: string;
  /** Bytes; a larger request gets a 413. Default {@link requestBytesMax}. */
  readonly requestBytesMax?: number;
  /** Called for each request, before it is answered. */
  readonly onRequest?: (request: MockRequest) => void;
}

/** A running mock server. */
export interface MockServer {
  /** What to give a client as its base URL. */
  readonly url: string;
  readonly port: number;
  /** The newest requests, oldest first: at most 1000, and at most 64 MiB of bodies. */
  readonly requests: readonly MockRequest[];
  /** Ends every open response at once, and resolves when the port is free. */
  close(): Promise<void>;
}

/**
 * Starts a server that speaks the Messages API from a script.
 *
 * @throws the system's error (EADDRINUSE, EACCES) where it cannot listen
 * @example
 * const mock = await startMock(parseScript("- text: Hello."));
 * const client = new Anthropic({ baseURL: mock.url, apiKey: "any" });
 * // ...
 * await mock.close();
 */
export async function startMock(script: MockScript, options: MockOptions = {}): Promise<MockServer> {
  const { host = "127.0.0.1", port = 0 } = options;
  const recorder = new Recorder();
  const handle = handler(script, options, host, recorder);
  const server = createServer((request, response) => void handle(request, response));
  // A client that keeps its connection between two requests must not find it closed under it.
  server.keepAliveTimeout = 60_000;
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    requests: recorder.requests,
    async close() {
      const closed = server.listening ? once(server, "close") : undefined;
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Exchange {
  readonly id: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  record(status: number, more?: Partial<MockRequest>): void;
  body: unknown;
  bytes: number;
}

function handler(script: MockScript, options: MockOptions, host: string, recorder: Recorder) {
  const attempts = new Attempts();
  let count = 0;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    count += 1;
    const id = `req_mock_${count}`;
    response.setHeader("request-id", id);
    const exchange: Exchange = {
      id,
      request,
      response,
      body: undefined,
      bytes: 0,
      record(status, more = {}) {
        const { method = "GET", headers } = request;
        const base = { id, method, path: pathOf(request), headers: shownHeaders(headers) };
        const made = { ...base, body: exchange.body, status, ...more };
        recorder.add(made, exchange.bytes);
        options.onRequest?.(made);
      },
    };
    try {
      checkAccess(request, isLoopback(host));
      await route(exchange, script, attempts, options.requestBytesMax ?? requestBytesMax);
    } catch (error) {
      refuse(exchange, error);
    }
  };
}

const pathOf = ({ url = "/" }: IncomingMessage) => url.split("?", 1)[0] ?? "/";

async function route(
  exchange: Exchange,
  script: MockScript,
  attempts: Attempts,
  bytesMax: number,
): Promise<void> {
  const { request, response } = exchange;
  const path = pathOf(request);
  const read = async () => {
    const text = await readBody(request, bytesMax);
    exchange.bytes = text.length;
    exchange.body = parseJson(text);
    return exchange.body;
  };
  if (request.method === "POST" && path === "/v1/messages") {
    const asked = readRequest(await read(), { maxTokens: true });
    validateRequest(asked);
    return answer(exchange, script, attempts, asked);
  }
  if (request.method === "POST" && path === "/v1/messages/count_tokens") {
    const asked = readRequest(await read(), { maxTokens: false });
    validateRequest(asked);
    exchange.record(200);
    return sendJson(response, 200, { input_tokens: estimateInput(asked) });
  }
  if (request.method === "GET" && (path === "/v1/models" || path.startsWith("/v1/models/"))) {
    exchange.record(200);
    const model = (id: string) => ({
      type: "model",
      id,
      display_name: id,
      created_at: "2026-01-01T00:00:00Z",
    });
    const one = decodeURIComponent(path.slice("/v1/models/".length));
    if (one !== "") return sendJson(response, 200, model(one));
    return sendJson(response, 200, {
      data: [model("mock")],
      has_more: false,
      first_id: "mock",
      last_id: "mock",
    });
  }
  throw new ApiError(
    404,
    `Not found: ${request.method} ${path}. This server has POST /v1/messages, POST /v1/messages/count_tokens and GET /v1/models.`,
  );
}

async function answer(
  exchange: Exchange,
  script: MockScript,
  attempts: Attempts,
  asked: MessagesRequest,
): Promise<void> {
  const chosen = chooseTurn(script, asked.messages);
  const { turn, index, rule } = chosen;
  const key = turn.faults.length === 0 ? undefined : conversationKey(asked, `${rule}/${index}`);
  const attempt = key === undefined ? 0 : attempts.next(key);
  const fault = turn.faults[attempt] ?? (turn.answer === undefined ? turn.faults.at(-1) : undefined);
  exchange.record(statusWith(fault), {
    turn: index + 1,
    ...(rule === undefined ? {} : { rule: rule + 1 }),
    attempt: attempt + 1,
    ...(fault === undefined ? {} : { fault: fault.kind }),
  });
  const whole = await serve(exchange, script, chosen, fault, asked);
  // After garbage the client may ask again, however whole the rest was: that is the next attempt.
  const answered = whole && (fault === undefined || fault.kind === "stall");
  if (answered && key !== undefined) attempts.answered(key);
}

function statusWith(fault: Fault | undefined): number {
  if (fault?.kind === "drop") return 0;
  return fault?.kind === "status" ? fault.status : 200;
}

async function serve(
  { id, response }: Exchange,
  script: MockScript,
  chosen: ChosenTurn,
  fault: Fault | undefined,
  asked: MessagesRequest,
): Promise<boolean> {
  if (fault?.kind === "drop") {
    response.destroy();
    return true;
  }
  if (fault?.kind === "status") {
    serveStatus(response, fault, id);
    return true;
  }
  const said = fault?.answer ?? chosen.turn.answer ?? nothing;
  const reply = replyTo(asked, script, chosen, said);
  return asked.stream === true ? serveStream(response, reply, fault) : serveWhole(response, reply, fault, id);
}

const nothing: Answer = { blocks: [], usage: {}, stop: "end_turn", stopSequence: null };

function refuse(exchange: Exchange, error: unknown): void {
  const { response, id } = exchange;
  // A client that is gone needs no answer; a response that has begun cannot become another.
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const known =
    error instanceof ApiError
      ? error
      : new ApiError(
          500,
          `The mock server failed: ${error instanceof Error ? error.message : String(error)}`,
        );
  if (error instanceof ApiError) {
    exchange.record(known.status, { error: { type: known.type, message: known.message } });
  }
  sendJson(response, known.status, errorBody(known.type, known.message, id));
}
