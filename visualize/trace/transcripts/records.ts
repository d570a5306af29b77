import { isBlank, textBlock } from "../../../machines/conversation/blocks.ts";
import type { ConversationEvent } from "../../../machines/conversation/conversation.ts";
import type {
  AssistantBlock,
  Entry,
  ToolResultBlock,
  UserBlock,
} from "../../../machines/conversation/entry.ts";
import { isAskType } from "../../../machines/message/asks.ts";
import type { LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage, Draft } from "../../../machines/message/message.ts";
import {
  closedRequestText,
  isRequestMessage,
  openRequestText,
  requestInfo,
} from "../../../machines/message/request.ts";
import { StateTracker } from "../../../machines/message/tracker.ts";
import { emptyParts } from "../../../machines/task/commit.ts";
import { addUsage, NO_USAGE } from "../../../machines/task/request.ts";
import type { EffectEvent, Usage } from "../../../machines/task/task.events.ts";
import type { RecordedCall } from "../../../machines/tool-call/call.ts";
import { compactCause } from "../../../wire/journal/cause.ts";
import { type CommitRecord, JOURNAL_VERSION, type JournalRecord } from "../../../wire/journal/record.ts";
import { askMessage, callAsk, callMessage } from "./call-message.ts";
import { type Step, stepsOf } from "./order.ts";
import type { Transcript, TranscriptCall, TranscriptResponse, TranscriptResult } from "./transcript.ts";

/**
 * The journal of a session of another agent: a header that names its format, and a commit for each entry and each ask.
 * The state of a commit is the state that its messages derive, by the rules R0 to R4: L1 holds by construction. The
 * monitor checks the other laws of messages, and the policies over time.
 *
 * @example
 * ```ts
 * import { readTranscripts, recordsOfTranscript } from "signalbox/trace";
 * const content = '{"type":"user","sessionId":"s1","timestamp":"2026-11-01T10:00:00Z","message":{"role":"user","content":"Fix it"}}';
 * const { transcripts } = readTranscripts([{ name: "s1.jsonl", content }]);
 * const records = transcripts.flatMap(recordsOfTranscript);
 * console.log(records.map(({ kind }) => kind).join(", ")); // header, commit
 * ```
 */
export function recordsOfTranscript(transcript: Transcript): readonly JournalRecord[] {
  const { taskId, createdAt, format, workspace, parent, entries } = transcript;
  const title = transcript.title ?? laterPrompt(entries);
  const recorder = new Recorder(entries);
  for (const step of stepsOf(entries)) recorder.add(step);
  return [
    {
      seq: 0,
      kind: "header",
      version: JOURNAL_VERSION,
      taskId,
      createdAt,
      ...(workspace !== undefined && { workspace }),
      ...(title !== undefined && { title }),
      ...(parent !== undefined && { parent: { ...parent, rootId: parent.taskId } }),
      transcript: format,
    },
    ...recorder.records,
  ];
}

/** The first line of the first prompt, where a session begins with other records: a list names a task by its first message. */
function laterPrompt([first, ...rest]: Transcript["entries"]): string | undefined {
  if (first === undefined || first.kind === "prompt") return undefined;
  const prompt = rest.find((entry) => entry.kind === "prompt");
  return prompt?.text.trimStart().split("\n", 1).join("");
}

type Parts = Partial<Omit<CommitRecord, "seq" | "kind" | "at" | "before" | "after" | "cause">>;

interface Cause {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The commits of a session, in order. */
class Recorder {
  readonly records: CommitRecord[] = [];
  readonly #tracker = new StateTracker();
  readonly #calls = new Map<string, TranscriptCall>();
  /** The calls whose tools or subtasks run. */
  readonly #running = new Set<string>();
  /** The results that the next request sends. */
  readonly #results = new Map<string, UserBlock>();
  readonly #responses: ReadonlyMap<string, TranscriptResponse>;
  #request: { readonly id: string; readonly ts: number } | undefined;
  #lastRole: "user" | "assistant" | undefined;
  #total: Usage = NO_USAGE;
  #at = 0;

