import { describe, expect, it } from "vitest";
import { Story } from "../../support/story.ts";

const write = { name: "write_to_file" } as const;
const read = { name: "read_file", effect: "reads", verdict: "allow" } as const;
const command = { name: "execute_command", ask: "command", effect: "executes" } as const;
const question = { name: "ask_followup_question", ask: "followup", effect: "asks" } as const;
const completion = { name: "attempt_completion", ask: "completion_result", effect: "asks" } as const;

const subtask = { name: "new_task", effect: "delegates" } as const;

const asked = (call: Parameters<Story["calls"]>[0], input = {}) =>
  new Story(input).begun().says("I see.").calls(call).finishes();
const completed = () => asked(completion);
const commandRuns = () => asked(command).answers("yes").outputs("ok 1\n");

const delegated = () => asked(subtask).answers("yes");
const approved = () => asked(write).answers("yes");

/** Each is a file under test/traces: what happened, what it brought about, and the state it led to. */
const SCENARIOS: readonly (readonly [string, string, () => Story])[] = [
  [
    "approve",
    "a tool that a person approves runs, and its result goes with the next request",
    () => asked(write).answers("yes").ends().prepared(),
  ],
  [
    "approve-with-words",
    "a yes with words is a yes, the words are a row and go before the result",
    () => asked(write).answers("yes", "mind the tabs").ends().prepared(),
  ],
  [
    "reject",
    "a no skips the calls that have not begun, and the next request says so",
    () => new Story().begun().calls(write).calls({ name: "apply_diff" }).finishes().answers("no").prepared(),
  ],
  [
    "reject-with-words",
    "words to a tool's ask are a no and a row",
    () => asked(write).answers("text", "not that file").prepared(),
  ],
  [
    "mcp",
    "a call of another server is announced by a row of its own when it is approved",
    () => asked({ name: "use_mcp_tool", ask: "use_mcp_server" }).answers("yes").ends(),
  ],
  [
    "allowed-effect",
    "an effect that a rule allows keeps its row partial until the answer ends, then starts",
    () => asked({ ...write, verdict: "allow" }).ends(),
  ],
  [
    "parallel-reads",
    "reads that a rule allows start at their block's end, beside each other",
    () => {
      const story = new Story()
        .begun()
        .calls(read)
        .calls({ ...read, name: "list_files" });
      return story.finishes().ends("one").ends("two").prepared();
    },
  ],
  [
    "denied-by-rule",
    "a call that a rule denies is told to the model and to the user",
    () => asked({ ...write, verdict: "deny" }).prepared(),
  ],
  [
    "question",
    "the reply to a question is its result",
    () => asked(question).answers("yes").answers("text", "the second"),
  ],
  [
    "command",
    "a command shows its output as it comes and its end as a row",
    () => commandRuns().ends("ok 1\n"),
  ],
  [
    "command-continue",
    "a command that is left to go on becomes a background command",
    () => commandRuns().answers("yes").prepared().says("Meanwhile").ends("ok 2\n"),
  ],
  [
    "command-abort",
    "a command that is ended by a person shows what it wrote",
    () => commandRuns().answers("no").breaks("killed"),
  ],
  [
    "completion-yes",
    "an accepted completion rests, completed once, and may still be replied to",
    () => completed().answers("yes").answers("yes").answers("text", "one more thing").prepared(),
  ],
  ["completion-no", "a declined completion stays idle", () => completed().answers("no")],
  [
    "completion-feedback",
    "words to a completion are feedback, and the task goes on",
    () => completed().answers("text", "not yet").prepared(),
  ],
  [
    "completion-queue",
    "what waits in the queue is feedback instead of a completion's ask",
    () => new Story().begun().queues("also the docs").calls(completion).finishes().prepared(),
  ],
  [
    "completion-after-failure",
    "a completion in one answer with a failed call is sent back",
    () => new Story().begun().calls(write).calls(completion).finishes().answers("yes").breaks().prepared(),
  ],
  [
    "retry",
    "a failed attempt is tried again under a row of its own",
    () => {
      const story = new Story().begun().says("Hal").fails({ retryable: true, status: 529 });
      return story
        .send({ type: "timer.fired", timerId: `retry:${story.run.view.context.retryAt}` })
        .prepared();
    },
  ],
  [
    "retry-after-too-long",
    "a Retry-After beyond the limit is asked about",
    () => new Story().begun().fails({ retryable: true, retryAfterMs: 3_600_000 }),
  ],
  [
    "failed-yes",
    "a failed request is sent again when a person says so",
    () =>
      new Story({ autoRetry: false })
        .begun()
        .fails({ retryable: true })
        .answers("text", "queued?")
        .answers("yes"),
  ],
  [
    "failed-no",
    "a failed request that a person leaves can be resumed",
    () => new Story().begun().fails({ retryable: false }).answers("no"),
  ],
  [
    "mistakes",
    "after too many mistakes a person is asked, and their words guide the model",
    () =>
      new Story({ limits: { mistakes: 1 } })
        .begun()
        .calls(write)
        .finishes()
        .answers("yes")
        .breaks()
        .answers("text", "use the other one"),
  ],
  [
    "limit",
    "when the requests are used up a person is asked",
    () =>
      asked(write, { limits: { requests: 1 } })
        .answers("yes")
        .ends()
        .answers("yes"),
  ],
  [
    "no-tool-used",
    "an answer without a call is told so; the second time it is an error",
    () => new Story().begun().says("Hm.").finishes("end_turn").prepared().says("Hm!").finishes("end_turn"),
  ],
  [
    "pause",
    "a paused turn goes on until its limit is said",
    () =>
      new Story({ limits: { pauses: 1 } })
        .begun()
        .says("a")
        .finishes("pause_turn")
        .prepared()
        .says("b")
        .finishes("pause_turn")
        .prepared(),
  ],
  [
    "cut-call",
    "a call whose arguments are cut at the output limit never runs",
    () => {
      const story = new Story().begun();
      const callId = story.begins(write);
      const requestId = story.run.view.context.request ?? -1;
      return story
        .send({ type: "llm.tool.broken", requestId, callId, error: "cut at the output limit" })
        .finishes("max_tokens");
    },
  ],
  [
    "cancel-preparing",
    "a cancel before the answer closes the request",
    () =>
      new Story()
        .send({ type: "task.start", text: "go", images: [] })
        .send({ type: "task.opened" })
        .cancelled(),
  ],
  [
    "cancel-text",
    "a cancel while text streams keeps the words; a second cancel changes nothing",
    () => new Story().begun().says("Let me").cancelled().cancelled(),
  ],
  [
    "cancel-arguments",
    "a cancel while arguments stream withdraws the partial ask",
    () => {
      const story = new Story().begun();
      story.begins(write);
      return story.cancelled();
    },
  ],
  ["cancel-approval", "a cancel withdraws the ask that waits", () => asked(write).cancelled()],
  [
    "cancel-tool",
    "a cancelled effect is uncertain when the task is resumed",
    () => asked(write).answers("yes").cancelled().answers("yes").prepared(),
  ],
  [
    "cancel-command",
    "a cancel ends a command, and what it says later changes nothing",
    () => commandRuns().cancelled().send({ type: "tool.finished", callId: "110/tu1", content: [] }),
  ],
  [
    "cancel-retry",
    "a cancel ends the wait for the next attempt",
    () => new Story().begun().fails({ retryable: true }).cancelled(),
  ],
  [
    "resume-with-words",
    "words to the resume ask are feedback, and the task goes on",
    () => asked(write).cancelled().answers("no").answers("text", "go on, but slower").prepared(),
  ],
  [
    "journal-fails",
    "when the journal can't be written the task rests and says why",
    () => asked(write).send({ type: "journal.failed", message: "the disk is full" }),
  ],
  [
    "reject-queue",
    "what waits in the queue is said with the request that follows a no",
    () =>
      new Story().begun().queues("also the docs").calls(write).finishes().answers("no", "why?").prepared(),
  ],
  [
    "checkpoint-saved",
    "the workspace is snapshotted before the first effect of a turn",
    () => asked(write, { checkpoints: true }).answers("yes").snapshotSaved("4f2a9c1").ends().prepared(),
  ],
  [
    "checkpoint-command",
    "a command waits for the snapshot like any other effect",
    () => asked(command, { checkpoints: true }).answers("yes").snapshotSaved("4f2a9c1").ends(),
  ],
  [
    "checkpoint-skipped",
    "without a snapshot the effect goes on, and the user is told why there is none",
    () =>
      asked(write, { checkpoints: true })
        .answers("yes")
        .snapshotSkipped("No snapshot: git isn't installed.")
        .ends(),
  ],
  [
    "subtask-completed",
    "a subtask's result is the call's, once",
    () => delegated().subtaskEnds({ kind: "finished", result: "All 12 tests pass." }).prepared(),
  ],
  [
    "subtask-cancelled",
    "a subtask that somebody cancels is told so to its parent, which goes on",
    () => delegated().subtaskEnds({ kind: "cancelled" }).prepared(),
  ],
  [
    "subtask-failed",
    "a subtask that can't go on is a failed call",
    () => delegated().subtaskEnds({ kind: "failed", message: "its journal could not be written" }).prepared(),
  ],
  [
    "subtask-last",
    "what stands behind a subtask in its answer is skipped",
    () =>
      new Story()
        .begun()
        .calls(subtask)
        .calls(write)
        .finishes()
        .answers("yes")
        .subtaskEnds({ kind: "finished", result: "It is done." })
        .prepared(),
  ],
  [
    "subtask-parent-cancelled",
    "a cancel of the parent ends the subtask",
    () => delegated().cancelled().answers("yes").prepared(),
  ],
  [
    "subtask-crash-ended",
    "a subtask that had ended before the crash of both is settled as the parent is opened",
    () => {
      const story = delegated();
      const childEnds = [[story.callId, { kind: "finished", result: "All 12 tests pass." }]] as const;
      return story.crashes({ childEnds }).answers("yes").prepared();
    },
  ],
  [
    "subtask-crash-unfinished",
    "a subtask that had not ended goes on as the same child",
    () =>
      delegated()
        .crashes()
        .answers("yes")
        .subtaskEnds({ kind: "finished", result: "All 12 tests pass." })
        .prepared(),
  ],
  [
    "crash-text",
    "a crash while text streams: the row is closed as far as it was recorded",
    () => new Story().begun().says("Let me").crashes().answers("yes").prepared(),
  ],
  [
    "crash-approval",
    "a crash while a person is asked withdraws the ask; the call was interrupted",
    () => asked(write).crashes().answers("yes").prepared(),
  ],
  [
    "crash-tool",
    "a crash while an effect runs: it is uncertain, and user and model are told in the same words",
    () => approved().crashes().answers("yes").prepared(),
  ],
  [
    "crash-tool-ended",
    "a recorded end is the result, also where the task never heard of it",
    () => {
      const story = approved();
      const content = [{ type: "text", text: "saved" }] as const;
      return story
        .crashes({ ends: [{ callId: story.callId, content }] })
        .answers("yes")
        .prepared();
    },
  ],
  [
    "crash-command",
    "a crash while a command runs",
    () => commandRuns().crashes().answers("text", "is it still there?").prepared(),
  ],
  [
    "crash-background",
    "a command in the background ends with the process: both are told",
    () => commandRuns().answers("yes").prepared().crashes().answers("yes").prepared(),
  ],
  [
    "crash-cancelled",
    "a cancelled task that is opened again asks with the same row",
    () => asked(write).cancelled().crashes().answers("yes").prepared(),
  ],
  [
    "crash-retrying",
    "a task that was waiting for the endpoint waits on",
    () => {
      const story = new Story()
        .begun()
        .fails({ retryable: true, retryAfterMs: 90_000 })
        .crashes()
        .answers("yes");
      return story
        .send({ type: "timer.fired", timerId: `retry:${story.run.view.context.retryAt}` })
        .prepared();
    },
  ],
  [
    "crash-completed",
    "a completed task that is opened again stays completed and takes feedback",
    () => completed().answers("yes").crashes().answers("text", "one more thing").prepared(),
  ],
  [
    "crash-twice",
    "a crash after a crash changes nothing more",
    () => approved().crashes().crashes().answers("yes").prepared(),
  ],
];

