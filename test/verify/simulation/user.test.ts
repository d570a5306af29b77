import { describe, expect, it } from "vitest";
import type { OpenAsk } from "../../../machines/task/task.context.ts";
import { Random } from "../../../verify/simulation/random.ts";
import { idleEvent, unsolicitedEvent } from "../../../verify/simulation/user.ts";
import { fresh, stepOf } from "../laws/step.ts";

/** Returns `yes` for every chance, and picks by position. */
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

describe("the simulated user, when nothing else happens,", () => {
  it.each([
    ["leaves a task that never started", at("no_task"), "leaves"],
    ["aborts an unresponsive command", at("running.commanding", "command_output"), answer("no")],
    ["cancels a running task", at("running.calling"), { type: "task.cancel", origin: "user" }],
    ["cancels a streaming task", at("streaming.receiving"), { type: "task.cancel", origin: "user" }],
    ["is stuck without an ask", at("resumable"), "stuck"],
    ["approves an ask", at("waiting_for_input.approval", "tool"), answer("yes")],
    ["answers a question", at("waiting_for_input.answer", "followup"), answer("text", "Go on.")],
    ["resumes a task", at("resumable", "resume_task"), answer("yes")],
    ["continues a completed task", at("idle.completed", "completion_result"), answer("text", "Go on.")],
    ["continues a reopened task", at("idle.reopened", "resume_completed_task"), answer("text", "Go on.")],
  ])("%s", (_, view, event) => {
    expect(idleEvent(new Luck(false), view)).toEqual(event);
  });

  it("mostly leaves a completed task, and no other", () => {
    expect(idleEvent(new Luck(true), at("idle.completed", "completion_result"))).toBe("leaves");
    expect(idleEvent(new Luck(true), at("resumable", "resume_task"))).toEqual(answer("yes"));
  });
});

describe("an unsolicited action of the simulated user", () => {
  const all = (context = fresh) =>
    Array.from({ length: 7 }, (_, place) => unsolicitedEvent(new Luck(true, place), context, 3));
  const item = (text: string) => ({ id: "q3", text, images: [] });

  it("queues a text, changes the queue or the mode, answers another ask, or starts a task", () => {
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

  it("applies to the queued text, the other mode and another ask", () => {
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
