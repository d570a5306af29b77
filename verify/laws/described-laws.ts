import { MONITORED_LAWS } from "../monitor/monitored-laws.ts";

/**
 * A law as `docs/concepts/laws.md` shows it. Its docstring is its whole statement; the `title` that `verify` prints is
 * one line, and several laws that check parts of one statement have a title each.
 */
interface DescribedLaw {
  /** Absent: its id is its name. */
  readonly name?: string;
  /** The checks besides exploration and random runs. */
  readonly alsoCheckedBy?: string;
}

/** The laws by their ids, in the order of `docs/concepts/laws.md`. */
export const DESCRIBED_LAWS = {
  /**
   * After every macrostep the machine's top-level state equals the state derived from the log
   * (docs/concepts/derivation.md). The machine does not use those rules.
   */
  L1: { name: MONITORED_LAWS.L1.name },
  /**
   * The emitted events, folded, give the log, the conversation, the queue, and the phase of each call by its table. An
   * incremental tracker agrees with the rules over the whole log.
   */
  L2: { name: MONITORED_LAWS.L2.name },
  /** Only the last message may be partial, and only while streaming. */
  L3: { name: MONITORED_LAWS.L3.name },
  /**
   * A request is open exactly while streaming. The macrostep that ends streaming closes it with cost and reason. Each
   * attempt has its own message.
   */
  L4: { name: MONITORED_LAWS.L4.name },
  /**
   * `ts` strictly increases. Only these change: the last message while partial, a shown command's output, the open
   * request, an ask's closing mark, a running call's status.
   */
  L5: { name: MONITORED_LAWS.L5.name },
  /**
   * `validateConversation` accepts every conversation as it is sent (`sentConversation`): without blocks that are
   * bound to another model, and without half a server tool. A whole response is kept unchanged; a cut one keeps only
   * its text.
   */
  L6: { name: MONITORED_LAWS.L6.name },
  /**
   * A call starts only with a decision for it: by a person who answered its own ask, or by the rule that its review
   * names; bound to its digest and arguments; used once. The person's comment is in the result, however the call ends.
   * A call with incomplete arguments is never considered.
   */
  L7: { name: "Capability", alsoCheckedBy: "gate tests: the decision is durable first" },
  /**
   * At most one ask is open, and it is the last message, within the macrostep too; it is closed once; an actor takes
   * its answer. An answer that names another or a partial ask, or does not fit, changes nothing.
   */
  L8: { name: MONITORED_LAWS.L8.name, alsoCheckedBy: "tests of the ask actor: the sender is notified" },
  /** Built-in file tools stay inside the workspace. */
  L9: { name: "Confinement", alsoCheckedBy: "tests of `adapters/workspace` only" },
  /**
   * One cancel settles the task in its macrostep and stops every actor but the new ask. A second cancel and events of
   * stopped actors change nothing. At rest no actor works, except background commands and the timer of a delivery.
   */
  L10: { name: "Cancel", alsoCheckedBy: "tests of the actors: effects after their stop" },
  /**
   * After every macrostep the folded commits equal the context: messages, conversation, queue, calls with their phase
   * (before its start a call is recorded as asked, or not at all) and a person's words, counters, text for the next
   * request, time of the next attempt, usage, result, mode, subtasks. A reopened task rests on one open resume ask,
   * which is last; an open one stays, unless something uncertain must be reported before it. Messages and requests are
   * closed, any other ask is withdrawn, no other actor works, no text is lost, and the wait for an endpoint is kept.
   */
  L11: { name: "Recovery", alsoCheckedBy: "every prefix; gate, journal and whole-task tests; torn files" },
  /**
   * Despite cancels, resumes and crashes, no tool starts twice for one call, and no call is decided twice unless the
   * permissions changed before it started; a subtask resumes as the same child. A recorded result counts, with its
   * images. A call that ran without one is uncertain, or interrupted if it only reads; a message and the tool result
   * report it in the same words. A background command that ended with the process is reported to both.
   */
  L12: { name: "No repeat", alsoCheckedBy: "every prefix; tests of the call tracker" },
  /** From every state some events lead to `idle`. */
  L13: {
    name: "Progress",
    alsoCheckedBy: "computed backwards over the graph; states with unexplored exits count as good",
  },
  /**
   * No count exceeds its limit; calls of a response beyond the limit are rejected at once. Reaching a limit is an ask
   * or an error message, as for loop guards (docs/concepts/machine.md#loop-guards). Requests start at least
   * `rateLimitMs` apart. A full queue rejects without a message, and the sender is notified.
   */
  L14: { name: "Limits", alsoCheckedBy: "exploration with small limits" },
  /** The same inputs and events give the same log, byte for byte. */
  L15: { name: "Determinism", alsoCheckedBy: "random runs, played twice" },
  /**
   * While a subtask works that executes a call, its parent is in `running.delegated`, and nothing else works for it but what is
   * in the background. At most `parallelSubtasks` work at once. One that is paused or can't be opened has not ended, and the
   * parent's resume continues it. Other calls behind one of a subtask are skipped and reported so. A wait for subtasks in the
   * background ends with them, or with a message of the user.
   */
  L16: { name: "Subtasks", alsoCheckedBy: "whole-task tests" },
  /**
   * The end of each subtask is the result of its call, exactly once: done, cancelled or failed, and one message reports it in
   * the same words, in the order of the ends. The results stand in the conversation in the order of the calls. A cancel of
   * the parent settles the calls of its subtasks as cancelled, without a message. In the background, the call has its result at
   * once, the end is a text of the next request, and the task completes with no subtask left.
   */
  JOIN: { alsoCheckedBy: "the exploration of a parent with its subtask, and whole-task tests" },
  /**
   * A cancel of a task cancels every open descendant in the same host, in the same step: none of them starts an effect
   * after it until a person resumes it.
   */
  TREE: { alsoCheckedBy: "the exploration of a parent with its subtask, and tests of whole trees" },
  /** A delta, the end of a response and a query cost the same in a long log as in a short one. */
  L17: { name: "Cost", alsoCheckedBy: "counted accesses, never time" },
  /**
   * Calls start in source order. Nothing starts while an earlier call with an effect or an ask is unsettled. Effects
   * run one at a time; reads only beside reads; subtasks of a response beside each other, once all are decided.
   */
  ORDER: {},
  /**
   * With checkpoints, no call that writes, executes or delegates starts before its turn's only checkpoint has ended.
   * It is a message; a failed one is reported if it has a reason.
   */
  CHECKPOINT: {},
  /**
   * A task is passivated only while nothing works for it but its open ask. When it is activated from its journal, its
   * state, context, messages and ask are the same.
   */
  PASSIVE: {
    alsoCheckedBy:
      "every explored state goes on activated; tests of tasks and clients also run with passivation after every commit",
  },
  /**
   * A queued message that leaves the queue was removed, or becomes a message in the same macrostep, with text and
   * images. With delivery one by one only the oldest leaves, and only after a completion. Queue events change no
   * message and no ask.
   */
  QUEUE: {},
  /**
   * A pause stops nothing but a wait for a time. An open response, a running call and an open ask end first; then the
   * task rests in `resumable`, before its next request, on one ask with the reason `paused`. A subtask that it waits
   * for is paused with it and has not ended. An answer resumes the task, and that subtask, and adds only what a person
   * says. A pause is recorded, and ends when the task rests for another reason.
   */
  PAUSE: { alsoCheckedBy: "tests of tasks, their subtasks and reopened tasks" },
  /**
   * A wake-up continues a task at rest, in place of an answer: it approves nothing. Each due time does so at most once, also
   * after a crash, since one record has the message and the end of the due time; times that pass while the task is not open
   * count once. A paused task, and one that rests after mistakes or at a limit, waits for a person. Wake-ups change by a
   * person, by a call that schedules or cancels them, and when they are due.
   */
  WAKE: { alsoCheckedBy: "tests of tasks that are passive, reopened, or cut after each record" },
  /**
   * A condensed conversation is one user entry and the newest turns unchanged, from a response on, so no call loses
   * its result. It and its message change in one commit. A request is condensed once. One with fewer counted than
   * estimated tokens is sent as it is: only the number changes. After the endpoint refused an image, one commit
   * replaces all images by texts, adds a message, and changes nothing else.
   */
  COMPACT: { alsoCheckedBy: "tests of tasks against a small window; crashes at each record" },
  /**
   * The remaining budget of a task is its grant, less its requests, their cost and its subtasks' grants, plus the rest
   * that each completed subtask returned once. No request starts without requests and dollars left, no subtask without
   * a level, a subtask and a share of both. So a tree spends at most its grant, and the cost of one more request per
   * task.
   */
  BUDGET: { alsoCheckedBy: "trees of tasks with a crash at each commit" },
  /**
   * Each change of the mode, the permission mode or the session's rules is a new revision. No call starts with a
   * verdict of an earlier one, and none is asked about: an open ask is withdrawn, and its call is judged again. A call
   * that a person was asked about is decided only by an answer to that ask or a later one, and one whose tool needs
   * approval only by an answer. A change that only permits more is held while a call is asked about.
   */
  GATE: { alsoCheckedBy: "explorations of two calls with changes and crashes" },
  /**
   * Under the permissions of one moment a subtask starts no call without an answer that its parent would not start in
   * the same mode, and is offered no tool that its parent lacks. The restrictions of its call, and of the calls that
   * started its ancestors, are applied after what the parent is permitted, and again after each change of it. They are
   * recorded: a reopened subtask and a fork of it have them. Only a person permits it more, for this task alone.
   */
  GRANT: { alsoCheckedBy: "trees with random permissions, arguments and changes" },
  /**
   * In permission mode `plan` only calls that read start, whatever the policy says. A subtask that was delegated
   * before goes on, in the same mode.
   */
  PLAN: {},
  /**
   * Where hooks run before calls, a call starts only with the arguments that they allowed, even after an amendment; a
   * person answers a hook that asks. Where they run after calls, no result reaches the model before them, also after a
   * cancel or a crash. Where they replace a result, no result, message or record has the original. No request starts
   * that hooks denied.
   */
  HOOK: { alsoCheckedBy: "explorations with amendments, changes of permissions and crashes" },
  /**
   * In a task with a control protocol (docs/guide/control.md) no call passes without its verdict on exactly the call's
   * arguments, no result settles and nothing of a response is shown or kept before its verdict. The state of the
   * protocol changes by recorded verdicts alone. After one that ends the task no request and no effect starts. No
   * message, request or state has what a monitor says.
   */
  CONTROL: {
    alsoCheckedBy: "explorations with each class of scores; at most as many audits as the protocol says",
  },
  /**
   * Two runs that differ only in what a monitor says have the same states, conversation, requests and order of events.
   * Wall time is excluded.
   */
  NI: { name: "Non-interference", alsoCheckedBy: "each macrostep with a verdict is taken twice" },
  /**
   * Enforcement is the monitor: in a task with policies over time (docs/guide/temporal-policies.md) each started call
   * satisfies the clauses that `verify --log` checks, no matter who permitted it. A call starts only in the macrostep
   * of its judgement, which is about its final arguments and its approver, and after which nothing has happened that a
   * clause may be about; its record has the facts that were judged.
   */
  ONE: {
    alsoCheckedBy:
      "an exploration whose monitor reads the commits of every path; tasks whose journals are checked",
  },
  /**
   * In a workspace with intents no call that may have an effect starts before an intent is selected, and none that the
   * selected one refuses or did not judge; nobody is asked about a refused call, and it is refused only after earlier
   * calls of its response have started or settled: one may select an intent. Mode `bypass` allows no call whose
   * changes are not known. Only a call that selects an intent changes it, and a reopened task has the recorded one.
   */
  INTENT: { alsoCheckedBy: "explorations with two intents; tests of scopes against links, case and renames" },
  /**
   * The writes of a call are recorded once, with its end. Each recorded write, and nothing else, is in the ledger of
   * its workspace (docs/guide/ledger.md) once, in the order of its task's records, chained to the task's line before
   * it. A fork has lines for its own writes only. After a crash an incomplete line is cut off, and missing lines are
   * appended when the task is next opened.
   */
  LEDGER: {
    alsoCheckedBy:
      "an exploration of processes that share a ledger, with a kill or a power failure at each operation",
  },
  /**
   * The selected profile is a recorded fact that only the user and a switch of the mode change. A request keeps its
   * model and its mode until it is closed; its response names the model. A fallback replaces it only after a failure
   * of the endpoint without a retry left, and until the task is at rest.
   */
  MODEL: { alsoCheckedBy: "explorations with changes and crashes; tasks against two endpoints" },
  /** A block of a response that is not interpreted becomes one message, at its position. */
  OPAQUE: {},
} as const satisfies Readonly<Record<string, DescribedLaw>>;
