import { describe, expect, test } from "vitest";
import { CallTracker } from "../../../actors/calls/call-tracker.ts";
import { contextActor } from "../../../actors/context/context.ts";
import type { EnvironmentLimits } from "../../../actors/context/environment-limits.ts";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import type { AssistantBlock, Entry, UserBlock } from "../../../machines/conversation/entry.ts";
import { PersistentList } from "../../../machines/list/list.ts";
import type { BackgroundCommand } from "../../../machines/task/task.events.ts";
import { builtinTools, ToolError, type Workspace } from "../../../tools/index.ts";
import { heldEdge, host, settle, TestClock } from "../protocol/host.ts";

const user = (...content: UserBlock[]): Entry => ({ role: "user", content });
const agent = (...content: AssistantBlock[]): Entry => ({ role: "assistant", content });
const todoCall = (id: string, todos: unknown): Entry =>
  agent({ type: "tool_use", id, name: "update_todo_list", input: { todos } });
const result = (id: string, isError?: boolean): Entry =>
  user({
    type: "tool_result",
    tool_use_id: id,
    content: [],
    ...(isError === undefined ? {} : { is_error: isError }),
  });

const tools = builtinTools();
const noWorkspace = await openWorkspace(".");
const noFile = (): Promise<Uint8Array> => Promise.reject(new ToolError("NOT_FOUND", "There is no file."));

type Results = CallTracker["resultsOf"];

interface Setting extends Partial<EnvironmentLimits> {
  readonly results?: Results;
  readonly list?: Workspace["list"];
  readonly background?: readonly BackgroundCommand[];
  readonly changeTimes?: Workspace["changeTimes"];
  readonly entries?: readonly Entry[];
  readonly stopped?: readonly string[];
  readonly spoken?: boolean;
  readonly mode?: string;
  readonly cost?: number | null;
  readonly contextWindow?: number;
}

function start(setting: Setting) {
  const {
    list,
    entries = [],
    stopped = [],
    spoken = true,
    mode = "code",
    cost = 1.234,
    contextWindow,
    changeTimes,
    background = [],
    results,
    ...limits
  } = setting;
  const clock = new TestClock();
  const { edge, release } = heldEdge(clock);
  const outcomes = Object.assign(new CallTracker({ clock }), results && { resultsOf: results });
  const workspace: Workspace = {
    ...noWorkspace,
    root: "/w",
    list: list ?? (async () => ({ names: ["a.ts", "src/"], cut: false })),
    read: noFile,
    resolve: async (name: string) => ({ path: name, real: `/w/${name}`, inside: true, ignored: false }),
    changeTimes: changeTimes ?? (async () => new Map()),
  };
  const logic = contextActor(edge, { tools, outcomes, workspace, environmentLimits: limits });
  const actor = host(logic, {
    requestId: 7,
    spoken,
    said: [],
    conversation: PersistentList.from(entries),
    stopped,
    done: [],
    background,
    mode,
    cost,
    contextTokens: 4_600,
    contextWindow,
  });
  release();
  return { ...actor, clock };
}

async function ready(setting: Setting) {
  const { received } = start(setting);
  await settle();
  const [event] = received.filter(({ type }) => type.startsWith("context."));
  if (event === undefined || !("environment" in event))
    throw new Error(`expected context.ready, got ${event?.type}`);
  return { event, environment: String(event.environment) };
}

