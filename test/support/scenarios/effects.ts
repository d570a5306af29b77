import { Scenario } from "../scenario.ts";
import {
  approved,
  asked,
  command,
  commandRuns,
  list,
  mcp,
  type NamedScenario,
  read,
  subtask,
  write,
} from "./setups.ts";

const allowed = { verdict: "allow" } as const;
const secondRuns = (limits: { background: number }): Scenario =>
  asked(command, { limits })
    .answers("yes")
    .outputs("1")
    .answers("yes")
    .prepared()
    .calls(command)
    .finishes()
    .answers("yes");

/** Effects of calls: when they start, what runs in parallel, and how their ends are reported. */
export const EFFECTS: readonly NamedScenario[] = [
  [
    "effect-reads-limited",
    "reads run in parallel up to the limit (L14)",
    () =>
      new Scenario({ limits: { parallelReads: 1 } })
        .begun()
        .calls(read)
        .calls(list)
        .finishes()
        .toolEnds("one")
        .toolEnds("two"),
  ],
  [
    "effect-progress",
    "the status of a running call is shown at its message, wherever that is; after its end it is ignored",
    () => {
      const scenario = new Scenario().begun().calls(read).calls(list).says("Meanwhile");
      const [first, second] = scenario.run.view.context.turn.calls.map(({ callId }) => callId);
      return scenario
        .progresses("1 of 2", second)
        .progresses("half", first)
        .finishes()
        .toolEnds("one")
        .progresses("late", first)
        .progresses("2 of 2", second)
        .toolEnds("two");
    },
  ],
  [
    "effect-after-reads",
    "an effect allowed by a rule waits for the reads before it",
    () =>
      new Scenario()
        .begun()
        .calls(read)
        .calls({ ...write, ...allowed })
        .finishes()
        .toolEnds("one")
        .toolEnds("two"),
  ],
  [
    "effect-command-after-reads",
    "a command approved while reads run is announced, and streams its output once it runs",
    () =>
      new Scenario()
        .begun()
        .calls(read)
        .calls(command)
        .finishes()
        .answers("yes")
        .toolEnds("one")
        .outputs("ok 1\n"),
  ],
  [
    "effect-read-behind-ask",
    "a read after an ask waits for that call, to see its effect",
    () =>
      new Scenario()
        .begun()
        .calls(write)
        .calls(read)
        .finishes()
        .answers("yes")
        .toolEnds("one")
        .toolEnds("two")
        .prepared(),
  ],
  [
    "effect-none",
    "a call without an effect starts at the end of its block, like a read",
    () => new Scenario().begun().calls({ name: "update_todo_list", effect: "none", verdict: "allow" }),
  ],
  [
    "effect-command-reads",
    "a command that only reads still waits for the end of the response",
    () =>
      new Scenario()
        .begun()
        .calls({ ...command, effect: "reads", verdict: "allow" })
        .finishes(),
  ],
  [
    "effect-mcp-allowed",
    "an MCP call allowed by a rule is announced by its own message",
    () => asked({ ...mcp, ...allowed }),
  ],
  [
    "effect-empty",
    "an empty tool result is reported as empty",
    () => {
      const scenario = approved();
      return scenario.send({ type: "tool.finished", callId: scenario.callId, content: [] }).prepared();
    },
  ],
  [
    "effect-one-failure",
    "a successful call resets the count of mistakes",
    () =>
      asked(write).answers("yes").toolFails().prepared().calls(write).finishes().answers("yes").toolEnds(),
  ],
  [
    "effect-late-end",
    "a cancelled effect whose end was recorded returns its real result, with the text of its approval (L12)",
    () => {
      const scenario = asked(write).answers("yes", "mind the tabs");
      const { callId } = scenario;
      scenario.cancelled().answers("yes");
      const requestId = scenario.run.view.context.request ?? -1;
      const ends = [{ callId, content: [{ type: "text", text: "saved" }] }] as const;
      return scenario.send({ type: "context.ready", requestId, environment: "<environment/>", ends });
    },
  ],
  [
    "effect-checkpoint-from",
    "a snapshot's message names the snapshot before it; a snapshot for another call changes nothing",
    () => {
      const scenario = asked(write, { checkpoints: true }).answers("yes");
      const { callId } = scenario;
      return scenario
        .send({ type: "checkpoint.saved", callId: "another", hash: "1" })
        .send({ type: "checkpoint.saved", callId, hash: "2", from: "1" })
        .toolEnds()
        .prepared()
        .calls({ name: "apply_diff" })
        .finishes()
        .answers("yes")
        .send({ type: "checkpoint.skipped", callId: "another" });
    },
  ],
  [
    "effect-checkpoint-none",
    "a skipped snapshot without a reason is not reported, and a turn takes at most one",
    () => {
      const scenario = new Scenario({ checkpoints: true }).begun().calls(write).calls({ name: "apply_diff" });
      scenario.finishes().answers("yes");
      const { callId } = scenario;
      return scenario.send({ type: "checkpoint.skipped", callId }).toolEnds().answers("yes");
    },
  ],
  [
    "effect-checkpoint-read",
    "a read needs no snapshot",
    () => asked({ ...read, verdict: "ask" }, { checkpoints: true }).answers("yes"),
  ],
  [
    "effect-command-abort-silent",
    "a command aborted before any output shows that; its later output is not shown",
    () => asked(command).answers("yes").answers("no").outputs("late"),
  ],
  [
    "effect-command-words",
    "the text that continues a command is sent with the next request, the text of its approval with its result",
    () =>
      asked(command)
        .answers("yes", "with colours")
        .outputs("1")
        .answers("yes", "meanwhile the docs")
        .prepared(),
  ],
  [
    "effect-background-too-many",
    "one background command beyond the limit terminates the oldest, which is reported (L14)",
    () => secondRuns({ background: 1 }).outputs("2").answers("yes").prepared(),
  ],
  [
    "effect-background-two",
    "commands within the limit continue in the background; the end of one does not affect the other",
    () => {
      const scenario = secondRuns({ background: 2 }).outputs("2").answers("yes").prepared();
      const [, second] = scenario.run.view.context.background;
      const callId = second?.callId ?? "";
      return scenario
        .send({ type: "tool.output", callId, text: "more" })
        .send({ type: "tool.failed", callId, error: "no such program" });
    },
  ],
  [
    "effect-background-completed",
    "a cancel of a task at rest terminates its commands, and the model is notified when the task continues",
    () =>
      commandRuns()
        .answers("yes")
        .prepared()
        .calls({ name: "attempt_completion", ask: "completion_result", effect: "asks" })
        .finishes()
        .cancelled()
        .answers("text", "go on")
        .prepared(),
  ],
  [
    "effect-command-no-facts",
    "a command that never ran shows the reason",
    () => {
      const scenario = asked(command).answers("yes");
      return scenario.send({ type: "tool.failed", callId: scenario.callId, error: "no such program" });
    },
  ],
  [
    "effect-subtask-then-call",
    "the second subtask of a task is its second child",
    () =>
      asked(subtask)
        .answers("yes")
        .subtaskEnds({ kind: "failed", message: "no" })
        .prepared()
        .calls(subtask)
        .finishes()
        .answers("yes"),
  ],
  [
    "effect-subtask-heals",
    "a finished subtask resets the count of mistakes, also when it is cancelled",
    () =>
      asked(write)
        .answers("yes")
        .toolFails()
        .prepared()
        .calls(subtask)
        .finishes()
        .answers("yes")
        .subtaskEnds({ kind: "cancelled" }),
  ],
  [
    "effect-crash-read",
    "a read that ran when the process crashed may be called again",
    () => {
      const scenario = new Scenario().begun();
      const callId = scenario.startsCall(read);
      const requestId = scenario.run.view.context.request ?? -1;
      const verdict = { kind: "allow", rule: "reads-inside" } as const;
      const review = {
        valid: true,
        digest: "r",
        revision: 0,
        effect: "reads",
        replayable: true,
        text: "{}",
        verdict,
      } as const;
      return scenario
        .send({ type: "llm.tool.end", requestId, callId, input: {} })
        .send({ type: "call.reviewed", callId, review })
        .finishes()
        .crashes()
        .answers("yes")
        .prepared();
    },
  ],
  [
    "effect-crash-words",
    "the text of an approval survives a crash and precedes the recorded end",
    () => {
      const scenario = asked(write).answers("yes", "mind the tabs");
      const ends = [{ callId: scenario.callId, content: [{ type: "text", text: "saved" }] }] as const;
      return scenario.crashes({ ends }).answers("yes").prepared();
    },
  ],
  [
    "effect-crash-words-cancel",
    "the text of an approval survives a cancel and a crash",
    () => {
      const scenario = asked(write).answers("yes", "mind the tabs");
      const { callId } = scenario;
      const ends = [{ callId, content: [{ type: "text", text: "saved" }] }] as const;
      return scenario.cancelled().crashes({ ends }).answers("yes").prepared();
    },
  ],
  [
    "effect-crash-subtask-ended",
    "a subtask that ended while its parent waited to be resumed is settled once, when the parent continues (L16)",
    () =>
      asked(subtask)
        .answers("yes")
        .crashes()
        .crashes({ childEnds: [["120/tu1", { kind: "finished", result: "All 12 tests pass." }]] })
        .answers("yes")
        .prepared(),
  ],
  [
    "effect-rejected-reads",
    "a no does not stop running reads; the next request waits for their results",
    () => new Scenario().begun().calls(read).calls(write).finishes().answers("no").prepared().toolEnds("one"),
  ],
  [
    "effect-review-behind",
    "a call whose review is pending when its turn comes is waited for",
    () => {
      const scenario = new Scenario().begun().calls(write).callsBeforeReview({ name: "apply_diff" });
      return scenario.finishes().answers("yes").toolEnds("one").reviewed({ name: "apply_diff" });
    },
  ],
  [
    "effect-review-beside",
    "a read approved by the user does not block a reviewed read after it",
    () => {
      const scenario = new Scenario()
        .begun()
        .calls({ ...read, verdict: "ask" })
        .callsBeforeReview(list);
      return scenario.finishes().answers("yes").reviewed(list);
    },
  ],
  [
    "effect-command-no-output",
    "a command whose end has no output shows an empty output, in the foreground and the background",
    () => {
      const scenario = asked(command).answers("yes");
      scenario.send({ type: "tool.finished", callId: scenario.callId, content: [] }).prepared();
      scenario.calls(command).finishes().answers("yes").answers("yes").prepared();
      const callId = scenario.run.view.context.background[0]?.callId ?? "";
      return scenario.send({ type: "tool.finished", callId, content: [] });
    },
  ],
];
