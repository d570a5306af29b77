import {
  type Client,
  ProtocolError,
  type RequestOptions,
  SdkHttpError,
  type Tool,
} from "@modelcontextprotocol/client";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { z } from "zod";
import { within } from "../../actors/protocol/within.ts";
import { uncertain } from "../../machines/conversation/notices.ts";
import type { Clock } from "../../ports/clock.ts";
import { messageOf, ToolError } from "../../tools/error.ts";
import { ScopeNeeded } from "./authorization.ts";
import { CallDeadlines } from "./call-deadlines.ts";
import {
  type McpCallOptions,
  type McpConnection,
  McpConnectionError,
  type McpConnectionListener,
  type McpListing,
  SessionLost,
} from "./connection.ts";
import { HttpTransport, STREAM_ENDED } from "./http-transport.ts";
import { ListItems } from "./items.ts";
import { RESULT_TOO_LONG } from "./long-message.ts";
import type { McpLimits, McpServerOptions } from "./options.ts";
import { ProcessTransport } from "./process-transport.ts";
import { promptError, promptTexts, usablePrompts } from "./prompt.ts";
import { resourceList, resourceResult, toolResult } from "./result.ts";
import { RunningCalls } from "./running-calls.ts";
import { type UsableTools, usableTools } from "./usable-tools.ts";

/** The requests have deadlines of the clock; this is the longest that a timer of the client can have. */
export const NO_TIMEOUT = { timeout: 2 ** 31 - 1 };

export interface ConnectionOptions {
  readonly clock: Clock;
  readonly limits: McpLimits;
}

/** A client that has connected. */
export interface Connected {
  readonly client: Client;
  readonly transport: ProcessTransport | HttpTransport;
}

/** How the process of a transport ended; undefined if it has none, or it runs. */
export const endOf = (transport: Connected["transport"]): string | undefined =>
  transport instanceof ProcessTransport ? transport.end : undefined;

const Cached = z.looseObject({ ttlMs: z.number().optional() });

/** A connection by the client of the protocol. */
export class ClientConnection implements McpConnection {
  readonly #client: Client;
  readonly #transport: Connected["transport"];
  readonly #options: ConnectionOptions;
  readonly #callTimeoutMs: number;
  readonly #listener: McpConnectionListener;
  readonly #running = new RunningCalls();
  readonly #items = new ListItems();
  #definitions = new Map<string, Tool>();

