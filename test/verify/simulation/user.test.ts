import { describe, expect, it } from "vitest";
import type { OpenAsk } from "../../../machines/task/index.ts";
import { Random } from "../../../verify/simulation/random.ts";
import { idleEvent, unsolicitedEvent } from "../../../verify/simulation/user.ts";
import { fresh, stepOf } from "../laws/step.ts";

/** Says yes or no to every chance, and picks what stands at the place. */
class Luck extends Random {
  readonly #says: boolean;
  readonly #place: number;

  constructor(says: boolean, place = 0) {
    super(0);
    this.#says = says;
    this.#place = place;
  }

  override chance(): boolean {
    return this.#says;
  }

  override pick<T>(of: readonly T[]): T | undefined {
    return of[this.#place];
  }
}

const at = (state: string, ask?: OpenAsk["ask"]) =>
  stepOf({ from: state, before: { ask: ask === undefined ? undefined : { id: 5, ask } } }).before;
const answer = (kind: string, text?: string) => ({
  type: "ask.answered",
  askId: 5,
  answer: { kind, ...(text !== undefined && { text }) },
});

describe("a person where nothing happens any more", () => {
  it.each([
    ["leaves a task that never began", at("no_task"), "leaves"],
    ["aborts a command that hangs", at("running.commanding", "command_output"), answer("no")],
    ["cancels what works", at("running.calling"), { type: "task.cancel" }],
    ["cancels what streams", at("streaming.receiving"), { type: "task.cancel" }],
    ["is stuck where nobody asks", at("resumable"), "stuck"],
    ["allows what is asked for", at("waiting_for_input.approval", "tool"), answer("yes")],
    ["answers a question", at("waiting_for_input.answer", "followup"), answer("text", "Go on.")],
    ["goes on with what rests", at("resumable", "resume_task"), answer("yes")],
    ["goes on with what was completed", at("idle.completed", "completion_result"), answer("text", "Go on.")],
    ["goes on with it a day later", at("idle.reopened", "resume_completed_task"), answer("text", "Go on.")],
  ])("%s", (_, view, event) => {
    expect(idleEvent(new Luck(false), view)).toEqual(event);
  });

  it("mostly leaves what has come to an end, and nothing else", () => {
    expect(idleEvent(new Luck(true), at("idle.completed", "completion_result"))).toBe("leaves");
    expect(idleEvent(new Luck(true), at("resumable", "resume_task"))).toEqual(answer("yes"));
  });
});

describe("what a person does that nobody asked for", () => {
  const all = (context = fresh) =>
    Array.from({ length: 7 }, (_, place) => unsolicitedEvent(new Luck(true, place), context, 3));
  const item = (text: string) => ({ id: "q3", text, images: [] });

  it("is to queue words, to change the queue and the mode, to answer another ask, to begin again", () => {
    expect(all()).toEqual([
      { type: "queue.added", item: item("Also the docs.") },
      { type: "queue.added", item: item("And quickly.") },
      { type: "queue.edited", id: "nobody", text: "Not the docs." },
      { type: "queue.removed", id: "nobody" },
      { type: "mode.switched", mode: "ask" },
      { type: "ask.answered", askId: -1, answer: { kind: "yes" } },
      { type: "task.start", text: "Another task", images: [] },
    ]);
  });

  it("is done to what waits in the queue, to the mode that is on, beside the ask that is open", () => {
    const context = {
      ...fresh,
      queue: [{ id: "q1", text: "words", images: [] }],
      mode: "ask",
      log: fresh.log.append({ ts: 9, type: "ask", ask: "tool" }),
    };
    expect(all(context).slice(2, 6)).toEqual([
      { type: "queue.edited", id: "q1", text: "Not the docs." },
      { type: "queue.removed", id: "q1" },
      { type: "mode.switched", mode: "code" },
      { type: "ask.answered", askId: 8, answer: { kind: "yes" } },
    ]);
  });
});
