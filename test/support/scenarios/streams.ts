import { Scenario } from "../scenario.ts";
import { asked, completion, type NamedScenario, question, read, write } from "./setups.ts";

const USAGE = { tokensIn: 7, tokensOut: 3, cacheWrites: 2, cacheReads: 1, cost: 0.5 };
const requestOf = (scenario: Scenario): number => scenario.run.view.context.request ?? -1;

/** Send more text for the block `index`, of any kind. */
const delta = (
  scenario: Scenario,
  index: number,
  text: string,
  kind: "text" | "thinking" = "text",
): Scenario => scenario.send({ type: `llm.${kind}.delta`, requestId: requestOf(scenario), index, text });
const ends = (scenario: Scenario, index: number, kind: "text" | "thinking" = "text"): Scenario =>
  scenario.send({ type: `llm.${kind}.end`, requestId: requestOf(scenario), index });
const failed = (
  scenario: Scenario,
  message: string,
  more: { status?: number; retryAfterMs?: number },
): Scenario =>
  scenario.send({
    type: "llm.failed",
    requestId: requestOf(scenario),
    failure: { code: "overloaded_error", message, retryable: true, ...more },
    usage: USAGE,
    jitter: 0.5,
  });
/** A response without a call. */
const talks = (scenario: Scenario): Scenario => scenario.says("Hm.").finishes("end_turn").prepared();
const reads = (scenario: Scenario): Scenario => scenario.calls(read).finishes().toolEnds("one").prepared();
const pauses = (scenario: Scenario): Scenario => scenario.says("a").finishes("pause_turn").prepared();
const journalFails = (scenario: Scenario): Scenario =>
  scenario.send({ type: "journal.failed", message: "the disk is full" });

