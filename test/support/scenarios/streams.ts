import { Story } from "../scenario.ts";
import { asked, completion, question, read, type Scenario, write } from "./sketches.ts";

const USAGE = { tokensIn: 7, tokensOut: 3, cacheWrites: 2, cacheReads: 1, cost: 0.5 };
const requestOf = (story: Story): number => story.run.view.context.request ?? -1;

/** Another word of the block `index`, whatever stands there. */
const delta = (story: Story, index: number, text: string, kind: "text" | "thinking" = "text"): Story =>
  story.send({ type: `llm.${kind}.delta`, requestId: requestOf(story), index, text });
const ends = (story: Story, index: number, kind: "text" | "thinking" = "text"): Story =>
  story.send({ type: `llm.${kind}.end`, requestId: requestOf(story), index });
const failed = (story: Story, message: string, more: { status?: number; retryAfterMs?: number }): Story =>
  story.send({
    type: "llm.failed",
    requestId: requestOf(story),
    failure: { code: "overloaded_error", message, retryable: true, ...more },
    usage: USAGE,
    jitter: 0.5,
  });
/** An answer without a call. */
const talks = (story: Story): Story => story.says("Hm.").finishes("end_turn").prepared();
const reads = (story: Story): Story => story.calls(read).finishes().ends("one").prepared();
const pauses = (story: Story): Story => story.says("a").finishes("pause_turn").prepared();
const journalFails = (story: Story): Story =>
  story.send({ type: "journal.failed", message: "the disk is full" });

