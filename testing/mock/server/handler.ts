import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError, invalidRequest } from "../protocol/api-error.ts";
import { betasOf, checkAccess, parseJson, readBody, requestBytesMax } from "../protocol/http.ts";
import { type MessagesRequest, readRequest } from "../protocol/request.ts";
import { validateRequest } from "../protocol/validation.ts";
import type { Fault, MockScript, ScriptedResponse } from "../script/script.ts";
import { ScriptedBlocks } from "../script/scripted-blocks.ts";
import { Attempts, conversationKey } from "./attempts.ts";
import { Exchange } from "./exchange.ts";
import type { MockOptions, Recorder } from "./record.ts";
import { estimateInput, prepareResponse } from "./response.ts";
import { sendJson, sendMessage, sendStatus, sendStream } from "./response-writer.ts";
import { type ChosenTurn, chooseTurn } from "./turn-choice.ts";

/** Create the request handler of one server. It never rejects. */
export function handler(script: MockScript, options: MockOptions, loopbackOnly: boolean, recorder: Recorder) {
  const attempts = new Attempts();
  const scripted = new ScriptedBlocks(script);
  const bytesMax = options.requestBytesMax ?? requestBytesMax;
  let count = 0;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    count += 1;
    const exchange = new Exchange(`req_mock_${count}`, request, response, recorder, options.onRequest);
    try {
      checkAccess(request, loopbackOnly);
      await route(exchange, script, scripted, attempts, { bytesMax, contextWindow: options.contextWindow });
    } catch (error) {
      exchange.reject(error);
    }
  };
}

interface RequestLimits {
  readonly bytesMax: number;
  readonly contextWindow: number | undefined;
}

async function route(
  exchange: Exchange,
  script: MockScript,
  scripted: ScriptedBlocks,
  attempts: Attempts,
  { bytesMax, contextWindow = Number.POSITIVE_INFINITY }: RequestLimits,
): Promise<void> {
  const { method, path, request, response } = exchange;
  const read = async () => {
    const text = await readBody(request, bytesMax);
    const body = parseJson(text);
    exchange.setBody(body, text.length);
    return body;
  };
  if (method === "POST" && path === "/v1/messages") {
    const messagesRequest = readRequest(await read(), "message");
    validateRequest(messagesRequest, scripted, betasOf(request));
    const tokens = estimateInput(messagesRequest);
    if (tokens > contextWindow)
      throw invalidRequest(`prompt is too long: ${tokens} tokens > ${contextWindow} maximum`);
    return respond(exchange, script, attempts, messagesRequest);
  }
  if (method === "POST" && path === "/v1/messages/count_tokens") {
    const messagesRequest = readRequest(await read(), "count");
    validateRequest(messagesRequest, scripted, betasOf(request));
    exchange.record(200);
    return sendJson(response, 200, { input_tokens: estimateInput(messagesRequest) });
  }
  if (method === "GET" && (path === "/v1/models" || path.startsWith("/v1/models/"))) {
    const models = modelsAt(path);
    exchange.record(200);
    return sendJson(response, 200, models);
  }
  throw new ApiError(
    404,
    `Not found: ${method} ${path}. This server has POST /v1/messages, POST /v1/messages/count_tokens and GET /v1/models.`,
  );
}

/** The list of models, or one of them: any name is a model. @throws ApiError 404 for an undecodable name */
export function modelsAt(path: string): object {
  const name = path.slice("/v1/models/".length);
  if (name !== "") return modelOf(decoded(name));
  return { data: [modelOf("mock")], has_more: false, first_id: "mock", last_id: "mock" };
}

const modelOf = (id: string) => ({
  type: "model",
  id,
  display_name: id,
  created_at: "2026-01-01T00:00:00Z",
});

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    throw new ApiError(404, `model: ${name}`);
  }
}

/** Respond to a request for a message, with its turn or the fault before it. */
export async function respond(
  exchange: Exchange,
  script: MockScript,
  attempts: Attempts,
  messagesRequest: MessagesRequest,
): Promise<void> {
  const chosen = chooseTurn(script, messagesRequest.messages);
  const { turn, index, rule } = chosen;
  const key = turn.faults.length === 0 ? undefined : conversationKey(messagesRequest, `${rule}/${index}`);
  const attempt = key === undefined ? 0 : attempts.next(key);
  const fault = turn.faults[attempt] ?? (turn.response === undefined ? turn.faults.at(-1) : undefined);
  exchange.record(statusWith(fault), {
    turn: index + 1,
    ...(rule === undefined ? {} : { rule: rule + 1 }),
    attempt: attempt + 1,
    ...(fault === undefined ? {} : { fault: fault.kind }),
  });
  const isSent = await serve(exchange, script, chosen, fault, messagesRequest);
  // After garbage the client may retry, even if the response was complete: that is the next attempt.
  const isCompleted = isSent && (fault === undefined || fault.kind === "stall");
  if (isCompleted && key !== undefined) attempts.completed(key);
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
  messagesRequest: MessagesRequest,
): Promise<boolean> {
  if (fault?.kind === "drop") {
    response.destroy();
    return true;
  }
  if (fault?.kind === "status") {
    sendStatus(response, fault, id);
    return true;
  }
  const scripted = fault?.response ?? chosen.turn.response ?? nothing;
  const message = prepareResponse(messagesRequest, script, chosen, scripted);
  return messagesRequest.stream === true
    ? sendStream(response, message, fault)
    : sendMessage(response, message, fault, id);
}

const nothing: ScriptedResponse = { blocks: [], usage: {}, stop: "end_turn", stopSequence: null };
