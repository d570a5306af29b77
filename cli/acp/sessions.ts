import { randomUUID } from "node:crypto";
import { realpath } from "node:fs/promises";
import path from "node:path";
import {
  type AgentConnection,
  type ClientCapabilities,
  type ContentBlock,
  type ForkSessionResponse,
  type LoadSessionResponse,
  type McpServer,
  type NewSessionResponse,
  type PromptResponse,
  RequestError,
  type SessionConfigOption,
} from "@agentclientprotocol/sdk/unstable";
import { systemClock } from "../../actors/protocol/edge.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import type { Host } from "../../runtime/host.ts";
import { errorMessage } from "../error.ts";
import { clientEditor } from "./client-editor.ts";
import { ClientTerminals } from "./client-terminals.ts";
import { clientMcpServers } from "./mcp-servers.ts";
import { Session } from "./session.ts";
import { SessionClient } from "./session-client.ts";
import type { SessionSource } from "./session-source.ts";

/** The parts that the sessions of a connection are made of. */
export interface SessionsOptions {
  readonly host: Host;
  readonly source: SessionSource;
  /** The journal of a task, for reading. */
  readonly journal: (taskId: string) => Pick<JournalDriver, "path" | "read">;
  readonly connection: AgentConnection;
  readonly capabilities: ClientCapabilities;
  /** Report a failure that no response has. */
  readonly report: (message: string) => void;
}

/** The folder of a session, and what else a client passes for it. */
export interface SessionPlace {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly mcpServers?: readonly McpServer[] | undefined;
}

