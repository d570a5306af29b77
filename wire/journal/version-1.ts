import { textBlock } from "../../machines/conversation/blocks.ts";
import type { UserBlock } from "../../machines/conversation/entry.ts";
import { userMessage } from "../../machines/conversation/notices.ts";
import type { LogEvent } from "../../machines/message/log.ts";
import { requestInfo } from "../../machines/message/request.ts";
import { addCost } from "../../machines/task/request.ts";
import type { Usage } from "../../machines/task/task.events.ts";
import type { RecordedCall } from "../../machines/tool-call/call.ts";
import type { CommitRecord, JournalRecord } from "./record.ts";

const TOOL = "tool:";
/** The rule that permits read-only calls in version 1. */
const READS = "allow-reads-inside";

/** Create the function that converts the records of one journal, in order, from `version` to the current version. */
export const recordUpgrade = (version: number): ((record: JournalRecord) => JournalRecord) =>
  version === 1 ? fromVersion1() : (record) => record;

/**
 * Version 1 has neither `calls` nor `facts`: they are derived from the other parts. Results that it never recorded become
 * interrupted: of calls that were denied or skipped in the turn of a crash. Records that a later version appended after
 * it opened the task are unchanged; versions before 3 mark them with no record.
 */
function fromVersion1(): (record: JournalRecord) => JournalRecord {
  const upgrade = new Upgrade();
  let isOver = false;
  return (record) => {
    isOver ||= record.kind === "version" || (record.kind === "commit" && isLater(record));
    return isOver || record.kind !== "commit" ? record : upgrade.commit(record);
  };
}

/** Version 1 never reopens a task, and records none of the other parts. */
const isLater = ({ cause, calls, facts, turnEnded }: CommitRecord): boolean =>
  cause?.type === "task.recovered" || calls.length > 0 || facts !== undefined || turnEnded;

const NO_BLOCKS: readonly UserBlock[] = [];

class Upgrade {
  readonly #names = new Map<string, string>();
  #isFirst = true;
  #pending: readonly UserBlock[] = NO_BLOCKS;
  #total: Usage = { tokensIn: 0, tokensOut: 0, cacheWrites: 0, cacheReads: 0, cost: 0 };

  commit(record: CommitRecord): CommitRecord {
    const turnEnded = this.#readConversation(record);
    const kept = turnEnded ? NO_BLOCKS : this.#pending;
    const added = record.log.flatMap((event) => userTexts(event, this.#isFirst));
    const pending = added.length > 0 ? [...kept, ...added] : kept;
    if (record.log.length > 0) this.#isFirst = false;
    const total = record.log.reduce(withCost, this.#total);
    const facts = {
      ...(pending !== this.#pending && { pending }),
      ...(total !== this.#total && { total }),
    };
    this.#pending = pending;
    this.#total = total;
    return { ...record, turnEnded, calls: this.#calls(record), facts };
  }

  /** Collect tool names. Return whether a user entry was appended, which ends the previous turn. */
  #readConversation({ conversation }: CommitRecord): boolean {
    let turnEnded = false;
    for (const event of conversation) {
      if (event.type === "entries.replaced") continue;
      const content = event.type === "entry.appended" ? event.entry.content : event.content;
      for (const block of content) if (block.type === "tool_use") this.#names.set(block.id, block.name);
      turnEnded ||= event.type === "entry.appended" && event.entry.role === "user";
    }
    return turnEnded;
  }

  #calls({ effects, decisions, log }: CommitRecord): RecordedCall[] {
    const started = effects.flatMap(({ type, id }): RecordedCall[] => {
      if (type !== "effect.started" || !id.startsWith(TOOL)) return [];
      const callId = id.slice(TOOL.length);
      const by = decisions.find((decision) => decision.callId === callId)?.by;
      const replayable = by !== undefined && "rule" in by && by.rule === READS;
      return [{ ...this.#identity(callId), ask: "tool", phase: "running", replayable }];
    });
    const completions = log.flatMap((event): RecordedCall[] => {
      if (event.type !== "message.appended") return [];
      const { ask, callId } = event.message;
      if (ask !== "completion_result" || callId === undefined) return [];
      return [{ ...this.#identity(callId), ask: "completion_result", phase: "asking" }];
    });
    return [...started, ...completions];
  }

  #identity(callId: string) {
    const toolUseId = callId.slice(callId.indexOf("/") + 1);
    return { callId, toolUseId, name: this.#names.get(toolUseId) ?? "a tool" };
  }
}

/** Text of the user. Version 1 does not record whether a request contains it. */
function userTexts(event: LogEvent, isFirst: boolean): UserBlock[] {
  if (event.type !== "message.appended") return [];
  const { say, text } = event.message;
  const isUserText = say === "user_feedback" || (isFirst && say === "text");
  return isUserText && text ? [textBlock(userMessage(text))] : [];
}

function withCost(total: Usage, event: LogEvent): Usage {
  if (event.type !== "message.amended" || typeof event.patch.text !== "string") return total;
  const { text } = event.patch;
  const info = requestInfo({ ts: event.ts, type: "say", say: "api_req_started", text });
  if (info?.cost === undefined || info.apiProtocol === undefined) return total;
  return {
    tokensIn: total.tokensIn + (info.tokensIn ?? 0),
    tokensOut: total.tokensOut + (info.tokensOut ?? 0),
    cacheWrites: total.cacheWrites + (info.cacheWrites ?? 0),
    cacheReads: total.cacheReads + (info.cacheReads ?? 0),
    cost: addCost(total.cost, info.cost),
  };
}
