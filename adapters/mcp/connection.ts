import type { ElicitationAnswer, ElicitationRequest } from "../../machines/message/elicitation.ts";
import type { TraceContext } from "../../tools/ports.ts";
import type { ToolResult } from "../../tools/tool.ts";

/** A tool as its server defines it. */
export interface McpToolDefinition {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

/** The tools, resources and prompts of a server. */
export interface McpListing {
  readonly tools: readonly McpToolDefinition[];
  readonly prompts: readonly McpPrompt[];
  /** The reasons why others are left out. */
  readonly problems: readonly string[];
  readonly hasResources: boolean;
  /** Milliseconds for which the server says that this stays true. Absent: until it says that it changed. */
  readonly ttlMs?: number | undefined;
}

/** A prompt of a server, which a person can use as a command. */
export interface McpPrompt {
  readonly name: string;
  readonly description?: string | undefined;
  readonly arguments?:
    | readonly { readonly name: string; readonly required?: boolean | undefined }[]
    | undefined;
}

export interface McpCallOptions {
  /** Aborting it cancels the call at the server. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: McpProgress) => void;
  /** Where the trace is that the call continues. Absent: nowhere. */
  readonly traceContext?: TraceContext | undefined;
  /** Ask a person for what the server requests. Absent: nobody can be asked. */
  readonly elicit?: McpElicitation | undefined;
}

/** The function that asks a person for input, and the name of the server that asks. */
export interface McpElicitation {
  readonly from: string;
  ask(request: ElicitationRequest): Promise<ElicitationAnswer>;
}

/** How far a call is. */
export interface McpProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** An open connection to a server. Every method rejects once it is closed. */
export interface McpConnection {
  /** Revision of the protocol. */
  readonly protocol: string;
  list(): Promise<McpListing>;
  /**
   * Watch for changes of the list. Resolves when the server ends that, with `unsupported` where nothing needs to be
   * opened for it.
   */
  watch(): Promise<"ended" | "unsupported">;
  /**
   * Send a call, once.
   *
   * @throws ToolError `FAILED`: where the server did not answer, the message says that the outcome is uncertain (L12);
   * `TOO_LARGE` for a result that was not read
   * @throws SessionLost where the server no longer has the session: the call did not run
   * @throws the reason of `signal`
   */
  callTool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    options: McpCallOptions,
  ): Promise<ToolResult>;
  readResource(uri: string, options: McpCallOptions): Promise<ToolResult>;
  /** List the resources and the templates of their URIs, as text. */
  listResources(options: McpCallOptions): Promise<ToolResult>;
  /** The texts of a prompt, in order. @throws ToolError `TOO_LARGE`, `FAILED` */
  getPrompt(name: string, input: Readonly<Record<string, string>>): Promise<readonly string[]>;
  /** Close it, and terminate its process with all that it started. */
  close(): Promise<void>;
}

/** Called by a connection that is open. */
export interface McpConnectionListener {
  lost(reason: string): void;
  listChanged(): void;
}

/** Open a connection. Aborting `signal` ends the attempt, and its process. */
export type OpenConnection = (
  listener: McpConnectionListener,
  signal: AbortSignal,
) => Promise<{ readonly connection: McpConnection; readonly listing: McpListing }>;

/** A connection to a server failed, for the reason in the message. */
export class McpConnectionError extends Error {
  /** Whether another attempt would also fail. */
  readonly isFinal: boolean;
  constructor(message: string, options: ErrorOptions & { readonly isFinal: boolean }) {
    super(message, options);
    this.name = "McpConnectionError";
    this.isFinal = options.isFinal;
  }
}

/** The server no longer has the session: it has not accepted what was sent. */
export class SessionLost extends McpConnectionError {
  constructor() {
    super("The server no longer has the session, and did not accept what was sent.", { isFinal: false });
    this.name = "SessionLost";
  }
}
