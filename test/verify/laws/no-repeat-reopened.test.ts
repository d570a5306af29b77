import { describe, expect, it } from "vitest";
import {
  applyConversationEvent,
  type Conversation,
  emptyConversation,
  textBlock,
  uncertain,
} from "../../../machines/conversation/index.ts";
import type { EffectResult, TaskEmitted } from "../../../machines/task/index.ts";
import type { RecordedCall, ToolCall } from "../../../machines/tool-call/index.ts";
import { noRepeat } from "../../../verify/laws/no-repeat.ts";
import { identityOf, NAME, outcomeOf, planned, settled, stopped, turnOf } from "./calls.ts";
import { appended, image, pastOf, say } from "./commit-parts.ts";
import { type StepParts, stepOf } from "./step.ts";

const wrongWith = (parts: StepParts): string | undefined => noRepeat.violation(stepOf(parts));

/** The words that the user is told as an error of a call. */
const tells = (text: string, callId: string): TaskEmitted => appended(say(1, "error", { text, callId }));

/** A conversation whose last entry is an answer with these calls. */
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
  readonly told?: readonly TaskEmitted[];
}

/** A task is opened that waited for c1. */
const opened = ({ known, calls = [], told = [] }: Opened): string | undefined =>
  wrongWith({
    from: "no_task",
    to: "resumable",
    event: { type: "task.recovered", at: 1 },
    before: { conversation: answered("c1") },
    after: { turn: turnOf(...calls) },
    emitted: told,
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
const uncertainRow = tells(uncertain(NAME), "c1");
const doubt = settled("c1", "uncertain", uncertain(NAME));

describe("a task that is opened again tells what became of its calls (L12)", () => {
  const looked = ran(undefined, { replayable: true });
  const wrote = [textBlock("wrote"), textBlock("4 bytes")];
  const cut = settled("c1", "interrupted", "interrupted");
  const rule = settled("c1", "denied", "no");
  const denied: RecordedCall = { ...identityOf("c1"), phase: "settled", outcome: outcomeOf("denied", "no") };

  it.each<[string, Opened]>([
    ["a recorded end as result", { known: ran(wrote), calls: [settled("c1", "done", "wrote", "4 bytes")] }],
    [
      "a recorded end among other words",
      { known: ran(wrote), calls: [settled("c1", "done", "approved", "wrote", "4 bytes")] },
    ],
    [
      "an end that has an image",
      { known: ran([image, ...wrote]), calls: [settled("c1", "done", "wrote", "4 bytes", image)] },
    ],
    ["a reader as interrupted", { known: looked, calls: [cut] }],
    [
      "a reader as interrupted, and another call as uncertain",
      { known: looked, calls: [cut], told: [tells(uncertain(NAME), "c2")] },
    ],
    ["an end that nobody recorded as uncertain", { known: ran(), calls: [doubt], told: [uncertainRow] }],
    [
      "a stopped call like one that runs",
      { known: ran(undefined, { phase: "stopped" }), calls: [doubt], told: [uncertainRow] },
    ],
    [
      "an end recorded as unknown as uncertain",
      { known: ran("uncertain"), calls: [doubt], told: [uncertainRow] },
    ],
    ["an offered completion in no words", { known: ran(undefined, { ask: "completion_result" }) }],
    ["a call that was asked about in no words", { known: { ...identityOf("c1"), phase: "asking" } }],
    ["a settled call as it was", { known: denied, calls: [rule] }],
    ["a call of no whole answer in no words", { known: { ...ran(), callId: "c2", toolUseId: "use-c2" } }],
  ])("allows to tell %s", (_, parts) => {
    expect(opened(parts)).toBeUndefined();
  });

  it.each<[string, Opened, string]>([
    ["the end of a call that is gone", { known: ran(wrote) }, "the recorded end of c1"],
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
      { known: ran(wrote), calls: [doubt], told: [uncertainRow] },
      "the recorded end of c1",
    ],
    [
      "the end of a reader as interrupted",
      { known: ran(wrote, { replayable: true }), calls: [cut] },
      "the recorded end of c1",
    ],
    ["a reader that is gone", { known: looked }, "c1 only reads, and is gone"],
    ["a reader that is planned", { known: looked, calls: [planned("c1")] }, "c1 only reads, and is planned"],
    ["a reader as uncertain", { known: looked, calls: [doubt] }, "c1 only reads, and is uncertain"],
    [
      "an interrupted reader as uncertain to the user",
      { known: looked, calls: [cut], told: [uncertainRow] },
      "c1 only reads, and is interrupted",
    ],
    [
      "what is uncertain of a call that is gone",
      { known: ran(), told: [uncertainRow] },
      "no tool result reports",
    ],
    [
      "what is uncertain as interrupted",
      { known: ran(), calls: [settled("c1", "interrupted", uncertain(NAME))], told: [uncertainRow] },
      "no tool result reports",
    ],
    [
      "what is uncertain in other words",
      { known: ran(), calls: [settled("c1", "uncertain", "who knows")], told: [uncertainRow] },
      "no tool result reports",
    ],
    ["the user nothing", { known: ran(), calls: [doubt] }, "no message reports"],
    [
      "the user of another call",
      { known: ran(), calls: [doubt], told: [tells(uncertain(NAME), "c2")] },
      "no message reports",
    ],
    [
      "the user in other words",
      { known: ran(), calls: [doubt], told: [tells("who knows", "c1")] },
      "no message reports",
    ],
    [
      "the user in a row that is no error",
      {
        known: ran(),
        calls: [doubt],
        told: [appended(say(1, "text", { text: uncertain(NAME), callId: "c1" }))],
      },
      "no message reports",
    ],
    ["nothing of a stopped call", { known: ran(undefined, { phase: "stopped" }) }, "no tool result reports"],
    ["nothing of a settled call", { known: denied }, "c1 was settled and is not anymore"],
    [
      "a settled call as one that goes on",
      { known: denied, calls: [planned("c1")] },
      "c1 was settled and is not anymore",
    ],
    [
      "a settled call in other words",
      { known: denied, calls: [settled("c1", "denied", "yes")] },
      "c1 was settled and is not anymore",
    ],
    [
      "a settled call as of another kind",
      { known: denied, calls: [settled("c1", "done", "no")] },
      "c1 was settled and is not anymore",
    ],
    [
      "a call that the answer lacks",
      { known: denied, calls: [rule, planned("c2")] },
      "c2 is not a call of the last response",
    ],
  ])("forbids to tell %s", (_, parts, words) => {
    expect(opened(parts)).toContain(words);
  });

  it("looks at each call that the model waits for", () => {
    const both = (second: ToolCall): string | undefined =>
      wrongWith({
        before: { conversation: answered("c1", "c2") },
        after: { turn: turnOf(cut, second) },
        past: pastOf(looked, { ...denied, ...identityOf("c2") }),
      });
    expect(both({ ...rule, ...identityOf("c2") })).toBeUndefined();
    expect(both({ ...cut, ...identityOf("c2") })).toBe("c2 was settled and is not anymore");
  });

  it("waits for no call once the user spoke last; of a task that was not opened, nothing is due", () => {
    const conversation = applyConversationEvent(answered("c1"), {
      type: "entry.appended",
      entry: { role: "user", content: [textBlock("Stop.")] },
    });
    const after = { turn: turnOf(doubt) };
    expect(wrongWith({ before: { conversation }, past: pastOf(ran()) })).toBeUndefined();
    expect(wrongWith({ before: { conversation }, past: pastOf(ran()), after })).toContain(
      "c1 is not a call of",
    );
    expect(wrongWith({ before: { conversation }, after })).toBeUndefined();
  });
});
