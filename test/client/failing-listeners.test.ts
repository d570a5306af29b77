import { map } from "rxjs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectTask, observeLifecycle, TypedEventEmitter } from "../../client/index.ts";
import { Observable as Value } from "../../client/roo/extension/observable.ts";
import { allowEverything } from "../../tools/index.ts";
import { DONE, openRig, type Rig } from "../support/host.ts";

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
beforeEach(() => {
  unhandled.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(() => {
  process.off("unhandledRejection", note);
});

type Fail = () => never | Promise<never>;
type OnError = (error: unknown) => void;

/** Every surface with listeners: adds one that fails. */
const SURFACES: Readonly<Record<string, (rig: Rig, fail: Fail, onError: OnError) => unknown>> = {
  "task.events$": ({ task }, fail) => task.events$.subscribe(fail),
  "task.events$ behind operators": ({ task }, fail) =>
    task.events$.pipe(map(({ seq }) => seq)).subscribe({ next: fail }),
  "task.state$": ({ task }, fail) => task.state$.subscribe(fail),
  "task.messages$": ({ task }, fail) => task.messages$.subscribe(fail),
  "task.asks$": ({ task }, fail) => task.asks$.subscribe(fail),
  "task.treeAsks$": ({ task }, fail) => task.treeAsks$.subscribe(fail),
  "task.inspect": ({ task }, fail) => task.inspect(fail),
  "task.breakpoints.held$": ({ task }, fail) => task.breakpoints.held$.subscribe(fail),
  "an event of the lifecycle": ({ host }, fail, onError) =>
    observeLifecycle(host, { onError }).on("message", fail),
  "lifecycle.events$": ({ host }, fail, onError) =>
    observeLifecycle(host, { onError }).events$.subscribe(fail),
  "client.on": ({ task }, fail, onError) => {
    const { client } = connectTask(task);
    client.on("error", onError);
    client.on("message", fail);
  },
  "client.events$": ({ task }, fail, onError) => {
    const { client } = connectTask(task);
    client.on("error", onError);
    client.events$("message").subscribe(fail);
  },
};

const error = new Error("The listener failed.");
const FAILURES: readonly (readonly [string, Fail])[] = [
  [
    "throws",
    () => {
      throw error;
    },
  ],
  ["rejects", () => Promise.reject(error)],
];

const cases = Object.keys(SURFACES).flatMap((surface) =>
  FAILURES.map(([how, fail]) => [surface, how, fail] as const),
);

test.each(cases)(
  "LIFE-GAP-009: a listener of %s that %s is reported to onError, and the task completes",
  async (surface, _how, fail) => {
    await using rig = await openRig({
      script: `[{ tool: list_files, input: { path: . } }, ${DONE}]`,
      policy: allowEverything(),
      mayReportErrors: true,
    });
    const reported: unknown[] = [];
    SURFACES[surface]?.(rig, fail, (each) => reported.push(each));
    expect((await rig.task.run("Do it")).result).toBe("Done.");
    await new Promise((resolve) => setImmediate(resolve));
    expect(new Set([...rig.errors, ...reported])).toEqual(new Set([error]));
    expect(unhandled).toEqual([]);
  },
);

test.each(FAILURES)(
  "LIFE-GAP-009: a listener of host.opened$ that %s is reported to onError",
  async (_how, fail) => {
    await using rig = await openRig({ script: "[{ text: Done. }]", mayReportErrors: true });
    rig.host.opened$.subscribe(fail);
    await rig.host.create({ model: rig.model, workspace: rig.dir });
    expect(rig.errors).toEqual([error]);
  },
);

test.each(FAILURES)(
  "LIFE-GAP-009: an observer of a value and a listener of an emitter that %s is reported",
  async (_how, fail) => {
    const reported: unknown[] = [];
    new Value(1, (each) => reported.push(each)).subscribe(fail);
    const emitter = new TypedEventEmitter<{ said: string; error: Error }>({
      onUnheard: (each) => reported.push(each),
    });
    emitter.on("said", fail);
    emitter.emit("said", "x");
    await new Promise((resolve) => setImmediate(resolve));
    expect(reported).toEqual([error, error]);
    expect(unhandled).toEqual([]);
  },
);
