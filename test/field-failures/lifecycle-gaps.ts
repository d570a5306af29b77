import type { NamedTest } from "./named-tests.ts";

/** A fault of another agent's lifecycle. */
export interface LifecycleGap {
  readonly what: string;
  /** The laws or properties that rule it out here. */
  readonly ruledOutBy: string;
  readonly tests: readonly NamedTest[];
}

/** The faults in the order of their numbers, from 1: LIFE-GAP-001. */
export const LIFECYCLE_GAPS: readonly LifecycleGap[] = [
  {
    what: "The late end of a first subtask ends the parent's wait for a second one, which is orphaned.",
    ruledOutBy: "JOIN, L16",
    tests: [
      "test/runtime/subtasks/parallel.test.ts: each gives its parent its result once",
      "test/runtime/subtasks/unavailable.test.ts: its parent rests with the reason while another process has it open",
      "test/verify/subtasks/exploration.test.ts: lock taken for the end of the subtask",
    ],
  },
  {
    what: "A late write of an older copy attaches a detached subtask again.",
    ruledOutBy: "L16, L11",
    tests: ["test/runtime/subtasks/subtasks.test.ts: cancelled by its own user gives one outcome"],
  },
  {
    what: "A queued message leaves the queue, its submission fails, and the text is lost.",
    ruledOutBy: "QUEUE",
    tests: ["test/cli/acp/continue-task.test.ts: a prompt that a full queue does not take"],
  },
  {
    what: "The process dies between the writes of parent and subtask.",
    ruledOutBy: "L11, L16",
    tests: [
      "test/crash/prefixes.test.ts: recovers, holds L1-L6",
      "test/store/gate/gate.test.ts: a commit is published",
      "test/verify/subtasks/exploration.test.ts: subtask started before its parent's record",
    ],
  },
  {
    what: "A delegation fails halfway. A subtask has no parent, or a parent waits for nothing.",
    ruledOutBy: "L11, L16",
    tests: ["test/runtime/subtasks/subtasks-crash.test.ts: when the subtask had no journal"],
  },
  {
    what: "The write that ends the wait fails. The parent has the result and still waits.",
    ruledOutBy: "L11, L16",
    tests: [
      "test/runtime/subtasks/subtasks-crash.test.ts: when the subtask had ended and the parent had not recorded it",
    ],
  },
  {
    what: "A task reads its mode from shared state and follows another task.",
    ruledOutBy: "MODEL",
    tests: ["test/runtime/environment.test.ts: a request has one mode"],
  },
  {
    what: "Tool arguments without an id are dropped, and calls without an index merged.",
    ruledOutBy: "L7",
    tests: ["test/adapters/ai-sdk/part-decoder.test.ts: %s is a failure (L4)"],
  },
  {
    what: "A failing asynchronous listener is an unhandled rejection.",
    ruledOutBy: "lifecycle events",
    tests: ["test/client/failing-listeners.test.ts: is reported to onError"],
  },
  {
    what: "A background read of the usage of a replaced request goes on.",
    ruledOutBy: "L10",
    tests: ["test/actors/llm/llm-actor.test.ts: L10: a stop silences it at once"],
  },
  {
    what: "A consumer acts on a completion that is not stored.",
    ruledOutBy: "L11",
    tests: ["test/client/unwritten-completion.test.ts: never have a completion that is not durable"],
  },
  {
    what: "A completion of an earlier attempt counts for the resumed one. An action repeats at every restart.",
    ruledOutBy: "L12, L16",
    tests: [
      "test/runtime/subtasks/subtasks.test.ts: cancelled by its own user gives one outcome",
      "test/runtime/subtasks/subtasks-crash.test.ts: the first outcome counts (LIFE-GAP-012)",
      "test/verify/faults.test.ts: is caught by $law: $name",
    ],
  },
  {
    what: "Several packages list the statuses differently.",
    ruledOutBy: "one definition",
    tests: ["test/machines/message/states.test.ts: have one definition"],
  },
  {
    what: "A model of parallel subtasks is mistaken for a proof of the code.",
    ruledOutBy: "ORDER, L16, JOIN",
    tests: [
      "test/verify/pages.test.ts: cover exactly the explorations that exist",
      "test/verify/faults.test.ts: is caught by $law: $name",
    ],
  },
  {
    what: "Each part is checked alone. A loop through all of them passes every check.",
    ruledOutBy: "L16",
    tests: [
      "test/runtime/subtasks/parallel-crash.test.ts: loses and repeats nothing",
      "test/verify/subtasks/exploration.test.ts: obey their laws in every state",
    ],
  },
  {
    what: "Documents name models, tests and commands that no longer exist.",
    ruledOutBy: "checked pages",
    tests: [
      "test/verify/pages.test.ts: the page of the laws",
      "test/examples-in-docs/pages.test.ts: %s quotes paths that exist",
    ],
  },
  {
    what: "A caller changes a record of the store's cache.",
    ruledOutBy: "L2",
    tests: ["test/runtime/handed-out.test.ts: nothing that a task hands out can change it"],
  },
  {
    what: "A reader accepts a task file of the wrong shape.",
    ruledOutBy: "schemas",
    tests: ["test/store/journal/read.test.ts: gives the reason of a tail"],
  },
  {
    what: "An id with separators reaches files elsewhere.",
    ruledOutBy: "one validator",
    tests: ["test/runtime/subtasks/long-ids.test.ts: has room for subtasks"],
  },
  {
    what: "A missed notification of a file watcher leaves stale state.",
    ruledOutBy: "stated window",
    tests: ["test/server/other-process.test.ts: /api/events has the task that another process creates"],
  },
  {
    what: "The store is closed while writes are queued. Some are lost, others late.",
    ruledOutBy: "L11",
    tests: ["test/store/gate/gate.test.ts: writes the waiting commits"],
  },
  {
    what: "The same command leaves another record from another interface.",
    ruledOutBy: "L10, L16",
    tests: [
      "test/contract/cancel.test.ts: a cancel settles the whole tree",
      "test/contract/cancel.test.ts: the subtask alone is cancelled by its id",
    ],
  },
  {
    what: "The file of a deleted task can't be removed, and the task comes back.",
    ruledOutBy: "L16",
    tests: [
      "test/runtime/subtasks/deletion.test.ts: settles the call of its parent",
      "test/verify/subtasks/exploration.test.ts: deletion without a mark (LIFE-GAP-023)",
    ],
  },
  {
    what: "After an abort, the buffers of a stream parser keep the rest of a call.",
    ruledOutBy: "L10",
    tests: ["test/adapters/end-of-request.test.ts: keeps nothing of a response"],
  },
  {
    what: "Each chunk adds an abort listener.",
    ruledOutBy: "L17",
    tests: ["test/adapters/end-of-request.test.ts: has few listeners on its signal"],
  },
  {
    what: "A deadline is checked before each wait. A wait that never returns is never interrupted.",
    ruledOutBy: "L14",
    tests: ["test/actors/llm/llm-actor.test.ts: a model that is silent for idleTimeoutMs fails"],
  },
  {
    what: "Delegation events have two sources: one is dead, the other may double.",
    ruledOutBy: "L16",
    tests: ["test/client/lifecycle/lifecycle.test.ts: emits the end of a subtask that the parent took over"],
  },
  {
    what: "Each surface names another id in the event of a new subtask.",
    ruledOutBy: "typed events",
    tests: [
      "test/client/lifecycle/lifecycle.test.ts: emits the subtask's events in order",
      "test/server/subtasks.test.ts: a client of the server sees the ask of a subtask's subtask",
    ],
  },
  {
    what: "A status that is derived from open asks is read as the stored one.",
    ruledOutBy: "L1",
    tests: ["test/crash/settled-logs.test.ts: means what opening it derives"],
  },
  {
    what: "A second start of a running task returns as if the run had ended.",
    ruledOutBy: "`TASK_BUSY`",
    tests: ["test/runtime/task/separate-tasks.test.ts: a second start of a task that works is refused"],
  },
  {
    what: "A restart drops queued messages.",
    ruledOutBy: "QUEUE, L11",
    tests: [
      "test/machines/task/delivery.test.ts: is still queued after a crash",
      "test/runtime/task/separate-tasks.test.ts: LIFE-GAP-031",
    ],
  },
  {
    what: "A command is handled that no interface sends.",
    ruledOutBy: "one list",
    tests: ["test/contract/senders.test.ts: each handled event has a sender (LIFE-GAP-032)"],
  },
  {
    what: "Each interface resumes a task in its own way.",
    ruledOutBy: "one operation",
    tests: ["test/contract/cancel.test.ts: a cancelled task resumes with the same record"],
  },
  {
    what: "Bounds and counts of the verification in prose grow stale.",
    ruledOutBy: "generated",
    tests: [
      "test/verify/pages.test.ts: the page of the laws",
      "test/verify/pages.test.ts: the figures of the verification",
      "test/verify/figures.test.ts: are compared with every count",
    ],
  },
  {
    what: "A restart loses the options of a subtask.",
    ruledOutBy: "L11, L16",
    tests: ["test/runtime/subtasks/recorded-options.test.ts: and is the same after it is reopened"],
  },
  {
    what: "Two tasks wait for approvals, and one takes the other's edit.",
    ruledOutBy: "L7, L8",
    tests: ["test/runtime/task/separate-tasks.test.ts: an edit of an approval changes the call"],
  },
  {
    what: "Two calls share a tool handler and mix up their partial paths.",
    ruledOutBy: "L15",
    tests: [
      "test/runtime/task/separate-tasks.test.ts: a streamed call is shown with the path of its own arguments",
    ],
  },
  {
    what: "Two call ids become the same after characters are replaced.",
    ruledOutBy: "L6, L12",
    tests: [
      "test/actors/llm/response.test.ts: L6: calls %s run each under its own id",
      "test/runtime/call-ids.test.ts: L6: two calls of one response with one id",
    ],
  },
  {
    what: "The second write, which settles a refused delegation, fails. Every restart repeats the action.",
    ruledOutBy: "L11, L12",
    tests: [
      "test/runtime/subtasks/budgets.test.ts: keep the grant of a subtask that could not be created",
      "test/runtime/subtasks/subtasks.test.ts: when its id belongs to another task",
    ],
  },
  {
    what: "Repair at start corrects a task's status and leaves its pending action.",
    ruledOutBy: "L11, L12",
    tests: ["test/crash/prefixes.test.ts: recovers, holds L1-L6"],
  },
];

/** The id of the fault at this index. */
export const gapId = (index: number): string => `LIFE-GAP-${String(index + 1).padStart(3, "0")}`;
