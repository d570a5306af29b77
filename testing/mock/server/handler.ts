import type { IncomingMessage, ServerResponse } from "node:http";
import {
  ApiError,
  checkAccess,
  parseJson,
  readBody,
  readRequest,
  requestBytesMax,
  validateRequest,
} from "../protocol/index.ts";
import type { MockScript } from "../script/index.ts";
import { answer } from "./answer.ts";
import { Attempts } from "./attempts.ts";
import { Exchange } from "./exchange.ts";
import { modelsAt } from "./models.ts";
import type { MockOptions } from "./options.ts";
import type { Recorder } from "./record.ts";
import { sendJson } from "./serve.ts";
import { estimateInput } from "./usage.ts";

/** Answers the requests of one server. Never rejects. */
export function handler(script: MockScript, options: MockOptions, loopbackOnly: boolean, recorder: Recorder) {
  const attempts = new Attempts();
  const bytesMax = options.requestBytesMax ?? requestBytesMax;
  let count = 0;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    count += 1;
    const exchange = new Exchange(`req_mock_${count}`, request, response, recorder, options.onRequest);
    try {
      checkAccess(request, loopbackOnly);
      await route(exchange, script, attempts, bytesMax);
    } catch (error) {
      exchange.refuse(error);
    }
  };
}

async function route(
  exchange: Exchange,
  script: MockScript,
  attempts: Attempts,
  bytesMax: number,
): Promise<void> {
  const { method, path, request, response } = exchange;
  const read = async () => {
    const text = await readBody(request, bytesMax);
    const body = parseJson(text);
    exchange.took(body, text.length);
    return body;
  };
  if (method === "POST" && path === "/v1/messages") {
    const asked = readRequest(await read(), { maxTokens: true });
    validateRequest(asked);
    return answer(exchange, script, attempts, asked);
  }
  if (method === "POST" && path === "/v1/messages/count_tokens") {
    const asked = readRequest(await read(), { maxTokens: false });
    validateRequest(asked);
    exchange.record(200);
    return sendJson(response, 200, { input_tokens: estimateInput(asked) });
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
