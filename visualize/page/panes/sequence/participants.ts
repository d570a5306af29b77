/** A column of the diagram: one or more actors. */
export interface Participant {
  /** A kind of actor, or the tool that they run. */
  readonly id: string;
  readonly label: string;
  /** The width and the center, in pixels. */
  readonly width: number;
  readonly x: number;
}

/** The labels of the events are to the right of the task: its neighbours are wider. */
const WIDTHS: ReadonlyMap<string, number> = new Map([
  ["user", 84],
  ["ask", 84],
  ["task", 132],
]);
const WIDTH_BESIDE_TASK = 132;
const WIDTH = 98;

/** The order from left to right: these, tools, other participants, then LAST. */
const FIRST = ["user", "ask", "task", "llm", "review", "tool"];
const LAST = ["checkpoint", "subtask", "timer", "context", "opening", "journal"];

/**
 * The participant of an actor or sender. The runs of one tool share a participant; a run of an unknown tool has its own.
 */
export function participantOf(actor: string, toolNames: ReadonlyMap<string, string>): string {
  const kind = actorKind(actor);
  if (kind !== "tool") return kind;
  const name = toolNames.get(actor.slice(kind.length + 1));
  return name === undefined ? actor : `tool:${name}`;
}

/** The participants with these ids, in order; the user and the task are always included. */
export function participantsOf(ids: Iterable<string>): readonly Participant[] {
  const sorted = [...new Set(["user", "task", ...ids])]
    .map((id, index) => ({ id, index, rank: rankOf(id) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index);
  let right = 0;
  return sorted.map(({ id }, index) => {
    const width = WIDTHS.get(id) ?? (sorted[index - 1]?.id === "task" ? WIDTH_BESIDE_TASK : WIDTH);
    right += width;
    const label = actorKind(id) === "tool" ? id.slice("tool:".length) : id;
    return { id, label, width, x: right - width / 2 };
  });
}

const actorKind = (actor: string): string => actor.split(":", 1)[0] ?? actor;

function rankOf(id: string): number {
  const kind = actorKind(id);
  const position = FIRST.indexOf(kind);
  if (position >= 0) return position;
  return FIRST.length + 1 + LAST.indexOf(kind);
}
