import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { anthropic } from "../../adapters/index.ts";
import { exportFolder, fileJournal, importFolder, memoryJournal } from "../../store/index.ts";
import { replayJournal } from "../../store/recovery/replay.ts";
import { messagesOf, openRig, type Rig } from "../support/host.ts";

const USE = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "xstate" } };
const RESULT = {
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: [{ type: "web_search_result", url: "https://example.org", title: "T", encrypted_content: "e" }],
};
const CITATION = { type: "web_search_result_location", url: "https://example.org", cited_text: "actors" };
const block = (content: object, more: object = {}): object => ({ block: content, ...more });
const script = (...turns: readonly unknown[]): string => JSON.stringify({ turns });

const SEARCH = {
  blocks: [
    { thinking: "Search first." },
    { text: "I search." },
    block(USE),
    block(RESULT),
    { text: "It has " },
    { text: "actors.", citations: [CITATION] },
  ],
};
const NEXT = { text: "Next." };

/** The blocks of the first response in the newest request, as they were sent. */
function returned(rig: Rig, position = 1): readonly unknown[] {
  const body = rig.mock?.requests.at(-1)?.body as { messages: { content: unknown[] }[] };
  return body.messages[position]?.content ?? [];
}
const errorsOf = ({ task }: Rig): readonly string[] =>
  task.log.toArray().flatMap(({ say, text }) => (say === "error" ? [text ?? ""] : []));
const modelOf = (rig: Rig, name: string) =>
  anthropic({ model: name, apiKey: "mock", baseURL: rig.mock?.url });

