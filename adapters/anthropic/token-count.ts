import { ModelError } from "../../actors/llm/model-error.ts";
import { isAmount } from "../../machines/message/request.ts";
import type { ModelRequest } from "../../ports/model.ts";
import type { Connection } from "./connection.ts";
import { modelErrorOf } from "./errors.ts";
import { type AnthropicOptions, IDLE_TIMEOUT_MS } from "./options.ts";
import { type BodyOptions, countBodyOf, JSON_BODY } from "./request.ts";
import { withStrictSchemas } from "./strict-schemas.ts";

/** @throws ModelError; the reason of `signal` when it aborts */
export async function countTokens(
  connect: () => Promise<Connection>,
  options: AnthropicOptions & BodyOptions,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<number> {
  const { client, facts } = await connect();
  signal.throwIfAborted();
  try {
    const body = countBodyOf(await withStrictSchemas(request, options), options);
    const counted = await client.post<unknown>("/v1/messages/count_tokens", {
      body,
      headers: JSON_BODY,
      signal,
      timeout: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
    });
    return tokensOf(counted, client.baseURL);
  } catch (error) {
    signal.throwIfAborted();
    throw modelErrorOf(error, facts);
  }
}

function tokensOf(counted: unknown, baseURL: string): number {
  const tokens =
    typeof counted === "object" && counted !== null && "input_tokens" in counted
      ? counted.input_tokens
      : undefined;
  if (isAmount(tokens)) return tokens;
  throw new ModelError(
    "bad_stream",
    `Expected a count of input tokens from ${baseURL}, received ${(JSON.stringify(counted) ?? "nothing").slice(0, 200)}. Check that the base URL belongs to a Messages API.`,
    { retryable: false },
  );
}
