import { fc, test } from "@fast-check/vitest";
import { Observable, of, Subject, throwError } from "rxjs";
import { describe, expect } from "vitest";
import type { EventObject } from "xstate";
import type { Edge } from "../../../actors/protocol/edge.ts";
import {
  fromEvents,
  MissingTerminalError,
  type Protocol,
  type Scope,
} from "../../../actors/protocol/from-events.ts";
import { heldEdge, host, settle } from "./host.ts";

type Out =
  | { readonly type: "work.progress"; readonly step: number; readonly at: number }
  | { readonly type: "work.finished"; readonly at: number }
  | { readonly type: "work.failed"; readonly error: string; readonly at: number };
type Item =
  | { readonly type: "work.progress"; readonly step: number }
  | { readonly type: "work.finished" }
  | { readonly type: "work.failed"; readonly error: string };
type In = { readonly type: "note"; readonly text: string };
type Source = Protocol<In, Out, string>["source"];

const progress = (step: number): Item => ({ type: "work.progress", step });
const finished: Item = { type: "work.finished" };

function start(source: Source) {
  const { edge, release } = heldEdge();
  const logic = fromEvents<In, Out, string>(edge, {
    source,
    isTerminal: (event) => event.type !== "work.progress",
    failed: (_input, error) => ({ type: "work.failed", error: String(error) }),
  });
  return { ...host(logic, "the input"), release };
}
const typesOf = (received: readonly EventObject[]): string[] =>
  received.map(({ type }) => type.replace("work.", ""));

async function* items(...list: readonly Item[]): AsyncGenerator<Item> {
  yield* list;
}

describe.each<[string, (...list: Item[]) => ReturnType<Source>]>([
  ["an async generator", (...list) => items(...list)],
  ["an Observable", (...list) => of(...list)],
])("from %s", (_name, from) => {
  test("events get the time of the edge", async () => {
    const actor = start(() => from(progress(1), finished));
    actor.release();
    await settle();
    expect(actor.received).toEqual([
      { type: "work.progress", step: 1, at: 1000 },
      { type: "work.finished", at: 1000 },
    ]);
  });

  test("L11: the source does not start before it is released", async () => {
    let began = 0;
    const actor = start(() => {
      began += 1;
      return from(finished);
    });
    await settle();
    expect(began).toBe(0);
    actor.release();
    actor.release();
    await settle();
    expect([began, typesOf(actor.received)]).toEqual([1, ["finished"]]);
  });

  test("L10: a source that is stopped before its release never starts", async () => {
    let began = 0;
    const actor = start(() => {
      began += 1;
      return from(finished);
    });
    actor.stop();
    actor.release();
    await settle();
    expect([began, actor.received]).toEqual([0, []]);
  });

  test("nothing follows a terminal event", async () => {
    const actor = start(() => from(progress(1), finished, progress(2), finished));
    actor.release();
    await settle();
    expect(typesOf(actor.received)).toEqual(["progress", "finished"]);
  });

  test("a source that ends without a terminal event gets one", async () => {
    const actor = start(() => from(progress(1)));
    actor.release();
    await settle();
    expect(actor.received.at(-1)).toMatchObject({
      type: "work.failed",
      error: String(new MissingTerminalError()),
    });
  });

  test("L10: nothing follows a stop, also in the macrostep of an event", async () => {
    const actor = start(() => from(progress(1), progress(2), finished));
    actor.stopWhen((event) => "step" in event && event.step === 1);
    actor.release();
    await settle();
    expect(typesOf(actor.received)).toEqual(["progress"]);
  });
});