describe("blocks that are not interpreted", () => {
  test("are shown by their type, and go back exactly as they came, with citations (L6)", async () => {
    await using rig = await openRig({ script: script(SEARCH, NEXT) });
    expect(await rig.task.run("What is XState?")).toMatchObject({ result: "I search.\n\nIt has actors." });
    expect(messagesOf(rig.task)).toEqual([
      "say:text",
      "say:api_req_started",
      "say:reasoning",
      "say:text",
      "say:opaque",
      "say:opaque",
      "say:text",
      "say:text",
      "ask:completion_result",
    ]);
    const opaque = rig.task.log.toArray().filter(({ say }) => say === "opaque");
    expect(opaque.map(({ text }) => text?.split("\n")[0])).toEqual([USE.type, RESULT.type]);
    expect(await rig.task.run("Go on")).toMatchObject({ result: "Next." });
    expect(returned(rig).slice(1)).toEqual([
      { type: "text", text: "I search." },
      USE,
      RESULT,
      { type: "text", text: "It has " },
      { type: "text", text: "actors.", citations: [CITATION] },
    ]);
  });

  test("continue a paused turn", async () => {
    await using rig = await openRig({
      script: script(
        { blocks: [{ text: "I search." }, block(USE)] },
        [block(RESULT), { text: "Found." }],
        NEXT,
      ),
      pauses: true,
    });
    expect(await rig.task.run("Search")).toMatchObject({ result: "Found." });
    expect(returned(rig)).toEqual([{ type: "text", text: "I search." }, USE]);
    await rig.task.run("Go on");
    expect(returned(rig)).toEqual([
      { type: "text", text: "I search." },
      USE,
      RESULT,
      { type: "text", text: "Found." },
    ]);
  });

  test("are kept where a response has nothing else", async () => {
    const compaction = { type: "compaction", content: "Earlier: nothing." };
    await using rig = await openRig({ script: script([block(compaction)], NEXT) });
    expect(await rig.task.run("Go")).toMatchObject({ result: "Next." });
    expect(returned(rig)).toEqual([compaction]);
    expect(messagesOf(rig.task)).toContain("say:opaque");
  });

  test("keep the fields of a tool call, such as its caller", async () => {
    const call = {
      type: "tool_use",
      id: "toolu_9",
      name: "list_files",
      input: { path: "." },
      caller: { type: "direct" },
    };
    await using rig = await openRig({ script: script([block(call)], NEXT) });
    expect(await rig.task.run("Look")).toMatchObject({ result: "Next." });
    expect(returned(rig)).toEqual([call]);
  });

  test("of a server tool whose result never came stay out of later requests, and a message says so", async () => {
    const slow = { text: "Found.", chunk: 1, delayMs: 60_000 };
    const rules = [
      { when: { user: "is now resumed" }, turns: [NEXT, NEXT] },
      { turns: [{ blocks: [{ text: "I search." }, block(USE)] }, slow] },
    ];
    await using rig = await openRig({ script: JSON.stringify({ rules }), pauses: true });
    const end = rig.task.run("Search");
    await rig.until(({ snapshot }) => snapshot.matches({ streaming: "receiving" }));
    await rig.until(({ snapshot }) => snapshot.matches({ streaming: "preparing" }));
    await rig.until(({ snapshot }) => snapshot.matches({ streaming: "receiving" }));
    rig.task.cancel();
    expect(await end).toMatchObject({ state: "resumable" });
    expect(await rig.task.run()).toMatchObject({ result: "Next." });
    expect(returned(rig)).toEqual([{ type: "text", text: "I search." }]);
    expect(errorsOf(rig)).toEqual([
      "A server tool has no result: 1 block of the last response stays out of the next requests.",
    ]);
  });

  test("and thinking go back only to their model, and a message says how many stay out", async () => {
    await using rig = await openRig({ script: script(SEARCH, NEXT, NEXT) });
    await rig.task.run("What is XState?");
    await rig.task.close();
    const other = await rig.host.open(rig.task.id, { model: modelOf(rig, "claude-haiku-4-5") });
    await other.run("Go on");
    expect(returned(rig)).toEqual([
      { type: "text", text: "I search." },
      { type: "text", text: "It has " },
      { type: "text", text: "actors." },
    ]);
    const changed = other.log.toArray().find(({ text }) => text?.startsWith("The model changed"));
    expect(changed?.text).toContain("3 blocks of earlier responses");
    await other.close();
    const first = await rig.host.open(rig.task.id, { model: modelOf(rig, "claude-sonnet-4-5") });
    await first.run("And back");
    expect(returned(rig)).toHaveLength(6);
  });

  test("are exported as they came, and imported with their model", async () => {
    await using rig = await openRig({ script: script(SEARCH, NEXT) });
    await rig.task.run("What is XState?");
    await rig.task.close();
    const folder = await mkdtemp(path.join(tmpdir(), "opaque-"));
    try {
      await exportFolder(fileJournal({ dir: path.join(rig.dataDir, "tasks", rig.task.id) }), folder);
      const exported = JSON.parse(await readFile(path.join(folder, "api_conversation_history.json"), "utf8"));
      expect(exported[1]).toMatchObject({ model: { provider: "anthropic", id: "claude-sonnet-4-5" } });
      expect(exported[1].content).toContainEqual(USE);
      const driver = memoryJournal();
      await importFolder(folder, { driver, taskId: "imported", importedAt: 1 });
      const imported = await replayJournal(driver);
      expect(imported?.recorded.conversation.at(1)).toEqual(rig.task.snapshot.context.conversation.at(1));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("the end of a response keeps its name", () => {
  test.each([
    [
      "model_context_window_exceeded",
      "The response was cut at the end of the context window (model_context_window_exceeded).",
    ],
  ])("%s, in a message, and the task continues", async (stop, message) => {
    await using rig = await openRig({ script: script({ text: "Half", stop }, NEXT) });
    expect(await rig.task.run("Write")).toMatchObject({ result: "Next." });
    expect(errorsOf(rig)).toEqual([message]);
  });

  test("a refusal is an error that says so", async () => {
    await using rig = await openRig({ script: script({ text: "I", stop: "refusal" }, NEXT) });
    expect(await rig.task.run("Write")).toMatchObject({ ask: "failure" });
    expect(rig.task.log.at(-1)?.text).toContain("The model refused to respond");
  });

  test("a call that is cut at the end of the context window is not run, and its error says why (L7)", async () => {
    const cut = {
      raw: { tool: "write_to_file", json: '{"path":"a","content":"b"}' },
      stop: "model_context_window_exceeded",
    };
    await using rig = await openRig({ script: script(cut, NEXT) });
    await rig.task.run("Write");
    expect(errorsOf(rig)[0]).toContain("the end of the context window (model_context_window_exceeded)");
  });
});
