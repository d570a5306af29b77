/** Where actors stand in the picture. */
export interface Lane {
  /** What they are: a kind of actor, or the tool that they run. */
  readonly id: string;
  readonly label: string;
  /** In pixels, as is where its middle stands. */
  readonly width: number;
  readonly x: number;
}

/** The names of the events stand to the right of the task: there the lanes have the room for them. */
const WIDTHS: ReadonlyMap<string, number> = new Map([
  ["user", 84],
  ["ask", 84],
  ["task", 132],
]);
const WIDTH_BESIDE_TASK = 132;
const WIDTH = 98;

/** From left to right. Tools stand behind these, and whoever isn't named here behind the tools. */
const FIRST = ["user", "ask", "task", "llm", "review", "tool"];
const LAST = ["checkpoint", "subtask", "timer", "context", "opening", "journal"];

/**
 * The lane of whoever bears this id: a sender of the trace, or an actor that an effect started. The runs of one tool
 * share a lane, as do its asks, which are one after another; a run whose tool isn't known stands by itself.
 */
export function laneOf(actor: string, names: ReadonlyMap<string, string>): string {
  const kind = kindOf(actor);
  if (kind !== "tool") return kind;
  const name = names.get(actor.slice(kind.length + 1));
  return name === undefined ? actor : `tool:${name}`;
}

/** The lanes with these ids, in the order in which they stand; the user's and the task's are always there. */
export function lanesOf(ids: Iterable<string>): readonly Lane[] {
  return [...new Set(["user", "task", ...ids])]
    .map((id, index) => ({ id, index, rank: rankOf(id) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map(({ id }) => ({ id, label: kindOf(id) === "tool" ? id.slice("tool:".length) : id }))
    .map(placed);
}

function placed(
  lane: Pick<Lane, "id" | "label">,
  index: number,
  lanes: readonly Pick<Lane, "id" | "label">[],
): Lane {
  const widthAt = (at: number): number => {
    const width = WIDTHS.get(lanes[at]?.id ?? "");
    return width ?? (lanes[at - 1]?.id === "task" ? WIDTH_BESIDE_TASK : WIDTH);
  };
  let left = 0;
  for (let before = 0; before < index; before += 1) left += widthAt(before);
  return { ...lane, width: widthAt(index), x: left + widthAt(index) / 2 };
}

const kindOf = (actor: string): string => actor.split(":", 1)[0] ?? actor;

function rankOf(id: string): number {
  const kind = kindOf(id);
  const place = FIRST.indexOf(kind);
  if (place >= 0) return place;
  return FIRST.length + 1 + LAST.indexOf(kind);
}