/** Streamed responses, and the ways in which a request fails. */
export const STREAMS: readonly NamedScenario[] = [
  [
    "stream-grows",
    "text grows in its message and is complete at its end; later events for it change nothing (L3, L5)",
    () => {
      const scenario = new Scenario().begun().says("Let");
      delta(scenario, 0, " me");
      delta(scenario, 0, "");
      delta(scenario, 0, "not thought", "thinking");
      ends(scenario, 0);
      delta(scenario, 0, "late");
      delta(scenario, 2, "too far");
      return ends(scenario, 0).says("And").cancelled();
    },
  ],
  [
    "stream-thinking",
    "thinking grows like text; a response of thinking alone is not recorded (L6)",
    () => {
      const scenario = new Scenario().begun().thinks("First");
      delta(scenario, 0, " this", "thinking");
      return ends(scenario, 0, "thinking").finishes("end_turn").prepared();
    },
  ],
  [
    "stream-held",
    "text after a call is held back until its turn comes (DESIGN 3)",
    () => {
      const scenario = new Scenario().begun().callsBeforeReview(write).says("Then");
      delta(scenario, 1, " that");
      return scenario.reviewed(write).finishes().answers("yes").toolEnds();
    },
  ],
  [
    "stream-held-review",
    "held-back text is shown when the call before it needs no approval",
    () =>
      new Scenario().begun().callsBeforeReview(read).says("Then").reviewed(read).finishes().toolEnds("one"),
  ],
  [
    "stream-held-cancel",
    "held-back text is kept when the user cancels",
    () =>
      new Scenario()
        .begun()
        .says("I see. ")
        .callsBeforeReview(write)
        .says("Then ")
        .cancelled()
        .answers("yes")
        .prepared(),
  ],
  [
    "stream-held-growth",
    "held-back text may be shown in part while it still grows",
    () => {
      const scenario = new Scenario().begun().callsBeforeReview(read).says("Then");
      scenario.reviewed(read);
      delta(scenario, 1, " that");
      return scenario.finishes();
    },
  ],
  [
    "stream-same-call",
    "a call that starts twice is one call",
    () => {
      const scenario = new Scenario().begun().says("I see.");
      const begin = {
        type: "llm.tool.start",
        requestId: requestOf(scenario),
        name: "w",
        ask: "tool",
      } as const;
      scenario.send({ ...begin, index: 1, callId: "one", toolUseId: "a" });
      scenario.send({ ...begin, index: 1, callId: "one", toolUseId: "b" });
      scenario.send({ ...begin, index: 2, callId: "one", toolUseId: "b" });
      scenario.send({ ...begin, index: 2, callId: "two", toolUseId: "a" });
      return scenario.send({ ...begin, index: 3, callId: "two", toolUseId: "b" });
    },
  ],
  [
    "stream-unended",
    "a call whose arguments never end is reported to the model as a mistake, and never runs (L7)",
    () => {
      const scenario = new Scenario().begun();
      scenario.startsCall(write);
      return scenario.finishes().prepared();
    },
  ],
  [
    "stream-too-many",
    "a call beyond the limit per response is refused at its start (L14)",
    () => {
      const scenario = new Scenario({ limits: { calls: 1 } }).begun().calls(write);
      scenario.startsCall({ name: "apply_diff" });
      return scenario.finishes().answers("yes").toolEnds().prepared();
    },
  ],
  [
    "stream-by-nature",
    "a question is put to the user even if a policy allows it",
    () => asked({ ...question, verdict: "allow" }),
  ],
  [
    "stream-same-reads",
    "questions do not count as repetitions, other calls do",
    () =>
      asked(question, { limits: { repetitions: 1 } })
        .answers("text", "a")
        .prepared()
        .calls(question)
        .finishes()
        .answers("text", "b")
        .prepared()
        .calls(read)
        .finishes()
        .toolEnds("one")
        .prepared()
        .calls(read),
  ],
  [
    "stream-completion",
    "a completion's result streams into a message, is complete with its review, and is offered once",
    () => {
      const scenario = new Scenario().begun().says("Done.");
      scenario.startsCall(completion);
      scenario.previews("All");
      const { calls } = scenario.run.view.context.turn;
      const callId = calls[0]?.callId ?? "";
      scenario.send({ type: "llm.tool.end", requestId: requestOf(scenario), callId, input: {} });
      return scenario.reviewed(completion).finishes();
    },
  ],
  [
    "stream-completion-waits",
    "a completion waits for the reads before it",
    () => new Scenario().begun().calls(read).calls(completion).finishes().toolEnds("one"),
  ],
  [
    "stream-completion-denied",
    "a completion in the same response as an invalid call is rejected",
    () => new Scenario().begun().callsInvalid(write, "no path").calls(completion).finishes().prepared(),
  ],
  [
    "stream-usage-cancel",
    "a cancelled request costs what was counted so far (L4)",
    () => {
      const scenario = new Scenario().begun().says("Let");
      return scenario.send({ type: "llm.usage", requestId: requestOf(scenario), usage: USAGE }).cancelled();
    },
  ],
  [
    "stream-cut-words",
    "text cut at the output limit is reported as cut",
    () => new Scenario().begun().says("Then I").finishes("max_tokens").prepared(),
  ],
  [
    "stream-talk-counts-anew",
    "only consecutive responses without a call are counted: a call resets the count",
    () => talks(reads(talks(new Scenario().begun()))),
  ],
  [
    "stream-pause-counts-anew",
    "only consecutive pauses are counted: a call resets the count",
    () => pauses(reads(pauses(new Scenario({ limits: { pauses: 1 } }).begun()))),
  ],
  [
    "stream-pause-talk",
    "a response without a call resets the count of pauses",
    () => pauses(talks(pauses(new Scenario({ limits: { pauses: 1 } }).begun()))),
  ],
  [
    "stream-talks-thrice",
    "each further response without a call is a mistake, until the user is asked",
    () =>
      talks(new Scenario({ limits: { mistakes: 2 } }).begun())
        .says("Hm!")
        .finishes("end_turn")
        .prepared()
        .says("?")
        .finishes("end_turn"),
  ],
  [
    "stream-retry-longer",
    "the delay doubles with each attempt, and the status is reported once",
    () => {
      const scenario = failed(new Scenario().begun(), "529 Overloaded", { status: 529 }).retries().prepared();
      return failed(scenario, "Overloaded", { status: 529 });
    },
  ],
  [
    "stream-retry-longest",
    "the delay never exceeds its limit (L14)",
    () => failed(new Scenario({ limits: { retryDelayMaxMs: 1_500 } }).begun(), "Overloaded", {}),
  ],
  [
    "stream-retry-after",
    "no attempt starts before the endpoint allows it",
    () => failed(new Scenario().begun(), "Overloaded", { retryAfterMs: 120_000 }),
  ],
  [
    "stream-retry-forgotten",
    "a response resets the count of failed attempts",
    () => failed(new Scenario().begun(), "Overloaded", {}).retries().prepared().calls(write).finishes(),
  ],
  [
    "stream-failed-forgotten",
    "an answer to the ask about a failed request resets the count of failed attempts",
    () => {
      const scenario = failed(new Scenario({ limits: { retries: 1 } }).begun(), "Overloaded", {})
        .retries()
        .prepared();
      return failed(scenario, "Overloaded", {}).answers("yes").prepared();
    },
  ],
  [
    "stream-cancel-retry",
    "after a cancelled delay the next attempt starts when the task is resumed",
    () => failed(new Scenario().begun(), "Overloaded", { retryAfterMs: 60_000 }).cancelled().answers("yes"),
  ],
  [
    "stream-journal-preparing",
    "when the journal can't be written while a request is prepared, the request is closed with the reason",
    () =>
      journalFails(
        new Scenario().send({ type: "task.start", text: "go", images: [] }).send({ type: "task.opened" }),
      ),
  ],
  [
    "stream-journal-receiving",
    "when the journal can't be written while a response streams, its text is kept and the reason is reported",
    () => journalFails(new Scenario().begun().says("Let me")),
  ],
  [
    "stream-journal-running",
    "when the journal can't be written while a tool runs, the tool is stopped",
    () => journalFails(asked(write).answers("yes")),
  ],
  [
    "stream-journal-finishing",
    "when the journal can't be written while a review is pending, its partial message is closed",
    () => journalFails(new Scenario().begun().callsBeforeReview(write).finishes()),
  ],
  [
    "stream-cancel-finishing",
    "a cancel while a review is pending closes its partial message and the timer",
    () => new Scenario().begun().says("I see.").callsBeforeReview(write).finishes().cancelled(),
  ],
  [
    "stream-retry-over",
    "a task resumed after its delay has passed sends the request at once",
    () => failed(new Scenario().begun(), "Overloaded", { retryAfterMs: 60_010 }).crashes().answers("yes"),
  ],
  [
    "stream-mistakes-never",
    "with the limit of mistakes at 0, the user is never asked about them",
    () => talks(talks(new Scenario({ limits: { mistakes: 0 } }).begun())),
  ],
  [
    "stream-completion-allowed",
    "a completion is put to the user, whatever its policy and effect",
    () => asked({ ...completion, effect: "none", verdict: "allow" }),
  ],
  [
    "stream-repetitions-never",
    "with the limit of repetitions at 0, the same call is asked about again",
    () =>
      asked(write, { limits: { repetitions: 0 } })
        .answers("yes")
        .toolEnds()
        .prepared()
        .calls(write)
        .finishes(),
  ],
  [
    "stream-shown-late",
    "a call reviewed before its turn is shown with its review",
    () => new Scenario().begun().callsBeforeReview(read).calls(write).reviewed(read),
  ],
];
