import fc from "fast-check";
import { concatMap, filter } from "rxjs";
import { describe, expect, it } from "vitest";
import { NO_USAGE } from "../../../machines/task/request.ts";
import type { ModelEvent } from "../../../ports/model.ts";
import { type BreakpointSettings, Breakpoints } from "../../../runtime/breakpoints/breakpoints.ts";
import type { Task } from "../../../runtime/task/task.ts";
import { allowEverything } from "../../../tools/index.ts";
import { runs } from "../../support/campaigns.ts";
import { openRig } from "../../support/host.ts";
import { call, complete, scripted, type Turn } from "../../support/model.ts";
import { test } from "../../support/prop.ts";

type Action =
  | { readonly do: "step" | "resume" }
  | { readonly do: "set"; readonly settings: BreakpointSettings };

const action = (settings: fc.Arbitrary<BreakpointSettings>): fc.Arbitrary<Action> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Action>({ do: "step" }) },
    { weight: 2, arbitrary: fc.constant<Action>({ do: "resume" }) },
    { weight: 2, arbitrary: settings.map((set): Action => ({ do: "set", settings: set })) },
  );

function act(breakpoints: Breakpoints, each: Action): void {
  if (each.do === "set") breakpoints.set(each.settings);
  else breakpoints[each.do]();
}

describe("events with breakpoints", () => {
  const TYPES = ["a", "b", "c"] as const;
  const events = fc.subarray([...TYPES]);
  const settings = fc.record({ events, pause: fc.boolean() }, { requiredKeys: [] });
  const pass = fc.constantFrom(...TYPES).map((type) => ({ do: "pass", type }) as const);
  const what = fc.oneof({ weight: 8, arbitrary: pass }, { weight: 5, arbitrary: action(settings) });
  /** What happens during a delivery or a notification. */
  const within = fc.array(fc.array(what, { maxLength: 3 }), { maxLength: 12 });

  test.prop([fc.array(what, { maxLength: 60 }), within, within, fc.integer({ min: 1, max: 8 })], {
    numRuns: runs(2000, 500),
  })(
    "pass once each, in the order in which they were sent, for any sequence of calls; at most `heldEvents` are held (L14)",
    (actions, inDelivery, inNotification, heldEvents) => {
      const breakpoints = new Breakpoints(() => () => {}, { heldEvents });
      const passed: number[] = [];
      let sent = 0;
      let depth = 0;
      const nested = (stock: (typeof inDelivery)[number][]): void => {
        depth += 1;
        for (const each of depth > 3 ? [] : (stock.pop() ?? [])) once(each);
        depth -= 1;
      };
      const toDeliver = [...inDelivery];
      const toTell = [...inNotification];
      function once(each: (typeof actions)[number]): void {
        if (each.do !== "pass") {
          act(breakpoints, each);
          return;
        }
        const id = sent++;
        breakpoints.pass({ type: each.type }, () => {
          passed.push(id);
          nested(toDeliver);
        });
      }
      breakpoints.held$.subscribe(() => nested(toTell));
      for (const each of actions) {
        once(each);
        expect(passed).toEqual(Array.from({ length: passed.length }, (_, at) => at));
        expect(passed.length + breakpoints.held.length).toBe(sent);
        expect(breakpoints.held.length).toBeLessThanOrEqual(heldEvents);
        expect(breakpoints.held.length > 0 && !breakpoints.isHolding).toBe(false);
      }
      toTell.length = 0;
      toDeliver.length = 0;
      breakpoints.set({});
      expect(passed).toHaveLength(sent);
    },
  );
});

describe("a task", () => {
  const textBlock = async function* (text: string): AsyncGenerator<ModelEvent> {
    for (const piece of text.match(/.{1,5}/gs) ?? []) yield { type: "text.delta", text: piece };
    yield { type: "block.end" };
  };
  const turn = (...parts: (() => AsyncIterable<ModelEvent>)[]): Turn =>
    async function* () {
      for (const part of parts) yield* part();
      yield { type: "finished", stopReason: "tool_use", usage: NO_USAGE };
    };
  const TURNS: readonly Turn[] = [
    turn(
      () => textBlock("I look first, then I ask."),
      () => call("list_files", { path: ".", recursive: false }, "one"),
      () => call("read_file", { path: "a.txt" }, "two"),
    ),
    turn(() => call("ask_followup_question", { question: "Which?", follow_up: [{ text: "left" }] })),
    turn(
      () => call("write_to_file", { path: "b.txt", content: "left\n" }),
      () => call("execute_command", { command: "printf done" }),
    ),
    () => complete(),
  ];

  const states = fc.subarray([
    "running.calling",
    "running.starting",
    "streaming.receiving",
    "streaming.finishing",
    "waiting_for_input",
    "idle",
  ]);
  const events = fc.subarray([
    "task.opened",
    "llm.text.delta",
    "llm.finished",
    "call.reviewed",
    "tool.finished",
    "ask.answered",
    "context.ready",
  ]);
  const anySettings = fc.record(
    { states, events, laws: fc.boolean(), pause: fc.boolean() },
    { requiredKeys: [] },
  );

  /** Perform one action whenever an event is held; after the last one all events pass. */
  function debug({ breakpoints }: Task, actions: readonly Action[]): void {
    const left = [...actions];
    breakpoints.held$
      .pipe(
        filter(({ length }) => length > 0 && breakpoints.isHolding),
        // After the notification: the call that releases it may come from anywhere.
        concatMap(async () => {
          while (breakpoints.held.length > 0 && breakpoints.isHolding)
            act(breakpoints, left.shift() ?? { do: "set", settings: {} });
        }),
      )
      .subscribe();
  }

  /**
   * As text, one message a line: a time, which is also a message's id, is its position, and the folder has a fixed name.
   * Partial messages are not compared: the review of a call runs concurrently with the stream.
   */
  const messagesWithoutTime = ({ log, workspace }: Task): string[] =>
    log.toArray().map(({ partial: _, ...message }, __, messages) => {
      const positions = messages.map(({ ts }, at) => [String(ts), `#${at}`] as const);
      const text = JSON.stringify(message).replaceAll(workspace, "DIR");
      return positions.reduce((replaced, [ts, position]) => replaced.replaceAll(ts, position), text);
    });

  async function runTask(
    first: BreakpointSettings | undefined,
    actions: readonly Action[],
    heldEvents: number,
  ) {
    await using rig = await openRig({
      model: scripted(TURNS),
      policy: allowEverything(),
      files: { "a.txt": "one\n" },
      journal: "memory",
      debugging: { breakpoints: { heldEvents } },
      llm: { frameMs: 0 },
    });
    const { task } = rig;
    task.asks$.subscribe((ask) => {
      if (ask.kind === "question") ask.answer("left");
    });
    if (first !== undefined) {
      task.breakpoints.set(first);
      debug(task, actions);
    }
    const { result } = await task.run("Go");
    return { result, messages: messagesWithoutTime(task), file: await rig.file("b.txt") };
  }

  it("with random breakpoints, steps and resumes has the same log and obeys the laws (L1-L8, L15)", async () => {
    const free = await runTask(undefined, [], 100);
    expect(free.result).toBe("Done.");
    await fc.assert(
      fc.asyncProperty(
        anySettings,
        fc.array(action(anySettings), { maxLength: 40 }),
        fc.constantFrom(1, 2, 5, 1000),
        async (first, actions, heldEvents) => {
          expect(await runTask(first, actions, heldEvents)).toEqual(free);
        },
      ),
      { numRuns: runs(30, 10) },
    );
  });
});
