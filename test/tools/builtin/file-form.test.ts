import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemShell } from "../../../adapters/shell/shell.ts";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import { fileVersion } from "../../../tools/file-version.ts";
import { builtinTools, type Workspace } from "../../../tools/index.ts";
import { createRegistry } from "../../../tools/registry.ts";

const registry = createRegistry(builtinTools({ include: ["edit_file", "apply_patch"] }));
let root: string;
let workspace: Workspace;
const put = (name: string, content: string | Uint8Array) => writeFile(path.join(root, name), content);
const bytesOf = (name: string): Promise<Buffer> => readFile(path.join(root, name));
const contentOf = async (name: string): Promise<string> => (await bytesOf(name)).toString();

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "form-")));
  workspace = await openWorkspace(root);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const ports = () => ({
  workspace,
  shell: systemShell(),
  signal: new AbortController().signal,
  output: () => {},
  progress: () => {},
});
function prepared(name: string, input: Record<string, unknown>) {
  const preparation = registry.find(name)?.prepare(input);
  if (preparation?.ok !== true) throw new Error("not prepared");
  return preparation.call;
}
async function call(name: string, input: Record<string, unknown>): Promise<string> {
  const one = prepared(name, input);
  const { proposal } = await one.describe({ workspace });
  const [block] = (await one.execute(ports())).content;
  // What was shown before is what was written.
  if (proposal?.kind === "file") {
    const text = new TextDecoder((await bytesOf(proposal.path))[0] === 0xff ? "utf-16le" : "utf-8", {
      ignoreBOM: true,
    }).decode(await bytesOf(proposal.path));
    expect(text).toBe(proposal.after);
  }
  return block?.type === "text" ? block.text : "";
}
const diffOf = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE`;
const patchOf = (path: string, ...lines: readonly string[]): string =>
  ["*** Begin Patch", `*** Update File: ${path}`, "@@", ...lines, "*** End Patch"].join("\n");

/** Mixed line breaks: of each edit, only the line b changes. */
const MIXED = "\ufeffa\r\nb\nc\r\nd\ne";
const EDITS: readonly (readonly [string, Record<string, unknown>])[] = [
  ["edit_file", { path: "f", old_string: "a\nb\nc", new_string: "a\nB\nc" }],
  ["search_and_replace", { path: "f", old_string: "b", new_string: "B" }],
  ["apply_diff", { path: "f", diff: diffOf("a\nb\nc\nd", "a\nB\nc\nd") }],
  ["apply_patch", { patch: patchOf("f", " a", "-b", "+B", " c") }],
  ["write_to_file", { path: "f", content: "a\nB\nc\nd\ne" }],
];

describe.each(EDITS)("%s", (name, input) => {
  test("leaves every byte of unchanged lines in a file with mixed line breaks", async () => {
    await put("f", MIXED);
    await call(name, input);
    expect(await contentOf("f")).toBe("\ufeffa\r\nB\nc\r\nd\ne");
  });

  test("keeps CRLF and a byte order mark", async () => {
    const crlf = "\ufeffa\r\nb\r\nc\r\nd\r\ne";
    await put("f", crlf);
    await call(name, input);
    expect(await contentOf("f")).toBe(crlf.replace("b", "B"));
  });

  test.each(["utf-16le", "utf-16be"] as const)("keeps %s", async (encoding) => {
    const encode = (text: string): Buffer => {
      const bytes = Buffer.from(text, "utf16le");
      return encoding === "utf-16be" ? bytes.swap16() : bytes;
    };
    const text = "\ufeffa\r\nb\r\nc\r\nd\r\ne";
    await put("f", encode(text));
    const one = prepared(name, input);
    await one.execute(ports());
    expect(await bytesOf("f")).toEqual(encode(text.replace("b", "B")));
  });
});

describe("write_to_file", () => {
  test("keeps LF where CRLF is sent, and adds no byte order mark", async () => {
    await put("f", "a\nb\n");
    const result = await call("write_to_file", { path: "f", content: "\ufeffa\r\nB\r\nc\r\n" });
    expect(await contentOf("f")).toBe("a\nB\nc\n");
    expect(result).toContain("in the form that it had: LF line breaks, no byte order mark");
  });

  test("says what form the file keeps, and 'exactly' only for the content that was sent", async () => {
    await put("f", "\ufeffa\r\n");
    const kept = await call("write_to_file", { path: "f", content: "b\n" });
    expect(kept).toContain("in the form that it had: CRLF line breaks, a byte order mark.");
    expect(kept).not.toContain("exactly");
    expect(await call("write_to_file", { path: "g", content: "a\r\nb\n" })).toContain("exactly");
    expect(await contentOf("g")).toBe("a\r\nb\n");
  });

  test("takes whether the last line has a line break from the content", async () => {
    await put("f", "a\r\nb\r\n");
    await call("write_to_file", { path: "f", content: "a\nb\nc" });
    expect(await contentOf("f")).toBe("a\r\nb\r\nc");
    await call("write_to_file", { path: "f", content: "a\n" });
    expect(await contentOf("f")).toBe("a\r\n");
  });
});

test.each(["edit_file", "apply_diff", "write_to_file"])(
  "a person's content in place of the proposal of %s keeps the form of the file",
  async (name) => {
    await put("f", MIXED);
    const input = EDITS.find(([tool]) => tool === name)?.[1] ?? {};
    const base = fileVersion(await bytesOf("f"));
    const amended = prepared(name, input).amend?.({ content: "a\nb2\nc\nd\ne\nf\n", base });
    if (amended?.ok !== true) throw new Error("not amended");
    await amended.call.describe({ workspace });
    await amended.call.execute(ports());
    expect(await contentOf("f")).toBe("\ufeffa\r\nb2\nc\r\nd\ne\nf\n");
  },
);

describe("apply_diff", () => {
  test("leaves white space of lines that search and replacement share", async () => {
    await put("f", "a  \n  b\nc\t\n");
    await call("apply_diff", { path: "f", diff: diffOf("a\n  b\nc", "a\n  B\nc") });
    expect(await contentOf("f")).toBe("a  \n  B\nc\t\n");
  });

  test("gives an added line the line break of the lines around it", async () => {
    await put("f", "a\r\nb\r\nc\nd\ne\n");
    await call("apply_diff", { path: "f", diff: diffOf("a\nb", "a\nx\nb") });
    await call("apply_diff", { path: "f", diff: diffOf("d\ne", "d\ny\nz\ne") });
    expect(await contentOf("f")).toBe("a\r\nx\r\nb\r\nc\nd\ny\nz\ne\n");
  });
});

test("a moved file keeps its encoding", async () => {
  await put("f", Buffer.from("\ufeffa\r\nb\r\n", "utf16le"));
  const patch = [
    "*** Begin Patch",
    "*** Update File: f",
    "*** Move to: g",
    "@@",
    "-b",
    "+B",
    "*** End Patch",
  ].join("\n");
  await prepared("apply_patch", { patch }).execute(ports());
  expect(await bytesOf("g")).toEqual(Buffer.from("\ufeffa\r\nB\r\n", "utf16le"));
});

describe("a file in UTF-16", () => {
  test("is read as text", async () => {
    await put("f", Buffer.from("\ufeffcaf\u00e9\r\n", "utf16le"));
    const [block] = (await prepared("read_file", { path: "f" }).execute(ports())).content;
    expect(block).toMatchObject({ text: expect.stringContaining("caf\u00e9") });
  });
});

test.each(["edit_file", "apply_diff"])(
  "%s refuses a file in Latin-1 by name, and leaves it",
  async (name) => {
    const bytes = Buffer.from("caf\u00e9\na\nb\nc\nd\n", "latin1");
    await put("f", bytes);
    const input = EDITS.find(([tool]) => tool === name)?.[1] ?? {};
    await expect(prepared(name, input).execute(ports())).rejects.toMatchObject({
      code: "BINARY",
      message: expect.stringContaining("'f' can't be changed in parts: expected UTF-8 text"),
    });
    expect(await bytesOf("f")).toEqual(bytes);
  },
);
