import type { ConversationEvent } from "../../machines/conversation/conversation.ts";
import type { LogEvent } from "../../machines/message/log.ts";
import type { ClineMessage, Denial } from "../../machines/message/message.ts";
import { DEFAULT_MODE } from "../../machines/task/mode.ts";
import { STANDARD_PERMISSIONS } from "../../machines/task/permissions.ts";
import type { Decision, Input, Outcome, RecordedCall } from "../../machines/tool-call/call.ts";
import type { PermissionState } from "../../machines/tool-call/permissions.ts";
import type { CommitRecord, JournalRecord } from "./record.ts";

/** The first decision about a tool call: how its ask was closed, if it was asked, does not change it. */
export type FirstDecision =
  /** `because`: the clause that says why a person was asked. Absent for a question. */
  | { readonly kind: "ask"; readonly because?: string }
  | { readonly kind: "allow"; readonly rule: string }
  /** `denial` is absent if the task ended before it said what denied the call. */
  | { readonly kind: "deny"; readonly denial?: Denial }
  /** No policy and no person decided about it. `outcome` is absent if the task ended first. */
  | { readonly kind: "none"; readonly outcome?: Outcome["kind"] };

/** A tool call of a recorded task, with what was permitted when it was decided. */
export interface DecidedCall {
  readonly callId: string;
  /** The number of the record with its first decision. */
  readonly record: number;
  readonly name: string;
  /** As the model sent it, or as a hook set it. Absent: the journal does not have it. */
  readonly input?: Input;
  readonly first: FirstDecision;
  /** The slug of the task's mode. */
  readonly mode: string;
  readonly permissions: Pick<PermissionState, "mode" | "rules">;
  readonly hasIntent: boolean;
}

interface Growing {
  first?: Exclude<FirstDecision, { kind: "none" }>;
  identity?: RecordedCall;
  input?: Input;
  known?: Pick<DecidedCall, "record" | "mode" | "permissions" | "hasIntent">;
}

/** The rule of an expired ask, where it is too long for the cause of a record. */
const LONG_RULE = "a rule whose name is too long for its record";

/** Reads the tool calls of a journal, record by record, with the first decision about each. */
export class DecidedCalls {
  /** By their ids. */
  readonly #calls = new Map<string, Growing>();
  /** The calls of asks, by the `ts` of the messages. */
  readonly #asks = new Map<number, ClineMessage & { readonly callId: string }>();
  readonly #denials = new Map<string, Denial>();
  /** The ids of this turn's calls, and their arguments by the model's ids, which later turns may use again. */
  readonly #turn = new Set<string>();
  readonly #inputs = new Map<string, Input>();
  #mode = DEFAULT_MODE;
  #permissions: DecidedCall["permissions"] = STANDARD_PERMISSIONS;
  #hasIntent = false;

  read(record: JournalRecord): void {
    if (record.kind !== "commit") return;
    if (record.turnEnded) this.#endTurn();
    for (const event of record.conversation) this.#readEntry(event);
    for (const event of record.log) this.#readMessage(event, record.seq);
    this.#readExpiry(record);
    for (const decision of record.decisions) this.#readDecision(decision, record.seq);
    for (const call of record.calls) this.#readCall(call, record.seq);
    const { mode = this.#mode, permissions = this.#permissions, intent } = record.facts ?? {};
    this.#mode = mode;
    this.#permissions = { mode: permissions.mode, rules: permissions.rules };
    if (intent !== undefined) this.#hasIntent = intent !== null;
  }

  /** The calls so far, in the order of their first decisions. */
  found(): readonly DecidedCall[] {
    return [...this.#calls].flatMap(([callId, { first, identity, input, known }]): readonly DecidedCall[] => {
      if (identity === undefined || known === undefined) return [];
      const denial = this.#denials.get(callId);
      const outcome = identity.phase === "settled" ? { outcome: identity.outcome.kind } : {};
      const found = input ?? this.#inputOf(callId, identity);
      return [
        {
          callId,
          name: identity.name,
          ...(found !== undefined && { input: found }),
          ...known,
          first:
            first?.kind === "deny" && denial !== undefined
              ? { ...first, denial }
              : (first ?? { kind: "none", ...outcome }),
        },
      ];
    });
  }

  #endTurn(): void {
    for (const callId of this.#turn) {
      const call = this.#calls.get(callId);
      const input = call?.input ?? this.#inputOf(callId, call?.identity);
      if (call !== undefined && input !== undefined) call.input = input;
    }
    this.#turn.clear();
    this.#inputs.clear();
  }

  #inputOf(callId: string, identity: RecordedCall | undefined): Input | undefined {
    return identity !== undefined && this.#turn.has(callId)
      ? this.#inputs.get(identity.toolUseId)
      : undefined;
  }

  #readEntry(event: ConversationEvent): void {
    if (event.type === "entries.replaced") return;
    const content = event.type === "entry.appended" ? event.entry.content : event.content;
    for (const block of content) if (block.type === "tool_use") this.#inputs.set(block.id, block.input);
  }

  #readMessage(event: LogEvent, record: number): void {
    if (event.type === "message.appended") this.#readShown(event.message, record);
    if (event.type !== "message.amended" || event.patch.partial !== false) return;
    const begun = this.#asks.get(event.ts);
    if (begun !== undefined) this.#readShown({ ...begun, ...event.patch }, record);
  }

  #readShown(message: ClineMessage, record: number): void {
    const { type, ask, callId, ts, denial, partial, closing, reason } = message;
    if (callId === undefined) return;
    if (denial !== undefined) this.#denials.set(callId, denial);
    if (type !== "ask" || ask === "command_output") return;
    this.#asks.set(ts, { ...message, callId });
    // An ask that is closed as it is shown is the message of an approval by a rule, or of a call that never was judged.
    if (partial === true || closing !== undefined) return;
    this.#decide(callId, record, { kind: "ask", ...(reason !== undefined && { because: reason }) });
  }

  /** The completion of a subtask is asked about and accepted by a rule. */
  #readExpiry({ cause }: CommitRecord): void {
    if (cause?.type !== "ask.expired" || typeof cause.askId !== "number") return;
    const asked = this.#asks.get(cause.askId);
    const call = this.#calls.get(asked?.callId ?? "");
    if (asked?.ask === "completion_result" && call !== undefined)
      call.first = { kind: "allow", rule: typeof cause.rule === "string" ? cause.rule : LONG_RULE };
  }

  #readDecision({ callId, by, input }: Decision, record: number): void {
    this.#decide(callId, record, "rule" in by ? { kind: "allow", rule: by.rule } : { kind: "ask" });
    const call = this.#calls.get(callId);
    if (call !== undefined && input !== undefined) call.input = input;
  }

  #readCall(call: RecordedCall, record: number): void {
    if (call.phase === "settled" && call.outcome.kind === "denied")
      this.#decide(call.callId, record, { kind: "deny" });
    this.#turn.add(call.callId);
    this.#calls.set(call.callId, {
      known: this.#known(record),
      ...this.#calls.get(call.callId),
      identity: call,
    });
  }

  #decide(callId: string, record: number, first: NonNullable<Growing["first"]>): void {
    const call = this.#calls.get(callId);
    this.#turn.add(callId);
    if (call?.first === undefined) this.#calls.set(callId, { ...call, first, known: this.#known(record) });
  }

  #known(record: number): NonNullable<Growing["known"]> {
    return { record, mode: this.#mode, permissions: this.#permissions, hasIntent: this.#hasIntent };
  }
}
