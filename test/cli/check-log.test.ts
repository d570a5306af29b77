import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { checkLog } from "../../cli/log/check-log.ts";

const dir = mkdtempSync(path.join(tmpdir(), "log-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const write = (name: string, text: string): string => {
  const file = path.join(dir, name);
  writeFileSync(file, text);
  return file;
};

async function check(file: string, format?: "json"): Promise<{ code: number; said: string }> {
  let said = "";
  const stdout = new Writable({
    write: (piece, _encoding, done) => {
      said += String(piece);
      done();
    },
  });
  const code = await checkLog(file, { stdout }, format === undefined ? {} : { format });
  return { code, said: said.replaceAll(`${dir}/`, "") };
}

const GOOD = [{ ts: 1, type: "say", say: "text", text: "Fix it" }];
const BAD = [...GOOD, { ts: 1, type: "say", say: "text", text: "again" }];

describe("signalbox verify --log", () => {
  const journals = fileURLToPath(new URL("../fixtures/journals", import.meta.url));
  const files = ["v1", "v2", "v3"].flatMap((version) =>
    readdirSync(path.join(journals, version)).map((name) => path.join(version, name)),
  );
  it.each(files)("finds nothing in a signalbox journal: %s", async (name) => {
    const { code, said } = await check(path.join(journals, name));
    expect(said).toContain("no violations");
    expect(code).toBe(0);
  });

  it("exits with 0 for valid messages, and with 1 and the message for others", async () => {
    expect(await check(write("good.json", JSON.stringify(GOOD)))).toEqual({
      code: 0,
      said: "good.json: messages, 1 message, no violations.\n",
    });
    expect(await check(write("bad.json", JSON.stringify(BAD)))).toEqual({
      code: 1,
      said: "bad.json: messages, 2 messages, 1 violation.\n  L5  message 1: expected: a ts after the previous message's 1; got: 1\n",
    });
  });

  it("reads a conversation as an array, as a request's body and line by line", async () => {
    const entries = [
      { role: "user", content: "go" },
      { role: "assistant", content: [] },
    ];
    const line = "L6  entry 1: expected: no entry is empty; got: The entry has no blocks.";
    const texts = {
      "a.json": JSON.stringify(entries),
      "b.json": JSON.stringify({ model: "m", messages: entries }, undefined, 2),
      "c.jsonl": entries.map((entry) => JSON.stringify(entry)).join("\n"),
      "d.jsonl": entries.map((message) => JSON.stringify({ type: message.role, message })).join("\n"),
    };
    for (const [name, text] of Object.entries(texts)) {
      const { code, said } = await check(write(name, text));
      expect(said).toBe(`${name}: conversation, 2 entries, 1 violation.\n  ${line}\n`);
      expect(code).toBe(1);
    }
  });

  it("reads changes line by line", async () => {
    const changes = BAD.map((message) => JSON.stringify({ type: "message.appended", message }));
    const { code, said } = await check(write("changes.jsonl", `${changes.join("\n")}\n`));
    expect(said).toContain("L5  event 1:");
    expect(code).toBe(1);
  });

  it("reads both files of a Roo Code folder, without entries that are not sent", async () => {
    const folder = mkdtempSync(path.join(dir, "roo-"));
    writeFileSync(path.join(folder, "ui_messages.json"), JSON.stringify(BAD));
    const api = [
      { role: "user", content: "long ago", condenseParent: "c", ts: 1 },
      { role: "user", content: "go", ts: 2, isSummary: true, condenseId: "c" },
      { role: "user", content: "and go", ts: 3 },
    ];
    writeFileSync(path.join(folder, "api_conversation_history.json"), JSON.stringify(api));
    const { said } = await check(folder);
    expect(said).toContain("ui_messages.json: messages, 2 messages, 1 violation.");
    expect(said).toContain("L6  entry 2: expected: roles alternate;");
    expect(said).not.toContain("entry 1:");
  });

  it("prints the same as JSON", async () => {
    const { said } = await check(write("json.json", JSON.stringify(BAD)), "json");
    expect(JSON.parse(said)).toMatchObject({ kind: "rows", violations: [{ law: "L5", at: 1 }] });
  });
});

describe("an invalid log", () => {
  const CASES = [
    ["cut.json", '[\n{"ts":1,\n"type":', "line 3 (byte 18): expected more of a JSON array, got the end"],
    ["bad.json", '[{"é":1}, oops]', "line 1 (byte 11)"],
    ["words.txt", "Hello\nworld", "line 1 (byte 0): expected a JSON array or JSON lines of messages"],
    ["late.jsonl", '{"role":"user","content":"é"}\nnonsense', "line 2 (byte 31)"],
    ["number.json", "[7]", "element 0: expected a JSON array or JSON lines of messages"],
    ["other.json", '{"name":"signalbox"}', "line 1: expected a JSON array or JSON lines of messages"],
    ["row.json", '[{"ts":1,"type":"say"},{"type":"say"}]', "element 1, at ts: expected a message, got "],
    [
      "images.json",
      '[{"ts":1,"type":"say","images":["a",1]}]',
      "element 0, at images[1]: expected a message",
    ],
    ["change.json", '{"type":"log.truncated","length":-1}', "line 1, at length: expected a change of a log"],
    [
      "role.json",
      '[{"role":"system","content":"x"}]',
      'element 0: expected an entry with role "user" or "assistant"',
    ],
  ] as const;
  it.each(CASES)(
    "is rejected with its position, what was expected and what came: %s",
    async (name, text, message) => {
      const file = write(name, text);
      await expect(check(file)).rejects.toMatchObject({
        code: "CLI",
        message: expect.stringContaining(message),
      });
    },
  );

  it("is shortened in the error (L14)", async () => {
    const file = write("long.json", JSON.stringify([{ ts: "x".repeat(100_000), type: "say" }]));
    await expect(check(file)).rejects.toThrow(/^.{1,400}$/);
  });

  it("is a folder without a log, and a file that isn't there", async () => {
    await expect(check(mkdtempSync(path.join(dir, "empty-")))).rejects.toThrow(/found none/);
    await expect(check(path.join(dir, "nowhere.json"))).rejects.toThrow(/can't be read/);
  });
});
