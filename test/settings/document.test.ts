import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { parseDocument, readDocument } from "../../settings/document.ts";
import { SettingsError } from "../../settings/index.ts";

const Schema = z.strictObject({
  version: z.literal(1),
  mode: z.enum(["plan", "ask"]).optional(),
  limits: z.strictObject({ requests: z.number().int().min(1).optional() }).optional(),
  rules: z.array(z.string().max(5)).optional(),
  names: z
    .record(z.string().regex(/^[a-z]+$/, "expected a name of lower-case letters. Rename it."), z.string())
    .optional(),
});
const folder = mkdtempSync(path.join(tmpdir(), "settings-document-"));
afterAll(() => rmSync(folder, { recursive: true }));

const parse = async (text: string) => (await parseDocument(text, "f.yaml", Schema)).value;
async function problem(text: string, options = {}): Promise<string> {
  const error: unknown = await parseDocument(text, "f.yaml", Schema, options).catch(
    (cause: unknown) => cause,
  );
  if (!(error instanceof SettingsError))
    throw new Error(`Expected a SettingsError, received ${String(error)}.`);
  return error.message;
}
async function readProblem(file: string, options = {}): Promise<string> {
  const error: unknown = await readDocument(file, Schema, options).catch((cause: unknown) => cause);
  return error instanceof SettingsError
    ? `${error.code} ${error.message}`
    : `no SettingsError: ${String(error)}`;
}