/** What comes of an answer, piece by piece, and of the ways in which it does not come. */
export const STREAMS: readonly Scenario[] = [
  [
    "stream-grows",
    "text grows in its row, and is whole with its end; what comes for it later changes nothing (L3, L5)",
    () => {
      const story = new Story().begun().says("Let");
      delta(story, 0, " me");
      delta(story, 0, "");
      delta(story, 0, "not thought", "thinking");
      ends(story, 0);
      delta(story, 0, "late");
      delta(story, 2, "too far");
      return ends(story, 0).says("And").cancelled();
    },
  ],
  [
    "stream-thinking",
    "thinking grows like text; an answer of thinking alone is not taken for one (L6)",
    () => {
      const story = new Story().begun().thinks("First");
      delta(story, 0, " this", "thinking");
      return ends(story, 0, "thinking").finishes("end_turn").prepared();
    },
  ],
  [
    "stream-held",
    "words behind a call are held back until its turn has come (DESIGN 3)",
    () => {
      const story = new Story().begun().callsUnseen(write).says("Then");
      delta(story, 1, " that");
      return story.reviewed(write).finishes().answers("yes").ends();
    },
  ],
  [
    "stream-held-review",
    "words that were held back are shown when the call before them needs no person",
    () => new Story().begun().callsUnseen(read).says("Then").reviewed(read).finishes().ends("one"),
  ],
  [
    "stream-held-cancel",
    "words that were held back are kept when the user cancels",
    () =>
      new Story()
        .begun()
        .says("I see. ")
        .callsUnseen(write)
        .says("Then ")
        .cancelled()
        .answers("yes")
        .prepared(),
  ],
  [
    "stream-held-growth",
    "of words that were held back the first part may be shown and the rest still grow",
    () => {
      const story = new Story().begun().callsUnseen(read).says("Then");
      story.reviewed(read);
      delta(story, 1, " that");
      return story.finishes();
    },
  ],
  [
    "stream-same-call",
    "a call that begins twice is one call",
    () => {
      const story = new Story().begun().says("I see.");
      const begin = { type: "llm.tool.start", requestId: requestOf(story), name: "w", ask: "tool" } as const;
      story.send({ ...begin, index: 1, callId: "one", toolUseId: "a" });
      story.send({ ...begin, index: 1, callId: "one", toolUseId: "b" });
      story.send({ ...begin, index: 2, callId: "one", toolUseId: "b" });
      story.send({ ...begin, index: 2, callId: "two", toolUseId: "a" });
      return story.send({ ...begin, index: 3, callId: "two", toolUseId: "b" });
    },
  ],
  [
    "stream-unended",
    "a call whose arguments never end is told to the model as a mistake, and never runs (L7)",
    () => {
      const story = new Story().begun();
      story.begins(write);
      return story.finishes().prepared();
    },
  ],
  [
    "stream-too-many",
    "one call more than an answer may have is refused as it begins (L14)",
    () => {
      const story = new Story({ limits: { calls: 1 } }).begun().calls(write);
      story.begins({ name: "apply_diff" });
      return story.finishes().answers("yes").ends().prepared();
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
        .ends("one")
        .prepared()
        .calls(read),
  ],
  [
    "stream-completion",
    "a completion's result streams as a row, is whole with its review, and is offered once",
    () => {
      const story = new Story().begun().says("Done.");
      story.begins(completion);
      story.previews("All");
      const { calls } = story.run.view.context.turn;
      const callId = calls[0]?.callId ?? "";
      story.send({ type: "llm.tool.end", requestId: requestOf(story), callId, input: {} });
      return story.reviewed(completion).finishes();
    },
  ],
  [
    "stream-completion-waits",
    "a completion waits for the reads before it",
    () => new Story().begun().calls(read).calls(completion).finishes().ends("one"),
  ],
  [
    "stream-completion-denied",
    "a completion in one answer with a call that could not be run is sent back",
    () => new Story().begun().callsWrongly(write, "no path").calls(completion).finishes().prepared(),
  ],
  [
    "stream-usage-cancel",
    "a request that is cancelled costs what was counted so far (L4)",
    () => {
      const story = new Story().begun().says("Let");
      return story.send({ type: "llm.usage", requestId: requestOf(story), usage: USAGE }).cancelled();
    },
  ],
  [
    "stream-cut-words",
    "words that are cut at the output limit are told to be",
    () => new Story().begun().says("Then I").finishes("max_tokens").prepared(),
  ],
  [
    "stream-talk-counts-anew",
    "answers without a call are counted in a row: a call between them begins anew",
    () => talks(reads(talks(new Story().begun()))),
  ],
  [
    "stream-pause-counts-anew",
    "pauses are counted in a row: a call between them begins anew",
    () => pauses(reads(pauses(new Story({ limits: { pauses: 1 } }).begun()))),
  ],
  [
    "stream-pause-talk",
    "an answer without a call ends a row of pauses",
    () => pauses(talks(pauses(new Story({ limits: { pauses: 1 } }).begun()))),
  ],
  [
    "stream-talks-thrice",
    "each further answer without a call is a mistake, until a person is asked",
    () =>
      talks(new Story({ limits: { mistakes: 2 } }).begun())
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
      const story = failed(new Story().begun(), "529 Overloaded", { status: 529 }).waits().prepared();
      return failed(story, "Overloaded", { status: 529 });
    },
  ],
  [
    "stream-retry-longest",
    "no attempt is waited for longer than the limit (L14)",
    () => failed(new Story({ limits: { retryDelayMaxMs: 1_500 } }).begun(), "Overloaded", {}),
  ],
  [
    "stream-retry-after",
    "no attempt begins before the endpoint allows it",
    () => failed(new Story().begun(), "Overloaded", { retryAfterMs: 120_000 }),
  ],
  [
    "stream-retry-forgotten",
    "an answer that comes ends the row of failed attempts",
    () => failed(new Story().begun(), "Overloaded", {}).waits().prepared().calls(write).finishes(),
  ],
  [
    "stream-failed-forgotten",
    "a person who is asked about a failed request ends the row of failed attempts",
    () => {
      const story = failed(new Story({ limits: { retries: 1 } }).begun(), "Overloaded", {})
        .waits()
        .prepared();
      return failed(story, "Overloaded", {}).answers("yes").prepared();
    },
  ],
  [
    "stream-cancel-retry",
    "a wait that was cancelled is over: the next attempt begins when the task is resumed",
    () => failed(new Story().begun(), "Overloaded", { retryAfterMs: 60_000 }).cancelled().answers("yes"),
  ],
  [
    "stream-journal-preparing",
    "when the journal can't be written while a request is prepared, the request is closed with the reason",
    () =>
      journalFails(
        new Story().send({ type: "task.start", text: "go", images: [] }).send({ type: "task.opened" }),
      ),
  ],
  [
    "stream-journal-receiving",
    "when the journal can't be written while an answer comes, its words are kept and the reason is said",
    () => journalFails(new Story().begun().says("Let me")),
  ],
  [
    "stream-journal-running",
    "when the journal can't be written while a tool runs, the tool is stopped",
    () => journalFails(asked(write).answers("yes")),
  ],
  [
    "stream-journal-finishing",
    "when the journal can't be written while a review is waited for, its partial row is closed",
    () => journalFails(new Story().begun().callsUnseen(write).finishes()),
  ],
  [
    "stream-cancel-finishing",
    "a cancel while a review is waited for closes its partial row, and the timer",
    () => new Story().begun().says("I see.").callsUnseen(write).finishes().cancelled(),
  ],
  [
    "stream-retry-over",
    "a task whose wait is over when it is resumed asks at once",
    () => failed(new Story().begun(), "Overloaded", { retryAfterMs: 60_010 }).crashes().answers("yes"),
  ],
  [
    "stream-mistakes-never",
    "where no number of mistakes is too many, nobody is asked about them",
    () => talks(talks(new Story({ limits: { mistakes: 0 } }).begun())),
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
        .ends()
        .prepared()
        .calls(write)
        .finishes(),
  ],
  [
    "stream-shown-late",
    "a call that was looked at before its place was reached is shown as it was found to be",
    () => new Story().begun().callsUnseen(read).calls(write).reviewed(read),
  ],
];
