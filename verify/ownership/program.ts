import type { EffectRecord } from "./database.ts";

/** Records that an owner adds before anything else: each effect that an earlier owner may still run is uncertain (L12). */
export function recordsAtOpening(known: readonly EffectRecord[]): readonly EffectRecord[] {
  return known
    .filter(({ kind, effect }) => kind === "start" && !isOver(known, effect))
    .map(({ effect }) => ({ kind: "uncertain", effect }));
}

/** The records that the task writes next, at rest between its effects: the start of the first one that has none. */
export function nextRecords(known: readonly EffectRecord[], effects: number): readonly EffectRecord[] {
  for (let effect = 0; effect < effects; effect += 1)
    if (!known.some((record) => record.effect === effect)) return [{ kind: "start", effect }];
  return [];
}

/**
 * Number of records of a backlog that an append without an answer has written: those behind the end that the owner knew.
 * Undefined if others stand there.
 */
export function executedOf(
  backlog: readonly EffectRecord[],
  behind: readonly EffectRecord[],
): number | undefined {
  const isOwn = behind.every(
    ({ kind, effect }, index) => backlog[index]?.kind === kind && backlog[index]?.effect === effect,
  );
  return isOwn ? behind.length : undefined;
}

const isOver = (known: readonly EffectRecord[], over: number): boolean =>
  known.some(({ kind, effect }) => kind !== "start" && effect === over);
