import type { SessionNotification, SessionUpdate } from "@agentclientprotocol/sdk/unstable";

/**
 * The updates of a session and of its child sessions that wait to be sent, in order. A client that reads slowly holds up
 * nothing: while one update is sent, the next ones of the same message, tool call or fact join, in each session.
 */
export class UpdateQueue {
  readonly #send: (notification: SessionNotification) => Promise<void>;
  readonly #waiting: Waiting[] = [];
  /** The last one of each session that waits. */
  readonly #last = new Map<string, Waiting>();
  #sending: Promise<void> | undefined;

  /** @param send rejects once the connection has closed */
  constructor(send: (notification: SessionNotification) => Promise<void>) {
    this.#send = send;
  }

  add(sessionId: string, ...updates: readonly SessionUpdate[]): void {
    for (const update of updates) {
      const last = this.#last.get(sessionId);
      const joined = last === undefined ? undefined : join(last.update, update);
      if (last === undefined || joined === undefined) this.#push({ sessionId, update });
      else last.update = joined;
      this.#sending ??= this.#drain();
    }
  }

  /** Resolves when everything that was added is sent, or the connection has closed. */
  flushed(): Promise<void> {
    return this.#sending ?? Promise.resolve();
  }

  #push(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#last.set(waiting.sessionId, waiting);
  }

  #shift(): Waiting | undefined {
    const next = this.#waiting.shift();
    if (next !== undefined && this.#last.get(next.sessionId) === next) this.#last.delete(next.sessionId);
    return next;
  }

  async #drain(): Promise<void> {
    try {
      for (let next = this.#shift(); next !== undefined; next = this.#shift()) await this.#send(next);
    } catch {
      // The connection has closed, which ends every session: nobody reads the rest.
      this.#waiting.length = 0;
      this.#last.clear();
    } finally {
      this.#sending = undefined;
    }
  }
}

interface Waiting {
  readonly sessionId: string;
  update: SessionUpdate;
}

/** Two updates as one; undefined if both are needed. */
function join(one: SessionUpdate, next: SessionUpdate): SessionUpdate | undefined {
  switch (next.sessionUpdate) {
    case "agent_message_chunk":
    case "agent_thought_chunk":
      return one.sessionUpdate === next.sessionUpdate &&
        one.messageId === next.messageId &&
        one.content.type === "text" &&
        next.content.type === "text"
        ? { ...next, content: { type: "text", text: one.content.text + next.content.text } }
        : undefined;
    case "tool_call_update":
      if (one.sessionUpdate === "tool_call" && one.toolCallId === next.toolCallId)
        return withChanges(one, next);
      return one.sessionUpdate === "tool_call_update" && one.toolCallId === next.toolCallId
        ? { ...one, ...next }
        : undefined;
    case "plan":
    case "usage_update":
    case "config_option_update":
      return one.sessionUpdate === next.sessionUpdate ? next : undefined;
    default:
      return undefined;
  }
}

type ToolCall = Extract<SessionUpdate, { sessionUpdate: "tool_call" }>;
type ToolCallChange = Extract<SessionUpdate, { sessionUpdate: "tool_call_update" }>;

function withChanges(call: ToolCall, { title, kind, status, content, locations }: ToolCallChange): ToolCall {
  return {
    ...call,
    ...(title && { title }),
    ...(kind && { kind }),
    ...(status && { status }),
    ...(content && { content }),
    ...(locations && { locations }),
  };
}
