import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";

/**
 * The updates that wait to be sent, in order. A client that reads slowly holds up nothing: while one update is sent, the
 * next ones of the same message, tool call or fact join.
 */
export class UpdateQueue {
  readonly #send: (update: SessionUpdate) => Promise<void>;
  readonly #waiting: SessionUpdate[] = [];
  #sending: Promise<void> | undefined;

  /** @param send rejects once the connection has closed */
  constructor(send: (update: SessionUpdate) => Promise<void>) {
    this.#send = send;
  }

  add(update: SessionUpdate): void {
    const last = this.#waiting.at(-1);
    const joined = last === undefined ? undefined : join(last, update);
    if (joined === undefined) this.#waiting.push(update);
    else this.#waiting[this.#waiting.length - 1] = joined;
    this.#sending ??= this.#drain();
  }

  addAll(updates: readonly SessionUpdate[]): void {
    for (const update of updates) this.add(update);
  }

  /** Resolves when everything that was added is sent, or the connection has closed. */
  flushed(): Promise<void> {
    return this.#sending ?? Promise.resolve();
  }

  async #drain(): Promise<void> {
    try {
      for (let update = this.#waiting.shift(); update !== undefined; update = this.#waiting.shift())
        await this.#send(update);
    } catch {
      // The connection has closed, which ends every session: nobody reads the rest.
      this.#waiting.length = 0;
    } finally {
      this.#sending = undefined;
    }
  }
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
