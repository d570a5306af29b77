import {
  type AgentConnection,
  type ClientCapabilities,
  type CreateElicitationResponse,
  type CreateTerminalRequest,
  methods,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type TerminalHandle,
} from "@agentclientprotocol/sdk/unstable";
import type { QuestionAsk } from "../../runtime/task/ask.ts";
import { questionForm } from "./question.ts";
import { UpdateQueue } from "./update-queue.ts";

/** The client of one session. */
export class SessionClient {
  readonly sessionId: string;
  readonly capabilities: ClientCapabilities;
  /** The updates that are sent to it. */
  readonly updates = new UpdateQueue((update) => this.#update(update));
  readonly #connection: AgentConnection;

  constructor(sessionId: string, connection: AgentConnection, capabilities: ClientCapabilities) {
    this.sessionId = sessionId;
    this.capabilities = capabilities;
    this.#connection = connection;
  }

  /** Whether the connection has closed, which ends the session. */
  get isClosed(): boolean {
    return this.#connection.signal.aborted;
  }

  get showsNotices(): boolean {
    return this.capabilities.session?.notices != null;
  }

  get asksQuestions(): boolean {
    return this.capabilities.elicitation?.form != null;
  }

  /** Send an update, unless the client does not take its kind. @throws Error once the connection has closed */
  async #update(update: SessionUpdate): Promise<void> {
    if (update.sessionUpdate === "compaction_update" && this.capabilities.session?.compaction == null) return;
    await this.#connection.client.notify(methods.client.session.update, {
      sessionId: this.sessionId,
      update,
    });
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