  constructor(
    { client, transport }: Connected,
    { timeout }: Pick<McpServerOptions, "timeout">,
    options: ConnectionOptions,
    listener: McpConnectionListener,
  ) {
    this.#client = client;
    this.#transport = transport;
    this.#options = options;
    this.#listener = listener;
    this.#callTimeoutMs = timeout === undefined ? options.limits.callTimeoutMs : timeout * 1_000;
    this.#items.watch(transport);
    if (transport instanceof HttpTransport)
      transport.onSessionLost = () => listener.lost(new SessionLost().message);
    client.onclose = () => listener.lost(endOf(transport) ?? "The connection was closed.");
    client.setRequestHandler("elicitation/create", ({ params }) => this.#running.elicit(params));
    client.setNotificationHandler("notifications/tools/list_changed", () => listener.listChanged());
    client.setNotificationHandler("notifications/prompts/list_changed", () => listener.listChanged());
  }

  get protocol(): string {
    return this.#client.getNegotiatedProtocolVersion() ?? "unknown";
  }

  async list(): Promise<McpListing> {
    this.#items.takeProblems();
    const { tools, prompts, resources } = this.#client.getServerCapabilities() ?? {};
    const [offered, commands] = await Promise.all([
      tools === undefined ? { tools: [], problems: [] } : this.#listTools(),
      prompts === undefined ? { prompts: [], problems: [] } : this.#listPrompts(),
    ]);
    return {
      ...offered,
      ...commands,
      problems: [...this.#items.takeProblems(), ...offered.problems, ...commands.problems],
      hasResources: resources !== undefined,
    };
  }

  async #listTools(): Promise<UsableTools & Pick<McpListing, "ttlMs">> {
    const listed = await this.#within(
      this.#client.listTools(undefined, { ...NO_TIMEOUT, cacheMode: "refresh" }),
    );
    this.#definitions = new Map(listed.tools.map((tool) => [tool.name, tool]));
    const validator = new AjvJsonSchemaValidator();
    const usable = usableTools(listed.tools, this.#options.limits, (schema) => {
      validator.getValidator(schema);
    });
    return { ...usable, ttlMs: Cached.parse(listed).ttlMs };
  }

  /** A server whose prompts can't be listed still has its tools. */
  async #listPrompts(): Promise<Pick<McpListing, "prompts" | "problems">> {
    try {
      const request = this.#client.listPrompts(undefined, { ...NO_TIMEOUT, cacheMode: "refresh" });
      return usablePrompts((await this.#within(request)).prompts, this.#options.limits);
    } catch (error) {
      return { prompts: [], problems: [`Its prompts can't be listed: ${messageOf(error)}`] };
    }
  }

  async watch(): Promise<"ended" | "unsupported"> {
    const { tools, prompts } = this.#client.getServerCapabilities() ?? {};
    const watched = {
      toolsListChanged: tools?.listChanged === true,
      promptsListChanged: prompts?.listChanged === true,
    };
    const isOffered = watched.toolsListChanged || watched.promptsListChanged;
    if (!isOffered || this.#client.getProtocolEra() !== "modern") return "unsupported";
    const watch = await this.#within(this.#client.listen(watched, NO_TIMEOUT));
    await watch.closed;
    return "ended";
  }

  callTool: McpConnection["callTool"] = async (name, input, options) => {
    const known = this.#definitions.get(name);
    const send = (request: RequestOptions) =>
      this.#client.callTool(
        {
          name,
          arguments: { ...input },
          ...(options.traceContext !== undefined && { _meta: { ...options.traceContext } }),
        },
        {
          ...request,
          // Without its output schema: a result that does not match it is still the result of what was done.
          ...(known !== undefined && { toolDefinition: { name, inputSchema: known.inputSchema } }),
        },
      );
    try {
      return toolResult(await this.#call(options, send));
    } catch (error) {
      options.signal.throwIfAborted();
      throw error instanceof SessionLost ? error : callError(name, error);
    }
  };

  readResource: McpConnection["readResource"] = async (uri, options) =>
    resourceResult(await this.#call(options, (request) => this.#client.readResource({ uri }, request)));

  listResources: McpConnection["listResources"] = async (options) => {
    const { resources } = await this.#call(options, (request) =>
      this.#client.listResources(undefined, request),
    );
    const { resourceTemplates } = await this.#call(options, (request) =>
      this.#client.listResourceTemplates(undefined, request),
    );
    return resourceList(resources, resourceTemplates);
  };

  getPrompt: McpConnection["getPrompt"] = async (name, input) => {
    const request = this.#client.getPrompt({ name, arguments: { ...input } }, NO_TIMEOUT);
    const result = await this.#within(request).catch((error: unknown) => {
      throw error instanceof SessionLost ? error : promptError(name, error);
    });
    return promptTexts(name, result, input, this.#options.limits);
  };

  async close(): Promise<void> {
    this.#client.onclose = () => {};
    await this.#client.close();
    await this.#transport.close();
  }

  #within<T>(work: Promise<T>): Promise<T> {
    return within(this.#options.clock, this.#options.limits.callTimeoutMs, work).catch((error: unknown) => {
      if (error instanceof SessionLost) this.#listener.lost(error.message);
      throw error;
    });
  }

  /** Send a request that ends after a time without progress, and after a longest time. */
  async #call<T>(
    { signal, onProgress, elicit }: McpCallOptions,
    send: (request: RequestOptions) => Promise<T>,
  ): Promise<T> {
    const { clock, limits } = this.#options;
    const deadlines = new CallDeadlines({ clock, idleMs: this.#callTimeoutMs, maxMs: limits.callMaxMs });
    const pause = () => {
      deadlines.stop();
      return () => deadlines.start();
    };
    const remove =
      elicit && this.#running.add({ from: elicit.from, elicit: (request) => elicit.ask(request), pause });
    try {
      return await send({
        ...NO_TIMEOUT,
        signal: AbortSignal.any([signal, deadlines.signal]),
        onprogress: (progress) => {
          deadlines.progress();
          onProgress?.(progress);
        },
      });
    } catch (error) {
      deadlines.signal.throwIfAborted();
      if (error instanceof McpConnectionError) this.#listener.lost(error.message);
      throw error;
    } finally {
      remove?.();
      deadlines.stop();
    }
  }
}

/**
 * The error of a call of a tool that was sent. Where the server did not answer, the outcome is uncertain, and the model is informed
 * in those words (L12): the call is not sent again.
 */
export function callError(name: string, error: unknown): ToolError {
  const reason = messageOf(error);
  if (error instanceof ProtocolError && error.code === RESULT_TOO_LONG)
    return new ToolError("TOO_LARGE", `The call has ended. ${reason}`, { cause: error });
  if (isAnswer(error))
    return new ToolError("FAILED", `The MCP server rejected the call: ${reason}`, { cause: error });
  return new ToolError("FAILED", `${uncertain(name)} The server did not answer the call: ${reason}`, {
    cause: error,
  });
}

/** Whether the server answered: with an error of the protocol, by not accepting the request, or by demanding a login. */
const isAnswer = (error: unknown): boolean =>
  error instanceof McpConnectionError ||
  error instanceof ScopeNeeded ||
  (error instanceof ProtocolError && error.code !== STREAM_ENDED) ||
  (error instanceof SdkHttpError && error.status >= 400 && error.status < 500);
