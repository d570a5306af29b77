import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { PassiveTask } from "../../machines/task/passivation.ts";

/** A passive task, compressed for memory: one byte a character. */
export type PackedPassiveTask = string;

/** The content of most passive tasks: the compressed form refers to it. */
const TYPICAL = JSON.stringify({
  status: "active",
  value: { waiting_for_input: "approval", idle: "completing" },
  historyValue: {},
  children: {
    "ask:1": {
      snapshot: {
        status: "active",
        input: { askId: 1, ask: "tool", text: "", accepts: ["yes", "no", "text"], callId: "/toolu_" },
      },
      src: "ask",
      syncSnapshot: false,
    },
  },
  context: {
    usage: { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 },
    ask: { id: 1, ask: "completion_result", callId: "" },
    turn: {
      blocks: [
        { kind: "text", buffered: "", done: true, ts: 1 },
        { kind: "call", callId: "" },
      ],
      cursor: 1,
      calls: [
        {
          callId: "",
          toolUseId: "",
          name: "attempt_completion",
          ask: "completion_result",
          row: 1,
          phase: "asking",
          input: { result: "" },
          review: {
            valid: true,
            digest: "",
            effect: "asks",
            replayable: false,
            text: "",
            verdict: { kind: "ask" },
            facts: {},
          },
        },
      ],
      stopReason: "tool_use",
    },
    queue: [],
    cause: { type: "call.reviewed", callId: "", review: {}, at: 1 },
    pending: [],
    counters: {
      mistakes: 0,
      noToolUses: 0,
      retries: 0,
      pauses: 0,
      requests: 1,
      cost: 0,
      repeated: { digest: "", times: 0 },
    },
    total: { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 },
    result: "",
    model: {
      provider: "anthropic",
      id: "claude-sonnet-4-6",
      endpoint: "https://api.anthropic.com",
      contextWindow: 200_000,
    },
    contextTokens: 1_000,
  },
});

const OPTIONS = { dictionary: Buffer.from(TYPICAL), chunkSize: 4096, memLevel: 4, windowBits: 12 };

/** Compress a passive task: a host may have 100,000. */
export function packPassive(passive: PassiveTask): PackedPassiveTask {
  return deflateRawSync(passive, OPTIONS).toString("latin1");
}

/** @throws Error for anything but the result of {@link packPassive} */
export function unpackPassive(packed: PackedPassiveTask): PassiveTask {
  return inflateRawSync(Buffer.from(packed, "latin1"), OPTIONS).toString();
}