describe("the task machine, told event by event", () => {
  it.each(SCENARIOS)("%s: %s", async (name, title, tell) => {
    const story = tell();
    expect(story.run.broken).toEqual([]);
    const text = `# ${title}\n\n${story.run.trace}\n\nrows: ${story.rows.join(", ")}\n`;
    await expect(text).toMatchFileSnapshot(`../../traces/${name}.txt`);
  });
});

/** What stands behind the ask's row once it is answered, by DESIGN's table. */
const behind = (story: Story, ask: string): string[] => {
  const { rows } = story;
  return rows.slice(rows.lastIndexOf(`ask:${ask}`) + 1);
};
const REQUEST = "say:api_req_started";
const FEEDBACK = "say:user_feedback";
const RESUME = "ask:resume_task";

/** ask, how it comes up, and what yes, no and text append behind it. "-" : nothing changes, and it stays open. */
const TABLE: readonly (readonly [string, () => Story, string[] | "-", string[] | "-", string[] | "-"])[] = [
  ["tool", () => asked(write), ["say:tool"], [REQUEST], [FEEDBACK, REQUEST]],
  [
    "browser_action_launch",
    () => asked({ name: "browse", ask: "browser_action_launch" }),
    ["say:tool"],
    [REQUEST],
    [FEEDBACK, REQUEST],
  ],
  [
    "use_mcp_server",
    () => asked({ name: "mcp", ask: "use_mcp_server" }),
    ["say:mcp_server_request_started"],
    [REQUEST],
    [FEEDBACK, REQUEST],
  ],
  ["command", () => asked(command), ["ask:command_output"], [REQUEST], [FEEDBACK, REQUEST]],
  ["command_output", commandRuns, ["say:tool", REQUEST], ["say:command_output"], "-"],
  ["followup", () => asked(question), "-", "-", [FEEDBACK, REQUEST]],
  ["completion_result", completed, [], [], [FEEDBACK, REQUEST]],
  [
    "api_req_failed",
    () => new Story().begun().fails({ retryable: false }),
    ["say:api_req_retried", REQUEST],
    [RESUME],
    "-",
  ],
  [
    "mistake_limit_reached",
    () => new Story({ limits: { mistakes: 1 } }).begun().calls(write).finishes().answers("yes").breaks(),
    [REQUEST],
    [RESUME],
    [FEEDBACK, REQUEST],
  ],
  [
    "auto_approval_max_req_reached",
    () =>
      asked(write, { limits: { requests: 1 } })
        .answers("yes")
        .ends(),
    [REQUEST],
    [RESUME],
    "-",
  ],
  ["resume_task", () => asked(write).cancelled(), [REQUEST], "-", [FEEDBACK, REQUEST]],
  ["resume_completed_task", () => completed().crashes(), "-", "-", [FEEDBACK, REQUEST]],
];

describe.each(TABLE)(
  "answering %s appends, in the same macrostep (DESIGN 3, L1, L8)",
  (ask, tell, yes, no, text) => {
    it.each([
      ["yes", yes],
      ["no", no],
      ["text", text],
    ] as const)("%s", (kind, expected) => {
      const story = tell();
      expect(story.rows.at(-1)).toBe(`ask:${ask}`);
      const before = story.run.view;
      story.answers(kind, kind === "text" ? "words" : undefined);
      if (expected === "-") expect(story.run.view.context.log).toBe(before.context.log);
      else expect(behind(story, ask)).toEqual(expected);
      expect(story.run.broken).toEqual([]);
    });
  },
);
