import { Buffer } from "node:buffer";
import type { ChangedFile, FileContent } from "../../tools/changed-file.ts";
import type { Change } from "./change.ts";
import { CheckpointError } from "./error.ts";
import type { Operation } from "./operation.ts";
import { toText } from "./paths.ts";
import type { Plan } from "./plan.ts";

/** Bytes of contents that are read at once. */
const BATCH_BYTES = 20_000_000;

type File = Pick<Change, "mode" | "object">;

/** Reads both contents of each file that a restore would change. @throws CheckpointError */
export async function readContents(
  operation: Operation,
  { changes, leftAsIs }: Plan,
  each: (file: ChangedFile) => void,
): Promise<void> {
  const sizes = await sizesOf(operation, [...new Set(changes.flatMap(objectsOf))]);
  const sizeOf = (change: Change): number =>
    objectsOf(change).reduce((sum, object) => sum + (sizes.get(object) ?? 0), 0);
  for (const batch of batchesOf(changes, sizeOf)) {
    const contents = await contentsOf(operation, [...new Set(batch.flatMap(objectsOf))]);
    for (const { file, present, ...saved } of batch)
      each({ path: toText(file), before: contentOf(saved, contents), after: contentOf(present, contents) });
  }
  // What is there now is not saved.
  for (const { file } of leftAsIs) each({ path: toText(file), before: "unknown", after: "unknown" });
}

const isRegular = ({ mode }: File): boolean => mode.startsWith("100");

const objectsOf = (change: Change): readonly string[] =>
  [change, change.present].filter(isRegular).map(({ object }) => object);

function contentOf(file: File, contents: ReadonlyMap<string, Uint8Array>): FileContent {
  if (isRegular(file)) return contents.get(file.object) ?? "unknown";
  return file.mode === "000000" ? null : "unknown";
}

function batchesOf(changes: readonly Change[], sizeOf: (change: Change) => number): readonly Change[][] {
  const batches: Change[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const change of changes) {
    const size = sizeOf(change);
    if (bytes + size > BATCH_BYTES) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(change);
    bytes += size;
  }
  return batches;
}

const inputOf = (objects: readonly string[]): string => objects.map((object) => `${object}\n`).join("");

async function sizesOf({ git }: Operation, objects: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { out } = await git(["cat-file", "--batch-check"], { input: inputOf(objects) });
  return new Map(
    [...out.matchAll(/^(\w+) blob (\d+)$/gm)].map(([, object = "", size]) => [object, Number(size)]),
  );
}

/** Parses a line `object blob size`, the content and a newline, for each object. */
async function contentsOf(
  { git }: Operation,
  objects: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const contents = new Map<string, Uint8Array>();
  const { out } = await git(["cat-file", "--batch"], { input: inputOf(objects) });
  for (let at = 0; at < out.length; ) {
    const head = out.slice(at, out.indexOf("\n", at));
    const [object = "", type, size] = head.split(" ");
    if (type !== "blob") throw new CheckpointError("git", `git cat-file failed: ${head.slice(0, 100)}`);
    const start = at + head.length + 1;
    const end = start + Number(size);
    contents.set(object, Buffer.from(out.slice(start, end), "latin1"));
    at = end + 1;
  }
  return contents;
}