  constructor(entries: Transcript["entries"]) {
    this.#responses = new Map(
      entries.flatMap((entry) => (entry.kind === "response" ? [[entry.id, entry] as const] : [])),
    );
  }

  add(step: Step): void {
    this.#at = Math.max(this.#at, step.at);
    switch (step.kind) {
      case "prompt":
        this.#addPrompt(step.text);
        break;
      case "request":
        this.#addRequest(step.id);
        break;
      case "response":
        this.#addResponse(step);
        break;
      case "text":
        this.#addOutput("llm.text", { type: "say", say: "text", text: step.text }, textBlocks(step.text));
        break;
      case "thinking":
        this.#addThinking(step.text, step.signature);
        break;
      case "call":
        this.#addCall(step);
        break;
      case "ask":
        this.#addAsk(step.call);
        break;
      case "approved":
        this.#addApproval(step.callId);
        break;
      case "result":
        this.#addResult(step);
        break;
      case "compaction":
        this.#addCompaction(step.summary, step.tokensBefore);
        break;
      case "turn.ended":
        this.#endTurn(step);
        break;
      case "message":
        this.#addMessage(step.message);
        break;
      case "entry":
        this.#addEntry(step.entry);
        break;
      case "raw":
        this.#addRaw(step.type, step.json);
        break;
    }
  }

