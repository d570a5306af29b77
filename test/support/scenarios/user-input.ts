import type { Answer } from "../../../machines/message/asks.ts";
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

/** Texts and images of the user: each is shown, and reaches the model. */
export const USER_INPUT: readonly NamedScenario[] = [
  [
    "words-image-first",
    "a task may start with an image; an invalid image is only shown",
    () =>
      new Scenario()
        .send({ type: "task.start", text: "  ", images: [IMAGE, "no picture"] })
        .send({ type: "task.opened" })
        .prepared(),
  ],
  [
    "words-yes-image",
    "an image with a yes precedes the result of the call",
    () =>
      answered(asked(write), { kind: "yes", text: "like this", images: [IMAGE] })
        .toolEnds()
        .prepared(),
  ],
  [
    "words-reply-image",
    "an image alone answers a question",
    () => answered(asked(question), { kind: "text", text: "", images: [IMAGE] }).prepared(),
  ],
  [
    "words-none",
    "an empty answer is reported as empty",
    () => asked(question).answers("text", "  ").prepared(),
  ],
  [
    "words-guidance",
    "guidance after mistakes reaches the model with its images",
    () => answered(errs(), { kind: "text", text: "like this", images: [IMAGE] }).prepared(),
  ],
  [
    "words-guidance-none",
    "after mistakes a plain yes continues the task",
    () => errs().answers("yes").prepared(),
  ],
  [
    "words-mistaken-no",
    "the text of a no after mistakes is queued",
    () => errs().answers("no", "I look myself").answers("yes").prepared(),
  ],
  [
    "words-cost",
    "at the limit of cost the user is asked, and the yes may have a text",
    () => spends().answers("yes", "one cent more").prepared(),
  ],
  [
    "words-cost-no",
    "a no at the limit of cost leaves a task that can be resumed",
    () => spends().answers("no"),
  ],
  [
    "words-failed-yes",
    "text with a yes to a failed request is sent with the next attempt",
    () => refuses().answers("yes", "a shorter one").prepared(),
  ],
  ["words-failed-no", "text with a no to a failed request is queued", () => refuses().answers("no", "later")],
  [
    "words-failed-no-full",
    "text with a no to a failed request is shown at once when the queue is full (L14)",
    () => {
      const scenario = new Scenario({ limits: { queued: 1 } }).begun().queues("first");
      return scenario.fails({ retryable: false }).answers("no", "second").answers("yes").prepared();
    },
  ],
  [
    "words-failed-no-room",
    "text with a no to a failed request takes the last place in the queue (L14)",
    () =>
      new Scenario({ limits: { queued: 2 } })
        .begun()
        .queues("first")
        .fails({ retryable: false })
        .answers("no", "second"),
  ],
  [
    "words-resume-image",
    "an image alone resumes a task",
    () => answered(approved().cancelled(), { kind: "text", text: "", images: [IMAGE] }).prepared(),
  ],
  [
    "words-completion-yes",
    "a yes with text to a completion is feedback, and the task continues",
    () => completed().answers("yes", "and the docs").prepared(),
  ],
  [
    "words-declined",
    "a declined completion still accepts feedback",
    () => completed().answers("no").answers("no").answers("text", "not yet").prepared(),
  ],
  [
    "words-queue",
    "queued texts can be edited and removed, and are sent with the next request",
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
    "the model is notified of the user's mode, also after the task is reopened",
    () => asked(write).send({ type: "mode.switched", mode: "ask" }).answers("yes").crashes().answers("yes"),
  ],
  [
    "words-completion-none",
    "an empty answer to a completion is feedback",
    () => completed().answers("text", "  ").prepared(),
  ],
  [
    "words-starting",
    "a started task waits until its journal is open",
    () => new Scenario().send({ type: "task.start", text: "go", images: [] }),
  ],
  [
    "words-reopened-none",
    "an empty answer to a reopened completed task is feedback",
    () => completed().crashes().answers("text", "  ").prepared(),
  ],
];
