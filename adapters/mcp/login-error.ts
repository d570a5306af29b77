import { SignalboxError } from "../../machines/signalbox-error.ts";

/** A login to an MCP server failed, and nothing was changed. The message has no text of a redirect, and no secret. */
export class McpLoginError extends SignalboxError {
  /** A person did not log in, or a server did not follow OAuth. Follow the message, and log in again. */
  readonly code = "MCP_LOGIN_FAILED";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "McpLoginError";
  }
}
