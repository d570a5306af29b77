import { parseJson } from "../../../machines/message/json.ts";
import { EntryList } from "./entry-list.ts";
import { groupedBy } from "./grouped.ts";
import {
  amountOf,
  contentText,
  type Fields,
  fieldsOf,
  jsonLines,
  listOf,
  taskIdOf,
  textOf,
} from "./json-fields.ts";
import type { LoadedFile } from "./loaded-file.ts";
import type { Transcript, TranscriptProblem } from "./transcript.ts";

/** Whether the value is traces in the JSON of OTLP. */
export const isOtel = ({ resourceSpans }: Fields): boolean => Array.isArray(resourceSpans);

interface Span {
  readonly id: string;
  readonly parentId: string;
  readonly traceId: string;
  readonly start: number;
  readonly end: number;
  readonly operation: string;
  /** The attributes of the span, and of its event with the details of the inference. */
  readonly attributes: Fields;
  readonly error: string | undefined;
  readonly version: string | undefined;
}

/** Read traces with spans of generative AI. A trace is a session, and each agent that another one invokes is a subtask. */
export function readOtel(files: readonly LoadedFile[]): readonly Transcript[] {
  const problems: TranscriptProblem[] = [];
  const values = files.flatMap(({ name, text, value }) => {
    if (value !== undefined) return [fieldsOf(value)];
    return jsonLines(text, name).flatMap((line) => {
      if ("fields" in line) return [line.fields];
      problems.push({ where: line.where, what: line.problem });
      return [];
    });
  });
  const spans = new Map(values.flatMap(spansIn).map((span) => [span.id, span] as const));
  const known = [...spans.values()].filter(({ operation }) => operation !== "");
  known.sort((one, other) => one.start - other.start);
  const sessions = groupedBy(known, (span) => sessionOf(span, spans));
  return [...sessions].map(([id, own], index) => readSession(id, own, spans, index === 0 ? problems : []));
}

function spansIn(value: Fields): readonly Span[] {
  return listOf(value.resourceSpans).flatMap((resource) =>
    listOf(fieldsOf(resource).scopeSpans).flatMap((scope) => {
      const { spans, schemaUrl } = fieldsOf(scope);
      const version = /\/([\d.]+)$/.exec(textOf(schemaUrl) ?? "")?.[1];
      return listOf(spans).map((span) => spanOf(fieldsOf(span), version));
    }),
  );
}

function spanOf(span: Fields, version: string | undefined): Span {
  const details = listOf(span.events)
    .map(fieldsOf)
    .filter(({ name }) => name === DETAILS);
  const attributes = Object.fromEntries([...details, span].flatMap((each) => attributesIn(each.attributes)));
  const { code, message } = fieldsOf(span.status);
  const hasFailed = code === 2 || code === "STATUS_CODE_ERROR";
  const start = nanoseconds(span.startTimeUnixNano) ?? 0;
  return {
    id: textOf(span.spanId) ?? "",
    parentId: textOf(span.parentSpanId) ?? "",
    traceId: textOf(span.traceId) ?? "trace",
    start,
    end: nanoseconds(span.endTimeUnixNano) ?? start,
    operation: textOf(attributes["gen_ai.operation.name"]) ?? "",
    attributes,
    error: hasFailed ? (textOf(message) ?? textOf(attributes["error.type"]) ?? "It failed.") : undefined,
    version,
  };
}

const DETAILS = "gen_ai.client.inference.operation.details";

/** A time in nanoseconds, which is a text or a number, in whole milliseconds. */
function nanoseconds(value: unknown): number | undefined {
  const time = Math.floor(Number(value) / 1e6);
  return Number.isSafeInteger(time) && time > 0 ? time : undefined;
}

const attributesIn = (attributes: unknown): readonly (readonly [string, unknown])[] =>
  listOf(attributes)
    .map(fieldsOf)
    .map(({ key, value }) => [String(key), anyValue(value)] as const);

function anyValue(given: unknown): unknown {
  const value = fieldsOf(given);
  if ("intValue" in value) return Number(value.intValue);
  if ("arrayValue" in value) return listOf(fieldsOf(value.arrayValue).values).map(anyValue);
  if ("kvlistValue" in value) return Object.fromEntries(attributesIn(fieldsOf(value.kvlistValue).values));
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}

/** The spans around a span, the nearest first. A cycle ends. */
function ancestors(span: Span, spans: ReadonlyMap<string, Span>): readonly Span[] {
  const found = new Set<Span>();
  for (
    let next = spans.get(span.parentId);
    next !== undefined && !found.has(next);
    next = spans.get(next.parentId)
  )
    found.add(next);
  return [...found];
}

const isAgent = ({ operation }: Span): boolean =>
  operation === "invoke_agent" || operation === "invoke_workflow";

/** The id of a span's session: of its trace, or of the invoked agent in another one. */
function sessionOf(span: Span, spans: ReadonlyMap<string, Span>): string {
  const agents = [span, ...ancestors(span, spans)].filter(isAgent);
  const [own] = agents;
  return own === undefined || agents.length < 2 ? span.traceId : `${span.traceId}.${own.id}`;
}