/** The open sessions of a connection, by the ids of their tasks. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #open = new Map<string, Session>();
  readonly #opening = new Map<string, Promise<Session>>();
  /** The last request of each session that is not done, without its result. */
  readonly #last = new Map<string, Promise<void>>();
  /** Aborts when the sessions are closed: then none opens any more. */
  readonly #closing = new AbortController();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** @throws RequestError, and the errors of `SessionSource.open` */
  async create(place: SessionPlace): Promise<NewSessionResponse> {
    const sessionId = randomUUID();
    const session = await this.#start(sessionId, place, true);
    // The client knows the session once it has the response, which is written in the microtasks of this one.
    setImmediate(() => session.announce());
    return { sessionId, ...session.choices };
  }

  /** Open a recorded session, and send its whole history. @throws as {@link create} */
  load(sessionId: string, place: SessionPlace): Promise<LoadSessionResponse> {
    return this.#ofRoot(sessionId, async () => {
      const session = await this.#resumed(sessionId, place);
      await session.replay(this.#options.journal);
      setImmediate(() => session.announceSubtasks());
      return session.choices;
    });
  }

  /** Open a recorded session without its history. @throws as {@link create} */
  resume(sessionId: string, place: SessionPlace): Promise<LoadSessionResponse> {
    return this.#ofRoot(sessionId, async () => {
      const session = await this.#resumed(sessionId, place);
      session.announce();
      setImmediate(() => session.announceSubtasks());
      return session.choices;
    });
  }

  /** Open a copy of a recorded session, without its history. @throws as {@link create} @throws TaskHistoryError */
  async fork(originalId: string, place: SessionPlace): Promise<ForkSessionResponse> {
    const { history } = this.#options.source;
    await this.#assertRoot(originalId);
    const { id: sessionId } = await history.fork(originalId);
    try {
      const session = await this.#start(sessionId, place, false);
      setImmediate(() => session.announce());
      return { sessionId, ...session.choices };
    } catch (error) {
      await history.delete(sessionId);
      throw error;
    }
  }

  /** Run a prompt. Later requests of the session wait for its start only. @throws as `Session.prompt` */
  async prompt(
    sessionId: string,
    blocks: readonly ContentBlock[],
    signal: AbortSignal,
  ): Promise<PromptResponse> {
    const { turn } = await this.#ofRoot(sessionId, async () => ({
      turn: this.#get(sessionId).prompt(blocks, signal),
    }));
    return turn;
  }

  /** Cancel the prompt that was sent before, if it runs; of a child session, the work of its subtask. */
  async cancel(sessionId: string): Promise<void> {
    await this.#inOrder(sessionId, async () => {
      const session = this.#open.get(sessionId);
      if (session !== undefined) session.cancel();
      else for (const each of this.#open.values()) each.cancelSubtask(sessionId);
    });
  }

  /** @throws RequestError @throws as `Session.setMode` */
  setMode(sessionId: string, modeId: string): Promise<void> {
    return this.#ofRoot(sessionId, async () => this.#get(sessionId).setMode(modeId));
  }

  /** @throws RequestError @throws as `Session.setConfigOption` */
  setConfigOption(sessionId: string, id: string, value: string | boolean): Promise<SessionConfigOption[]> {
    return this.#ofRoot(sessionId, async () => this.#get(sessionId).setConfigOption(id, value));
  }

  /** Cancel and close a session. Its task stays on disk. @throws RequestError @throws JournalError */
  close(sessionId: string): Promise<void> {
    return this.#ofRoot(sessionId, () => this.#close(sessionId));
  }

  /** Close a session, and delete its task with its subtasks. @throws TaskHistoryError @throws JournalError */
  delete(sessionId: string): Promise<void> {
    return this.#ofRoot(sessionId, async () => {
      const isOpen = this.#open.has(sessionId);
      if (isOpen) await this.#close(sessionId);
      const { history } = this.#options.source;
      // A session without a prompt has nothing on disk.
      if (isOpen && !(await history.ids()).includes(sessionId)) return;
      await history.delete(sessionId, { recursive: true });
    });
  }

  /** Close all sessions, also those that are being opened. @throws JournalError of the first that failed */
  async closeAll(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#opening.values());
    const sessions = [...this.#open.values()];
    this.#open.clear();
    const ends = await Promise.allSettled(sessions.map((session) => session.close()));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }

  /** Start `work` once what came before it for this session is done. */
  #inOrder<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#last.get(sessionId) ?? Promise.resolve()).then(work);
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(sessionId, settled);
    void settled.then(() => {
      if (this.#last.get(sessionId) === settled) this.#last.delete(sessionId);
    });
    return done;
  }

  /** As {@link #inOrder}. @throws RequestError for a child session */
  #ofRoot<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    return this.#inOrder(sessionId, async () => {
      await this.#assertRoot(sessionId);
      return work();
    });
  }

  /** @throws RequestError for a child session: its parent prompts and ends it, and the client can only cancel its work */
  async #assertRoot(sessionId: string): Promise<void> {
    const { capabilities, source } = this.#options;
    if (capabilities.subagents == null || this.#open.has(sessionId)) return;
    if (!(await source.history.ids()).includes(sessionId)) return;
    const { parentId } = await source.history.summary(sessionId);
    if (parentId === undefined) return;
    throw RequestError.invalidRequest(
      undefined,
      `session ${sessionId} is of a subtask: expected the session of its task, or session/cancel while it works`,
    );
  }

  /** @throws RequestError for a session that is not open */
  #get(sessionId: string): Session {
    const session = this.#open.get(sessionId);
    if (session === undefined) throw RequestError.sessionNotFound(sessionId);
    return session;
  }

  async #close(sessionId: string): Promise<void> {
    const session = this.#get(sessionId);
    this.#open.delete(sessionId);
    await session.close();
  }

  async #resumed(sessionId: string, place: SessionPlace): Promise<Session> {
    const open = this.#open.get(sessionId);
    if (open !== undefined) return open;
    if (!(await this.#options.source.history.ids()).includes(sessionId))
      throw RequestError.sessionNotFound(sessionId);
    return this.#start(sessionId, place, false);
  }

  async #start(id: string, place: SessionPlace, isNew: boolean): Promise<Session> {
    if (this.#opening.has(id)) throw RequestError.invalidRequest(undefined, `session ${id} is being opened`);
    if (this.#closing.signal.aborted) throw RequestError.invalidRequest(undefined, "the agent is ending");
    const opening = this.#openTask(id, place, isNew);
    this.#opening.set(id, opening);
    try {
      const session = await opening;
      this.#open.set(id, session);
      return session;
    } finally {
      this.#opening.delete(id);
    }
  }

  async #openTask(id: string, place: SessionPlace, isNew: boolean): Promise<Session> {
    const { connection, capabilities, source, host, report } = this.#options;
    assertPlace(place);
    const mcp = clientMcpServers(place.mcpServers ?? []);
    const client = new SessionClient(id, connection, capabilities);
    const cwd = await realpath(place.cwd).catch((error: unknown) => {
      throw RequestError.invalidParams(undefined, `the folder of cwd can't be used: ${errorMessage(error)}`);
    });
    const terminals = new ClientTerminals({ client, clock: systemClock, report });
    const editor = clientEditor(client, cwd, terminals);
    const opened = await source.open({ id, isNew, cwd, editor, mcp, signal: this.#closing.signal });
    return new Session({ ...opened, host, history: source.history, client, terminals, report });
  }
}

/** @throws RequestError for a folder that is not absolute, and for further folders */
function assertPlace({ cwd, additionalDirectories = [] }: SessionPlace): void {
  if (!path.isAbsolute(cwd)) throw RequestError.invalidParams(undefined, "expected an absolute path as cwd");
  if (additionalDirectories.length > 0)
    throw RequestError.invalidParams(undefined, "expected no additionalDirectories: they are not offered");
}
