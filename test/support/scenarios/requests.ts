import { Scenario } from "../scenario.ts";
import { asked, list, type NamedScenario, read, write } from "./setups.ts";

export const REQUESTS: readonly NamedScenario[] = [
  [
    "retry",
    "a failed attempt is retried, with its own message",
    () => {
      const scenario = new Scenario().begun().says("Hal").fails({ retryable: true, status: 529 });
      return scenario.retries().prepared();
    },
  ],
  [
    "retry-after-too-long",
    "a Retry-After beyond the limit asks the user",
    () => new Scenario().begun().fails({ retryable: true, retryAfterMs: 3_600_000 }),
  ],
  [
    "failed-yes",
    "a failed request is sent again when the user says yes",
    () =>
      new Scenario({ autoRetry: false })
        .begun()
        .fails({ retryable: true })
        .answers("text", "queued?")
        .answers("yes"),
  ],
  [
    "failed-no",
    "a failed request that the user declines can be resumed",
    () => new Scenario().begun().fails({ retryable: false }).answers("no"),
  ],
  [
    "mistakes",
    "after too many mistakes the user is asked, and the answer guides the model",
    () =>
      new Scenario({ limits: { mistakes: 1 } })
        .begun()
        .calls(write)
        .finishes()
        .answers("yes")
        .toolFails()
        .answers("text", "use the other one"),
  ],
  [
    "limit",
    "at the limit of requests the user is asked",
    () =>
      asked(write, { limits: { requests: 1 } })
        .answers("yes")
        .toolEnds()
        .answers("yes"),
  ],
  [
    "no-tool-used",
    "a response without a call is reported to the model; the second time it is an error",
    () => new Scenario().begun().says("Hm.").finishes("end_turn").prepared().says("Hm!").finishes("end_turn"),
  ],
  [
    "pause",
    "a paused turn continues until its limit, which is reported",
    () =>
      new Scenario({ limits: { pauses: 1 } })
        .begun()
        .says("a")
        .finishes("pause_turn")
        .prepared()
        .says("b")
        .finishes("pause_turn")
        .prepared(),
  ],
  [
    "journal-fails",
    "when the journal can't be written, the task settles and reports the reason",
    () => asked(write).send({ type: "journal.failed", message: "the disk is full" }),
  ],
  [
    "thinking",
    "thinking is a message of its own and is sent back unchanged",
    () =>
      new Scenario()
        .begun()
        .thinks("First the tests.")
        .calls(write)
        .finishes()
        .answers("yes")
        .toolEnds()
        .prepared(),
  ],
  [
    "retry-ask",
    "an aborted response withdraws its partial ask; the call never runs",
    () => {
      const scenario = new Scenario().begun().says("I see.");
      scenario.startsCall(write);
      return scenario.fails({ retryable: true }).retries().prepared();
    },
  ],
  [
    "retry-reads",
    "the reads of an aborted response are stopped, and their results are dropped",
    () =>
      new Scenario()
        .begun()
        .calls(read)
        .calls(list)
        .toolEnds("one")
        .fails({ retryable: true })
        .retries()
        .prepared(),
  ],
  [
    "retries-used-up",
    "at the limit of retries the user is asked",
    () =>
      new Scenario({ limits: { retries: 1 } })
        .begun()
        .fails({ retryable: true })
        .retries()
        .prepared()
        .fails({ retryable: true }),
  ],
  [
    "context-fails",
    "a request that can't be prepared is closed, and the user is asked",
    () => {
      const scenario = new Scenario()
        .send({ type: "task.start", text: "go", images: [] })
        .send({ type: "task.opened" });
      const requestId = scenario.run.view.context.request ?? -1;
      return scenario
        .send({ type: "context.failed", requestId, message: "The workspace is gone." })
        .answers("yes");
    },
  ],
  [
    "empty-answer",
    "an empty response is reported to the model and requested again",
    () => new Scenario().begun().finishes("end_turn").prepared(),
  ],
  [
    "repetition",
    "the same call beyond the limit of repetitions never runs, and the user is asked",
    () =>
      asked(write, { limits: { repetitions: 1 } })
        .answers("yes")
        .toolEnds()
        .prepared()
        .calls(write)
        .finishes()
        .answers("text", "write the other file")
        .prepared(),
  ],
  [
    "repetition-cycle",
    "two calls in turn beyond the limit of repetitions: the last one never runs, and the user is asked",
    () => {
      const scenario = new Scenario({ limits: { repetitions: 1 } }).begun();
      for (const call of [read, list, read]) scenario.calls(call).finishes().toolEnds().prepared();
      return scenario.calls(list).finishes();
    },
  ],
  [
    "diff-fails",
    "diffs that fail are shown as such; at their limit the model is advised to write the whole file",
    () => {
      const diff = { name: "apply_diff", verdict: "allow", patches: "a.txt" } as const;
      const scenario = new Scenario({ limits: { diffFailures: 2 } }).begun();
      scenario.callsInvalid(diff, "The text is not in the file.").finishes().prepared();
      return scenario.calls(diff).finishes().toolFails("The file has changed.").prepared();
    },
  ],
  [
    "rate-limit",
    "a request waits until the limit allows it; a cancel leaves the wait, and a resumed task waits for the rest",
    () => {
      const scenario = new Scenario({ limits: { rateLimitMs: 60_000 } }).begun().calls(read).finishes();
      return scenario.toolEnds().cancelled().answers("yes").waits().prepared();
    },
  ],
];