describe("a source that throws", () => {
  const sources: [string, Source][] = [
    ["at once", () => throwNow("a")],
    [
      "in its generator",
      async function* () {
        yield progress(1);
        throwNow("a");
      },
    ],
    ["in its Observable", () => throwError(() => "a")],
    [
      "while it is subscribed to",
      () =>
        new Observable(() => {
          throwNow("a");
        }),
    ],
  ];
  test.each(sources)("%s gets its terminal event with the error", async (_name, source) => {
    const actor = start(source);
    actor.release();
    await settle();
    expect(actor.received.at(-1)).toMatchObject({ type: "work.failed", error: "a" });
    expect(typesOf(actor.received).filter((word) => word === "failed").length).toBe(1);
  });

  test("after its terminal event or its stop sends nothing", async () => {
    const after = start(async function* () {
      yield finished;
      throwNow("late");
    });
    after.release();
    const stopped = start(async function* ({ signal }) {
      await aborted(signal);
      yield throwNow("aborted");
    });
    stopped.release();
    stopped.stop();
    await settle();
    expect([typesOf(after.received), typesOf(stopped.received)]).toEqual([["finished"], []]);
  });
});

const throwNow = (error: string): never => {
  throw error;
};
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve()));

describe("stopping", () => {
  test("aborts the signal and calls return() at once, also while an item is pending", async () => {
    const calls: string[] = [];
    const actor = start(({ signal }) => ({
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => signal.addEventListener("abort", () => calls.push("abort"))),
        return: async () => {
          calls.push("return");
          return { done: true, value: undefined };
        },
      }),
    }));
    actor.release();
    actor.stop();
    expect(calls).toEqual(["abort", "return"]);
    actor.stop();
    await settle();
    expect(calls).toEqual(["abort", "return"]);
  });

  test("unsubscribes an Observable at once", () => {
    const subject = new Subject<Item>();
    const actor = start(() => subject);
    actor.release();
    expect(subject.observed).toBe(true);
    actor.stop();
    expect(subject.observed).toBe(false);
  });

  test("aborts the signal of a generator, and its finally runs", async () => {
    const calls: string[] = [];
    const actor = start(async function* ({ signal }) {
      try {
        yield progress(1);
        await aborted(signal);
        yield progress(2);
      } finally {
        calls.push("finally");
      }
    });
    actor.release();
    await settle();
    actor.stop();
    await settle();
    expect([typesOf(actor.received), calls]).toEqual([["progress"], ["finally"]]);
  });

  test.each([
    ["throws", () => throwNow("no")],
    ["rejects", () => Promise.reject(new Error("no"))],
  ])("ignores a return() that %s", async (_name, onReturn) => {
    const actor = start(() => ({
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return: onReturn }),
    }));
    actor.release();
    actor.stop();
    await settle();
    expect(actor.received).toEqual([]);
  });

  test("is also caused by a terminal event", async () => {
    const subject = new Subject<Item>();
    const signals: AbortSignal[] = [];
    const actor = start(({ signal }) => {
      signals.push(signal);
      return subject;
    });
    actor.release();
    subject.next(finished);
    expect([subject.observed, signals[0]?.aborted]).toEqual([false, true]);
  });

  test("is caused by a terminal event that an Observable emits during subscribe", () => {
    let emitted = 0;
    const actor = start(
      () =>
        new Observable((subscriber) => {
          while (!subscriber.closed) subscriber.next(++emitted === 3 ? finished : progress(emitted));
        }),
    );
    actor.release();
    expect([emitted, typesOf(actor.received)]).toEqual([4, ["progress", "progress", "finished"]]);
  });
});

