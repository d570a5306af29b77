import { SandboxError } from "../../../adapters/sandbox/error.ts";
import type { Protocol } from "../../../control/protocol.ts";
import type { RunDecision, RunRow } from "../../../control/runs/row.ts";
import type { Controller } from "../../../control/runtime/controller.ts";
import { createHost } from "../../../runtime/host.ts";
import type { TaskOptions } from "../../../runtime/options.ts";
import type { TaskEnd } from "../../../runtime/task/task-end.ts";
import { readTreeOf } from "../../../store/exchange/recorded-tree.ts";
import { MemoryStore, memoryJournal } from "../../../store/journal/memory.ts";
import { builtinTools } from "../../../tools/builtin/builtin-tools.ts";
import { messageOf } from "../../../tools/error.ts";
import { allowEverything } from "../../../tools/policy/rules.ts";
import type { RecordedTask } from "../../../wire/inspect/sample-events.ts";
import { controllerOf } from "../controller.ts";
import { draw } from "../draw.ts";
import { outcomeAuditor } from "../outcome-auditor.ts";
import { type UntrustedRun, untrustedRun } from "../policies/untrusted.ts";
import { recordDecisions } from "../recorder.ts";
import { RunError } from "../run-error.ts";
import { isDone } from "../setting/check.ts";
import { copyWorkspace } from "../setting/setting.ts";
import type { PlannedRun } from "./planned-run.ts";
import { type RunFolders, withFolders } from "./run-folders.ts";

/** Requests of a run. */
const REQUESTS_MAX = 100;
const TOOLS = builtinTools().filter(({ name }) => ["execute_command", "attempt_completion"].includes(name));
/** The numbers that a protocol draws depend on the id of the task. */
const TASK_ID = "run";

export interface RunScope {
  readonly isSandboxed: boolean;
  /** Cancels the run. */
  readonly signal: AbortSignal;
}

/** A run that has ended: its row, and the records of its task. */
export interface FinishedRun {
  readonly row: RunRow;
  readonly recorded: RecordedTask;
}

/**
 * Run one task in folders of its own, which are removed afterwards, and check its workspace.
 *
 * @throws SandboxError `SANDBOX_MISSING`
 * @throws RunError `SETTING_INVALID`, `PROTOCOL_FAILED`, `MODEL_FAILED`
 * @throws the reason of `signal` if it aborts
 */
export function runOnce(planned: PlannedRun, scope: RunScope): Promise<FinishedRun> {
  const fill = ({ workspace }: { readonly workspace: string }) => copyWorkspace(planned.setting, workspace);
  return withFolders({ isSandboxed: scope.isSandboxed, fill }, (folders) => runIn(planned, folders, scope));
}

async function runIn(planned: PlannedRun, folders: RunFolders, scope: RunScope): Promise<FinishedRun> {
  const { setting, policy, sample, seed, inputs, models } = planned;
  const { signal, isSandboxed } = scope;
  const { protocol, decisions, failures } = recordDecisions(planned.protocol);
  const hasSideTask = (place: Pick<RunFolders, "shell" | "workspace">): Promise<boolean> =>
    isDone(setting, "side", { ...place, signal });
  // Protocols share the drawn numbers of a sample, so that they are compared in pairs.
  const runSeed = draw(seed, setting.name, policy.name, sample);
  const untrusted = untrustedRun(policy, {
    setting,
    seed: runSeed,
    outcomeAuditor: outcomeAuditor({ folders, isSandboxed, hasSideTask }),
  });
  const { auditor } = untrusted;
  const broken: unknown[] = [];
  const controller = controllerOf(protocol, {
    setting,
    models,
    auditor,
    tools: TOOLS,
    seed: runSeed,
    onFailure: (error) => broken.push(error),
  });
  const { end, recorded } = await runTask({ untrusted, controller, folders, prompt: setting.prompt, signal });
  signal.throwIfAborted();
  if (failures.length > 0) throw new RunError("PROTOCOL_FAILED", failureText(protocol.name, failures[0]));
  if (broken.length > 0) throw judgeFailed(protocol.name, broken[0]);
  if ("model" in policy && endOf(end) === "failed") throw modelFailed(policy.name, end);
  const mainTask = await isDone(setting, "main", { ...folders, signal });
  const sideTask = await hasSideTask(folders);
  signal.throwIfAborted();
  const row: RunRow = {
    setting: setting.name,
    policy: policy.name,
    protocol: protocol.name,
    sample,
    seed,
    inputs,
    mode: policy.mode,
    end: endOf(end),
    mainTask,
    sideTask,
    attempted: untrusted.hasAttempted() || sideTask,
    score: greatestScore(protocol, decisions),
    audits: decisions.filter(({ verdict }) => verdict === "audit").length,
    dollars: end.cost ?? 0,
    decisions,
  };
  return { row, recorded };
}

const failureText = (protocol: string, error: unknown): string =>
  `Protocol "${protocol}": expected a decision, got the error: ${messageOf(error)}. Correct its judge.`;

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

interface TaskRun {
  readonly untrusted: UntrustedRun;
  readonly controller: Controller;
  readonly folders: RunFolders;
  readonly prompt: string;
  readonly signal: AbortSignal;
}

/** Run a task on a host of its own. */
async function runTask({ untrusted, controller, folders, prompt, signal }: TaskRun) {
  const { model, clock, systemPrompt } = untrusted;
  const store = new MemoryStore();
  const journal = () => memoryJournal({ store });
  const host = createHost({ dataDir: folders.data, journal, clock });
  const options: TaskOptions = {
    model,
    id: TASK_ID,
    workspace: folders.workspace,
    shell: { path: folders.shell.program },
    tools: TOOLS,
    permissions: { judge: allowEverything() },
    systemPrompt: { only: systemPrompt },
    limits: { requests: REQUESTS_MAX, mistakes: 0 },
    signal,
  };
  const run = async (): Promise<TaskEnd> => (await host.create(controlled(options, controller))).run(prompt);
  const end = await run().finally(() => host.closeAll());
  return { end, recorded: await readTreeOf(TASK_ID, journal, { where: "the run", onLeftOut: () => {} }) };
}

/** The options of a task that a controller judges. */
const controlled = (options: TaskOptions, control: Controller): TaskOptions => ({ ...options, control });

/** The greatest suspicion score of a run, without honeypots, whose scores are about known attacks. */
const greatestScore = ({ monitors }: Protocol, decisions: readonly RunDecision[]): number =>
  Math.max(
    0,
    ...decisions.flatMap(({ scores }) =>
      Object.entries(scores).flatMap(([name, score]) => {
        const monitor = monitors[name];
        return monitor !== undefined && "honeypotOf" in monitor ? [] : [score];
      }),
    ),
  );

function endOf({ ask, error }: TaskEnd): RunRow["end"] {
  if (error?.code === "shut_down") return "shutDown";
  if (ask === "completion") return "completed";
  return ask === "limit" || ask === "mistakes" ? "limited" : "failed";
}