  #addPrompt(text: string): void {
    const isFirst = this.#tracker.log.length === 0;
    const ask = this.#openAsk();
    const message: Draft = { type: "say", say: isFirst ? "text" : "user_feedback", text };
    const type = isFirst ? "task.start" : ask === undefined ? "task.message" : "ask.answered";
    this.#commit(
      { type, ...(ask !== undefined && { askId: ask.ts, answer: { kind: "text" } }) },
      {
        log: [...this.#closeAsk("answered"), this.#append(message)],
        conversation: this.#say("user", [...this.#sentResults(), ...textBlocks(text)]),
      },
    );
  }

  #addRequest(id: string): void {
    const closed = this.#closeRequest();
    const log = [...closed.log, ...this.#closeAsk("withdrawn")];
    const opened = this.#append({
      type: "say",
      say: "api_req_started",
      text: openRequestText({ apiProtocol: "" }),
    });
    this.#request = { id, ts: opened.message.ts };
    this.#commit(
      { type: "transcript.request" },
      {
        log: [...log, opened],
        conversation: this.#say("user", this.#sentResults()),
        turnEnded: true,
        effects: [...closed.effects, started("llm", "llm")],
      },
    );
  }

  #addResponse(response: TranscriptResponse): void {
    const { usage, model, error } = response;
    const closed = this.#request?.id === response.id ? this.#closeRequest() : { log: [], effects: [] };
    this.#total = addUsage(this.#total, usage ?? { ...NO_USAGE, cost: null });
    const tokens = usage && usage.tokensIn + usage.cacheReads + usage.cacheWrites + usage.tokensOut;
    const cause = error === undefined ? { type: "llm.finished" } : { type: "llm.failed", message: error };
    this.#commit(cause, {
      ...closed,
      facts: {
        total: this.#total,
        ...(tokens !== undefined && { contextTokens: tokens }),
        ...(model !== undefined && { model }),
      },
    });
  }

  #addOutput(type: string, message: Draft, blocks: readonly AssistantBlock[]): void {
    const log = [...this.#closeAsk("withdrawn"), this.#append(message)];
    this.#commit({ type }, { log, conversation: this.#say("assistant", blocks) });
  }

  #addThinking(thinking: string, signature: string | undefined): void {
    const block = signature === undefined ? [] : [{ type: "thinking", thinking, signature } as const];
    this.#addOutput("llm.thinking", { type: "say", say: "reasoning", text: thinking }, block);
  }

  /** A record that is not interpreted, as it is. */
  #addRaw(type: string, json: string): void {
    const message: Draft = { type: "say", say: "opaque", text: `${type}\n${json}` };
    const log = [...this.#closeAsk("withdrawn"), this.#append(message)];
    this.#commit({ type: "transcript.record", record: type }, { log });
  }

  #addCall(call: TranscriptCall): void {
    const { id, name, input, childId, asks } = call;
    this.#calls.set(id, call);
    const effect = childId === undefined ? "tool" : "subtask";
    const isAsking = asks === true;
    if (!isAsking) this.#running.add(id);
    this.#commit(
      { type: "llm.tool.end", callId: id, name, input },
      {
        log: isAsking ? [] : [...this.#closeAsk("withdrawn"), this.#append(callMessage(call))],
        conversation: this.#say("assistant", [{ type: "tool_use", id, name, input }]),
        calls: [isAsking ? { ...identityOf(call), phase: "asking" } : begunCall(call)],
        effects: isAsking ? [] : [started(effect, `${effect}:${id}`)],
      },
    );
  }

  #addAsk(call: TranscriptCall): void {
    const closed = this.#closeRequest();
    const log = [...closed.log, ...this.#closeAsk("withdrawn"), this.#append(askMessage(call))];
    const effects = [...closed.effects, started("ask", `ask:${this.#lastTs}`)];
    this.#commit({ type: "transcript.ask", callId: call.id }, { log, effects });
  }

  #addApproval(callId: string): void {
    const call = this.#calls.get(callId);
    const ask = this.#openAsk();
    if (call === undefined || ask?.callId !== callId) return;
    this.#running.add(callId);
    this.#commit(
      { type: "ask.answered", askId: ask.ts, callId, answer: { kind: "yes" } },
      {
        log: [...this.#closeAsk("answered"), this.#append(callMessage(call))],
        decisions: [{ callId, digest: "", by: { person: true }, at: this.#at }],
        calls: [begunCall(call)],
        effects: [started("tool", `tool:${callId}`)],
      },
    );
  }

  #addResult(result: TranscriptResult): void {
    const call = this.#calls.get(result.callId);
    if (call === undefined) {
      this.#addRaw("tool_result", JSON.stringify(result));
      return;
    }
    const ask = this.#openAsk()?.callId === call.id ? this.#openAsk() : undefined;
    const content = textBlocks(result.text);
    this.#results.set(call.id, {
      type: "tool_result",
      tool_use_id: call.id,
      content,
      ...(result.outcome !== "done" && { is_error: true }),
    });
    const kind = call.childId === undefined ? "tool" : "subtask";
    const message = resultMessage(result, ask);
    const closing = ask === undefined ? "withdrawn" : "answered";
    this.#commit(resultCause(result, call, ask), {
      log: message === undefined ? [] : [...this.#closeAsk(closing), this.#append(message)],
      calls: [{ ...identityOf(call), phase: "settled", outcome: { kind: result.outcome, content } }],
      effects: this.#running.delete(call.id) ? [stopped(kind, `${kind}:${call.id}`)] : [],
    });
  }

  #addCompaction(summary: string, tokensBefore: number | undefined): void {
    const contextCondense = {
      summary,
      ...(tokensBefore !== undefined && { prevContextTokens: tokensBefore }),
    };
    const message: Draft = { type: "say", say: "condense_context", text: "", contextCondense };
    const log = [...this.#closeAsk("withdrawn"), this.#append(message)];
    this.#lastRole = "user";
    this.#forgetResults();
    const by = [{ role: "user", content: textBlocks(summary || "(no summary)") } as const];
    const conversation = [{ type: "entries.replaced", count: this.#entries, by } as const];
    this.#entries = 1;
    this.#commit({ type: "transcript.compaction" }, { log, conversation });
  }

  #endTurn({ how, text = "" }: Extract<Step, { readonly kind: "turn.ended" }>): void {
    const closed = this.#closeRequest(how === "interrupted" ? "user_cancelled" : undefined);
    const message: Draft = { type: "ask", ask: TURN_ENDS[how], text };
    const log = [...closed.log, ...this.#closeAsk("withdrawn"), this.#append(message)];
    const effects = [...closed.effects, started("ask", `ask:${this.#lastTs}`)];
    const cause =
      how === "interrupted" ? { type: "task.cancel", origin: "user" } : { type: "transcript.turn" };
    this.#commit(cause, { log, effects });
  }

  /** A message of Roo Code has its own time and closing. An ask lasts until the next message. */
  #addMessage(message: ClineMessage): void {
    const effects = isWait(message) ? [started("ask", `ask:${message.ts}`)] : [];
    const type = message.type === "ask" ? "transcript.ask" : "transcript.message";
    const facts = this.#addAmounts(message);
    this.#commit({ type }, { log: [{ type: "message.appended", message }], effects, ...facts });
    this.#lastTs = message.ts;
  }

  /** The usage of a request whose message has it. */
  #addAmounts(message: ClineMessage): Pick<Parts, "facts"> {
    if (!isRequestMessage(message)) return {};
    const info = requestInfo(message) ?? {};
    const { tokensIn = 0, tokensOut = 0, cacheWrites = 0, cacheReads = 0, cost = null } = info;
    this.#total = addUsage(this.#total, { tokensIn, tokensOut, cacheWrites, cacheReads, cost });
    return { facts: { total: this.#total } };
  }

  /** An entry of a conversation: its tool calls start, or end by their results. */
  #addEntry(entry: Entry): void {
    const calls = entry.content.flatMap((block): readonly RecordedCall[] => {
      if (block.type === "tool_use") {
        const call = { kind: "call", id: block.id, name: block.name, input: block.input } as const;
        this.#calls.set(block.id, call);
        return [begunCall(call)];
      }
      const call = block.type === "tool_result" ? this.#calls.get(block.tool_use_id) : undefined;
      if (block.type !== "tool_result" || call === undefined) return [];
      return [
        {
          ...identityOf(call),
          phase: "settled",
          outcome: { kind: outcomeOf(block), content: block.content },
        },
      ];
    });
    this.#commit({ type: "transcript.entry" }, { conversation: [{ type: "entry.appended", entry }], calls });
  }

  #entries = 0;
  #lastTs = 0;

  #append(message: Draft): { readonly type: "message.appended"; readonly message: ClineMessage } {
    this.#lastTs = Math.max(this.#at, this.#lastTs + 1);
    return { type: "message.appended", message: { ts: this.#lastTs, ...message } };
  }

  /** The blocks as a part of the last entry, or as a new one. */
  #say(role: "user", blocks: readonly UserBlock[]): readonly ConversationEvent[];
  #say(role: "assistant", blocks: readonly AssistantBlock[]): readonly ConversationEvent[];
  #say(role: "user" | "assistant", content: readonly never[]): readonly ConversationEvent[] {
    if (content.length === 0) return [];
    if (this.#lastRole === role) return [{ type: "entry.extended", content }];
    this.#lastRole = role;
    this.#entries += 1;
    return [{ type: "entry.appended", entry: { role, content } }];
  }

  /** The results since the last request, in the order of their calls. */
  #sentResults(): readonly UserBlock[] {
    const blocks = [...this.#calls.keys()].flatMap((id) => this.#results.get(id) ?? []);
    this.#forgetResults();
    return blocks;
  }

  #forgetResults(): void {
    for (const id of this.#results.keys()) this.#calls.delete(id);
    this.#results.clear();
  }

  #openAsk(): ClineMessage | undefined {
    const last = this.#tracker.log.at(-1);
    return last?.type === "ask" && last.closing === undefined ? last : undefined;
  }

  #closeAsk(closing: "answered" | "withdrawn"): readonly LogEvent[] {
    const ask = this.#openAsk();
    if (ask === undefined) return [];
    const patch = closing === "answered" ? { closing, isAnswered: true } : { closing };
    return [{ type: "message.amended", ts: ask.ts, patch }];
  }

  /** Close the open request with the usage of its response, which may come later. */
  #closeRequest(cancelReason?: "user_cancelled"): {
    readonly log: LogEvent[];
    readonly effects: EffectEvent[];
  } {
    if (this.#request === undefined) return { log: [], effects: [] };
    const { id, ts } = this.#request;
    const { usage = { ...NO_USAGE, cost: null }, error } = this.#responses.get(id) ?? {};
    this.#request = undefined;
    const failed =
      error === undefined
        ? {}
        : ({ cancelReason: "streaming_failed", streamingFailedMessage: error } as const);
    const text = closedRequestText({ cancelReason, ...usage, ...failed });
    return {
      log: [{ type: "message.amended", ts, patch: { text } }],
      effects: [stopped("llm", "llm")],
    };
  }

  /** An ask stops when it is no longer the last message. */
  #commit(cause: Cause, parts: Parts): void {
    const at = this.#at;
    const before = this.#tracker.info.state;
    const { length } = this.#tracker.log;
    const last = this.#tracker.log.at(-1);
    for (const event of parts.log ?? []) this.#tracker.apply(event);
    const after = this.#tracker.info.state;
    const seq = this.records.length + 1;
    const recorded = { ...compactCause(cause), type: cause.type, at };
    const hasStopped = last !== undefined && isWait(last) && this.#tracker.log.length > length;
    const effects = [...(hasStopped ? [stopped("ask", `ask:${last.ts}`)] : []), ...(parts.effects ?? [])];
    const all = { ...emptyParts, ...parts, effects };
    this.records.push({ seq, kind: "commit", at, cause: recorded, before, after, ...all });
  }
}