describe("an edge", () => {
  const begin = (source: Source, edge: Edge) => {
    const failures: unknown[] = [];
    const logic = fromEvents<In, Out, string>(edge, {
      source,
      isTerminal: (event) => event.type !== "work.progress",
      failed: (_input, error) => {
        failures.push(error);
        return { type: "work.failed", error: "" };
      },
    });
    return { ...host(logic, ""), failures };
  };

  test("that releases twice starts the source once", () => {
    let subscribed = 0;
    const source = new Observable<Item>(() => {
      subscribed += 1;
    });
    const release = (start: () => void): void => {
      start();
      start();
    };
    begin(() => source, { ...heldEdge().edge, release });
    expect(subscribed).toBe(1);
  });

  test("stops a source that sends its terminal event while it starts", () => {
    let ended = 0;
    const source = new Observable<Item>((subscriber) => {
      subscriber.next(finished);
      return () => {
        ended += 1;
      };
    });
    begin(() => source, { ...heldEdge().edge, release: (start) => start() });
    expect(ended).toBe(1);
  });

  test("does not call failed for a stopped source", async () => {
    const { edge, release } = heldEdge();
    const actor = begin(async function* ({ signal }) {
      yield progress(1);
      await aborted(signal);
    }, edge);
    release();
    await settle();
    actor.stop();
    await settle();
    expect([actor.failures, typesOf(actor.received)]).toEqual([[], ["progress"]]);
  });
});

describe("an event of the task", () => {
  test("is buffered until the source listens, in order", async () => {
    const received: string[] = [];
    const listen = ({ receive }: Scope<In, string>): void => receive(({ text }) => received.push(text));
    const actor = start(async function* (scope) {
      await settle();
      listen(scope);
      yield progress(1);
      await aborted(scope.signal);
    });
    actor.send({ type: "note", text: "before its release" });
    actor.release();
    actor.send({ type: "note", text: "before it listens" });
    await settle();
    await settle();
    actor.send({ type: "note", text: "live" });
    expect(received).toEqual(["before its release", "before it listens", "live"]);
    actor.stop();
  });
});

describe("in every order of items, release and stop", () => {
  type Step = { readonly act: "item"; readonly item: Item } | { readonly act: "throw" };
  const steps: fc.Arbitrary<Step[]> = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.nat(9).map((step): Step => ({ act: "item", item: progress(step) })) },
      fc.constant<Step>({ act: "item", item: finished }),
      fc.constant<Step>({ act: "throw" }),
    ),
    { maxLength: 6 },
  );
  const ways: fc.Arbitrary<"generator" | "observable"> = fc.constantFrom("generator", "observable");

  test.prop([fc.scheduler(), steps, ways, fc.boolean()])(
    "any number of progress events come, then one terminal event, and nothing after it or after a stop",
    async (scheduler, script, way, stops) => {
      let stopped = false;
      const late: string[] = [];
      const generator = async function* (): AsyncGenerator<Item> {
        for (const step of script) {
          await scheduler.schedule(Promise.resolve(), "item");
          if (step.act === "throw") throwNow("scripted");
          else yield step.item;
        }
      };
      const observable = new Observable<Item>((subscriber) => {
        const run = async (): Promise<void> => {
          for (const step of script) {
            await scheduler.schedule(Promise.resolve(), "item");
            if (step.act === "throw") subscriber.error("scripted");
            else subscriber.next(step.item);
          }
          subscriber.complete();
        };
        void run();
      });
      const actor = start(() => (way === "generator" ? generator() : observable));
      actor.stopWhen((event) => {
        if (stopped) late.push(event.type);
        return false;
      });
      scheduler.schedule(Promise.resolve(), "release").then(actor.release);
      if (stops)
        scheduler.schedule(Promise.resolve(), "stop").then(() => {
          stopped = true;
          actor.stop();
        });
      await scheduler.waitIdle();
      await settle();

      const got = typesOf(actor.received);
      const terminals = got.filter((word) => word !== "progress").length;
      const end = script.findIndex((step) => step.act === "throw" || step.item.type !== "work.progress");
      const whole = script
        .slice(0, end < 0 ? script.length : end + 1)
        .map((step) => (step.act === "throw" ? "failed" : typesOf([step.item])[0]));
      if (end < 0) whole.push("failed");
      expect(late).toEqual([]);
      expect(terminals).toBeLessThanOrEqual(1);
      expect(got).toEqual(stops ? whole.slice(0, got.length) : whole);
    },
  );
});
