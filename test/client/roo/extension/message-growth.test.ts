import { filter, firstValueFrom } from "rxjs";
import { describe, expect, test } from "vitest";
import { ExtensionClient, StateStore, TaskBridge } from "../../../../client/index.ts";
import { NO_USAGE } from "../../../../machines/task/request.ts";
import type { ModelEvent } from "../../../../ports/model.ts";
import { openRig, type Rig } from "../../../support/host.ts";
import { call, scripted } from "../../../support/model.ts";
import { listen, say, state, update } from "./spoken.ts";

const wire = (message: unknown): string => JSON.stringify(message);
const plain = (value: unknown): unknown => JSON.parse(wire(value));
const piece = (number: number): string => `${number % 10}${"x".repeat(19)}`;
const numbered = (number: number) => ({ revision: { source: "s", number } });
const grown = (offset: number, text: string, since: number, number: number) => ({
  type: "messageGrown" as const,
  ts: 1,
  offset,
  text,
  since,
  ...numbered(number),
});

/** A task whose row gets its text in so many pieces, each shown before the next one comes. */
async function streaming(pieces: number): Promise<Rig> {
  const shown = async (length: number): Promise<void> => {
    const text = rig.task.messages$.pipe(filter((row) => row.say === "text" && row.partial === true));
    await firstValueFrom(text.pipe(filter((row) => (row.text?.length ?? 0) >= length)));
  };
  async function* turn(): AsyncGenerator<ModelEvent> {
    let length = 0;
    for (let number = 0; number < pieces; number += 1) {
      length += piece(number).length;
      const seen = shown(length);
      yield { type: "text.delta", text: piece(number) };
      await seen;
    }
    yield { type: "block.end" };
    yield* call("attempt_completion", { result: "Done." });
    yield { type: "finished", stopReason: "tool_use", usage: NO_USAGE };
  }
  const rig: Rig = await openRig({ model: scripted([turn]), llm: { frameMs: 0 }, journal: "memory" });
  return rig;
}

/** What goes over the wire while a row of so many pieces streams, and whether the view is the task's after each commit. */
async function sentFor(pieces: number, launches: boolean): Promise<{ characters: number; grown: number }> {
  await using rig = await streaming(pieces);
  let characters = 0;
  let grownCount = 0;
  const client = new ExtensionClient({ sendMessage: (message) => bridge.receive(wire(message)) });
  const bridge = new TaskBridge({
    send: (message) => {
      characters += wire(message).length;
      if (message.type === "messageGrown") grownCount += 1;
      client.handleMessage(wire(message));
    },
  });
  bridge.show(rig.task);
  if (launches) client.launch();
  rig.task.events$.subscribe(() => {
    expect(client.getLastMessage()).toEqual(plain(rig.task.log.at(-1)));
    expect(client.getAgentState()).toEqual(plain(rig.task.state));
  });
  await rig.task.run("Speak");
  expect(client.getMessages()).toEqual(plain(rig.task.log.toArray()));
  return { characters, grown: grownCount };
}

describe("a message that streams over a transport", () => {
  test("costs in proportion to its length: twice the deltas send about twice the characters (L17)", async () => {
    const [some, twice] = [await sentFor(100, true), await sentFor(200, true)];
    expect(some.grown).toBeGreaterThan(90);
    expect(twice.characters / some.characters).toBeLessThan(2.2);
  });

  test("is sent whole each time to a client that does not accept growth", async () => {
    const [some, twice] = [await sentFor(100, false), await sentFor(200, false)];
    expect(some.grown).toBe(0);
    expect(twice.characters / some.characters).toBeGreaterThan(2.5);
  });
});

describe("a growth of a message's text", () => {
  test("is emitted as the grown message", () => {
    const { client, payloads } = listen();
    client.handleMessage(state([say(1, "text", { text: "ab", partial: true })], numbered(1)));
    client.handleMessage({ type: "messageGrown", ts: 1, offset: 2, text: "c" });
    expect(payloads("messageUpdated")).toEqual([say(1, "text", { text: "abc", partial: true })]);
    expect(client.getMessages()).toEqual([say(1, "text", { text: "abc", partial: true })]);
    expect(client.getCurrentState()).toBe("streaming");
  });

  test("waits for the growth before it and for its message; a repeated or late growth changes nothing", () => {
    const { client } = listen();
    const text = () => client.getMessages()[0]?.text;
    client.handleMessage({ ...state([]), ...numbered(1) });
    client.handleMessage(grown(3, "d", 2, 4));
    client.handleMessage(grown(2, "c", 2, 3));
    expect(text()).toBeUndefined();
    client.handleMessage({ ...update(say(1, "text", { text: "ab", partial: true })), ...numbered(2) });
    expect(text()).toBe("abcd");
    client.handleMessage(grown(2, "c", 2, 3));
    expect(text()).toBe("abcd");
    client.handleMessage({ ...update(say(1, "text", { text: "whole" })), ...numbered(6) });
    client.handleMessage(grown(4, "e", 2, 5));
    expect(text()).toBe("whole");
  });

  test("is never appended to a different text of the same length", () => {
    const { client } = listen();
    client.handleMessage({ ...state([say(1, "text", { text: "old" })]), ...numbered(1) });
    client.handleMessage(grown(3, "!", 2, 3));
    expect(client.getMessages()[0]?.text).toBe("old");
    client.handleMessage({ ...update(say(1, "text", { text: "new" })), ...numbered(2) });
    expect(client.getMessages()[0]?.text).toBe("new!");
  });

  test("is held up to a limit: above it the client requests the whole state (L14)", () => {
    const { client, sent } = listen({ heldPieces: 2 });
    client.handleMessage({ ...state([say(1, "text", { text: "ab" })]), ...numbered(1) });
    for (const number of [4, 5, 5]) client.handleMessage(grown(number, "x", 1, number));
    expect(sent).toEqual([]);
    client.handleMessage(grown(6, "x", 1, 6));
    expect(sent).toEqual([{ type: "webviewDidLaunch", takes: ["messageGrown"] }]);
    client.handleMessage({ ...state([say(1, "text", { text: "abcdxxx" })]), ...numbered(7) });
    client.handleMessage(grown(7, "y", 7, 8));
    expect(client.getMessages()[0]?.text).toBe("abcdxxxy");
  });

  test("of another task, or of another run of the sender, is never applied (I14)", () => {
    const { client } = listen();
    client.handleMessage({ ...state([say(1, "text", { text: "ab" })], { taskId: "a" }), ...numbered(1) });
    client.handleMessage({ ...grown(2, "c", 1, 2), taskId: "b" });
    client.handleMessage({ ...grown(2, "c", 1, 2), revision: { source: "other", number: 2 } });
    expect(client.getMessages()[0]?.text).toBe("ab");
  });

  test("that is invalid is an error, and changes nothing", () => {
    const { client, payloads } = listen();
    client.handleMessage(state([say(1, "text", { text: "ab" })]));
    client.handleMessage({ type: "messageGrown", ts: 1, offset: -1, text: "c" });
    client.handleMessage({ type: "messageGrown", ts: 1, offset: 2 });
    expect(payloads("error")).toMatchObject([{ code: "INVALID_MESSAGE" }, { code: "INVALID_MESSAGE" }]);
    expect(client.getMessages()[0]?.text).toBe("ab");
  });

  test("the limit of held growths must be a whole number", () => {
    expect(() => new StateStore({ heldPieces: -1 })).toThrow("heldPieces: expected a whole number");
  });
});