/** The outcome in a result of Roo Code: only its text says that a person denied the call. */
function outcomeOf({ content, is_error: hasFailed }: ToolResultBlock): "done" | "failed" | "denied" {
  const [first] = content;
  if (first?.type === "text" && /\bThe user denied this operation\b/.test(first.text)) return "denied";
  return hasFailed === true ? "failed" : "done";
}

/** The asks on which a session rests. */
const TURN_ENDS = {
  done: "completion_result",
  interrupted: "resume_task",
  failed: "api_req_failed",
} as const;

const textBlocks = (text: string) => (isBlank(text) ? [] : [textBlock(text)]);

const started = (effect: EffectEvent["effect"], id: string): EffectEvent => ({
  type: "effect.started",
  effect,
  id,
});

const stopped = (effect: EffectEvent["effect"], id: string): EffectEvent => ({
  type: "effect.stopped",
  effect,
  id,
});

const isWait = ({ type, ask }: ClineMessage): boolean => type === "ask" && isAskType(ask);

const identityOf = (call: TranscriptCall) => ({
  callId: call.id,
  toolUseId: call.id,
  name: call.name,
  ask: callAsk(call),
});

/** A call that waits for nobody: its tool runs, or its subtask. */
const begunCall = (call: TranscriptCall): RecordedCall =>
  call.childId === undefined
    ? { ...identityOf(call), phase: "running", replayable: false }
    : { ...identityOf(call), phase: "delegated", input: call.input, childId: call.childId };

