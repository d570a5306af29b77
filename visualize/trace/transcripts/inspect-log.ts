import { EntryList } from "./entry-list.ts";
import {
  amountOf,
  contentText,
  type Fields,
  fieldsOf,
  listOf,
  taskIdOf,
  textOf,
  timeOf,
} from "./json-fields.ts";
import type { CallEnd, Transcript } from "./transcript.ts";

/** Whether the value is a log of Inspect. */
export const isInspect = ({ eval: spec, status, plan }: Fields): boolean =>
  typeof spec === "object" && spec !== null && (status !== undefined || plan !== undefined);

/** Events about the evaluation, not about the agent. */
const BOOKKEEPING: ReadonlySet<unknown> = new Set([
  "sample_init",
  "span_begin",
  "span_end",
  "state",
  "step",
  "store",
]);

/** Read a log of Inspect: each sample is a session. */
export function readInspect(log: Fields): readonly Transcript[] {
  const spec = fieldsOf(log.eval);
  const version = textOf(fieldsOf(spec.packages).inspect_ai);
  return listOf(log.samples).map((each, index) => {
    const sample = fieldsOf(each);
    const id = `${String(sample.id ?? index)}.${String(sample.epoch ?? 1)}`;
    const createdAt = timeOf(sample.started_at) ?? timeOf(spec.created) ?? 0;
    const list = new EntryList();
    list.at = createdAt;
    new SampleReader(list, sample).read();
    return {
      format: { name: "Inspect", ...(version !== undefined && { version }) },
      taskId: taskIdOf(`${textOf(spec.eval_id) ?? textOf(spec.run_id) ?? "eval"}.${id}`),
      title: `${textOf(spec.task) ?? "evaluation"}, sample ${id}`,
      createdAt,
      // A request and a tool are one event each, with the times of both ends.
      entries: [...list.entries].sort((one, other) => one.at - other.at),
      problems: list.problems,
    };
  });
}

interface Approval {
  readonly decision: unknown;
  readonly approver: string;
}

class SampleReader {
  readonly #list: EntryList;
  readonly #sample: Fields;
  readonly #attachments: Fields;
  /** The last decision about each call. */
  readonly #approvals = new Map<string, Approval>();
  readonly #calls = new Set<string>();
  #prompts = 0;
  #count = 0;

  constructor(list: EntryList, sample: Fields) {
    this.#list = list;
    this.#sample = sample;
    this.#attachments = fieldsOf(sample.attachments);
    for (const event of listOf(sample.events).map(fieldsOf)) {
      const id = textOf(fieldsOf(event.call).id);
      if (event.event === "approval" && id !== undefined)
        this.#approvals.set(id, { decision: event.decision, approver: textOf(event.approver) ?? "approver" });
    }
  }

  read(): void {
    const { input, events, messages, error, completed_at: completed } = this.#sample;
    if (listOf(events).length === 0)
      for (const message of listOf(messages)) this.#readMessage(fieldsOf(message));
    else if (this.#firstInput().length === 0)
      this.#addPrompts(typeof input === "string" ? [{ role: "user", content: input }] : listOf(input));
    for (const event of listOf(events)) this.#readEvent(fieldsOf(event));
    this.#list.at = Math.max(timeOf(completed) ?? 0, ...this.#list.entries.slice(-1).map(({ at }) => at));
    const text = textOf(fieldsOf(error).message);
    const how = text === undefined ? "done" : "failed";
    this.#list.add({ kind: "turn.ended", how, ...(text !== undefined && { text }) });
  }

  #firstInput(): readonly unknown[] {
    const first = listOf(this.#sample.events)
      .map(fieldsOf)
      .find(({ event }) => event === "model");
    return listOf(first?.input);
  }

  #readEvent(event: Fields): void {
    this.#list.at = timeOf(event.timestamp) ?? this.#list.at;
    switch (event.event) {
      case "model":
        this.#readModel(event);
        break;
      case "tool":
        this.#readTool(event);
        break;
      case "approval":
        this.#readApproval(event);
        break;
      case "compaction":
        this.#list.add({ kind: "compaction", summary: "", tokensBefore: amountOf(event.tokens_before) });
        break;
      default:
        if (!BOOKKEEPING.has(event.event)) this.#list.addRaw(event.event, event);
    }
  }

