import { isDeepStrictEqual } from "node:util";
import type { Block, JsonObject, MockScript, TypedObject } from "./script.ts";

/** The verbatim blocks of a script, to recognize them in later requests. */
export class ScriptedBlocks {
  readonly #contents = new Map<string, TypedObject[]>();

  constructor(script: MockScript) {
    for (const { content } of verbatimBlocksOf(script)) {
      const key = keyOf(content);
      const same = this.#contents.get(key);
      if (same === undefined) this.#contents.set(key, [content]);
      else same.push(content);
    }
  }

  /** Compare with the blocks of the same type and id; a cache mark does not count. */
  compare({ cache_control: _, ...block }: JsonObject): "same" | "changed" | "unknown" {
    const contents = this.#contents.get(keyOf(block));
    if (contents === undefined) return "unknown";
    return contents.some((content) => isDeepStrictEqual(content, block)) ? "same" : "changed";
  }
}

function keyOf({ type, id, tool_use_id }: JsonObject): string {
  return JSON.stringify([type, id ?? tool_use_id]);
}

function* verbatimBlocksOf({ rules, turns }: MockScript): Generator<Extract<Block, { kind: "verbatim" }>> {
  for (const turn of [...rules.flatMap((rule) => rule.turns), ...turns])
    for (const source of [turn, ...turn.faults])
      if ("response" in source)
        for (const block of source.response?.blocks ?? []) if (block.kind === "verbatim") yield block;
}
