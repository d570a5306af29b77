import { ProtocolError, SdkHttpError } from "@modelcontextprotocol/client";
import { uncertain } from "../../machines/conversation/index.ts";
import { messageOf, ToolError } from "../../tools/index.ts";
import { STREAM_ENDED } from "./http-transport.ts";

/**
 * The error of a call of a tool that was sent. Where the server did not answer, the outcome is uncertain, and the model is informed
 * in those words (L12): the call is not sent again.
 */
export function callError(name: string, error: unknown): ToolError {
  const reason = messageOf(error);
  if (isAnswer(error))
    return new ToolError("failed", `The MCP server rejected the call: ${reason}`, { cause: error });
  return new ToolError("failed", `${uncertain(name)} The server did not answer the call: ${reason}`, {
    cause: error,
  });
}

/** Whether the server answered: with an error of the protocol, or by not accepting the request. */
const isAnswer = (error: unknown): boolean =>
  (error instanceof ProtocolError && error.code !== STREAM_ENDED) ||
  (error instanceof SdkHttpError && error.status >= 400 && error.status < 500);
