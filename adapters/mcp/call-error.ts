import { ProtocolError, SdkHttpError } from "@modelcontextprotocol/client";
import { uncertain } from "../../machines/conversation/notices.ts";
import { messageOf, ToolError } from "../../tools/error.ts";
import { ScopeNeeded } from "./authorization.ts";
import { McpConnectionError } from "./connection.ts";
import { STREAM_ENDED } from "./http-transport.ts";
import { RESULT_TOO_LONG } from "./long-message.ts";

/**
 * The error of a call of a tool that was sent. Where the server did not answer, the outcome is uncertain, and the model is informed
 * in those words (L12): the call is not sent again.
 */
export function callError(name: string, error: unknown): ToolError {
  const reason = messageOf(error);
  if (error instanceof ProtocolError && error.code === RESULT_TOO_LONG)
    return new ToolError("too_large", `The call has ended. ${reason}`, { cause: error });
  if (isAnswer(error))
    return new ToolError("failed", `The MCP server rejected the call: ${reason}`, { cause: error });
  return new ToolError("failed", `${uncertain(name)} The server did not answer the call: ${reason}`, {
    cause: error,
  });
}

/** Whether the server answered: with an error of the protocol, by not accepting the request, or by demanding a login. */
const isAnswer = (error: unknown): boolean =>
  error instanceof McpConnectionError ||
  error instanceof ScopeNeeded ||
  (error instanceof ProtocolError && error.code !== STREAM_ENDED) ||
  (error instanceof SdkHttpError && error.status >= 400 && error.status < 500);
