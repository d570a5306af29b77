// cspell:words needleb needlec
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemShell } from "../../../adapters/shell/shell.ts";
import { openWorkspace } from "../../../adapters/workspace/workspace.ts";
import { builtinTools, type Workspace } from "../../../tools/index.ts";
import { createRegistry } from "../../../tools/registry.ts";

const registry = createRegistry(builtinTools());
const { signal } = new AbortController();
let root: string;
let workspace: Workspace;
const put = (name: string, content: string | Uint8Array) => writeFile(path.join(root, name), content);

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "search-")));
  workspace = await openWorkspace(root);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const search = (regex: string, options = {}) =>
  workspace.search({ path: ".", regex, limit: 9, signal, ...options });
async function tool(regex: string): Promise<string> {
  const preparation = registry.find("search_files")?.prepare({ path: ".", regex });
  if (preparation?.ok !== true) throw new Error("not prepared");
  const ports = { workspace, shell: systemShell(), signal, output: () => {}, progress: () => {} };
  const [block] = (await preparation.call.execute(ports)).content;
  return block?.type === "text" ? block.text : "";
}

describe.each(["descriptors", "paths"] as const)("a search, checked by %s,", (check) => {
  beforeEach(async () => {
    workspace = await openWorkspace(root, { check });
  });

  test("finds lines in a file of more than 5 MB", async () => {
    const filler = `${"x".repeat(99)}\n`.repeat(60_000);
    await put(
      "large.txt",
      `${filler}before needle after\n${filler}${"y".repeat(5_000)}needle\u00e9${"z".repeat(5_000)}`,
    );
    const { files, cut, incomplete } = await search("needle");
    expect({ cut, incomplete }).toEqual({ cut: false, incomplete: undefined });
    expect(files).toEqual([
      {
        path: "large.txt",
        lines: [
          { number: 60_001, text: "before needle after", matches: true },
          {
            number: 120_002,
            text: expect.stringMatching(/^\[\.\.\.\]y+needle\u00e9z+\[\.\.\.\]$/),
            matches: true,
          },
        ],
      },
    ]);
  });

  test("finds lines in a large file with a byte order mark", async () => {
    await put("large.txt", `\ufefffirst needle\n${"x".repeat(6_000_000)}\nlast needle\n`);
    expect((await search("needle")).files[0]?.lines).toEqual([
      { number: 1, text: "first needle", matches: true },
      { number: 3, text: "last needle", matches: true },
    ]);
  });

  test("shows the match of a long line, however far to the right it is", async () => {
    await put(
      "long.txt",
      `${"\u00e4".repeat(3_000)}needle${"b".repeat(3_000)}\nneedle${"c".repeat(3_000)}\n`,
    );
    const [first, second] = (await search("needle")).files[0]?.lines ?? [];
    expect(first?.text).toMatch(/^\[\.\.\.\]\u00e4+needleb+\[\.\.\.\]$/);
    expect(second?.text).toMatch(/^needlec+\[\.\.\.\]$/);
    expect(first?.text.length).toBeLessThan(520);
  });

  test("finds lines in UTF-16", async () => {
    await put("le.txt", Buffer.from("\ufeffone\nneedle \u00e9\n", "utf16le"));
    await put("be.txt", Buffer.from("\ufeffneedle\r\n", "utf16le").swap16());
    expect(await search("needle")).toEqual({
      cut: false,
      files: [
        { path: "be.txt", lines: [{ number: 1, text: "needle", matches: true }] },
        {
          path: "le.txt",
          lines: [
            { number: 1, text: "one", matches: false },
            { number: 2, text: "needle \u00e9", matches: true },
          ],
        },
      ],
    });
  });

  test("finds lines in a file with a byte that is not UTF-8, and says so", async () => {
    await put("latin.txt", Buffer.from("caf\u00e9\nneedle\n", "latin1"));
    expect(await search("needle")).toEqual({
      cut: false,
      files: [
        {
          path: "latin.txt",
          lines: [
            { number: 1, text: "caf\ufffd", matches: false },
            { number: 2, text: "needle", matches: true },
          ],
        },
      ],
      incomplete: [{ path: "latin.txt", reason: expect.stringContaining("it is not UTF-8") }],
    });
  });

  test("names a binary file that matches, wherever its NUL is, and searches the others", async () => {
    await put("a.bin", "needle\n\0");
    await put("b.bin", `needle\n${"x\n".repeat(100_000)}\0`);
    await put("c.txt", "needle\n");
    await put("d.bin", "\0nothing");
    expect(await search("needle")).toEqual({
      cut: false,
      files: [{ path: "c.txt", lines: [{ number: 1, text: "needle", matches: true }] }],
      incomplete: ["a.bin", "b.bin"].map((file) => ({
        path: file,
        reason: "it is a binary file, and has a match",
      })),
    });
  });

  test("does not name a binary file that is denied, ignored or hidden", async () => {
    await mkdir(path.join(root, ".git"));
    for (const name of ["denied.bin", "ignored.bin", ".git/hidden.bin"]) await put(name, "needle\0");
    await put(".rooignore", "denied.bin\n");
    await put(".gitignore", "ignored.bin\n");
    expect(await search("needle")).toEqual({ cut: false, files: [] });
  });
});

test("a search is only cut if more lines match than its limit", async () => {
  await put("a.txt", "needle\nneedle\n");
  expect((await search("needle", { limit: 2 })).cut).toBe(false);
  await put("b.txt", "needle\n");
  const { files, cut } = await search("needle", { limit: 2 });
  expect([files.map((file) => file.path), cut]).toEqual([["a.txt"], true]);
  const { lines } = (await search("needle", { limit: 1 })).files[0] ?? { lines: [] };
  expect(lines.filter((line) => line.matches)).toHaveLength(1);
});

test("the tool names what it does not show, also if nothing else matches", async () => {
  await put("a.bin", "needle\0");
  expect(await tool("needle")).toBe(
    "Nothing matches.\n\nNot shown, or not whole:\n- a.bin: it is a binary file, and has a match",
  );
});

test.skipIf(process.getuid?.() === 0)(
  "a file that can't be read is named (root can read any file)",
  async () => {
    await put("a.txt", "needle\n");
    await put("b.txt", "needle\n");
    await chmod(path.join(root, "a.txt"), 0);
    expect(await search("needle")).toMatchObject({
      files: [{ path: "b.txt" }],
      incomplete: [{ path: "a.txt", reason: expect.stringContaining("it can't be read: Permission denied") }],
    });
  },
);