  #readModel(event: Fields): void {
    this.#addPrompts(listOf(event.input));
    this.#count += 1;
    const id = `request-${this.#count}`;
    this.#list.add({ kind: "request", id });
    if (event.pending === true) return;
    this.#list.at = timeOf(event.completed) ?? this.#list.at + amountOf(event.working_time) * 1_000;
    const output = fieldsOf(event.output);
    this.#addAssistant(fieldsOf(fieldsOf(listOf(output.choices)[0]).message));
    const error = textOf(event.error) ?? textOf(output.error);
    const [provider = "", ...name] = (textOf(event.model) ?? "").split("/");
    const usage = fieldsOf(output.usage);
    const cost = usage.total_cost;
    this.#list.add({
      kind: "response",
      id,
      ...(name.length > 0 && { model: { provider, id: name.join("/") } }),
      usage: {
        tokensIn: amountOf(usage.input_tokens),
        tokensOut: amountOf(usage.output_tokens),
        cacheWrites: amountOf(usage.input_tokens_cache_write),
        cacheReads: amountOf(usage.input_tokens_cache_read),
        cost: typeof cost === "number" ? amountOf(cost) : null,
      },
      ...(error !== undefined && { error: this.#text(error) }),
    });
  }

  /** The messages of the user that were not sent before: an input repeats the earlier ones. */
  #addPrompts(input: readonly unknown[]): void {
    const prompts = input.map(fieldsOf).filter(({ role }) => role === "user");
    for (const { content } of prompts.slice(this.#prompts))
      this.#list.add({ kind: "prompt", text: this.#text(contentText(content)) });
    this.#prompts = Math.max(this.#prompts, prompts.length);
  }

  #addAssistant(message: Fields): void {
    const { content } = message;
    const blocks =
      typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(fieldsOf);
    for (const block of blocks) {
      const text = this.#text(contentText([block]));
      if (block.type === "reasoning") {
        const { reasoning } = fieldsOf(block);
        this.#list.add({ kind: "thinking", text: this.#text(textOf(reasoning) ?? text) });
      } else if (block.type !== "text") this.#list.addRaw(block.type, block);
      else if (text !== "") this.#list.add({ kind: "text", text });
    }
    for (const call of listOf(message.tool_calls).map(fieldsOf)) this.#addCall(call);
  }

  #addCall({ id: given, function: name, arguments: input }: Fields): void {
    const id = textOf(given) ?? `call-${this.#calls.size + 1}`;
    if (this.#calls.has(id)) return;
    this.#calls.add(id);
    const isAsking = isPerson(this.#approvals.get(id));
    const values = Object.entries(fieldsOf(input)).map(([key, value]) => [
      key,
      typeof value === "string" ? this.#text(value) : value,
    ]);
    this.#list.add({
      kind: "call",
      id,
      name: textOf(name) ?? "tool",
      input: Object.fromEntries(values),
      ...(isAsking && { asks: true }),
    });
  }

  #readTool(event: Fields): void {
    this.#addCall(event);
    if (event.pending === true) return;
    const callId = textOf(event.id) ?? "";
    const failure = fieldsOf(event.error);
    const error = textOf(failure.message);
    const text = this.#text(
      error ??
        (typeof event.result === "object" ? contentText([event.result].flat()) : String(event.result ?? "")),
    );
    this.#list.at = timeOf(event.completed) ?? this.#list.at;
    this.#list.add({
      kind: "result",
      callId,
      text,
      ...this.#callEnd(callId, failure, event.failed === true),
    });
  }

  #callEnd(callId: string, failure: Fields, hasFailed: boolean): CallEnd {
    const approval = this.#approvals.get(callId);
    const isRejected = approval?.decision === "reject" || approval?.decision === "terminate";
    if (isRejected || failure.type === "approval")
      return {
        outcome: "denied",
        by: isPerson(approval) ? "person" : { rule: approval?.approver ?? "approver" },
      };
    return { outcome: textOf(failure.message) !== undefined || hasFailed ? "failed" : "done" };
  }

  #readApproval(event: Fields): void {
    const callId = textOf(fieldsOf(event.call).id) ?? "";
    const isApproved = event.decision === "approve" || event.decision === "modify";
    if (isApproved && isPerson(this.#approvals.get(callId))) this.#list.add({ kind: "approved", callId });
  }

  /** A message of a sample without events. */
  #readMessage(message: Fields): void {
    const { role, content } = message;
    if (role === "user") this.#list.add({ kind: "prompt", text: this.#text(contentText(content)) });
    else if (role === "assistant") this.#addAssistant(message);
    else if (role === "tool")
      this.#readTool({ ...message, id: message.tool_call_id, result: contentText(content) });
    else this.#list.addRaw(`message (${String(role)})`, message);
  }

  /** A text, which an event may replace by a reference to an attachment of the sample. */
  #text(text: string): string {
    const id = /^attachment:\/\/(\w{1,128})$/.exec(text)?.[1];
    return (
      (id !== undefined && Object.hasOwn(this.#attachments, id) && textOf(this.#attachments[id])) || text
    );
  }
}

/** Whether the approver is a person: the name of Inspect's approver that asks one. */
const isPerson = (approval: Approval | undefined): boolean => /(?:^|\/)human$/.test(approval?.approver ?? "");

/** The log in the members of an `.eval` file. */
export function evalLog(texts: ReadonlyMap<string, string>, parse: (text: string) => Fields): Fields {
  const header = texts.get("header.json") ?? texts.get("_journal/start.json") ?? "{}";
  const samples = [...texts].filter(([name]) => name.startsWith("samples/")).map(([, text]) => parse(text));
  return { status: "started", ...parse(header), samples };
}

/** Whether a member of an `.eval` file is a part of the log. */
export const isLogMember = (name: string): boolean =>
  name === "header.json" || name === "_journal/start.json" || /^samples\/.*\.json$/.test(name);
