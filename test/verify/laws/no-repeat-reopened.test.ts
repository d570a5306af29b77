import { describe, expect, it } from "vitest";
import { textBlock } from "../../../machines/conversation/blocks.ts";
import {
  applyConversationEvent,
  type Conversation,
  emptyConversation,
} from "../../../machines/conversation/conversation.ts";
import { uncertain } from "../../../machines/conversation/notices.ts";
import type { EffectResult, TaskEmitted } from "../../../machines/task/task.events.ts";
import type { RecordedCall, ToolCall } from "../../../machines/tool-call/call.ts";
import { noRepeat } from "../../../verify/laws/no-repeat.ts";
import { identityOf, NAME, outcomeOf, planned, settled, stopped, turnOf } from "./calls.ts";
import { appended, image, pastOf, say } from "./commit-parts.ts";
import { type StepParts, stepOf } from "./step.ts";

const wrongWith = (parts: StepParts): string | undefined => noRepeat.violation(stepOf(parts));

/** An error message about a call. */
const errorOf = (text: string, callId: string): TaskEmitted => appended(say(1, "error", { text, callId }));

/** A conversation whose last entry is a response with these calls. */
const answered = (...callIds: readonly string[]): Conversation =>
  applyConversationEvent(emptyConversation, {
    type: "entry.appended",
    entry: {
      role: "assistant",
      content: [
        textBlock("To work."),
        ...callIds.map((callId) => {
          const { toolUseId: id, name } = identityOf(callId);
          return { type: "tool_use" as const, id, name, input: {} };
        }),
      ],
    },
  });

interface Opened {
  readonly known: RecordedCall;
  readonly calls?: readonly ToolCall[];
  readonly reported?: readonly TaskEmitted[];
}

/** The violation of reopening a task that waited for c1. */
const opened = ({ known, calls = [], reported = [] }: Opened): string | undefined =>
  wrongWith({
    from: "no_task",
    to: "resumable",
    event: { type: "task.recovered", at: 1 },
    before: { conversation: answered("c1") },
    after: { turn: turnOf(...calls) },
    emitted: reported,
    past: pastOf(known),
  });

const ran = (
  end?: EffectResult["content"],
  rest?: { readonly replayable?: true; readonly ask?: "completion_result"; readonly phase?: "stopped" },
): RecordedCall => ({
  ...identityOf("c1"),
  phase: "running",
  replayable: false,
  ...(end !== undefined && { end }),
  ...rest,
});
const uncertainMessage = errorOf(uncertain(NAME), "c1");
const uncertainCall = settled("c1", "uncertain", uncertain(NAME));

