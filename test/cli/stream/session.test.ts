import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { RequestIds } from "../../../cli/stream/request-ids.ts";
import { StreamSession } from "../../../cli/stream/session.ts";
import { JsonEventEmitter } from "../../../client/index.ts";
import { jsonEventSchema, type StdinCommand } from "../../../wire/index.ts";
import { openRig, type Rig } from "../../support/host.ts";
import { deferred } from "../../support/model.ts";
import { stillClock } from "../../support/still-clock.ts";

/** A session with one task, which is held before each delivery of a queued message until it is released. */
async function heldSession(rig: Rig) {
  const stdout = new PassThrough();
  const ids = new RequestIds();
  const emitter = new JsonEventEmitter({
    mode: "stream-json",
    stdout,
    capabilities: [],
    requestIdProvider: (event) => ids.of(event),
  });
  const left = deferred<number>();
  const clock = stillClock();
  const exit = { code: undefined as number | undefined };
  rig.task.breakpoints.set({ events: ["timer.fired"] });
  const session = new StreamSession({
    host: rig.host,
    emitter,
    ids,
    clock,
    newId: () => rig.task.id,
    create: async () => rig.task,
    exitOnError: false,
    withMessages: false,
    leave: (code) => {
      exit.code = code;
      left.resolve(code);
    },
  });
  const handle = (command: StdinCommand): Promise<void> => session.handle(command);
  await handle({ command: "start", requestId: "s", prompt: "Go" });
  await rig.ask("completion");
  await handle({ command: "queue", requestId: "a", prompt: "First" });
  expect(rig.task.snapshot.value).toEqual({ idle: "delivering" });
  const lines: string[] = [];
  return {
    session,
    handle,
    clock,
    exit,
    left: left.promise,
    release: () => rig.task.breakpoints.set({}),
    /** Control codes by request, and the results. */
    async events() {
      await emitter.flushed();
      lines.push(
        ...String(stdout.read() ?? "")
          .split("\n")
          .filter(Boolean),
      );
      return lines
        .map((line) => jsonEventSchema.parse(JSON.parse(line)))
        .flatMap(({ type, subtype, code, requestId, content }) => {
          if (type === "control") return subtype === "ack" ? [] : [`${requestId}: ${code}`];
          return type === "result" ? [`${requestId}: ${content}`] : [];
        });
    },
  };
}

const SCRIPT = "[{ text: One. }, { text: Two. }, { text: Three. }, { text: Four. }]";
const options = { script: SCRIPT, queueDelivery: "one" } as const;

test("a message at the moment of a delivery is queued behind the others, and the end of the input waits for both (QUEUE)", async () => {
  await using rig = await openRig(options);
  const held = await heldSession(rig);
  await held.handle({ command: "message", requestId: "b", prompt: "Second" });
  await held.handle({ command: "start", requestId: "s2", prompt: "Another" });
  await held.session.inputEnded();
  expect(held.clock.pending).toBe(0);
  expect(held.exit.code).toBeUndefined();
  held.release();
  expect(await held.left).toBe(0);
  expect(await held.events()).toEqual([
    "s: One.",
    "s: task_completed",
    "a: queued",
    "b: queued",
    "s2: task_busy",
    "a: Two.",
    "b: Three.",
  ]);
  held.session.close();
});

test("a cancel at the moment of a delivery keeps the message, and the next answer continues the task (QUEUE)", async () => {
  await using rig = await openRig(options);
  const held = await heldSession(rig);
  await held.handle({ command: "cancel", requestId: "c" });
  await rig.task.flushed();
  expect(rig.task.snapshot.value).toEqual({ idle: "completing" });
  expect(rig.task.snapshot.context.queue).toMatchObject([{ text: "First" }]);
  rig.task.breakpoints.set({ events: ["llm.finished"] });
  await held.handle({ command: "message", requestId: "m", prompt: "Go on" });
  await held.handle({ command: "message", requestId: "n", prompt: "While it works" });
  await held.session.inputEnded();
  held.release();
  expect(await held.left).toBe(0);
  expect(await held.events()).toEqual([
    "s: One.",
    "s: task_completed",
    "a: queued",
    "c: cancel_requested",
    "m: responded",
    "n: queued",
    "m: Two.",
    "a: Three.",
    "n: Four.",
  ]);
  held.session.close();
});
