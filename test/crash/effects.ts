import { readFile } from "node:fs/promises";
import path from "node:path";
import type { PlainBlock, PlainRecord } from "./records.ts";
import { COUNTER, effectName } from "./scenario.ts";

/** An effect with a recorded start. */
export interface Started {
  readonly callId: string;
  readonly name: string;
  /** Whether its end is recorded: as an effect end, a settled call, or a tool result in the conversation. */
  readonly ended: boolean;
}

const TOOL = "tool:";

/** The started effects that write a line to the counter file. */
export function startedIn(records: readonly PlainRecord[]): readonly Started[] {
  const blocks = records.flatMap(blocksOf);
  const uses = new Map(usesIn(blocks).map((use) => [use.id, use]));
  const answered = new Set(
    blocks.flatMap(({ type, tool_use_id: id }) => (type === "tool_result" ? [id] : [])),
  );
  const settled = new Set<string>();
  for (const { kind, callId, calls } of records) {
    if (kind === "effect.end" && callId !== undefined) settled.add(callId);
    for (const call of calls) if ("outcome" in call) settled.add(call.callId);
  }
  return records.flatMap(({ effects }) =>
    effects.flatMap(({ type, id }) => {
      if (type !== "effect.started" || !id.startsWith(TOOL)) return [];
      const callId = id.slice(TOOL.length);
      const useId = callId.slice(callId.indexOf("/") + 1);
      const name = uses.get(useId)?.name;
      return name === undefined ? [] : [{ callId, name, ended: settled.has(callId) || answered.has(useId) }];
    }),
  );
}

/** The conversation blocks of a record. */
export const blocksOf = ({ conversation }: PlainRecord): readonly PlainBlock[] =>
  conversation.flatMap(({ entry, content }) => entry?.content ?? content ?? []);

interface Use {
  readonly id: string;
  /** The name of the effect. */
  readonly name: string;
}

/** The tool calls of these blocks whose effects are counted. */
export const usesIn = (blocks: readonly PlainBlock[]): readonly Use[] =>
  blocks.flatMap(({ type, id, name, input }) => {
    const effect = type === "tool_use" && name !== undefined ? effectName(name, input ?? {}) : undefined;
    return effect === undefined || id === undefined ? [] : [{ id, name: effect }];
  });

/** How often each effect ran, from the counter file in the workspace. */
export async function countedIn(workspace: string): Promise<ReadonlyMap<string, number>> {
  const text = await readFile(path.join(workspace, COUNTER), "utf8").catch(() => "");
  const counts = new Map<string, number>();
  for (const name of text.split("\n").filter((line) => line !== ""))
    counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