describe("a text of settings", () => {
  test.each([
    ["YAML", "version: 1\nmode: ask\n"],
    ["JSON", '{"version": 1, "mode": "ask"}'],
    ["JSON indented with tabs", '{\n\t"version": 1,\n\t"mode": "ask"\n}'],
    ["CRLF and a byte order mark", "\uFEFFversion: 1\r\nmode: ask\r\n"],
  ])("is parsed from %s", async (_, text) => {
    expect(await parse(text)).toEqual({ version: 1, mode: "ask" });
  });

  test("knows the line of each key, also with CRLF", async () => {
    const document = await parseDocument(
      "\uFEFFversion: 1\r\n# why\r\nlimits:\r\n  requests: 3\r\nrules: [a,\r\n b]\r\n",
      "f.yaml",
      Schema,
    );
    expect(document.lineOf(["limits", "requests"])).toBe(4);
    expect(document.lineOf(["rules", 1])).toBe(6);
    expect(document.lineOf(["absent"])).toBe(1);
  });

  test("is rejected with line, column, key, what was expected and what came", async () => {
    expect(await problem("version: 1\nlimits:\n  requests: often\nmode: fast\n")).toBe(
      [
        "f.yaml:4:1: mode: expected plan or ask, received fast. Correct it.",
        "f.yaml:3:3: limits.requests: expected a number, received a text of 5 characters. Correct it.",
      ].join("\n"),
    );
    expect(await problem("mode: ask")).toBe("f.yaml:1:1: version: expected 1, received nothing. Add it.");
    expect(await problem("")).toBe("f.yaml:1:1: version: expected 1, received nothing. Add it.");
    expect(await problem("- a")).toBe(
      "f.yaml:1:1: expected an object, received a list of 1 entries. Correct it.",
    );
    expect(await problem("version: 1\nlimits: {requests: 0}")).toContain("expected at least 1, received 0.");
    expect(await problem("version: 1\nrules:\n- ok\n- too long")).toBe(
      "f.yaml:4:3: rules.1: expected at most 5 characters, received a text of 8 characters. Correct it.",
    );
    expect(await problem("version: 1\nnames:\n  A: x")).toBe(
      "f.yaml:3:3: names.A: expected a name of lower-case letters. Rename it.",
    );
  });

  test("with an unknown key is rejected with the known ones", async () => {
    expect(await problem("version: 1\nlimits:\n  request: 3\n")).toBe(
      "f.yaml:3:3: limits.request: expected one of requests; this key is unknown. Remove it, or correct its name.",
    );
    expect(await problem("version: 1\n'\u001b[2Jx': 3\n")).toContain(
      "f.yaml:2:1: '\\u{1b}[2Jx': expected one of version, mode",
    );
  });

  test("with many problems is rejected with the first ten and the number of the others", async () => {
    const lines = (await problem(Array.from({ length: 500 }, (_, index) => `k${index}: 1`).join("\n"))).split(
      "\n",
    );
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe("and 491 more.");
  });

  test.each([
    [
      "two keys of the same name",
      "version: 1\nmode: ask\nmode: plan",
      "f.yaml:3:1: expected YAML or JSON, but the key mode occurs twice",
    ],
    [
      "an anchor",
      "version: 1\nmode: &m ask",
      "f.yaml:2:7: expected YAML or JSON, but anchors are not supported",
    ],
    [
      "an alias",
      "version: 1\r\nmode: *m",
      "f.yaml:2:7: expected YAML or JSON, but aliases are not supported",
    ],
    ["a tag", "version: !!int 1", "f.yaml:1:10: expected YAML or JSON, but tags are not supported"],
    [
      "a complex key",
      "? version\n: 1",
      "f.yaml:1:1: expected YAML or JSON, but keys with '?' are not supported",
    ],
    ["a list as key", "[a]: 1", "a key is not a text"],
    [
      "a second document",
      "version: 1\n---\nversion: 1",
      "f.yaml:2:1: expected YAML or JSON, but Source contains multiple documents",
    ],
    ["an open quote", 'version: "1', "f.yaml:1:12: expected YAML or JSON, but Missing closing"],
    [
      "deep nesting",
      `rules: ${"[".repeat(100)}`,
      "f.yaml:1:40: expected YAML or JSON, but it is nested deeper than 32 levels",
    ],
    [
      "deep blocks",
      Array.from({ length: 40 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"),
      "nested deeper than 32 levels",
    ],
  ])("with %s is rejected with its line", async (_, text, message) => {
    expect(await problem(text)).toContain(message);
  });

  test.each([
    [
      "aliases that double",
      `a: &a0 [x]\n${Array.from({ length: 40 }, (_, n) => `b${n}: &a${n + 1} [*a${n}, *a${n}]`).join("\n")}`,
    ],
    ["complex keys", "? ".repeat(130_000)],
    ["lists in lists", "- ".repeat(130_000)],
    ["brackets", "[".repeat(260_000)],
    ["braces", "{a: ".repeat(60_000)],
    ["many keys", Array.from({ length: 25_000 }, (_, index) => `k${index}: 1`).join("\n")],
    ["many items", `rules: [${"1,".repeat(125_000)}]`],
  ])("of %s is rejected (L14)", async (_, text) => {
    expect(await problem(text)).toContain("f.yaml:1:");
  });

  test.each([
    "__proto__: {mode: ask}\nversion: 1",
    '{"version": 1, "__proto__": {"mode": "ask"}}',
    "version: 1\nlimits: {__proto__: {requests: 5}}",
  ])("with the key __proto__ is rejected and changes no prototype: %s", async (text) => {
    expect(await problem(text)).toContain("the key __proto__ is not supported");
    expect("mode" in {}).toBe(false);
  });

  test("that is secret is not quoted in an error", async () => {
    for (const text of [
      "sk-1: 2",
      "sk-1",
      "version: sk-1",
      '"sk-1" sk-1',
      "sk-1: a\nsk-1: b",
      "names: {sk-1: x}",
      "*sk-1",
    ])
      expect(await problem(text, { isSecret: true })).not.toContain("sk-1");
  });
});

describe("a file of settings", () => {
  const write = (name: string, text: string | Buffer): string => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return file;
  };

  test("that is absent is undefined", async () => {
    expect(await readDocument(path.join(folder, "absent"), Schema)).toBeUndefined();
    expect(await readDocument(path.join(write("file", ""), "absent"), Schema)).toBeUndefined();
  });

  test("is parsed, and errors name its path", async () => {
    const file = write("good.yaml", "version: 1");
    expect(await readDocument(file, Schema)).toMatchObject({ file, value: { version: 1 } });
    expect(await readProblem(write("bad.yaml", "version: 2"))).toBe(
      `SETTINGS_INVALID ${path.join(folder, "bad.yaml")}:1:1: version: expected 1, received 2. Correct it.`,
    );
  });

  test("of 100 MB is rejected without reading it", async () => {
    const file = write("large.yaml", "");
    truncateSync(file, 100_000_000);
    const before = process.memoryUsage().arrayBuffers;
    expect(await readProblem(file)).toBe(
      `SETTINGS_UNREADABLE ${file}: expected at most 262144 bytes, received 100000000. Replace or remove the file.`,
    );
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
    expect(await readProblem(write("small.yaml", "version: 1"), { maxBytes: 5 })).toContain(
      "at most 5 bytes",
    );
  });

  test.each([
    ["a folder", folder],
    ["a device", "/dev/zero"],
  ])("that is %s is rejected", async (_, file) => {
    expect(await readProblem(file)).toContain("expected a regular file");
  });

  test("that is a pipe is rejected without waiting for a writer", async () => {
    const file = path.join(folder, "pipe");
    execFileSync("mkfifo", [file]);
    expect(await readProblem(file)).toContain("expected a regular file");
  });

  test("that is not UTF-8 is rejected", async () => {
    expect(await readProblem(write("binary.yaml", Buffer.from([0x76, 0xff, 0xfe])))).toContain(
      "expected UTF-8 text",
    );
  });

  test("must be inside its folder, also when symlinks are followed", async () => {
    const outside = mkdtempSync(path.join(tmpdir(), "settings-outside-"));
    writeFileSync(path.join(outside, "secret"), "version: sk-1");
    symlinkSync(path.join(outside, "secret"), path.join(folder, "link.yaml"));
    symlinkSync(write("target.yaml", "version: 1"), path.join(folder, "inner.yaml"));
    const message = await readProblem(path.join(folder, "link.yaml"), { inside: folder });
    expect(message).toContain("received a symlink to one outside");
    expect(message).not.toContain("sk-1");
    expect(await readDocument(path.join(folder, "inner.yaml"), Schema, { inside: folder })).toMatchObject({
      value: { version: 1 },
    });
    rmSync(outside, { recursive: true });
  });
});
