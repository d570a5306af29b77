import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkpointsOf, createFolders, done, treeOf } from "./tree.ts";

type Edit =
  | { readonly kind: "write"; readonly file: string; readonly content: string; readonly mode: number }
  | { readonly kind: "link"; readonly file: string; readonly content: string }
  | { readonly kind: "remove"; readonly file: string };

/** Conflicting names: a file of one tree is a folder of another. */
const FILES = ["a", "b", "a/x", "a/x/y", "d/a", "d/b.log", "c.log", "d/e/c", "d/e", "ü\n"];
const RULES = [".gitignore", "d/.gitignore", "a/.gitignore"];

const file = fc.constantFrom(...FILES);
const content = fc.constantFrom("", "1\n", "2\n", "3\n");
const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("write" as const),
      file,
      content,
      mode: fc.constantFrom(0o644, 0o755),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("link" as const),
      file,
      content: fc.constantFrom("a", "d", "../x", "nowhere"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), file }) },
);
const rule: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    kind: fc.constant("write" as const),
    file: fc.constantFrom(...RULES),
    content: fc.constantFrom("*.log\n", "d/\n", "a\n", "!*.log\n", "x\n", ""),
    mode: fc.constant(0o644),
  }),
  fc.record({ kind: fc.constant("remove" as const), file: fc.constantFrom(...RULES) }),
);
const edits = fc.array(edit, { maxLength: 8 });
const editsAndRules = fc.array(fc.oneof({ weight: 3, arbitrary: edit }, { weight: 1, arbitrary: rule }), {
  maxLength: 8,
});

function apply(workspace: string, all: readonly Edit[]): void {
  for (const each of all) {
    const absolute = path.join(workspace, each.file);
    makeRoom(workspace, path.dirname(each.file));
    rmSync(absolute, { recursive: true, force: true });
    if (each.kind === "remove") continue;
    mkdirSync(path.dirname(absolute), { recursive: true });
    if (each.kind === "link") symlinkSync(each.content, absolute);
    else {
      writeFileSync(absolute, each.content);
      chmodSync(absolute, each.mode);
    }
  }
}

/** Removes files where a folder must be. */
function makeRoom(workspace: string, folder: string): void {
  if (folder === ".") return;
  makeRoom(workspace, path.dirname(folder));
  const absolute = path.join(workspace, folder);
  const exists = existsSync(absolute) || lstatSync(absolute, { throwIfNoEntry: false }) !== undefined;
  if (exists && !lstatSync(absolute).isDirectory()) rmSync(absolute);
}

const RUNS = { numRuns: Number(process.env.CHECKPOINT_RUNS ?? 24) };

// Each run starts a dozen processes of git.
describe("after any edits", () => {
  test("a restore returns to exactly the checkpoint's files, and its undo to exactly those before", async () => {
    await fc.assert(
      fc.asyncProperty(edits, edits, async (first, second) => {
        const here = createFolders();
        try {
          const checkpoints = await checkpointsOf(here);
          apply(here.workspace, first);
          const before = treeOf(here.workspace);
          const { hash } = done(await checkpoints.save());
          apply(here.workspace, second);
          const later = treeOf(here.workspace);
          const { undo, failed, leftAsIs } = done(await checkpoints.restore(hash));
          expect({ failed, leftAsIs }).toEqual({ failed: [], leftAsIs: [] });
          expect(treeOf(here.workspace)).toEqual(before);
          if (undo !== undefined) done(await checkpoints.restore(undo));
          expect(treeOf(here.workspace)).toEqual(later);
        } finally {
          here.remove();
        }
      }),
      RUNS,
    );
  });

  test("and with any ignore rules then and now, the undo restores every file", async () => {
    await fc.assert(
      fc.asyncProperty(editsAndRules, editsAndRules, async (first, second) => {
        const here = createFolders();
        try {
          const checkpoints = await checkpointsOf(here);
          apply(here.workspace, first);
          const { hash } = done(await checkpoints.save());
          apply(here.workspace, second);
          const later = treeOf(here.workspace);
          const { undo, failed } = done(await checkpoints.restore(hash));
          expect(failed).toEqual([]);
          if (undo !== undefined) done(await checkpoints.restore(undo));
          expect(treeOf(here.workspace)).toEqual(later);
        } finally {
          here.remove();
        }
      }),
      RUNS,
    );
  });
});