function readSession(
  id: string,
  own: readonly Span[],
  spans: ReadonlyMap<string, Span>,
  problems: readonly TranscriptProblem[],
): Transcript {
  const reader = new SpanReader();
  for (const span of own) reader.read(span);
  const agent = own.find(isAgent);
  const last = own.at(-1);
  if (agent !== undefined && agent.end > agent.start) reader.endTurn(agent);
  else if (last?.operation === "chat" && !reader.isWaiting) reader.endTurn(last);
  const [first] = own;
  const version = own.find((span) => span.version !== undefined)?.version;
  const title = textOf(agent?.attributes["gen_ai.agent.name"]);
  const outside = agent === undefined ? [] : ancestors(agent, spans);
  const parent = outside.find(isAgent);
  const call = outside.find(({ operation }) => operation === "execute_tool");
  return {
    format: { name: "OpenTelemetry GenAI", ...(version !== undefined && { version }) },
    taskId: taskIdOf(id),
    createdAt: first?.start ?? 0,
    ...(title !== undefined && { title }),
    ...(parent !== undefined && {
      parent: {
        taskId: taskIdOf(sessionOf(parent, spans)),
        callId: call === undefined ? "" : callIdOf(call),
      },
    }),
    entries: [...reader.list.entries].sort((one, other) => one.at - other.at),
    problems,
  };
}

const callIdOf = ({ attributes, id }: Span): string => textOf(attributes["gen_ai.tool.call.id"]) ?? id;

const INFERENCES: ReadonlySet<string> = new Set(["chat", "generate_content", "text_completion"]);

class SpanReader {
  readonly list = new EntryList();
  readonly #calls = new Set<string>();
  readonly #results = new Set<string>();
  #prompts = 0;

  /** Whether a call has no result yet. */
  get isWaiting(): boolean {
    return this.#calls.size > this.#results.size;
  }

  read(span: Span): void {
    const { operation, attributes, start } = span;
    this.list.at = start;
    if (INFERENCES.has(operation)) this.#readInference(span);
    else if (operation === "execute_tool") this.#readTool(span);
    else if (isAgent(span)) this.#addPrompts(messagesOf(attributes["gen_ai.input.messages"]));
    else this.list.addRaw(operation, attributes);
  }

  endTurn({ end, error }: Span): void {
    this.list.at = end;
    const how = error === undefined ? "done" : "failed";
    this.list.add({ kind: "turn.ended", how, ...(error !== undefined && { text: error }) });
  }

  #readInference({ id, attributes, end, error }: Span): void {
    this.#addPrompts(messagesOf(attributes["gen_ai.input.messages"]));
    this.list.add({ kind: "request", id });
    this.list.at = end;
    for (const message of messagesOf(attributes["gen_ai.output.messages"]))
      for (const part of listOf(message.parts).map(fieldsOf)) this.#addPart(part);
    const model = textOf(attributes["gen_ai.response.model"]) ?? textOf(attributes["gen_ai.request.model"]);
    const provider =
      textOf(attributes["gen_ai.provider.name"]) ?? textOf(attributes["gen_ai.system"]) ?? "unknown";
    const cacheReads = amountOf(attributes["gen_ai.usage.cache_read.input_tokens"]);
    const cacheWrites = amountOf(attributes["gen_ai.usage.cache_creation.input_tokens"]);
    const tokensIn = Math.max(
      0,
      amountOf(attributes["gen_ai.usage.input_tokens"]) - cacheReads - cacheWrites,
    );
    const tokensOut = amountOf(attributes["gen_ai.usage.output_tokens"]);
    this.list.add({
      kind: "response",
      id,
      usage: { tokensIn, tokensOut, cacheReads, cacheWrites, cost: null },
      ...(model !== undefined && { model: { provider, id: model } }),
      ...(error !== undefined && { error }),
    });
  }

  /** The messages of the user, and results, that were not sent before. */
  #addPrompts(messages: readonly Fields[]): void {
    const prompts = messages.filter(({ role }) => role === "user");
    for (const { parts } of prompts.slice(this.#prompts))
      this.list.add({ kind: "prompt", text: contentText(parts) });
    this.#prompts = Math.max(this.#prompts, prompts.length);
    for (const part of messages.flatMap(({ parts }) => listOf(parts)).map(fieldsOf))
      if (part.type === "tool_call_response")
        this.#addResult(textOf(part.id) ?? "", part.response ?? part.result, undefined);
  }

  #addPart(part: Fields): void {
    const text = textOf(part.content) ?? "";
    if (part.type === "text") this.list.add({ kind: "text", text });
    else if (part.type === "reasoning") this.list.add({ kind: "thinking", text });
    else if (part.type === "tool_call")
      this.#addCall(textOf(part.id) ?? "", textOf(part.name), part.arguments);
    else this.list.addRaw(part.type, part);
  }

  #readTool(span: Span): void {
    const { attributes, end, error } = span;
    const id = callIdOf(span);
    this.#addCall(id, textOf(attributes["gen_ai.tool.name"]), attributes["gen_ai.tool.call.arguments"]);
    this.list.at = end;
    this.#addResult(id, attributes["gen_ai.tool.call.result"], error);
  }

  #addCall(id: string, name = "tool", given: unknown): void {
    if (this.#calls.has(id)) return;
    this.#calls.add(id);
    const input = typeof given === "string" ? parseJson(given) : given;
    this.list.add({ kind: "call", id, name, input: fieldsOf(input) });
  }

  #addResult(callId: string, result: unknown, error: string | undefined): void {
    if (this.#results.has(callId)) return;
    this.#results.add(callId);
    const text = typeof result === "string" ? result : (JSON.stringify(result) ?? error ?? "");
    this.list.add({ kind: "result", callId, text, outcome: error === undefined ? "done" : "failed" });
  }
}

/** The messages in an attribute: a list, or JSON in a text. */
const messagesOf = (value: unknown): readonly Fields[] =>
  listOf(typeof value === "string" ? parseJson(value) : value).map(fieldsOf);
