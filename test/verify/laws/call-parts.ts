import {
  applyConversationEvent,
  type Conversation,
  emptyConversation,
  type ImageBlock,
  type TextBlock,
  textBlock,
} from "../../../machines/conversation/index.ts";
import { emptyMemory, type Past, type TaskEmitted, type Turn } from "../../../machines/task/index.ts";
import type {
  CallIdentity,
  CallIn,
  Outcome,
  RecordedCall,
  SubtaskEnd,
  ToolCall,
} from "../../../machines/tool-call/index.ts";
import { fresh } from "./step.ts";

export const image: ImageBlock = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "AAAA" },
};

/** The name of every call here. */
export const NAME = "write_to_file";

/** Who a call is: `c1` is paired as `use-c1`. */
export const identity = (callId: string): CallIdentity => ({
  callId,
  toolUseId: `use-${callId}`,
  name: NAME,
  ask: "tool",
});

export const outcome = (
  kind: Outcome["kind"],
  ...content: readonly (TextBlock | ImageBlock | string)[]
): Outcome => ({
  kind,
  content: content.map((block) => (typeof block === "string" ? textBlock(block) : block)),
});

export const settled = (callId: string, ...ending: Parameters<typeof outcome>): CallIn<"settled"> => ({
  ...identity(callId),
  phase: "settled",
  outcome: outcome(...ending),
});

export const stopped = (callId: string): CallIn<"stopped"> => ({
  ...identity(callId),
  phase: "stopped",
  replayable: false,
});

export const planned = (callId: string): CallIn<"planned"> => ({
  ...identity(callId),
  phase: "planned",
  preview: "",
});

export const delegated = (callId: string, childId: string, end?: SubtaskEnd): CallIn<"delegated"> => ({
  ...identity(callId),
  phase: "delegated",
  input: {},
  childId,
  ...(end !== undefined && { end }),
});

export const turnOf = (...calls: readonly ToolCall[]): Turn => ({ ...fresh.turn, calls });

export const pastOf = (...calls: readonly RecordedCall[]): Past => ({ ...emptyMemory, calls, openedAt: 1 });

/** A conversation whose last entry is an answer with these calls. */
export const answered = (...callIds: readonly string[]): Conversation =>
  applyConversationEvent(emptyConversation, {
    type: "entry.appended",
    entry: {
      role: "assistant",
      content: [
        textBlock("To work."),
        ...callIds.map((callId) => ({
          type: "tool_use" as const,
          id: `use-${callId}`,
          name: NAME,
          input: {},
        })),
      ],
    },
  });

/** A row that is told to the user. */
export const tells = (say: string, text: string, callId?: string): TaskEmitted => ({
  type: "message.appended",
  message: { ts: 1, type: "say", say, text, ...(callId !== undefined && { callId }) },
});

export const records = (call: RecordedCall): TaskEmitted => ({ type: "call.changed", call });
