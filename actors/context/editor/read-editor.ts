import { z } from "zod";
import type { Clock } from "../../../ports/clock.ts";
import type { EditorSource } from "../../../ports/editor.ts";
import { EDITOR_LIMITS, type EditorLimits } from "../../../ports/editor-limits.ts";
import type { Workspace } from "../../../ports/workspace.ts";
import { within } from "../../protocol/within.ts";

/** An editor, and what its lists are read with. */
export interface EditorReader extends EditorSource {
  readonly workspace: Pick<Workspace, "resolve">;
  readonly clock: Clock;
}

/** The members of the port that take no argument. */
export type EditorMember = "openFiles" | "terminals" | "diagnostics" | "gitStatus";

export const limitsOf = ({ limits }: EditorSource): EditorLimits => ({ ...EDITOR_LIMITS, ...limits });

/** @throws what the member throws; Error if it does not answer in time, or with another type */
export async function readEditor<T>(
  reader: EditorReader,
  member: EditorMember,
  schema: z.ZodType<T>,
): Promise<T> {
  const { editor, clock } = reader;
  const answer: Promise<unknown> = (async () => editor[member]?.())();
  const parsed = schema.safeParse(await within(clock, limitsOf(reader).timeoutMs, answer));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new TypeError(`${z.core.toDotPath([member, ...(issue?.path ?? [])])}: ${issue?.message}`);
}
