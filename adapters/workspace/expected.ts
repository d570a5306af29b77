import { type ExpectedContent, ToolError } from "../../tools/index.ts";
import type { Confinement } from "./confinement.ts";
import { type ReadOptions, readInside } from "./read-inside.ts";
import type { IsDenied } from "./rules.ts";

/** A file, and what it must have; undefined: anything. */
export interface ExpectedFile extends Omit<ReadOptions, "maxBytes"> {
  readonly expects: ExpectedContent | undefined;
}

/** @throws ToolError `changed` if the file has not what is expected */
export async function assertExpected(
  confinement: Confinement,
  isDenied: IsDenied,
  { expects, ...file }: ExpectedFile,
): Promise<void> {
  if (expects === undefined) return;
  const maxBytes = expects === "absent" ? 0 : expects.length;
  const found = await readInside(confinement, isDenied, { ...file, maxBytes }).catch(contentOf);
  const isExpected = expects === "absent" ? found === "absent" : isSame(found, expects);
  if (isExpected) return;
  throw new ToolError(
    "changed",
    `'${file.named}' was changed by somebody else while this call was handled, so it was not written. Read it again, then send a new call.`,
  );
}

/** What a file that can't be read says about its content. */
function contentOf(error: unknown): "absent" | "longer" {
  if (error instanceof ToolError && error.code === "not_found") return "absent";
  if (error instanceof ToolError && error.code === "too_large") return "longer";
  throw error;
}

const isSame = (found: Uint8Array | "absent" | "longer", expects: Uint8Array): boolean =>
  typeof found !== "string" && Buffer.compare(found, expects) === 0;
