import { Scenario } from "../scenario.ts";
import { asked, completion, type NamedScenario, question, read, write } from "./setups.ts";

const USAGE = { tokensIn: 7, tokensOut: 3, cacheWrites: 2, cacheReads: 1, cost: 0.5 };
const requestOf = (scenario: Scenario): number => scenario.run.view.context.request ?? -1;

/** Another word of the block `index`, whatever stands there. */
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
/** An answer without a call. */
const talks = (scenario: Scenario): Scenario => scenario.says("Hm.").finishes("end_turn").prepared();
const reads = (scenario: Scenario): Scenario => scenario.calls(read).finishes().toolEnds("one").prepared();
const pauses = (scenario: Scenario): Scenario => scenario.says("a").finishes("pause_turn").prepared();
const journalFails = (scenario: Scenario): Scenario =>
  scenario.send({ type: "journal.failed", message: "the disk is full" });

/** What comes of an answer, piece by piece, and of the ways in which it does not come. */
export const STREAMS: readonly NamedScenario[] = [
  [
    "stream-grows",
    "text grows in its row, and is whole with its end; what comes for it later changes nothing (L3, L5)",
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
    "thinking grows like text; an answer of thinking alone is not taken for one (L6)",
    () => {
      const scenario = new Scenario().begun().thinks("First");
      delta(scenario, 0, " this", "thinking");
      return ends(scenario, 0, "thinking").finishes("end_turn").prepared();
    },
  ],
  [
    "stream-held",
    "words behind a call are held back until its turn has come (DESIGN 3)",
    () => {
      const scenario = new Scenario().begun().callsBeforeReview(write).says("Then");
      delta(scenario, 1, " that");
      return scenario.reviewed(write).finishes().answers("yes").toolEnds();
    },
  ],
  [
    "stream-held-review",
    "words that were held back are shown when the call before them needs no person",
    () =>
      new Scenario().begun().callsBeforeReview(read).says("Then").reviewed(read).finishes().toolEnds("one"),
  ],
  [
    "stream-held-cancel",
    "words that were held back are kept when the user cancels",
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
    "of words that were held back the first part may be shown and the rest still grow",
    () => {
      const scenario = new Scenario().begun().callsBeforeReview(read).says("Then");
      scenario.reviewed(read);
      delta(scenario, 1, " that");
      return scenario.finishes();
    },
  ],
  [
    "stream-same-call",
    "a call that begins twice is one call",
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
    "a call whose arguments never end is told to the model as a mistake, and never runs (L7)",
    () => {
      const scenario = new Scenario().begun();
      scenario.startsCall(write);
      return scenario.finishes().prepared();
    },
  ],
  [
    "stream-too-many",
    "one call more than an answer may have is refused as it begins (L14)",
    () => {
      const scenario = new Scenario({ limits: { calls: 1 } }).begun().calls(write);
      scenario.startsCall({ name: "apply_diff" });
      return scenario.finishes().answers("yes").toolEnds().prepared();
    },
  ],
  [
    "stream-by-nature",
    "a question is put to a person, whatever a policy allows",
    () => asked({ ...question, verdict: "allow" }),
  ],
  [
    "stream-same-reads",
    "questions count for no repetition, other calls do",
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
    "a completion's result streams as a row, is whole with its review, and is offered once",
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
    "a completion in one answer with a call that could not be run is sent back",
    () => new Scenario().begun().callsInvalid(write, "no path").calls(completion).finishes().prepared(),
  ],
  [
    "stream-usage-cancel",
    "a request that is cancelled costs what was counted so far (L4)",
    () => {
      const scenario = new Scenario().begun().says("Let");
      return scenario.send({ type: "llm.usage", requestId: requestOf(scenario), usage: USAGE }).cancelled();
    },
  ],
  [
    "stream-cut-words",
    "words that are cut at the output limit are told to be",
    () => new Scenario().begun().says("Then I").finishes("max_tokens").prepared(),
  ],
  [
    "stream-talk-counts-anew",
    "answers without a call are counted in a row: a call between them begins anew",
    () => talks(reads(talks(new Scenario().begun()))),
  ],
  [
    "stream-pause-counts-anew",
    "pauses are counted in a row: a call between them begins anew",
    () => pauses(reads(pauses(new Scenario({ limits: { pauses: 1 } }).begun()))),
  ],
  [
    "stream-pause-talk",
    "an answer without a call ends a row of pauses",
    () => pauses(talks(pauses(new Scenario({ limits: { pauses: 1 } }).begun()))),
  ],
  [
    "stream-talks-thrice",
    "each further answer without a call is a mistake, until a person is asked",
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
    "each further attempt is waited for twice as long, and its status is told once",
    () => {
      const scenario = failed(new Scenario().begun(), "529 Overloaded", { status: 529 }).retries().prepared();
      return failed(scenario, "Overloaded", { status: 529 });
    },
  ],
  [
    "stream-retry-longest",
    "no attempt is waited for longer than the limit (L14)",
    () => failed(new Scenario({ limits: { retryDelayMaxMs: 1_500 } }).begun(), "Overloaded", {}),
  ],
  [
    "stream-retry-after",
    "no attempt begins before the endpoint allows it",
    () => failed(new Scenario().begun(), "Overloaded", { retryAfterMs: 120_000 }),
  ],
  [
    "stream-retry-forgotten",
    "an answer that comes ends the row of failed attempts",
    () => failed(new Scenario().begun(), "Overloaded", {}).retries().prepared().calls(write).finishes(),
  ],
  [
    "stream-failed-forgotten",
    "a person who is asked about a failed request ends the row of failed attempts",
    () => {
      const scenario = failed(new Scenario({ limits: { retries: 1 } }).begun(), "Overloaded", {})
        .retries()
        .prepared();
      return failed(scenario, "Overloaded", {}).answers("yes").prepared();
    },
  ],
  [
    "stream-cancel-retry",
    "a wait that was cancelled is over: the next attempt begins when the task is resumed",
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
    "when the journal can't be written while an answer comes, its words are kept and the reason is said",
    () => journalFails(new Scenario().begun().says("Let me")),
  ],
  [
    "stream-journal-running",
    "when the journal can't be written while a tool runs, the tool is stopped",
    () => journalFails(asked(write).answers("yes")),
  ],
  [
    "stream-journal-finishing",
    "when the journal can't be written while a review is waited for, its partial row is closed",
    () => journalFails(new Scenario().begun().callsBeforeReview(write).finishes()),
  ],
  [
    "stream-cancel-finishing",
    "a cancel while a review is waited for closes its partial row, and the timer",
    () => new Scenario().begun().says("I see.").callsBeforeReview(write).finishes().cancelled(),
  ],
  [
    "stream-retry-over",
    "a task whose wait is over when it is resumed asks at once",
    () => failed(new Scenario().begun(), "Overloaded", { retryAfterMs: 60_010 }).crashes().answers("yes"),
  ],
  [
    "stream-mistakes-never",
    "where no number of mistakes is too many, nobody is asked about them",
    () => talks(talks(new Scenario({ limits: { mistakes: 0 } }).begun())),
  ],
  [
    "stream-completion-allowed",
    "a completion is put to a person, whatever a policy allows and its tool does",
    () => asked({ ...completion, effect: "none", verdict: "allow" }),
  ],
  [
    "stream-repetitions-never",
    "where no number of repetitions is too many, the same call is asked about again",
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
    "a call that was looked at before its place was reached is shown as it was found to be",
    () => new Scenario().begun().callsBeforeReview(read).calls(write).reviewed(read),
  ],
];
