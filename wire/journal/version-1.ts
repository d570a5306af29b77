import { textBlock, type UserBlock, userMessage } from "../../machines/conversation/index.ts";
import { type LogEvent, requestInfo } from "../../machines/message/index.ts";
import type { Usage } from "../../machines/task/index.ts";
import type { RecordedCall } from "../../machines/tool-call/index.ts";
import type { CommitRecord, JournalRecord } from "./record.ts";

const TOOL = "tool:";
/** The rule by which version 1 let a call run that only reads. */
const READS = "allow-reads-inside";

/**
 * Reads the records of a journal of version 1, which has neither `calls` nor `facts`: they are made from what it has.
 * What it never recorded is told as interrupted: the results of calls that were refused or skipped in the turn that the
 * crash cut short. What a later version appended, when it opened the task and went on, stands as it was written.
 */
export function fromVersion1(): (record: JournalRecord) => JournalRecord {
  const upgrade = new Upgrade();
  let isOver = false;
  return (record) => {
    if (record.kind !== "commit") return record;
    isOver ||= isLater(record);
    return isOver ? record : upgrade.commit(record);
  };
}

/** Version 1 opened no task again, and recorded none of the others. */
const isLater = ({ cause, calls, facts, turnEnded }: CommitRecord): boolean =>
  cause?.type === "task.recovered" || calls.length > 0 || facts !== undefined || turnEnded;

const NO_WORDS: readonly UserBlock[] = [];

class Upgrade {
  readonly #names = new Map<string, string>();
  #isFirst = true;
  #pending: readonly UserBlock[] = NO_WORDS;
  #total: Usage = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };

  commit(record: CommitRecord): CommitRecord {
    const turnEnded = this.#hear(record);
    const pending = turnEnded ? NO_WORDS : this.#pending;
    const heard = record.log.flatMap((event) => wordsIn(event, this.#isFirst));
    const said = heard.length > 0 ? [...pending, ...heard] : pending;
    if (record.log.length > 0) this.#isFirst = false;
    const total = record.log.reduce(withCost, this.#total);
    const facts = {
      ...(said !== this.#pending && { pending: said }),
      ...(total !== this.#total && { total }),
    };
    this.#pending = said;
    this.#total = total;
    return { ...record, turnEnded, calls: this.#calls(record), facts };
  }

  /** Whether the user's side spoke, which ends the turn before. */
  #hear({ conversation }: CommitRecord): boolean {
    let spoke = false;
    for (const event of conversation) {
      const content = event.type === "entry.appended" ? event.entry.content : event.content;
      for (const block of content) if (block.type === "tool_use") this.#names.set(block.id, block.name);
      spoke ||= event.type === "entry.appended" && event.entry.role === "user";
    }
    return spoke;
  }

  #calls({ effects, decisions, log }: CommitRecord): RecordedCall[] {
    const started = effects.flatMap(({ type, id }): RecordedCall[] => {
      if (type !== "effect.started" || !id.startsWith(TOOL)) return [];
      const callId = id.slice(TOOL.length);
      const by = decisions.find((decision) => decision.callId === callId)?.by;
      const replayable = by !== undefined && "rule" in by && by.rule === READS;
      return [{ ...this.#identity(callId), ask: "tool", phase: "running", replayable }];
    });
    const offered = log.flatMap((event): RecordedCall[] => {
      if (event.type !== "message.appended") return [];
      const { ask, callId } = event.message;
      if (ask !== "completion_result" || callId === undefined) return [];
      return [{ ...this.#identity(callId), ask: "completion_result", phase: "asking" }];
    });
    return [...started, ...offered];
  }

  #identity(callId: string) {
    const toolUseId = callId.slice(callId.indexOf("/") + 1);
    return { callId, toolUseId, name: this.#names.get(toolUseId) ?? "a tool" };
  }
}

/** What a person said: version 1 did not say whether a request has it. */
function wordsIn(event: LogEvent, isFirst: boolean): UserBlock[] {
  if (event.type !== "message.appended") return [];
  const { say, text } = event.message;
  const isWords = say === "user_feedback" || (isFirst && say === "text");
  return isWords && text ? [textBlock(userMessage(text))] : [];
}

function withCost(total: Usage, event: LogEvent): Usage {
  if (event.type !== "message.amended" || typeof event.patch.text !== "string") return total;
  const row = { ts: event.ts, type: "say", say: "api_req_started", text: event.patch.text } as const;
  const info = requestInfo(row);
  if (info?.cost === undefined || info.apiProtocol === undefined) return total;
  return {
    tokensIn: total.tokensIn + (info.tokensIn ?? 0),
    tokensOut: total.tokensOut + (info.tokensOut ?? 0),
    cacheWrites: total.cacheWrites + (info.cacheWrites ?? 0),
    cacheReads: total.cacheReads + (info.cacheReads ?? 0),
    cost: total.cost + info.cost,
  };
}
