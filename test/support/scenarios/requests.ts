import { Scenario } from "../scenario.ts";
import { asked, list, type NamedScenario, read, write } from "./setups.ts";

export const REQUESTS: readonly NamedScenario[] = [
  [
    "retry",
    "a failed attempt is tried again under a row of its own",
    () => {
      const scenario = new Scenario().begun().says("Hal").fails({ retryable: true, status: 529 });
      return scenario.retries().prepared();
    },
  ],
  [
    "retry-after-too-long",
    "a Retry-After beyond the limit is asked about",
    () => new Scenario().begun().fails({ retryable: true, retryAfterMs: 3_600_000 }),
  ],
  [
    "failed-yes",
    "a failed request is sent again when a person says so",
    () =>
      new Scenario({ autoRetry: false })
        .begun()
        .fails({ retryable: true })
        .answers("text", "queued?")
        .answers("yes"),
  ],
  [
    "failed-no",
    "a failed request that a person leaves can be resumed",
    () => new Scenario().begun().fails({ retryable: false }).answers("no"),
  ],
  [
    "mistakes",
    "after too many mistakes a person is asked, and their words guide the model",
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
    "when the requests are used up a person is asked",
    () =>
      asked(write, { limits: { requests: 1 } })
        .answers("yes")
        .toolEnds()
        .answers("yes"),
  ],
  [
    "no-tool-used",
    "an answer without a call is told so; the second time it is an error",
    () => new Scenario().begun().says("Hm.").finishes("end_turn").prepared().says("Hm!").finishes("end_turn"),
  ],
  [
    "pause",
    "a paused turn goes on until its limit is said",
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
    "when the journal can't be written the task rests and says why",
    () => asked(write).send({ type: "journal.failed", message: "the disk is full" }),
  ],
  [
    "thinking",
    "what the model thinks is a row of its own and goes back as it came",
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
    "an answer that breaks off withdraws the ask that was still partial; the call never runs",
    () => {
      const scenario = new Scenario().begun().says("I see.");
      scenario.startsCall(write);
      return scenario.fails({ retryable: true }).retries().prepared();
    },
  ],
  [
    "retry-reads",
    "the reads of an answer that breaks off are stopped, and their results dropped with it",
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
    "when the retries are used up a person is asked",
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
    "a request that can't be prepared is closed and asked about",
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
    "an answer without a word and without a call is told so and asked for again",
    () => new Scenario().begun().finishes("end_turn").prepared(),
  ],
  [
    "repetition",
    "the same call once more than allowed never runs, and a person is asked",
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
];