describe("a reopened task reports the ends of its calls (L12)", () => {
  const reads = ran(undefined, { replayable: true });
  const wrote = [textBlock("wrote"), textBlock("4 bytes")];
  const cut = settled("c1", "interrupted", "interrupted");
  const rule = settled("c1", "denied", "no");
  const denied: RecordedCall = { ...identityOf("c1"), phase: "settled", outcome: outcomeOf("denied", "no") };

  it.each<[string, Opened]>([
    ["a recorded end as result", { known: ran(wrote), calls: [settled("c1", "done", "wrote", "4 bytes")] }],
    [
      "a recorded end among other text",
      { known: ran(wrote), calls: [settled("c1", "done", "approved", "wrote", "4 bytes")] },
    ],
    [
      "an end that has an image",
      { known: ran([image, ...wrote]), calls: [settled("c1", "done", "wrote", "4 bytes", image)] },
    ],
    ["a reader as interrupted", { known: reads, calls: [cut] }],
    [
      "a reader as interrupted, and another call as uncertain",
      { known: reads, calls: [cut], reported: [errorOf(uncertain(NAME), "c2")] },
    ],
    [
      "an unrecorded end as uncertain",
      { known: ran(), calls: [uncertainCall], reported: [uncertainMessage] },
    ],
    [
      "a stopped call like one that runs",
      { known: ran(undefined, { phase: "stopped" }), calls: [uncertainCall], reported: [uncertainMessage] },
    ],
    [
      "an end recorded as unknown as uncertain",
      { known: ran("uncertain"), calls: [uncertainCall], reported: [uncertainMessage] },
    ],
    ["no end of an offered completion", { known: ran(undefined, { ask: "completion_result" }) }],
    ["no end of a call that was asked about", { known: { ...identityOf("c1"), phase: "asking" } }],
    ["a settled call as it was", { known: denied, calls: [rule] }],
    [
      "no end of a call of an incomplete response",
      { known: { ...ran(), callId: "c2", toolUseId: "use-c2" } },
    ],
  ])("allows to report %s", (_, parts) => {
    expect(opened(parts)).toBeUndefined();
  });

  it.each<[string, Opened, string]>([
    ["the end of a missing call", { known: ran(wrote) }, "the recorded end of c1"],
    [
      "the end of a call that is not settled",
      { known: ran(wrote), calls: [stopped("c1")] },
      "the recorded end of c1",
    ],
    [
      "another result",
      { known: ran(wrote), calls: [settled("c1", "done", "read")] },
      "the recorded end of c1",
    ],
    [
      "an end without its image",
      { known: ran([image, ...wrote]), calls: [settled("c1", "done", "wrote", "4 bytes")] },
      "the recorded end of c1",
    ],
    [
      "the end as a failure",
      { known: ran(wrote), calls: [settled("c1", "failed", "wrote", "4 bytes")] },
      "the recorded end of c1",
    ],
    [
      "a known end as uncertain",
      { known: ran(wrote), calls: [uncertainCall], reported: [uncertainMessage] },
      "the recorded end of c1",
    ],
    [
      "the end of a reader as interrupted",
      { known: ran(wrote, { replayable: true }), calls: [cut] },
      "the recorded end of c1",
    ],
    ["a reader that is missing", { known: reads }, "c1 only reads, and is gone"],
    ["a reader that is planned", { known: reads, calls: [planned("c1")] }, "c1 only reads, and is planned"],
    ["a reader as uncertain", { known: reads, calls: [uncertainCall] }, "c1 only reads, and is uncertain"],
    [
      "an interrupted reader as uncertain to the user",
      { known: reads, calls: [cut], reported: [uncertainMessage] },
      "c1 only reads, and is interrupted",
    ],
    [
      "an uncertain end of a missing call",
      { known: ran(), reported: [uncertainMessage] },
      "no tool result reports",
    ],
    [
      "an uncertain end as interrupted",
      { known: ran(), calls: [settled("c1", "interrupted", uncertain(NAME))], reported: [uncertainMessage] },
      "no tool result reports",
    ],
    [
      "an uncertain end in another text",
      { known: ran(), calls: [settled("c1", "uncertain", "who knows")], reported: [uncertainMessage] },
      "no tool result reports",
    ],
    ["nothing to the user", { known: ran(), calls: [uncertainCall] }, "no message reports"],
    [
      "another call to the user",
      { known: ran(), calls: [uncertainCall], reported: [errorOf(uncertain(NAME), "c2")] },
      "no message reports",
    ],
    [
      "another text to the user",
      { known: ran(), calls: [uncertainCall], reported: [errorOf("who knows", "c1")] },
      "no message reports",
    ],
    [
      "the end to the user in a message that is no error",
      {
        known: ran(),
        calls: [uncertainCall],
        reported: [appended(say(1, "text", { text: uncertain(NAME), callId: "c1" }))],
      },
      "no message reports",
    ],
    ["nothing of a stopped call", { known: ran(undefined, { phase: "stopped" }) }, "no tool result reports"],
    ["nothing of a settled call", { known: denied }, "c1 was settled and is not anymore"],
    [
      "a settled call as running",
      { known: denied, calls: [planned("c1")] },
      "c1 was settled and is not anymore",
    ],
    [
      "a settled call with another text",
      { known: denied, calls: [settled("c1", "denied", "yes")] },
      "c1 was settled and is not anymore",
    ],
    [
      "a settled call with another kind",
      { known: denied, calls: [settled("c1", "done", "no")] },
      "c1 was settled and is not anymore",
    ],
    [
      "a call that the response lacks",
      { known: denied, calls: [rule, planned("c2")] },
      "c2 is not a call of the last response",
    ],
  ])("forbids to report %s", (_, parts, expected) => {
    expect(opened(parts)).toContain(expected);
  });

  it("checks each call that the model waits for", () => {
    const both = (second: ToolCall): string | undefined =>
      wrongWith({
        before: { conversation: answered("c1", "c2") },
        after: { turn: turnOf(cut, second) },
        past: pastOf(reads, { ...denied, ...identityOf("c2") }),
      });
    expect(both({ ...rule, ...identityOf("c2") })).toBeUndefined();
    expect(both({ ...cut, ...identityOf("c2") })).toBe("c2 was settled and is not anymore");
  });

  it("expects no call after a user's entry, or in a task that was not reopened", () => {
    const conversation = applyConversationEvent(answered("c1"), {
      type: "entry.appended",
      entry: { role: "user", content: [textBlock("Stop.")] },
    });
    const after = { turn: turnOf(uncertainCall) };
    expect(wrongWith({ before: { conversation }, past: pastOf(ran()) })).toBeUndefined();
    expect(wrongWith({ before: { conversation }, past: pastOf(ran()), after })).toContain(
      "c1 is not a call of",
    );
    expect(wrongWith({ before: { conversation }, after })).toBeUndefined();
  });
});
