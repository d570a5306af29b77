import type { Answer } from "../../../machines/message/index.ts";
import { Scenario } from "../scenario.ts";
import { approved, asked, completed, type NamedScenario, question, write } from "./setups.ts";

const IMAGE = "data:image/png;base64,aGk=";

const refuses = () => new Scenario().begun().fails({ retryable: false });
const errs = () =>
  new Scenario({ limits: { mistakes: 1 } }).begun().calls(write).finishes().answers("yes").toolFails();
const spends = () =>
  asked(write, { limits: { cost: 0.01 } })
    .answers("yes")
    .toolEnds();

const answered = (scenario: Scenario, answer: Answer): Scenario =>
  scenario.send({ type: "ask.answered", askId: scenario.run.view.context.ask?.id ?? 0, answer });

/** What a person says, wherever a task listens: it is shown, and it reaches the model. */
export const WORDS: readonly NamedScenario[] = [
  [
    "words-image-first",
    "a task may begin with a picture, and one that is no picture is only shown",
    () =>
      new Scenario()
        .send({ type: "task.start", text: "  ", images: [IMAGE, "no picture"] })
        .send({ type: "task.opened" })
        .prepared(),
  ],
  [
    "words-yes-image",
    "a picture that comes with a yes goes before the call's result",
    () =>
      answered(asked(write), { kind: "yes", text: "like this", images: [IMAGE] })
        .toolEnds()
        .prepared(),
  ],
  [
    "words-reply-image",
    "a picture may be the whole reply to a question",
    () => answered(asked(question), { kind: "text", text: "", images: [IMAGE] }).prepared(),
  ],
  [
    "words-none",
    "a reply without a word is said to be one",
    () => asked(question).answers("text", "  ").prepared(),
  ],
  [
    "words-guidance",
    "guidance after mistakes reaches the model with its pictures",
    () => answered(errs(), { kind: "text", text: "like this", images: [IMAGE] }).prepared(),
  ],
  [
    "words-guidance-none",
    "after mistakes a plain yes lets the model go on",
    () => errs().answers("yes").prepared(),
  ],
  [
    "words-mistaken-no",
    "who leaves a task to its mistakes may say why, and that waits in the queue",
    () => errs().answers("no", "I look myself").answers("yes").prepared(),
  ],
  [
    "words-cost",
    "when the money is used up a person is asked, and may say more with the yes",
    () => spends().answers("yes", "one cent more").prepared(),
  ],
  [
    "words-cost-no",
    "who allows no more money leaves a task that can be resumed",
    () => spends().answers("no"),
  ],
  [
    "words-failed-yes",
    "words to a failed request go with the next attempt",
    () => refuses().answers("yes", "a shorter one").prepared(),
  ],
  [
    "words-failed-no",
    "words to a request that is given up wait in the queue",
    () => refuses().answers("no", "later"),
  ],
  [
    "words-failed-no-full",
    "where the queue is full, words to a request that is given up are said at once (L14)",
    () => {
      const scenario = new Scenario({ limits: { queued: 1 } }).begun().queues("first");
      return scenario.fails({ retryable: false }).answers("no", "second").answers("yes").prepared();
    },
  ],
  [
    "words-failed-no-room",
    "where the queue has room for one more, words to a request that is given up are that one (L14)",
    () =>
      new Scenario({ limits: { queued: 2 } })
        .begun()
        .queues("first")
        .fails({ retryable: false })
        .answers("no", "second"),
  ],
  [
    "words-resume-image",
    "a picture is enough to go on with",
    () => answered(approved().cancelled(), { kind: "text", text: "", images: [IMAGE] }).prepared(),
  ],
  [
    "words-completion-yes",
    "a yes with words to a completion is feedback, and the task goes on",
    () => completed().answers("yes", "and the docs").prepared(),
  ],
  [
    "words-declined",
    "a declined completion may still be replied to",
    () => completed().answers("no").answers("no").answers("text", "not yet").prepared(),
  ],
  [
    "words-queue",
    "what waits in the queue can be changed and taken back, and is said with the next request",
    () => {
      const scenario = new Scenario({ limits: { queued: 3 } })
        .begun()
        .send({ type: "queue.added", item: { id: "a", text: "one", images: [] } })
        .send({ type: "queue.added", item: { id: "b", text: "two", images: [IMAGE] } })
        .send({ type: "queue.added", item: { id: "b", text: "twice", images: [] } })
        .send({ type: "queue.added", item: { id: "c", text: "three", images: [] } })
        .send({ type: "queue.added", item: { id: "d", text: "four", images: [] } })
        .send({ type: "queue.edited", id: "b", text: "to" })
        .send({ type: "queue.edited", id: "z", text: "nothing" })
        .send({ type: "queue.removed", id: "a" })
        .send({ type: "queue.removed", id: "z" });
      return scenario.calls(write).finishes().answers("yes").toolEnds().prepared();
    },
  ],
  [
    "words-mode",
    "the model is told the mode that the user works in, also after the task was opened again",
    () => asked(write).send({ type: "mode.switched", mode: "ask" }).answers("yes").crashes().answers("yes"),
  ],
  [
    "words-completion-none",
    "a reply without a word to a completion is feedback all the same",
    () => completed().answers("text", "  ").prepared(),
  ],
  [
    "words-starting",
    "a task that has its first words waits until its journal is open",
    () => new Scenario().send({ type: "task.start", text: "go", images: [] }),
  ],
  [
    "words-reopened-none",
    "a reply without a word to a completed task that was opened again is feedback all the same",
    () => completed().crashes().answers("text", "  ").prepared(),
  ],
];
