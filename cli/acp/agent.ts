import {
  type AgentApp,
  type AgentConnection,
  agent,
  type InitializeRequest,
  type InitializeResponse,
  methods,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk/unstable";
import { VERSION } from "../../wire/version.ts";
import { toRequestError } from "./request-error.ts";
import { listSessions } from "./session-info.ts";
import type { SessionSource } from "./session-source.ts";
import { Sessions, type SessionsOptions } from "./sessions.ts";

export interface AgentOptions extends Pick<SessionsOptions, "host" | "journal" | "report"> {
  readonly source: SessionSource;
}

const API_KEY = "api-key";

/** An agent of the Agent Client Protocol for one connection. */
export class AcpAgent {
  readonly app: AgentApp;
  readonly #options: AgentOptions;
  #connection: AgentConnection | undefined;
  #sessions: Sessions | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.app = this.#createApp();
  }

  /** Close all sessions. @throws JournalError of the first that failed */
  async close(): Promise<void> {
    await this.#sessions?.closeAll();
  }

  #createApp(): AgentApp {
    const { source } = this.#options;
    const { agent: names } = methods;
    return agent({ name: "signalbox" })
      .onConnect((connection) => {
        this.#connection = connection;
      })
      .onRequest(names.initialize, ({ params }) => this.#initialize(params))
      .onRequest(names.authenticate, ({ params }) => answer(() => this.#authenticate(params.methodId)))
      .onRequest(names.session.new, ({ params }) => answer(() => this.#open.create(params)))
      .onRequest(names.session.load, ({ params }) =>
        answer(() => this.#open.load(params.sessionId, params), params.sessionId),
      )
      .onRequest(names.session.resume, ({ params }) =>
        answer(() => this.#open.resume(params.sessionId, params), params.sessionId),
      )
      .onRequest(names.session.fork, ({ params }) =>
        answer(() => this.#open.fork(params.sessionId, params), params.sessionId),
      )
      .onRequest(names.session.list, ({ params: { cwd, cursor } }) =>
        answer(() => listSessions(source.history, cwd ?? undefined, cursor ?? undefined)),
      )
      .onRequest(names.session.delete, ({ params: { sessionId } }) =>
        answer(() => this.#open.delete(sessionId), sessionId),
      )
      .onRequest(names.session.close, ({ params: { sessionId } }) =>
        answer(() => this.#open.close(sessionId)),
      )
      .onRequest(names.session.prompt, ({ params: { sessionId, prompt }, signal }) =>
        answer(() => this.#open.prompt(sessionId, prompt, signal)),
      )
      .onRequest(names.session.setMode, ({ params: { sessionId, modeId } }) =>
        answer(() => this.#open.setMode(sessionId, modeId)),
      )
      .onRequest(names.session.setConfigOption, ({ params: { sessionId, configId, value } }) =>
        answer(async () => ({
          configOptions: await this.#open.setConfigOption(sessionId, configId, value),
        })),
      )
      .onNotification(names.session.cancel, ({ params }) => this.#open.cancel(params.sessionId));
  }

  get #open(): Sessions {
    if (this.#sessions === undefined)
      throw RequestError.invalidRequest(undefined, "expected initialize first");
    return this.#sessions;
  }

  #initialize({ clientCapabilities = {} }: InitializeRequest): InitializeResponse {
    const { host, source, journal, report } = this.#options;
    if (this.#connection === undefined) throw RequestError.internalError();
    this.#sessions ??= new Sessions({
      host,
      source,
      journal,
      report,
      connection: this.#connection,
      capabilities: clientCapabilities,
    });
    return {
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: "signalbox", title: "Signalbox", version: VERSION },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        mcpCapabilities: { http: true, sse: false },
        sessionCapabilities: { list: {}, delete: {}, resume: {}, fork: {}, close: {} },
      },
      authMethods: [
        {
          id: API_KEY,
          name: "API key",
          description:
            "The key of the provider, such as ANTHROPIC_API_KEY, or of a profile in settings.yaml. Set it where the editor starts this agent.",
        },
      ],
    };
  }

  async #authenticate(methodId: string): Promise<void> {
    if (methodId !== API_KEY)
      throw RequestError.invalidParams(
        undefined,
        `expected the method ${API_KEY}, got ${methodId.slice(0, 100)}`,
      );
    await this.#options.source.authenticate();
  }
}

/** Do `work`; what fails becomes the error of the response. */
async function answer<T>(work: () => T | Promise<T>, sessionId?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toRequestError(error, sessionId);
  }
}