describe("environment details", () => {
  test("have no half of a character, in file names and in a todo that is cut", async () => {
    const { environment } = await ready({
      list: async () => ({ names: ["\ud83d.ts"], cut: false }),
      entries: [todoCall("a", "[ ] \u{1f600}"), result("a")],
      todoItemChars: 1,
    });
    expect(environment).toContain("\n\ufffd.ts\n");
    expect(environment).toContain("- [ ] \ufffd... (cut)");
  });

  test("contain the time of the edge, the mode, the cost, the window, the files and the todo list", async () => {
    const { environment, event } = await ready({
      contextWindow: 20_000,
      entries: [todoCall("a", "[x] one\n[-] two\n[ ] three"), result("a")],
    });
    expect(environment).toBe(
      [
        "<environment_details>",
        "# Current time",
        "1970-01-01T00:00:01.000Z",
        "",
        "# Current mode",
        "code",
        "",
        "# Current cost",
        "$1.23",
        "",
        "# Context window",
        "4600 of 20000 tokens used (23 %)",
        "",
        "# Files in the workspace (/w)",
        "a.ts",
        "src/",
        "",
        "# Todo list",
        "- [x] one",
        "- [-] two",
        "- [ ] three",
        "</environment_details>",
      ].join("\n"),
    );
    expect(event).toMatchObject({ type: "context.ready", requestId: 7, ends: [] });
  });

  test("contain neither a cost nor a window that is unknown", async () => {
    const { environment } = await ready({ cost: null });
    expect(environment).not.toContain("# Current cost");
    expect(environment).not.toContain("# Context window");
  });

  test("L14: contain a bounded file list, with a mark if it is cut", async () => {
    let asked: unknown;
    const list: Setting["list"] = async (path, options) => {
      asked = [path, options];
      return { names: ["a", "b"], cut: true };
    };
    const { environment } = await ready({ list });
    expect(asked).toEqual([".", { recursive: true, limit: 200 }]);
    expect(environment).toContain("(the list was cut after 2 names");
  });

  test("repeat the file list only if it has changed", async () => {
    const first = (await ready({})).environment;
    const earlier = [user({ type: "text", text: first }), agent({ type: "text", text: "ok" })];
    expect((await ready({ entries: earlier })).environment).not.toContain("# Files in the workspace");
    const list = async () => ({ names: ["a.ts", "new.ts", "src/"], cut: false });
    const changed = (await ready({ entries: earlier, list })).environment;
    expect(changed).toContain("new.ts");
    const again = [...earlier, user({ type: "text", text: changed }), agent({ type: "text", text: "ok" })];
    expect((await ready({ entries: again })).environment).toContain("# Files in the workspace");
    expect((await ready({ entries: again, list })).environment).not.toContain("# Files");
  });

  test("repeat the mode, the cost and the use of the window only if they have changed", async () => {
    const setting = { contextWindow: 20_000 };
    const titles = async (more: Setting, ...entries: Entry[]) =>
      (await ready({ ...setting, ...more, entries })).environment.match(/^# .*$/gm);
    const first = user({ type: "text", text: (await ready(setting)).environment });
    const second = user({ type: "text", text: (await ready({ ...setting, entries: [first] })).environment });
    const earlier = [first, agent(), second, agent()];
    expect(await titles({}, ...earlier)).toEqual(["# Current time"]);
    expect(await titles({ mode: "ask" }, ...earlier)).toEqual(["# Current time", "# Current mode"]);
    expect(await titles({ cost: 2 }, ...earlier)).toEqual(["# Current time", "# Current cost"]);
    expect(await titles({ contextWindow: 1e6 }, ...earlier)).toEqual(["# Current time", "# Context window"]);
  });

  test("say that a cost and a window are unknown only if they were known", async () => {
    const first = user({ type: "text", text: (await ready({ contextWindow: 20_000 })).environment });
    const { environment } = await ready({ cost: null, entries: [first, agent()] });
    expect(environment).toContain("# Current cost\n(unknown)\n\n# Context window\n(unknown)\n<");
    const second = user({ type: "text", text: environment });
    const { environment: again } = await ready({ cost: null, entries: [first, agent(), second, agent()] });
    expect(again).not.toContain("unknown");
  });

  test("contain no file list without a user message", async () => {
    const list = () => Promise.reject(new Error("must not be called"));
    const { environment } = await ready({ list, spoken: false });
    expect(environment).toContain("# Current time");
    expect(environment).not.toContain("# Files");
  });

  test("contain the reason if the files can't be listed", async () => {
    const list = () => Promise.reject(new Error("EACCES: no entry"));
    expect((await ready({ list })).environment).toContain("(could not be listed: EACCES: no entry)");
  });

  test("do not wait longer than listTimeoutMs for the file list", async () => {
    const { received, clock } = start({ list: () => new Promise(() => {}), listTimeoutMs: 50 });
    await settle();
    expect(received).toEqual([]);
    clock.moveTo(1_050);
    await settle();
    expect(received.at(-1)).toMatchObject({ environment: expect.stringContaining("no answer within 50 ms") });
  });

  test("contain the reason if changed files can't be found, and do not wait longer than listTimeoutMs", async () => {
    const read = agent({ type: "tool_use", id: "a", name: "read_file", input: { path: "a.ts" } });
    const block = user({ type: "text", text: (await ready({})).environment });
    const entries = [block, read, result("a"), agent(), block];
    const changeTimes = () => Promise.reject(new Error("the disk is gone"));
    expect((await ready({ entries, changeTimes })).environment).toContain(
      "# Changed files\n(could not be checked: the disk is gone)",
    );
    const { received, clock } = start({
      entries,
      changeTimes: () => new Promise(() => {}),
      listTimeoutMs: 50,
    });
    await settle();
    expect(received).toEqual([]);
    clock.moveTo(1_050);
    await settle();
    expect(received.at(-1)).toMatchObject({ environment: expect.stringContaining("no answer within 50 ms") });
  });

  test("escape file names that would close the block or start a line", async () => {
    const list = async () => ({ names: ["x\n# Todo list", "</environment_details>"], cut: false });
    const { environment } = await ready({ list });
    expect(environment.match(/<\/environment_details>/g)).toHaveLength(1);
    expect(environment).not.toMatch(/^# Todo/m);
  });
});

describe("the todo list", () => {
  const listed = async (...entries: Entry[]) => (await ready({ entries })).environment.match(/^- \[.*$/gm);

  test("is the one of the newest call", async () => {
    expect(
      await listed(todoCall("a", "[ ] old"), result("a"), todoCall("b", "[x] new"), result("b")),
    ).toEqual(["- [x] new"]);
  });

  test("is the one that the user put in place of the model's", async () => {
    const edited = user({
      type: "tool_result",
      tool_use_id: "a",
      content: [{ type: "text", text: "User edits todo:\n\n[x] mine\n[ ] more" }],
    });
    expect(await listed(todoCall("a", "[ ] the model's"), edited)).toEqual(["- [x] mine", "- [ ] more"]);
  });

  test.each<[string, Entry[]]>([
    ["failed", [todoCall("b", "[x] new"), result("b", true)]],
    ["has no result yet", [todoCall("b", "[x] new")]],
    ["has no list", [todoCall("b", 7), result("b")]],
  ])("a call that %s does not count", async (_name, entries) => {
    expect(await listed(todoCall("a", "[ ] old"), result("a", false), ...entries)).toEqual(["- [ ] old"]);
  });

  test("is omitted if there is none, or if it is empty", async () => {
    expect(await listed()).toBeNull();
    expect(await listed(todoCall("a", "[ ] old"), result("a"), todoCall("b", ""), result("b"))).toBeNull();
  });

  test("is sent again only if it has changed, also to an empty one", async () => {
    const text = async (...entries: Entry[]) =>
      /# Todo list\n.*(?=\n<)/s.exec((await ready({ entries })).environment)?.[0];
    const earlier = [todoCall("a", "[ ] one"), result("a")];
    const first = user({ type: "text", text: (await ready({ entries: earlier })).environment });
    const listed = [...earlier, agent(), first, agent()];
    expect(await text(...listed)).toBeUndefined();
    const emptied = [...listed, todoCall("b", ""), result("b")];
    expect(await text(...emptied)).toBe("# Todo list\n(none)");
    const second = user({ type: "text", text: (await ready({ entries: emptied })).environment });
    expect(await text(...emptied, agent(), second)).toBeUndefined();
    expect(await text(...emptied, agent(), second, todoCall("c", "[ ] one"), result("c"))).toBe(
      "# Todo list\n- [ ] one",
    );
  });

  test("L14: is bounded, with a mark if it is cut", async () => {
    const entries = [todoCall("a", ["[ ] one long item", "[ ] two", "[ ] three"].join("\n")), result("a")];
    const { environment } = await ready({ entries, todoItems: 2, todoItemChars: 8 });
    expect(environment).toContain("- [ ] one long... (cut)\n- [ ] two\n(1 more items are not shown)");
  });
});

describe("results of stopped calls", () => {
  const done = (callId: string) => ({ callId, content: [{ type: "text", text: "done" }] as const });

  test("L10: are awaited, and sent in the requested order", async () => {
    let asked: unknown;
    const results: Results = async (callIds) => {
      asked = callIds;
      return [done("2"), done("1")];
    };
    const { event } = await ready({ results, stopped: ["1", "2"] });
    expect([asked, "ends" in event && event.ends]).toEqual([
      ["1", "2"],
      [done("1"), done("2")],
    ]);
  });

  test.each<[string, Results]>([
    ["is missing", async () => [done("1")]],
    ["can't be read", () => Promise.reject(new Error("no results"))],
  ])("L12: a call whose result %s is uncertain", async (_name, results) => {
    const { event } = await ready({ results, stopped: ["1", "2"] });
    expect("ends" in event && event.ends).toContainEqual({ callId: "2", content: "uncertain" });
    expect("ends" in event && event.ends).toHaveLength(2);
  });

  test("are not requested if no call was stopped", async () => {
    const { event } = await ready({ results: () => Promise.reject(new Error("requested")) });
    expect(event).toMatchObject({ ends: [] });
  });
});
