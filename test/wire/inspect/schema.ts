import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { EvalEvent, EvalLog } from "../../../wire/inspect/eval-log.ts";

type Schema = Readonly<Record<string, unknown>>;
interface Schemas {
  readonly $defs: Record<string, Schema>;
}

const FILE = new URL("../../fixtures/inspect-evallog.json", import.meta.url);

/**
 * The schemas of Inspect, strict: an object has no field but the known ones. A schema that the file lacks takes any value, so that
 * several of a choice may match.
 */
function schemas(): Schemas {
  const text = readFileSync(FILE, "utf8").replaceAll('"oneOf"', '"anyOf"');
  const { $defs }: Schemas = JSON.parse(text, (_key, value) =>
    value?.type === "object" && value.properties !== undefined
      ? { ...value, additionalProperties: false }
      : value,
  );
  for (const [, name = ""] of text.matchAll(/#\/\$defs\/(\w+)/g)) $defs[name] ??= {};
  return { $defs };
}

const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { "date-time": true } });
ajv.addSchema({ $id: "inspect", ...schemas() });

function validator(name: string): ValidateFunction {
  const validate = ajv.getSchema(`inspect#/$defs/${name}`);
  if (validate === undefined) throw new Error(`The schema has no ${name}.`);
  return validate;
}

const EVENTS: Readonly<Record<string, string>> = {
  sample_init: "SampleInitEvent",
  span_begin: "SpanBeginEvent",
  span_end: "SpanEndEvent",
  model: "ModelEvent",
  tool: "ToolEvent",
  approval: "ApprovalEvent",
  state: "StateEvent",
  interrupt: "InterruptEvent",
  compaction: "CompactionEvent",
  score: "ScoreEvent",
};

/** The violations of Inspect's schemas by a log, and by each of its events. */
export function violationsIn(log: EvalLog): readonly string[] {
  const found = violations("EvalLog", log);
  const events = log.samples.flatMap((sample) => sample.events);
  return [...found, ...events.flatMap((event) => violations(schemaOf(event), event))];
}

function schemaOf({ event }: EvalEvent): string {
  const name = EVENTS[event];
  if (name === undefined) throw new Error(`Expected a known event, got ${event}.`);
  return name;
}

function violations(name: string, value: unknown): readonly string[] {
  const validate = validator(name);
  validate(value);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${name}${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
