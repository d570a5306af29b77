import { EventEmitter } from "node:events";
import { PassThrough, Readable, type Writable } from "node:stream";
import {
  type ClientCapabilities,
  type ClientConnection,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  methods,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { main } from "../../../cli/main.ts";
import type { Process } from "../process.ts";
import { parseAgentLine, type WireMessage } from "./protocol-schema.ts";
import { serveTerminals, type Terminals } from "./terminals.ts";

/** An agent with its pipes. */
export interface AgentPipes {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: () => string;
  /** The exit code, once it has ended. */
  readonly code: Promise<number | null>;
}

/** `signalbox acp` in this process. */
export function inThisProcess(args: readonly string[], env: Readonly<Record<string, string>>): AgentPipes {
  const io = Object.assign(new EventEmitter(), {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env,
  });
  let stderr = "";
  io.stderr.on("data", (chunk) => {
    stderr += String(chunk);
  });
  const code = main(["acp", ...args], io).finally(() => io.stdout.end());
  return { stdin: io.stdin, stdout: io.stdout, stderr: () => stderr, code };
}

/** `signalbox acp` in a process of its own. */
export const inProcess = (process: Process): AgentPipes => ({
  stdin: process.child.stdin,
  stdout: process.child.stdout,
  stderr: () => process.stderr,
  code: process.code,
});

/** What a client does when the agent asks. Default: it allows every call once, and declines every form. */
export interface Answers {
  permission?: (
    request: RequestPermissionRequest,
    client: AcpClient,
  ) => RequestPermissionResponse | Promise<RequestPermissionResponse>;
  elicitation?: (
    request: CreateElicitationRequest,
    client: AcpClient,
  ) => CreateElicitationResponse | Promise<CreateElicitationResponse>;
  readFile?: (path: string) => string;
  writeFile?: (path: string, content: string) => void;
  terminals?: Terminals;
}

/** The answer that selects the first option of a kind. */
export function select(
  { options }: RequestPermissionRequest,
  kind: RequestPermissionRequest["options"][number]["kind"],
): RequestPermissionResponse {
  const option = options.find((each) => each.kind === kind);
  if (option === undefined) throw new Error(`There is no option ${kind}: ${JSON.stringify(options)}`);
  return { outcome: { outcome: "selected", optionId: option.optionId } };
}

/** The client side of a connection. Every message of the agent is checked against the protocol's JSON Schema. */
export class AcpClient {
  readonly agent: ClientContext;
  readonly connection: ClientConnection;
  /** Everything that the agent wrote, in order. */
  readonly received: WireMessage[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  readonly invalid: unknown[] = [];
  readonly #pipes: AgentPipes;
  readonly #requests = new Map<unknown, string>();
  readonly #listeners = new Set<() => void>();

  constructor(pipes: AgentPipes, answers: Answers = {}) {
    this.#pipes = pipes;
    const output = new TransformStream<Uint8Array, Uint8Array>();
    const app = client({ name: "test" })
      .onRequest(methods.client.session.requestPermission, ({ params }) => {
        this.permissions.push(params);
        return answers.permission?.(params, this) ?? select(params, "allow_once");
      })
      .onRequest(
        methods.client.elicitation.create,
        ({ params }) => answers.elicitation?.(params, this) ?? { action: "decline" },
      )
      .onRequest(methods.client.fs.readTextFile, ({ params }) => ({
        content: answers.readFile?.(params.path) ?? "",
      }))
      .onRequest(methods.client.fs.writeTextFile, ({ params }) => {
        answers.writeFile?.(params.path, params.content);
        return {};
      })
      .onNotification(methods.client.session.update, () => {});
    if (answers.terminals !== undefined) serveTerminals(app, answers.terminals);
    const tap = new PassThrough();
    let rest = "";
    pipes.stdout.on("data", (chunk) => {
      const lines = `${rest}${String(chunk)}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#receive(line);
      tap.write(chunk);
    });
    pipes.stdout.on("end", () => tap.end());
    void output.readable.pipeTo(
      new WritableStream({
        write: (bytes) => {
          this.#noteRequests(Buffer.from(bytes).toString("utf8"));
          pipes.stdin.write(bytes);
        },
      }),
    );
    this.connection = app.connect(ndJsonStream(output.writable, Readable.toWeb(tap)));
    this.agent = this.connection.agent;
  }

  get code(): Promise<number | null> {
    return this.#pipes.code;
  }

  get stderr(): string {
    return this.#pipes.stderr();
  }

  /** The updates so far, of all sessions or of one. */
  updates(sessionId?: string): readonly SessionUpdate[] {
    return this.notifications
      .filter((each) => sessionId === undefined || each.sessionId === sessionId)
      .map(({ update }) => update);
  }

  get notifications(): readonly SessionNotification[] {
    return this.received.flatMap(({ method, params }) =>
      method === methods.client.session.update ? [params as SessionNotification] : [],
    );
  }

  /** The text of the chunks of a kind. */
  text(kind: SessionUpdate["sessionUpdate"], sessionId?: string): string {
    return this.updates(sessionId)
      .map((update) =>
        update.sessionUpdate === kind && "content" in update && isText(update.content)
          ? update.content.text
          : "",
      )
      .join("");
  }

  initialize(clientCapabilities: ClientCapabilities = {}) {
    return this.agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities });
  }

  /** A new session in a folder. */
  async session(cwd: string): Promise<string> {
    const { sessionId } = await this.agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
    return sessionId;
  }

  prompt(sessionId: string, text: string): Promise<PromptResponse> {
    return this.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  }

  cancel(sessionId: string): Promise<void> {
    return this.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  /** Everything that the agent wrote about a session, in order. */
  messagesOf(sessionId: string): readonly WireMessage[] {
    return this.received.filter(({ params }) => isRecord(params) && params.sessionId === sessionId);
  }

  /** Resolves once the agent has written this. */
  async until(isReached: () => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!isReached()) return;
        this.#listeners.delete(look);
        resolve();
      };
      this.#listeners.add(look);
      look();
    });
  }

  /** Writes a line that need not be a message. */
  writeLine(line: string): void {
    this.#noteRequests(line);
    this.#pipes.stdin.write(`${line}\n`);
  }

  /** Ends the agent's input and waits for its end. @throws the first message that is not valid */
  async end(): Promise<number | null> {
    this.#pipes.stdin.end();
    const code = await this.#pipes.code;
    if (this.invalid.length > 0) throw this.invalid[0];
    return code;
  }

  #receive(line: string): void {
    try {
      this.received.push(parseAgentLine(line, (id) => this.#requests.get(id)));
    } catch (error) {
      this.invalid.push(error);
    }
    for (const listener of [...this.#listeners]) listener();
  }

  #noteRequests(text: string): void {
    for (const line of text.split("\n")) {
      const [, id, method] = /"id":("[^"]*"|\d+),"method":"([^"]+)"/.exec(line) ?? [];
      if (id !== undefined && method !== undefined) this.#requests.set(JSON.parse(id), method);
    }
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const isText = (content: unknown): content is { readonly text: string } =>
  typeof content === "object" && content !== null && "text" in content && typeof content.text === "string";
