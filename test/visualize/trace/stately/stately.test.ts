import { once } from "node:events";
import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import {
  createInspector,
  createWebSocketInspector,
  createWebSocketReceiver,
  type StatelyInspectionEvent,
} from "@statelyai/inspect";
import { createInspectorServer } from "@statelyai/inspect/server";
import { describe, expect, expectTypeOf, test, vi } from "vitest";
import { createActor } from "xstate";
import { taskMachine } from "../../../../machines/task/task.machine.ts";
import { allowEverything } from "../../../../tools/index.ts";
import { inspectForStately } from "../../../../visualize/trace/index.ts";
import type { StatelyEvent } from "../../../../visualize/trace/stately/stately-event.ts";
import { DONE, openRig, type Rig } from "../../../support/host.ts";
import { deferred } from "../../../support/model.ts";

const SECRET = "the colour of the door";
const SCRIPT = `[[{ text: ${SECRET} is green }, { tool: write_to_file, input: { path: b.txt, content: ${SECRET} } }], ${DONE}]`;

/** Stately's inspector, and the events sent to it. */
function inspected() {
  const sent: StatelyInspectionEvent[] = [];
  return { sent, inspector: createInspector({ send: (event) => sent.push(event) }) };
}

const openTask = (): Promise<Rig> => openRig({ script: SCRIPT, policy: allowEverything() });

/** The fields that must equal those of Stately's package. */
const kernel = (event: StatelyInspectionEvent) => ({
  type: event.type,
  sessionId: event.sessionId,
  rootId: event.rootId,
  version: event._version,
  ...(event.type === "@xstate.actor"
    ? { name: event.name, parentId: event.parentId }
    : { event: event.event.type }),
  ...(event.type === "@xstate.event" && { sourceId: event.sourceId }),
  ...(event.type === "@xstate.snapshot" && {
    status: event.snapshot.status,
    value: "value" in event.snapshot ? event.snapshot.value : undefined,
  }),
});

describe("the events for Stately's inspector", () => {
  test("have the types of its package", () => {
    expectTypeOf<StatelyEvent>().toExtend<StatelyInspectionEvent>();
  });

  test("equal the package's events, preceded by the actors that were running before", async () => {
    await using rig = await openTask();
    const theirs = inspected();
    const ours = inspected();
    rig.task.inspect((event) => theirs.inspector.inspect.next?.(event));
    inspectForStately(rig.task, (event) => ours.inspector.adapter.send(event));
    await rig.task.run(`Say ${SECRET}`);
    await rig.task.flushed();
    // The package sends each event in its own turn, in order.
    await setTimeout(0);
    const isNews = ({ sessionId, type }: StatelyInspectionEvent) =>
      type !== "@xstate.actor" ||
      theirs.sent.some((event) => event.type === type && event.sessionId === sessionId);
    expect(theirs.sent.length).toBeGreaterThan(50);
    expect(ours.sent.filter(isNews).map(kernel)).toEqual(theirs.sent.map(kernel));
    const known = new Set<string>();
    for (const event of ours.sent) {
      if (event.type === "@xstate.actor") known.add(event.sessionId);
      expect(known).toContain(event.sessionId);
      if (event.type === "@xstate.event" && event.sourceId !== undefined)
        expect(known).toContain(event.sourceId);
    }
    const [first] = ours.sent;
    expect(first).toMatchObject({ type: "@xstate.actor", name: "task", sessionId: first?.rootId });
  });

  test("contain the machine in the package's form", async () => {
    await using rig = await openTask();
    const theirs = inspected();
    createActor(taskMachine, {
      input: { taskId: "t1" },
      inspect: (event) => theirs.inspector.inspect.next?.(event),
    });
    const ours: StatelyEvent[] = [];
    inspectForStately(rig.task, (event) => ours.push(event));
    await rig.task.run("Go");
    await setTimeout(0);
    const definitionOf = (events: readonly StatelyInspectionEvent[]): unknown => {
      const [actor] = events.filter(({ type }) => type === "@xstate.actor");
      return actor?.type === "@xstate.actor" && JSON.parse(actor.definition ?? "");
    };
    expect(definitionOf(ours)).toEqual(definitionOf(theirs.sent));
    expect(definitionOf(ours)).toMatchObject({ id: "task", states: { streaming: {}, idle: {} } });
  });

  test("L17: contain no text of the task, and are bounded", async () => {
    await using rig = await openTask();
    const received: StatelyEvent[] = [];
    inspectForStately(rig.task, (event) => received.push(event));
    await rig.task.run(`Say ${SECRET}`);
    expect(JSON.stringify(rig.task.log.toArray())).toContain(SECRET);
    expect(JSON.stringify(received)).not.toContain(SECRET);
    const sizes = received
      .filter(({ type }) => type !== "@xstate.actor")
      .map((event) => JSON.stringify(event).length);
    expect(Math.max(...sizes)).toBeLessThan(2_000);
    const last = received.findLast(
      ({ type, sessionId, rootId }) => type === "@xstate.snapshot" && sessionId === rootId,
    );
    expect(last).toMatchObject({ snapshot: { context: { messages: rig.task.log.length, queued: 0 } } });
  });

  test("stop when the returned function is called", async () => {
    await using rig = await openTask();
    const received: StatelyEvent[] = [];
    const stop = inspectForStately(rig.task, (event) => received.push(event));
    stop();
    await rig.task.run("Go");
    expect(received).toEqual([]);
  });

  test("pass the package's server, over WebSockets, unchanged", async () => {
    const created = vi.spyOn(http, "createServer");
    const server = createInspectorServer({ port: 0, autoOpen: false });
    const [{ value: listener } = expect.fail()] = created.mock.results;
    created.mockRestore();
    const sockets: Socket[] = [];
    listener.on("connection", (socket: Socket) => sockets.push(socket));
    await once(listener, "listening");
    const url = `ws://localhost:${(listener.address() as AddressInfo).port}`;
    const received: StatelyInspectionEvent[] = [];
    const isAllThere = deferred();
    await using rig = await openTask();
    createWebSocketReceiver({ server: url }).subscribe((event) => {
      received.push(event);
      if (received.length === sent.length) isAllThere.resolve();
    });
    await once(listener, "upgrade");
    const inspector = createWebSocketInspector({ url, maxDeferredEvents: 10_000 });
    const sent: StatelyEvent[] = [];
    const isDone = rig.task.run("Go");
    const stop = inspectForStately(rig.task, (event) => sent.push(event));
    await isDone;
    stop();
    expect(sent.length).toBeGreaterThan(50);
    for (const event of sent) inspector.adapter.send(event);
    if (received.length < sent.length) await isAllThere.promise;
    expect(received).toEqual(JSON.parse(JSON.stringify(sent)));
    inspector.stop();
    server.stop();
    for (const socket of sockets) socket.destroy();
  });
});
