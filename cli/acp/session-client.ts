import {
  type AgentConnection,
  type ClientCapabilities,
  type CreateElicitationResponse,
  type CreateTerminalRequest,
  methods,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
  type TerminalHandle,
} from "@agentclientprotocol/sdk/unstable";
import type { QuestionAsk } from "../../runtime/task/ask.ts";
import { questionForm } from "./question.ts";
import { UpdateQueue } from "./update-queue.ts";

/** The client of one session, or of the child session of a subtask. */
export class SessionClient {
  readonly sessionId: string;
  readonly capabilities: ClientCapabilities;
  /** The updates that are sent to it. Child sessions share them: a child is announced before anything else of it is sent. */
  readonly updates: UpdateQueue;
  readonly #connection: AgentConnection;

  constructor(
    sessionId: string,
    connection: AgentConnection,
    capabilities: ClientCapabilities,
    updates = new UpdateQueue((notification) => this.#notify(notification)),
  ) {
    this.sessionId = sessionId;
    this.capabilities = capabilities;
    this.updates = updates;
    this.#connection = connection;
  }

  /** The client of the session that shows a task of this session: a subtask has its own, if the client shows subagents. */
  sessionOf(taskId: string): SessionClient {
    return this.showsSubagents && taskId !== this.sessionId
      ? new SessionClient(taskId, this.#connection, this.capabilities, this.updates)
      : this;
  }

  /** Queue updates of the session. */
  send(...updates: readonly SessionUpdate[]): void {
    this.updates.add(this.sessionId, ...updates);
  }

  /** Whether the connection has closed, which ends the session. */
  get isClosed(): boolean {
    return this.#connection.signal.aborted;
  }

  get showsNotices(): boolean {
    return this.capabilities.session?.notices != null;
  }

  get showsSubagents(): boolean {
    return this.capabilities.subagents != null;
  }

  get asksQuestions(): boolean {
    return this.capabilities.elicitation?.form != null;
  }

  /** Send an update, unless the client does not take its kind. @throws Error once the connection has closed */
  async #notify({ sessionId, update }: SessionNotification): Promise<void> {
    if (update.sessionUpdate === "compaction_update" && this.capabilities.session?.compaction == null) return;
    await this.#connection.client.notify(methods.client.session.update, { sessionId, update });
  }

  /** @param signal withdraws the request @throws RequestError of the client, or Error once the connection has closed */
  requestPermission(
    request: Omit<RequestPermissionRequest, "sessionId">,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse> {
    return this.#connection.client.request(
      methods.client.session.requestPermission,
      { sessionId: this.sessionId, ...request },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
  }

  /** @throws RequestError of the client, or Error once the connection has closed */
  openTerminal(request: Omit<CreateTerminalRequest, "sessionId">): Promise<TerminalHandle> {
    return this.#connection.client.createTerminal({ sessionId: this.sessionId, ...request });
  }

  /** The text of a file as the client has it. @throws RequestError of the client */
  async readFile(path: string): Promise<string> {
    const { sessionId } = this;
    const { content } = await this.#connection.client.request(methods.client.fs.readTextFile, {
      sessionId,
      path,
    });
    return content;
  }

  /** @throws RequestError of the client */
  async writeFile(path: string, content: string): Promise<void> {
    const { sessionId } = this;
    await this.#connection.client.request(methods.client.fs.writeTextFile, { sessionId, path, content });
  }

  /** @param signal withdraws the question @throws as {@link requestPermission} */
  ask(question: QuestionAsk, signal: AbortSignal): Promise<CreateElicitationResponse> {
    return this.#connection.client.request(
      methods.client.elicitation.create,
      {
        sessionId: this.sessionId,
        mode: "form",
        message: question.question,
        requestedSchema: questionForm(question),
      },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
  }
}
