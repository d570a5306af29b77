import type { Random } from "../../../verify/simulation/random.ts";
import { CORPUS, type RawEvent } from "./corpus.ts";
import { oddValue, rawJson } from "./odd-values.ts";

/** Changes a list of events in place. */
export type EventMutation = (events: RawEvent[], random: Random) => void;

type Node = Record<string, unknown>;
/** A field, by its object. */
interface Field {
  readonly of: Node;
  readonly key: string;
}

const at = (events: readonly RawEvent[], random: Random): number => random.below(events.length);

/** Every field of a value, also of the objects within. */
function fieldsOf(value: unknown): Field[] {
  if (typeof value !== "object" || value === null) return [];
  const of = value as Node;
  return Object.keys(of).flatMap((key) => [{ of, key }, ...fieldsOf(of[key])]);
}

/** Replace an event, mostly one of a block, by a copy in which `change` has changed a field. */
function changeField(events: RawEvent[], random: Random, change: (field: Field) => void): void {
  const blocks = events.flatMap((event, index) => ("index" in event ? [index] : []));
  const index = (random.chance(0.7) ? random.pick(blocks) : undefined) ?? at(events, random);
  const copy = structuredClone(events[index]);
  const field = random.pick(fieldsOf(copy));
  if (copy === undefined || field === undefined) return;
  change(field);
  events[index] = copy;
}

function move(events: RawEvent[], from: number, to: number): void {
  events.splice(to, 0, ...events.splice(from, 1));
}

/** The ways to change events, by name. */
export const EVENT_MUTATIONS = {
  drop: (events, random) => void events.splice(at(events, random), 1),
  "drop several": (events, random) => void events.splice(at(events, random), 2 + random.below(4)),
  double: (events, random) => {
    const index = at(events, random);
    events.splice(index, 0, ...events.slice(index, index + 1));
  },
  "double several": (events, random) => {
    const index = at(events, random);
    const several = events.slice(index, index + 2 + random.below(6));
    events.splice(at(events, random), 0, ...several);
  },
  swap: (events, random) => move(events, at(events, random), Math.max(0, at(events, random))),
  "swap neighbours": (events, random) => {
    const index = at(events, random);
    move(events, index, Math.min(index + 1, events.length - 1));
  },
  shuffle: (events, random) => {
    for (let left = events.length; left > 0; left -= 1) move(events, random.below(left), events.length - 1);
  },
  "end early": (events, random) => void events.splice(at(events, random)),
  "insert a foreign event": (events, random) => {
    const foreign = random.pick(random.pick(CORPUS)?.events ?? []);
    if (foreign !== undefined) events.splice(at(events, random), 0, foreign);
  },
  "insert another response": (events, random) =>
    void events.splice(at(events, random), 0, ...(random.pick(CORPUS)?.events ?? [])),
  "delete a field": (events, random) => changeField(events, random, ({ of, key }) => delete of[key]),
  "replace a value": (events, random) =>
    changeField(events, random, ({ of, key }) => {
      of[key] = oddValue(random);
    }),
  "rename a type": (events, random) => {
    const index = at(events, random);
    const type = random.pick(random.pick(CORPUS)?.events ?? [])?.type;
    events[index] = { ...events[index], type };
  },
  "copy a value": (events, random) => {
    const source = random.pick(fieldsOf(random.pick(events)));
    const value: unknown = structuredClone(source?.of[source.key]);
    changeField(events, random, ({ of, key }) => {
      of[key] = value;
    });
  },
  "replace arguments": (events, random) => {
    const index = events.findIndex((event) =>
      JSON.stringify(event).includes('"input_json_delta","partial_json":"{'),
    );
    const odd = oddValue(random);
    const json = rawJson(random.chance(0.5) ? odd : { path: odd, command: odd, result: odd, message: odd });
    if (index >= 0)
      events.splice(index, 2, { ...events[index], delta: { type: "input_json_delta", partial_json: json } });
  },
} as const satisfies Record<string, EventMutation>;
