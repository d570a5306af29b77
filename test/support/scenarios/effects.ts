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

/** The effects of calls: when they begin, beside what, and how their ends are told. */
export const EFFECTS: readonly NamedScenario[] = [
  [
    "effect-reads-limited",
    "no more reads run beside each other than the limit allows (L14)",
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
    "effect-after-reads",
    "an effect that a rule allows waits for the reads before it",
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
    "a command that a person approves while reads run is announced, and shows its output once it runs",
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
    "a read behind an ask waits for it: it must see what that call did",
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
    "a call without any effect starts at its block's end, like a read",
    () => new Scenario().begun().calls({ name: "update_todo_list", effect: "none", verdict: "allow" }),
  ],
  [
    "effect-command-reads",
    "a command that only reads is still a command: it waits for the answer's end",
    () =>
      new Scenario()
        .begun()
        .calls({ ...command, effect: "reads", verdict: "allow" })
        .finishes(),
  ],
  [
    "effect-mcp-allowed",
    "a call of another server that a rule allows is announced by its own row",
    () => asked({ ...mcp, ...allowed }),
  ],
  [
    "effect-empty",
    "a tool that gives nothing back is told to have done so",
    () => {
      const scenario = approved();
      return scenario.send({ type: "tool.finished", callId: scenario.callId, content: [] }).prepared();
    },
  ],
  [
    "effect-one-failure",
    "a call that succeeds ends the row of mistakes",
    () =>
      asked(write).answers("yes").toolFails().prepared().calls(write).finishes().answers("yes").toolEnds(),
  ],
  [
    "effect-late-end",
    "a cancelled effect whose end was recorded gives its real result, with the words of its approval (L12)",
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
    "a snapshot's row says from which snapshot it goes on; a snapshot for another call changes nothing",
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
    "without a reason nothing is said of a snapshot that is left out, and a turn takes one at most",
    () => {
      const scenario = new Scenario({ checkpoints: true }).begun().calls(write).calls({ name: "apply_diff" });
      scenario.finishes().answers("yes");
      const { callId } = scenario;
      return scenario.send({ type: "checkpoint.skipped", callId }).toolEnds().answers("yes");
    },
  ],
  [
    "effect-checkpoint-read",
    "what only reads needs no snapshot",
    () => asked({ ...read, verdict: "ask" }, { checkpoints: true }).answers("yes"),
  ],
  [
    "effect-command-abort-silent",
    "a command that is ended before it wrote anything shows that; what it writes then is not shown",
    () => asked(command).answers("yes").answers("no").outputs("late"),
  ],
  [
    "effect-command-words",
    "words with which a command is left to go on are said with the next request, those of its approval with its result",
    () =>
      asked(command)
        .answers("yes", "with colours")
        .outputs("1")
        .answers("yes", "meanwhile the docs")
        .prepared(),
  ],
  [
    "effect-background-too-many",
    "one command too many beside the agent ends the oldest, and says so (L14)",
    () => secondRuns({ background: 1 }).outputs("2").answers("yes").prepared(),
  ],
  [
    "effect-background-two",
    "as many commands as the limit allows go on beside the agent; the end of one leaves the other",
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
    "a cancel where a task rests ends its commands, and the model is told when it goes on",
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
    "a command that never ran shows why",
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
    "a subtask that is done ends the row of mistakes; one that is cancelled does too",
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
    "a read that was under way when the process ended may be called again",
    () => {
      const scenario = new Scenario().begun();
      const callId = scenario.startsCall(read);
      const requestId = scenario.run.view.context.request ?? -1;
      const verdict = { kind: "allow", rule: "reads-inside" } as const;
      const review = {
        valid: true,
        digest: "r",
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
    "the words of an approval outlive the process, and stand before the recorded end",
    () => {
      const scenario = asked(write).answers("yes", "mind the tabs");
      const ends = [{ callId: scenario.callId, content: [{ type: "text", text: "saved" }] }] as const;
      return scenario.crashes({ ends }).answers("yes").prepared();
    },
  ],
  [
    "effect-crash-words-cancel",
    "the words of an approval outlive a cancel and the process",
    () => {
      const scenario = asked(write).answers("yes", "mind the tabs");
      const { callId } = scenario;
      const ends = [{ callId, content: [{ type: "text", text: "saved" }] }] as const;
      return scenario.cancelled().crashes({ ends }).answers("yes").prepared();
    },
  ],
  [
    "effect-crash-subtask-ended",
    "a subtask that ended while its parent waited to be resumed is settled as that goes on, once (L16)",
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
    "a no leaves the reads that run: the next request waits for their results",
    () => new Scenario().begun().calls(read).calls(write).finishes().answers("no").prepared().toolEnds("one"),
  ],
  [
    "effect-review-behind",
    "a call that is still looked at when its turn has come is waited for",
    () => {
      const scenario = new Scenario().begun().calls(write).callsBeforeReview({ name: "apply_diff" });
      return scenario.finishes().answers("yes").toolEnds("one").reviewed({ name: "apply_diff" });
    },
  ],
  [
    "effect-review-beside",
    "a read that a person approved hinders no read behind it, once that was looked at",
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
    "a command whose end tells nothing of what it wrote shows an empty output, here and in the background",
    () => {
      const scenario = asked(command).answers("yes");
      scenario.send({ type: "tool.finished", callId: scenario.callId, content: [] }).prepared();
      scenario.calls(command).finishes().answers("yes").answers("yes").prepared();
      const callId = scenario.run.view.context.background[0]?.callId ?? "";
      return scenario.send({ type: "tool.finished", callId, content: [] });
    },
  ],
];