/** The event that a result came by: the answer of a person, or the end of a tool. */
function resultCause(result: TranscriptResult, call: TranscriptCall, ask: ClineMessage | undefined): Cause {
  const callId = call.id;
  if (ask !== undefined) {
    const kind = result.outcome === "denied" ? "no" : ask.ask === "followup" ? "text" : "yes";
    return { type: "ask.answered", askId: ask.ts, callId, answer: { kind } };
  }
  if (call.childId !== undefined) return { type: "subtask.ended", callId };
  return { type: result.outcome === "done" ? "tool.finished" : "tool.failed", callId };
}

/** The message of a result. A result that is only sent to the model has none: the conversation has it. */
function resultMessage(result: TranscriptResult, ask: ClineMessage | undefined): Draft | undefined {
  const { callId, text, exitCode } = result;
  const say = { type: "say", text, callId } as const;
  if (result.outcome === "denied" && result.by !== "person")
    return { ...say, say: "error", denial: result.by };
  if (exitCode !== undefined) return { ...say, say: "command_output", exitCode };
  if (result.outcome !== "done") return { ...say, say: "error" };
  if (ask?.ask === "followup") return { ...say, say: "user_feedback" };
  return ask === undefined ? undefined : { ...say, say: "tool", text: ask.text ?? "" };
}
