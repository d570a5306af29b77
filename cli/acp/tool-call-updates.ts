import { isDeepStrictEqual } from "node:util";
import type {
  SessionUpdate,
  ToolCall,
  ToolCallContent,
  ToolCallStatus,
} from "@agentclientprotocol/sdk/unstable";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { RecordedCall } from "../../machines/tool-call/call.ts";
import { isApproval } from "../../present/asks.ts";
import { callFields } from "./call-fields.ts";
import { outputOf, resultOf } from "./call-result.ts";

type ToolCallUpdate = Extract<SessionUpdate, { sessionUpdate: "tool_call" | "tool_call_update" }>;

/** A tool call as it is shown. */
export type ShownCall = Required<
  Pick<ToolCall, "toolCallId" | "title" | "kind" | "status" | "content" | "locations">
>;

interface Call extends Omit<ShownCall, "content"> {
  /** The `ts` of the message that asks about it. */
  readonly ts: number;
  readonly isCommand: boolean;
  /** The content that says what it would do. */
  readonly body: ToolCallContent[];
  /** The terminal of the client that shows its output. */
  readonly terminal: ToolCallContent[];
  /** The content of its result. */
  readonly result: ToolCallContent[];
}

/** The updates of the tool calls of one task, from its messages and the phases of its calls. */
export class ToolCallUpdates {
  readonly #workspace: string;
  readonly #prefix: string;
  readonly #calls = new Map<string, Call>();

  /** @param prefix makes the ids of a subtask's calls unique in its session */
  constructor(workspace: string, prefix: string) {
    this.#workspace = workspace;
    this.#prefix = prefix;
  }

  /** The call as it was shown last. */
  find(callId: string): ShownCall | undefined {
    const call = this.#calls.get(callId);
    return call && shownCall(call);
  }

  /** The updates of a new or changed message. */
  message(message: ClineMessage): readonly ToolCallUpdate[] {
    const { callId, ask, say } = message;
    if (callId === undefined) return [];
    if (isApproval(ask)) return this.#asked(callId, message);
    const call = this.#calls.get(callId);
    const isOutput = ask === "command_output" || say === "command_output";
    return call?.terminal.length === 0 && isOutput
      ? this.#show(callId, { ...call, result: outputOf(message) })
      : [];
  }

  /** The updates of a call whose command runs in a terminal of the client. */
  terminal(callId: string, terminalId: string): readonly ToolCallUpdate[] {
    const call = this.#calls.get(callId);
    return call === undefined
      ? []
      : this.#show(callId, { ...call, terminal: [{ type: "terminal", terminalId }] });
  }

  /** The updates of a call whose phase has changed. */
  changed(recorded: RecordedCall): readonly ToolCallUpdate[] {
    const { callId, phase } = recorded;
    const call = this.#calls.get(callId);
    if (call === undefined) return [];
    if (phase === "running" || phase === "delegated")
      return this.#show(callId, { ...call, status: "in_progress" });
    if (phase !== "settled") return [];
    const { kind } = recorded.outcome;
    const status = kind === "done" ? "completed" : "failed";
    return this.#show(callId, { ...call, status, result: resultOf(call, recorded.outcome) });
  }

  /** The updates of the calls that will have no other end. */
  interrupted(): readonly ToolCallUpdate[] {
    return [...this.#calls]
      .filter(([, { status }]) => status === "pending" || status === "in_progress")
      .flatMap(([callId, call]) => this.#show(callId, { ...call, status: "failed" }));
  }

  #asked(callId: string, message: ClineMessage): readonly ToolCallUpdate[] {
    const fields = callFields(message, this.#workspace);
    if (fields === undefined) return [];
    const { ts, ask, closing } = message;
    const { content: body, ...rest } = fields;
    const earlier = this.#calls.get(callId);
    // After a change of what is permitted, another message asks about the call.
    const known = earlier?.ts === ts ? earlier : undefined;
    const status: ToolCallStatus = closing === "withdrawn" ? "failed" : (known?.status ?? "pending");
    return this.#show(callId, {
      ...rest,
      ts,
      toolCallId: `${this.#prefix}${callId}`,
      isCommand: ask === "command",
      status,
      body,
      terminal: known?.terminal ?? [],
      result: known?.result ?? [],
    });
  }

  /** The updates of the call that the client does not have. */
  #show(callId: string, call: Call): readonly ToolCallUpdate[] {
    const before = this.find(callId);
    this.#calls.set(callId, call);
    const after = shownCall(call);
    if (before === undefined) return [{ sessionUpdate: "tool_call", ...after }];
    const changes = changesOf(before, after);
    if (Object.keys(changes).length === 0) return [];
    return [{ sessionUpdate: "tool_call_update", toolCallId: after.toolCallId, ...changes }];
  }
}

const changesOf = (before: ShownCall, { title, kind, status, content, locations }: ShownCall) => ({
  ...(title !== before.title && { title }),
  ...(kind !== before.kind && { kind }),
  ...(status !== before.status && { status }),
  ...(!isDeepStrictEqual(content, before.content) && { content }),
  ...(!isDeepStrictEqual(locations, before.locations) && { locations }),
});

const shownCall = ({
  toolCallId,
  title,
  kind,
  status,
  body,
  terminal,
  result,
  locations,
}: Call): ShownCall => ({
  toolCallId,
  title,
  kind,
  status,
  content: [...body, ...terminal, ...result],
  locations,
});
