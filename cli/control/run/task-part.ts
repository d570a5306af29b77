import { SandboxError } from "../../../adapters/sandbox/error.ts";
import type { RunDecision } from "../../../control/runs/row.ts";
import type { Controller } from "../../../control/runtime/controller.ts";
import { createHost, type Host } from "../../../runtime/host.ts";
import type { TaskEnd } from "../../../runtime/task/task-end.ts";
import { MemoryStore, memoryJournal } from "../../../store/journal/memory.ts";
import { builtinTools } from "../../../tools/builtin/builtin-tools.ts";
import { messageOf } from "../../../tools/error.ts";
import { allowEverything } from "../../../tools/policy/rules.ts";
import { controllerOf } from "../controller.ts";
import { outcomeAuditor } from "../outcome-auditor.ts";
import { type UntrustedRun, untrustedRun } from "../policies/untrusted.ts";
import { recordDecisions } from "../recorder.ts";
import { RunError } from "../run-error.ts";
import { isDone } from "../setting/check.ts";
import type { RunGroup } from "./planned-run.ts";
import { endOf } from "./run-end.ts";
import type { RunFolders } from "./run-folders.ts";

const TOOLS = builtinTools().filter(({ name }) => ["execute_command", "attempt_completion"].includes(name));
/** The numbers that a protocol draws depend on the id of the task. */
export const TASK_ID = "run";

/** Where a task works, and how. */
export interface TaskPlace {
  readonly folders: RunFolders;
  readonly isSandboxed: boolean;
  /** Cancels the task. */
  readonly signal: AbortSignal;
}

/** A task from its start to where it rests: its end, or the limit of its requests. */
export interface TaskPart {
  readonly end: TaskEnd;
  /** In order. */
  readonly decisions: readonly RunDecision[];
  /** The known attempts of the side task. */
  readonly attempts: ReadonlySet<string>;
  /** The content of the journal. */
  readonly journal: Uint8Array;
}

interface PartOptions {
  /** Seed of the numbers that are drawn from here on. */
  readonly seed: number;
  /** Requests of the task until it rests, counted from its start. */
  readonly requestsMax: number;
  /** The part that this one continues. Absent: the task starts. */
  readonly before?: TaskPart;
}

/**
 * Start a task in its folders, or continue it, until it rests.
 *
 * @throws RunError `SETTING_INVALID`, `PROTOCOL_FAILED`, `MODEL_FAILED`
 * @throws the reason of the signal if it aborts
 */
export async function runPart(
  group: RunGroup,
  { folders, isSandboxed, signal }: TaskPlace,
  { seed, requestsMax, before }: PartOptions,
): Promise<TaskPart> {
  const { setting, policy, models } = group;
  const { protocol, decisions, failures } = recordDecisions(group.protocol, before?.decisions);
  const untrusted = untrustedRun(policy, {
    setting,
    seed,
    ...(before !== undefined && { attempts: before.attempts }),
    outcomeAuditor: outcomeAuditor({
      folders,
      isSandboxed,
      hasSideTask: (place) => isDone(setting, "side", { ...place, signal }),
    }),
  });
  const { auditor, attempts } = untrusted;
  const broken: unknown[] = [];
  const controller = controllerOf(protocol, {
    setting,
    models,
    auditor,
    tools: TOOLS,
    seed,
    onFailure: (error) => broken.push(error),
  });
  const store = new MemoryStore(before?.journal);
  const options = optionsOf({ untrusted, controller, folders, requestsMax, signal });
  const work = async (host: Host): Promise<TaskEnd> => {
    if (before !== undefined) return (await host.open(TASK_ID, options)).resume();
    return (await host.create({ ...options, id: TASK_ID })).run(setting.prompt);
  };
  const end = await onHost({ store, folders, clock: untrusted.clock }, work);
  signal.throwIfAborted();
  if (failures.length > 0) throw new RunError("PROTOCOL_FAILED", messageOf(failures[0]));
  if (broken.length > 0) throw judgeFailed(protocol.name, broken[0]);
  if ("model" in policy && endOf(end) === "failed") throw modelFailed(policy.name, end);
  return { end, decisions, attempts, journal: Buffer.concat(store.chunks()) };
}

interface HostParts {
  readonly store: MemoryStore;
  readonly folders: RunFolders;
  readonly clock: UntrustedRun["clock"];
}

/** Do work on a host of its own, which is closed afterwards. */
async function onHost(
  { store, folders, clock }: HostParts,
  work: (host: Host) => Promise<TaskEnd>,
): Promise<TaskEnd> {
  const host = createHost({ dataDir: folders.data, journal: () => memoryJournal({ store }), clock });
  try {
    return await work(host);
  } finally {
    await host.closeAll();
  }
}

interface OptionParts {
  readonly untrusted: UntrustedRun;
  readonly controller: Controller;
  readonly folders: RunFolders;
  readonly requestsMax: number;
  readonly signal: AbortSignal;
}

const optionsOf = ({ untrusted, controller, folders, requestsMax, signal }: OptionParts) => ({
  model: untrusted.model,
  workspace: folders.workspace,
  shell: { path: folders.shell.program },
  tools: TOOLS,
  permissions: { judge: allowEverything() },
  systemPrompt: { only: untrusted.systemPrompt },
  limits: { requests: requestsMax, mistakes: 0 },
  control: controller,
  signal,
});

/** The error of a monitor, the trusted model or an audit: in a task it only makes an action suspicious. */
const judgeFailed = (protocol: string, cause: unknown): unknown =>
  cause instanceof RunError || cause instanceof SandboxError
    ? cause
    : new RunError(
        "MODEL_FAILED",
        `Protocol "${protocol}": expected a score, a trusted action or a finding, got the error: ${messageOf(cause)}. Correct it and run again: finished runs have their rows.`,
        { cause },
      );

const modelFailed = (policy: string, { error, ask }: TaskEnd): RunError =>
  new RunError(
    "MODEL_FAILED",
    `Policy "${policy}": expected a completed task, got the error: ${error?.message ?? `the task ended with ${ask}`}. Correct it and run again: finished runs have their rows.`,
  );
